// Sizes of the synthetic models: what decides how much is read and multiplied, without anybody's weights.

export interface Delta {
  readonly keyHeads: number;
  readonly valueHeads: number;
  /** Width of a key head and of a value head. */
  readonly headDim: number;
}

export interface Shape {
  readonly name: string;
  readonly describes: string;
  readonly architecture: 'qwen3' | 'qwen35';
  readonly hidden: number;
  readonly layers: number;
  readonly intermediate: number;
  readonly vocab: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly ropeDims: number;
  readonly ropeTheta: number;
  /** Gated delta layers; every fourth layer is attention then, with an output gate. Null: attention everywhere. */
  readonly delta: Delta | null;
  /** A tokenizer.json for both files, so that they can be asked in text; without, they take ids alone. */
  readonly tokenizer?: string;
}

export const convKernel = 4;
export const attentionInterval = 4;
export const context = 4096;
export const normEps = 1e-6;

export const dense: Shape = {
  name: 'dense',
  describes: 'Qwen 3 0.6B shape, 28 attention layers, tied head',
  architecture: 'qwen3',
  hidden: 1024,
  layers: 28,
  intermediate: 3072,
  vocab: 151_936,
  heads: 16,
  kvHeads: 8,
  headDim: 128,
  ropeDims: 128,
  ropeTheta: 1e6,
  delta: null,
};

export const hybrid: Shape = {
  name: 'hybrid',
  describes: 'Qwen 3.5 0.8B shape, 18 gated delta and 6 attention layers, tied head',
  architecture: 'qwen35',
  hidden: 1024,
  layers: 24,
  intermediate: 3584,
  vocab: 248_320,
  heads: 8,
  kvHeads: 2,
  headDim: 256,
  ropeDims: 64,
  ropeTheta: 1e7,
  delta: { keyHeads: 16, valueHeads: 16, headDim: 128 },
};

/** Small enough for a test that reads every number. */
export const tinyDense: Shape = { ...dense, name: 'tiny-dense', hidden: 128, layers: 2, intermediate: 192, vocab: 320, heads: 4, kvHeads: 2, headDim: 64, ropeDims: 64 };
export const tinyHybrid: Shape = {
  ...hybrid,
  name: 'tiny-hybrid',
  hidden: 128,
  layers: 4,
  intermediate: 192,
  vocab: 320,
  heads: 2,
  kvHeads: 1,
  headDim: 64,
  ropeDims: 16,
  delta: { keyHeads: 2, valueHeads: 2, headDim: 64 },
};

export function isAttention(shape: Shape, layer: number): boolean {
  return shape.delta === null || (layer + 1) % attentionInterval === 0;
}
