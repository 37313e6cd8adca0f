// The MLX side of a synthetic model: config.json and one safetensors file.
import { type Writable, writePart } from './files';
import { bf16Bits, bf16ScalesOf, groupSize, type Codes } from './numbers';
import { attentionInterval, context, convKernel, normEps, type Shape } from './shape';
import type { FloatTensor, ModelTensor } from './tensors';

interface Part {
  readonly name: string;
  readonly dtype: 'U32' | 'BF16' | 'F32';
  readonly shape: readonly number[];
}

const widths = { U32: 4, BF16: 2, F32: 4 } as const;
const bytesOf = ({ dtype, shape }: Part): number => shape.reduce((product, n) => product * n, widths[dtype]);

/** A quantised matrix is stored as codes, scales and biases. */
function partsOf(tensor: ModelTensor): Part[] {
  if (tensor.kind !== 'matrix') return [{ name: tensor.mlx, dtype: tensor.kind === 'aLog' ? 'F32' : 'BF16', shape: tensor.mlxShape }];
  const { mlx, rows, cols } = tensor;
  return [
    { name: `${mlx}.weight`, dtype: 'U32', shape: [rows, cols / 8] },
    { name: `${mlx}.scales`, dtype: 'BF16', shape: [rows, cols / groupSize] },
    { name: `${mlx}.biases`, dtype: 'BF16', shape: [rows, cols / groupSize] },
  ];
}

/** The header of the safetensors format, padded to eight bytes, for tensors that follow in this order. */
export function writeSafetensorsHeader(file: Writable, tensors: readonly ModelTensor[]): void {
  const entries: Record<string, unknown> = { __metadata__: { format: 'mlx' } };
  let offset = 0;
  for (const part of tensors.flatMap(partsOf)) {
    const end = offset + bytesOf(part);
    entries[part.name] = { dtype: part.dtype, shape: part.shape, data_offsets: [offset, end] };
    offset = end;
  }
  const text = JSON.stringify(entries);
  const header = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  writePart(file, length);
  writePart(file, header);
}

export function writeSafetensorsMatrix(file: Writable, codes: Codes): void {
  const { scales, biases } = bf16ScalesOf(codes);
  writePart(file, codes.packed);
  writePart(file, scales);
  writePart(file, biases);
}

export function writeSafetensorsFloats(file: Writable, { kind }: FloatTensor, values: Float32Array): void {
  writePart(file, kind === 'aLog' ? values : Uint16Array.from(values, bf16Bits));
}

function deltaKeys({ delta, layers }: Shape): Record<string, unknown> {
  if (delta === null) return {};
  return {
    attn_output_gate: true,
    full_attention_interval: attentionInterval,
    layer_types: Array.from({ length: layers }, (_, i) => ((i + 1) % attentionInterval === 0 ? 'full_attention' : 'linear_attention')),
    linear_conv_kernel_dim: convKernel,
    linear_key_head_dim: delta.headDim,
    linear_value_head_dim: delta.headDim,
    linear_num_key_heads: delta.keyHeads,
    linear_num_value_heads: delta.valueHeads,
  };
}

export function mlxConfig(shape: Shape): Record<string, unknown> {
  return {
    model_type: shape.architecture === 'qwen3' ? 'qwen3' : 'qwen3_5_text',
    architectures: [shape.architecture === 'qwen3' ? 'Qwen3ForCausalLM' : 'Qwen3_5ForCausalLM'],
    hidden_size: shape.hidden,
    num_hidden_layers: shape.layers,
    intermediate_size: shape.intermediate,
    vocab_size: shape.vocab,
    num_attention_heads: shape.heads,
    num_key_value_heads: shape.kvHeads,
    head_dim: shape.headDim,
    rms_norm_eps: normEps,
    hidden_act: 'silu',
    attention_bias: false,
    max_position_embeddings: context,
    rope_parameters: { rope_type: 'default', rope_theta: shape.ropeTheta, partial_rotary_factor: shape.ropeDims / shape.headDim },
    tie_word_embeddings: true,
    ...deltaKeys(shape),
    quantization: { group_size: groupSize, bits: 4, mode: 'affine' },
  };
}
