// The GGUF side of a synthetic model, version 3 of the format, 4-bit blocks of 32 weights.
import { alignFile, type Writable, writePart } from './files';
import { f16ScaleOf, groupSize, type Codes } from './numbers';
import { attentionInterval, context, convKernel, normEps, type Shape } from './shape';
import type { FloatTensor, MatrixTensor, ModelTensor } from './tensors';
import { vocabularyOf } from './vocabulary';

/** q4_0: scale, codes around 8. q4_1: scale, least weight, codes from 0. */
export type GgufFormat = 'q4_0' | 'q4_1';

const alignment = 32;
const blockSize = 32;
const codeBytes = blockSize / 2;
const formats = { q4_0: { type: 2, head: 2 }, q4_1: { type: 3, head: 4 } } as const;
const f32Type = 0;

type Value = readonly ['u32' | 'i32' | 'f32', number] | readonly ['text', string] | readonly ['i32s', readonly number[]] | readonly ['texts', readonly string[]];
const valueTypes = { u32: 4, i32: 5, f32: 6, text: 8, i32s: 9, texts: 9 } as const;

class Header {
  private readonly parts: Buffer[] = [];

  bytes(): Buffer {
    return Buffer.concat(this.parts);
  }

  raw(text: string): void {
    this.parts.push(Buffer.from(text));
  }

  u32(value: number): void {
    this.parts.push(Buffer.from(Uint32Array.of(value).buffer));
  }

  u64(value: number): void {
    this.parts.push(Buffer.from(BigUint64Array.of(BigInt(value)).buffer));
  }

  text(value: string): void {
    const bytes = Buffer.from(value);
    this.u64(bytes.length);
    this.parts.push(bytes);
  }

  entry(key: string, value: Value): void {
    this.text(key);
    this.u32(valueTypes[value[0]]);
    this.value(value);
  }

  private texts(values: readonly string[]): void {
    this.u32(valueTypes.text);
    this.u64(values.length);
    for (const one of values) this.text(one);
  }

  private value([type, value]: Value): void {
    if (type === 'text') return this.text(value);
    if (type === 'f32') return void this.parts.push(Buffer.from(Float32Array.of(value).buffer));
    if (type === 'texts') return this.texts(value);
    if (type !== 'i32s') return this.u32(value);
    this.u32(valueTypes.i32);
    this.u64(value.length);
    for (const one of value) this.u32(one);
  }
}

function vocabulary(file: string): [string, Value][] {
  const { tokens, types, merges, end } = vocabularyOf(file);
  return [
    ['tokenizer.ggml.model', ['text', 'gpt2']],
    ['tokenizer.ggml.pre', ['text', 'qwen2']],
    ['tokenizer.ggml.tokens', ['texts', tokens]],
    ['tokenizer.ggml.token_type', ['i32s', types]],
    ['tokenizer.ggml.merges', ['texts', merges]],
    ['tokenizer.ggml.eos_token_id', ['u32', end]],
  ];
}

function deltaEntries({ delta, ropeDims }: Shape): [string, Value][] {
  if (delta === null) return [];
  // Sections of the rotated pairs for three position axes, which are one and the same in text.
  const third = Math.floor(ropeDims / 6);
  return [
    ['ssm.conv_kernel', ['u32', convKernel]],
    ['ssm.inner_size', ['u32', delta.valueHeads * delta.headDim]],
    ['ssm.state_size', ['u32', delta.headDim]],
    ['ssm.time_step_rank', ['u32', delta.valueHeads]],
    ['ssm.group_count', ['u32', delta.keyHeads]],
    ['full_attention_interval', ['u32', attentionInterval]],
    ['rope.dimension_sections', ['i32s', [third, third, ropeDims / 2 - 2 * third, 0]]],
  ];
}

