//! Single steps of a reference forward: inputs and outputs recorded inside the layers of the golden models.

mod common;

use common::{bits, ctx, golden, pages, relative, tensor};
use moire_base::Dtype;
use moire_kernels::{
    Columns,
    attention::{AttentionForm, AttentionSpec, KvShape, KvView, Mask, attention},
    delta::{DeltaForm, DeltaInputs, DeltaShape, DeltaStates, beta, gated_delta},
    elementwise::{add, sigmoid_gate},
    norm::{DeltaRole, delta_qk_norm},
    rope::{Rope, RopeForm, RopeScaling, rotate},
};
use safetensors::SafeTensors;

const FILES: [(&str, Dtype); 3] =
    [("qwen35-mini-f32", Dtype::F32), ("qwen35-tiny-bf16", Dtype::Bf16), ("qwen35-tiny-4bit", Dtype::Bf16)];
/// Share of elements that must be equal to the byte, and relative distance, where summation order may flip a rounding.
const EQUAL: f64 = 0.97;

struct Taps<'a>(&'a SafeTensors<'a>);

impl Taps<'_> {
    fn get(&self, layer: usize, tap: &str) -> Vec<f32> {
        tensor(self.0, &format!("layer.{layer}.{tap}")).to_f32()
    }
    fn shape(&self, layer: usize, tap: &str) -> Vec<usize> {
        self.0.tensor(&format!("layer.{layer}.{tap}")).unwrap().shape().to_vec()
    }
}

fn each(test: impl Fn(&Taps, Dtype)) {
    for (name, act) in FILES {
        let bytes = golden(&format!("ref/{name}.taps.safetensors"));
        test(&Taps(&SafeTensors::deserialize(&bytes).unwrap()), act);
    }
}

fn close(what: &str, act: Dtype, got: &[f32], want: &[f32]) {
    let reference: Vec<f64> = want.iter().map(|v| f64::from(*v)).collect();
    let error = relative(got, &reference);
    let equal = bits(got).iter().zip(bits(want)).filter(|(a, b)| **a == *b).count() as f64 / got.len() as f64;
    println!("{what} {}: {error:e}, {equal:.4} equal", act.name());
    assert!(error < if act == Dtype::F32 { 2e-6 } else { 2e-3 }, "{what} {}: {error:e}", act.name());
    assert!(act == Dtype::F32 || equal > EQUAL, "{what}: {equal} equal");
}

#[test]
fn delta_layers() {
    each(|taps, act| {
        let c = ctx(act);
        let (v_shape, q_shape) = (taps.shape(0, "delta_out"), taps.shape(0, "q_normed"));
        let (rows, hv, dv, hk, dk) = (v_shape[0], v_shape[1], v_shape[2], q_shape[1], q_shape[2]);
        let conv = taps.get(0, "conv_silu");
        let part = |from: usize, width: usize| Columns::new(&conv, 2 * hk * dk + hv * dv, from..from + width);
        let mut normed = [DeltaRole::Query, DeltaRole::Key].map(|_| vec![0.0; rows * hk * dk]);
        for (i, (role, tap)) in [(DeltaRole::Query, "q_normed"), (DeltaRole::Key, "k_normed")].into_iter().enumerate() {
            delta_qk_norm(&c, part(i * hk * dk, hk * dk), dk, role, &mut normed[i]);
            close(tap, act, &normed[i], &taps.get(0, tap));
        }
        let mut write = vec![0.0; rows * hv];
        beta(&c, &taps.get(0, "b"), &mut write);
        close("beta", act, &write, &taps.get(0, "beta"));
        let (q, k, v) = (taps.get(0, "q_normed"), taps.get(0, "k_normed"), part(2 * hk * dk, hv * dv));
        let (beta, decay) = (taps.get(0, "beta"), taps.get(0, "g"));
        let log: Vec<f32> = decay.iter().map(|g| g.ln()).collect();
        let shape = DeltaShape { key_heads: hk, value_heads: hv, key_dim: dk, value_dim: dv };
        let inputs = DeltaInputs { q: &q, k: &k, v, beta: &beta, decay: &decay, log_decay: &log };
        for form in [DeltaForm::Recurrent, DeltaForm::Chunked] {
            let zeros = vec![0.0; hv * dv * dk];
            let (mut state, mut out) = (zeros.clone(), vec![0.0; rows * hv * dv]);
            gated_delta(&c, form, shape, &inputs, DeltaStates { before: &zeros, after: &mut state }, &mut out).unwrap();
            close(form.name(), act, &out, &taps.get(0, "delta_out"));
            close("state", Dtype::F32, &state, &taps.get(0, "recurrent_state"));
        }
    });
}

