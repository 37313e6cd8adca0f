// Which elements of a tap are one head. Some taps have their heads in their shape; others are rows of the same heads, laid out one after another.

/** A tap of the same heads whose shape is [heads, width]. */
export const headTaps: Readonly<Record<string, string>> = {
  q_proj: 'q_rope',
  q_norm: 'q_rope',
  k_proj: 'k_rope',
  k_norm: 'k_rope',
  v_proj: 'k_rope',
  attention_core: 'q_rope',
  attention_gated: 'q_rope',
  in_proj_z: 'delta_core',
  in_proj_b: 'delta_core',
  in_proj_a: 'delta_core',
  beta: 'delta_core',
  decay: 'delta_core',
  delta_gated: 'delta_core',
};

export interface Heads {
  readonly heads: number;
  /** Elements of each. */
  readonly width: number;
}

/** The heads of a row of `shape`; `like`: the shape of the tap in `headTaps`, where it is known. Null where nothing tells them. */
export function headsOf(shape: readonly number[], like: readonly number[] | null): Heads | null {
  const total = shape.reduce((product, length) => product * length, 1);
  const heads = shape.length > 1 ? shape[0] : like !== null && like.length > 1 ? like[0] : undefined;
  if (heads === undefined || heads < 1 || total < heads || total % heads !== 0) return null;
  return { heads, width: total / heads };
}