function metadata(shape: Shape): [string, Value][] {
  const own: [string, Value][] = [
    ['vocab_size', ['u32', shape.vocab]],
    ['context_length', ['u32', context]],
    ['embedding_length', ['u32', shape.hidden]],
    ['block_count', ['u32', shape.layers]],
    ['feed_forward_length', ['u32', shape.intermediate]],
    ['attention.head_count', ['u32', shape.heads]],
    ['attention.head_count_kv', ['u32', shape.kvHeads]],
    ['attention.key_length', ['u32', shape.headDim]],
    ['attention.value_length', ['u32', shape.headDim]],
    ['attention.layer_norm_rms_epsilon', ['f32', normEps]],
    ['rope.dimension_count', ['u32', shape.ropeDims]],
    ['rope.freq_base', ['f32', shape.ropeTheta]],
    ...deltaEntries(shape),
  ];
  return [
    ['general.architecture', ['text', shape.architecture]],
    ['general.name', ['text', shape.name]],
    ...own.map(([key, value]): [string, Value] => [`${shape.architecture}.${key}`, value]),
    ...(shape.tokenizer === undefined ? ([['tokenizer.ggml.model', ['text', 'no_vocab']]] satisfies [string, Value][]) : vocabulary(shape.tokenizer)),
  ];
}

const blockBytes = (format: GgufFormat): number => formats[format].head + codeBytes;
const product = (sizes: readonly number[]): number => sizes.reduce((all, n) => all * n, 1);
const bytesOf = (tensor: ModelTensor, format: GgufFormat): number => (tensor.kind === 'matrix' ? ((tensor.rows * tensor.cols) / blockSize) * blockBytes(format) : 4 * product(tensor.ggufDims));

/** Header, metadata and table of tensors that follow in this order, up to the first tensor. */
export function writeGgufHeader(file: Writable, shape: Shape, tensors: readonly ModelTensor[], format: GgufFormat): void {
  const header = new Header();
  const entries = metadata(shape);
  header.raw('GGUF');
  header.u32(3);
  header.u64(tensors.length);
  header.u64(entries.length);
  for (const [key, value] of entries) header.entry(key, value);
  let offset = 0;
  for (const tensor of tensors) {
    const dims = tensor.kind === 'matrix' ? [tensor.cols, tensor.rows] : tensor.ggufDims;
    header.text(tensor.gguf);
    header.u32(dims.length);
    for (const size of dims) header.u64(size);
    header.u32(tensor.kind === 'matrix' ? formats[format].type : f32Type);
    header.u64(offset);
    offset += Math.ceil(bytesOf(tensor, format) / alignment) * alignment;
  }
  writePart(file, header.bytes());
  alignFile(file, alignment);
}

/** A group of 64 becomes two blocks of one scale. In a block byte i holds code i in its low half and code 16 + i in its high half. */
export function writeGgufMatrix(file: Writable, tensor: MatrixTensor, { packed, fractions, exponent }: Codes, format: GgufFormat): void {
  const { head } = formats[format];
  const size = blockBytes(format);
  const scales = Array.from({ length: 128 }, (_, fraction) => f16ScaleOf(exponent, fraction));
  const out = new Uint8Array(bytesOf(tensor, format));
  const view = new DataView(out.buffer);
  for (let block = 0, from = 0, to = 0; to < out.length; block += 1, from += codeBytes, to += size) {
    const { scale, least } = scales[fractions[Math.floor((block * blockSize) / groupSize)] ?? 0] ?? { scale: 0, least: 0 };
    view.setUint16(to, scale, true);
    if (format === 'q4_1') view.setUint16(to + 2, least, true);
    interleave(packed, from, out, to + head);
  }
  writePart(file, out);
  alignFile(file, alignment);
}

function interleave(packed: Uint8Array, from: number, out: Uint8Array, to: number): void {
  for (let i = 0; i < codeBytes / 2; i += 1) {
    const low = packed[from + i] ?? 0;
    const high = packed[from + codeBytes / 2 + i] ?? 0;
    out[to + 2 * i] = (low & 15) | ((high & 15) << 4);
    out[to + 2 * i + 1] = (low >> 4) | (high & 0xf0);
  }
}

export function writeGgufFloats(file: Writable, { kind }: FloatTensor, values: Float32Array): void {
  writePart(file, kind === 'aLog' ? values.map((x) => -Math.exp(x)) : values);
  alignFile(file, alignment);
}
