// The tensors of a shape, with their names in both kinds of file.
import { convKernel, isAttention, type Delta, type Shape } from './shape';

/** A quantised matrix, [rows, cols] in both files. */
export interface MatrixTensor {
  readonly kind: 'matrix';
  readonly mlx: string;
  readonly gguf: string;
  readonly rows: number;
  readonly cols: number;
}

/** A float tensor; `gguf` dimensions run from the fastest to the slowest. The numbers of `aLog` are stored in GGUF as -exp(x). */
export interface FloatTensor {
  readonly kind: 'norm' | 'conv' | 'dtBias' | 'aLog';
  readonly mlx: string;
  readonly gguf: string;
  readonly mlxShape: readonly number[];
  readonly ggufDims: readonly number[];
}

export type ModelTensor = MatrixTensor | FloatTensor;

type Names = readonly [mlx: string, gguf: string];

const matrix = ([mlx, gguf]: Names, rows: number, cols: number): MatrixTensor => ({ kind: 'matrix', mlx, gguf: `${gguf}.weight`, rows, cols });
const norm = ([mlx, gguf]: Names, size: number): FloatTensor => ({ kind: 'norm', mlx: `${mlx}.weight`, gguf: `${gguf}.weight`, mlxShape: [size], ggufDims: [size] });

function attention(shape: Shape, layer: string, block: string): ModelTensor[] {
  const { hidden, heads, kvHeads, headDim, delta } = shape;
  const at = (mlx: string, gguf: string): Names => [`${layer}.self_attn.${mlx}`, `${block}.${gguf}`];
  return [
    matrix(at('q_proj', 'attn_q'), heads * headDim * (delta === null ? 1 : 2), hidden),
    matrix(at('k_proj', 'attn_k'), kvHeads * headDim, hidden),
    matrix(at('v_proj', 'attn_v'), kvHeads * headDim, hidden),
    matrix(at('o_proj', 'attn_output'), hidden, heads * headDim),
    norm(at('q_norm', 'attn_q_norm'), headDim),
    norm(at('k_norm', 'attn_k_norm'), headDim),
  ];
}

function gatedDelta({ hidden }: Shape, { keyHeads, valueHeads, headDim }: Delta, layer: string, block: string): ModelTensor[] {
  const at = (mlx: string, gguf: string): Names => [`${layer}.linear_attn.${mlx}`, `${block}.${gguf}`];
  const values = valueHeads * headDim;
  const channels = 2 * keyHeads * headDim + values;
  const [dtMlx, dtGguf] = at('dt_bias', 'ssm_dt.bias');
  const [aMlx, aGguf] = at('A_log', 'ssm_a');
  const [convMlx, convGguf] = at('conv1d.weight', 'ssm_conv1d.weight');
  return [
    matrix(at('in_proj_qkv', 'attn_qkv'), channels, hidden),
    matrix(at('in_proj_z', 'attn_gate'), values, hidden),
    matrix(at('in_proj_b', 'ssm_beta'), valueHeads, hidden),
    matrix(at('in_proj_a', 'ssm_alpha'), valueHeads, hidden),
    matrix(at('out_proj', 'ssm_out'), hidden, values),
    { kind: 'conv', mlx: convMlx, gguf: convGguf, mlxShape: [channels, convKernel, 1], ggufDims: [convKernel, channels] },
    { kind: 'dtBias', mlx: dtMlx, gguf: dtGguf, mlxShape: [valueHeads], ggufDims: [valueHeads] },
    { kind: 'aLog', mlx: aMlx, gguf: aGguf, mlxShape: [valueHeads], ggufDims: [valueHeads] },
    norm(at('norm', 'ssm_norm'), headDim),
  ];
}

function layerTensors(shape: Shape, index: number): ModelTensor[] {
  const { hidden, intermediate, delta } = shape;
  const [layer, block] = [`model.layers.${index}`, `blk.${index}`];
  const mixer = delta === null || isAttention(shape, index) ? attention(shape, layer, block) : gatedDelta(shape, delta, layer, block);
  return [
    norm([`${layer}.input_layernorm`, `${block}.attn_norm`], hidden),
    norm([`${layer}.post_attention_layernorm`, `${block}.${delta === null ? 'ffn_norm' : 'post_attention_norm'}`], hidden),
    ...mixer,
    matrix([`${layer}.mlp.gate_proj`, `${block}.ffn_gate`], intermediate, hidden),
    matrix([`${layer}.mlp.up_proj`, `${block}.ffn_up`], intermediate, hidden),
    matrix([`${layer}.mlp.down_proj`, `${block}.ffn_down`], hidden, intermediate),
  ];
}

/** All tensors, in the order of both files. The head is the embedding. */
export function tensorsOf(shape: Shape): ModelTensor[] {
  return [
    matrix(['model.embed_tokens', 'token_embd'], shape.vocab, shape.hidden),
    norm(['model.norm', 'output_norm'], shape.hidden),
    ...Array.from({ length: shape.layers }, (_, index) => layerTensors(shape, index)).flat(),
  ];
}

/** Multiply-adds of the linear layers for one token: without the head, and of the head. */
export function multiplyAdds(shape: Shape): { readonly layers: number; readonly head: number } {
  const head = shape.vocab * shape.hidden;
  const all = tensorsOf(shape).reduce((sum, tensor) => sum + (tensor.kind === 'matrix' ? tensor.rows * tensor.cols : 0), 0);
  return { layers: all - head, head };
}
