//! SwiGLU (model-spec 1.4.4).

use super::{Pass, Rows};
use moire_base::Result;
use moire_checkpoint::Mlp;
use moire_kernels::{elementwise, promote};

/// `down(silu(gate(m)) · up(m))`.
pub fn forward(pass: &mut Pass, mlp: &Mlp, m: &Rows) -> Result<Rows> {
    let [gate, up] = pass.linears([("mlp_gate", &mlp.gate), ("mlp_up", &mlp.up)], m)?;
    let mut act = Rows::like(&gate);
    act.dtype = promote(gate.dtype, up.dtype);
    elementwise::swiglu(&pass.ctx.with_act(act.dtype), &gate.values, &up.values, &mut act.values);
    pass.tap("mlp_act", &act);
    pass.linear("mlp_down", &mlp.down, &act)
}
