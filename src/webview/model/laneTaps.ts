// The computation of each kind of row as a graph: which tap is made from which, and on which rail of the lane it stands. Rail 0 is the residual stream.
import type { MapRow } from '../../shared/report';

export interface LaneTap {
  readonly rail: number;
  /** The taps that it is made from, the main one first. */
  readonly from: readonly string[];
  /** For an input that does not come down its own rail: the rail that its line takes instead. */
  readonly via?: Readonly<Record<string, number>>;
  /** Made by some models only: not missed where it is not there. */
  readonly optional?: true;
}

const on = (rail: number, ...from: readonly string[]): LaneTap => ({ rail, from });
const optional = (tap: LaneTap): LaneTap => ({ ...tap, optional: true });

const before = { layer_input: on(0), input_norm: on(1, 'layer_input') };

const after = (mixer: string): Readonly<Record<string, LaneTap>> => ({
  mixer_residual: on(0, mixer, 'layer_input'),
  post_norm: on(1, 'mixer_residual'),
  mlp_gate: on(1, 'post_norm'),
  mlp_up: on(2, 'post_norm'),
  mlp_act: on(1, 'mlp_gate', 'mlp_up'),
  mlp_down: on(1, 'mlp_act'),
  layer_output: on(0, 'mlp_down', 'mixer_residual'),
});

/** In data order. A query projection carries the output gate beside the queries, so the gate's line begins there. */
export const laneTaps: Readonly<Record<MapRow['kind'], Readonly<Record<string, LaneTap>>>> = {
  embedding: { embedding: on(0) },
  attention: {
    ...before,
    q_proj: on(1, 'input_norm'),
    k_proj: on(2, 'input_norm'),
    v_proj: on(3, 'input_norm'),
    q_norm: optional(on(1, 'q_proj')),
    k_norm: optional(on(2, 'k_proj')),
    q_rope: on(1, 'q_norm'),
    k_rope: on(2, 'k_norm'),
    attention_core: on(1, 'q_rope', 'k_rope', 'v_proj'),
    attention_gated: { ...optional(on(1, 'attention_core', 'q_proj')), via: { q_proj: 4 } },
    o_proj: on(1, 'attention_gated'),
    ...after('o_proj'),
  },
  gated_delta: {
    ...before,
    in_proj_qkv: on(1, 'input_norm'),
    in_proj_z: on(6, 'input_norm'),
    in_proj_b: on(4, 'input_norm'),
    in_proj_a: on(5, 'input_norm'),
    conv: on(1, 'in_proj_qkv'),
    conv_out: on(1, 'conv'),
    delta_q: on(1, 'conv_out'),
    delta_k: on(2, 'conv_out'),
    delta_v: on(3, 'conv_out'),
    beta: on(4, 'in_proj_b'),
    decay: on(5, 'in_proj_a'),
    delta_core: on(1, 'delta_q', 'delta_k', 'delta_v', 'beta', 'decay'),
    delta_gated: on(1, 'delta_core', 'in_proj_z'),
    out_proj: on(1, 'delta_gated'),
    ...after('out_proj'),
  },
  head: { final_norm: on(0), logits: on(0, 'final_norm') },
};
