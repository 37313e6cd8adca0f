// Synthetic token ids as block-versus-chain probes in the field make them: id i of a sequence is (i * stride + offset + salt) mod vocab.

export interface Recipe {
  readonly stride: number;
  readonly offset: number;
}
export const drawPrompt: Recipe = { stride: 7, offset: 1 };
export const drawBlock: Recipe = { stride: 13, offset: 3 };
export const walkPrompt: Recipe = { stride: 7, offset: 5 };
export const walkTokens: Recipe = { stride: 31, offset: 11 };

export const drawSalt = (draw: number): number => 977 * draw + 1;

export function syntheticIds({ stride, offset }: Recipe, salt: number, length: number, vocab: number): number[] {
  return Array.from({ length }, (_, i) => (i * stride + offset + salt) % vocab);
}