#[test]
fn residuals_are_equal_to_the_byte() {
    each(|taps, act| {
        let (mixer, mlp) = (taps.get(1, "mixer_out"), taps.get(1, "mlp_out"));
        let (mut middle, mut out) = (vec![0.0; mixer.len()], vec![0.0; mixer.len()]);
        add(&ctx(act), &taps.get(0, "layer_out"), &mixer, &mut middle);
        assert_eq!(bits(&middle), bits(&taps.get(1, "after_mixer")));
        add(&ctx(act), &middle, &mlp, &mut out);
        assert_eq!(bits(&out), bits(&taps.get(1, "layer_out")));
    });
}

/// `[heads, rows, width]` to `[rows, heads, width]`.
fn by_row(x: &[f32], shape: &[usize]) -> Vec<f32> {
    let (heads, rows, width) = (shape[0], shape[1], shape[2]);
    (0..rows * heads).flat_map(|i| &x[(i % heads * rows + i / heads) * width..][..width]).copied().collect()
}

#[test]
fn attention_layers() {
    each(|taps, act| {
        let layer = if taps.0.tensor("layer.3.q_rope").is_ok() { 3 } else { 1 };
        let (q_shape, k_shape) = (taps.shape(layer, "q_rope"), taps.shape(layer, "k_rope"));
        let (heads, rows, width) = (q_shape[0], q_shape[1], q_shape[2]);
        let c = ctx(act);
        let rope = Rope { dims: width / 4, base: 1e7, traditional: false, scaling: RopeScaling::Default };
        let normed = by_row(&taps.get(layer, "q_normed"), &q_shape);
        let mut roped = vec![0.0; normed.len()];
        rotate(&c, &rope.angles(RopeForm::Row, 0, rows), &normed, heads, width, &mut roped);
        let want = by_row(&taps.get(layer, "q_rope"), &q_shape);
        let reference: Vec<f64> = want.iter().map(|v| f64::from(*v)).collect();
        assert!(relative(&roped, &reference) < if act == Dtype::F32 { 1e-6 } else { 3e-3 });

        let (keys, values) = (taps.get(layer, "k_rope"), taps.get(layer, "v"));
        let (keys, values) = (by_row(&keys, &k_shape), by_row(&values, &k_shape));
        let shape = KvShape { kv_heads: k_shape[0], head_dim: width, keys: act, values: act };
        let pages = pages(shape, &keys, &values);
        let kv = KvView { shape, pages: &pages, len: rows };
        let spec = AttentionSpec { heads, mask: Mask::CAUSAL, scale: (width as f32).powf(-0.5) };
        let reference: Vec<f64> = taps.get(layer, "attn_out").into_iter().map(f64::from).collect();
        for form in [AttentionForm::PerPosition, AttentionForm::Batched, AttentionForm::Exact] {
            let mut out = vec![0.0; want.len()];
            attention(&c, form, spec, &want, &kv, &mut out).unwrap();
            // The recorded forward rounds scores and weights to the activation dtype; here they stay fp32.
            assert!(relative(&out, &reference) < if act == Dtype::F32 { 2e-6 } else { 1e-2 }, "{form:?}");
        }
        let (qg, attn) = (taps.get(layer, "q_proj"), taps.get(layer, "attn_out"));
        let gate: Vec<f32> = qg.chunks(2 * width).flat_map(|head| head[width..].to_vec()).collect();
        let mut gated = vec![0.0; attn.len()];
        sigmoid_gate(&c, &attn, &gate, &mut gated);
        close("attn_gated", act, &gated, &taps.get(layer, "attn_gated"));
    });
}
