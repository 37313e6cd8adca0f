//! The bytes matrix of the exact arm: one set of logit, tap and state bytes, whatever a run looks like.
//!
//! Axes: block widths 1 to 32; in a fork, which is then rewound, or in the session itself; threads 1, 2, 3; every instruction set of this CPU; prefill
//! whole or in calls of 1, 7 and 64 tokens; alone or as a row of a batch of 2 or 4 whose other rows have other tokens at other positions; all taps or none.
//! The reference is a chain of single steps: scalar kernels, one thread, one row, never forked.
//!
//! What is covered:
//! * the smallest hybrid and the smallest attention model: every pair of values of all seven axes; the former also the full product, with eleven widths
//!   for the 32;
//! * a model of every architecture and packing, and the sample: every pair, with seven widths for the 32;
//! * every bit width and group size, and fp32 between ops: every value of every axis, with the same seven widths;
//! * the sample again, far into its context.

#[path = "../common/mod.rs"]
mod common;

mod axes;
mod chain;
mod walk;

use axes::{Run, Walk};
use chain::Chain;
use common::{CASES, goldens, load, sample};
use serde_json::{Value, json};

/// Both kinds of layer, 2 layers, width 128.
const SMALLEST: &str = "qwen35-mini-b4g32";

const SMALLEST_ATTENTION: &str = "llama-tiny-bf16";

/// More than one part of every size.
const PROMPT: usize = 71;

/// Widths for models where all 32 take too long: around the sizes that kernels work in.
const FEW: [usize; 7] = [1, 2, 3, 8, 13, 16, 32];

fn exact() -> Value {
    json!({"matmul": "exact", "attention": "exact", "delta": "recurrent", "rope": "row"})
}

fn check(name: &str, switches: &Value, isa: &str, walks: &[Walk]) {
    let model = if name == "sample" { sample() } else { load(&goldens().join("models").join(name)) };
    let chain = Chain::record(&model, switches, isa, walks);
    for w in walks {
        walk::walk(&model, switches, w, &chain).unwrap_or_else(|e| panic!("{name} {switches}: {}: {e}", w.run));
    }
}

#[test]
fn the_full_product_on_the_smallest_model() {
    let both = |width| [true, false].map(|forked| axes::Block { width, forked });
    let blocks: Vec<_> = [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 32].into_iter().flat_map(both).collect();
    let walks: Vec<Walk> =
        axes::product().into_iter().map(|run| Walk { run, prompt: PROMPT, blocks: blocks.clone() }).collect();
    check(SMALLEST, &exact(), "scalar", &walks);
}

#[test]
fn every_pair_on_the_smallest_models() {
    let walks = axes::every_pair(PROMPT, &(1..=32).collect::<Vec<_>>());
    [SMALLEST, SMALLEST_ATTENTION].iter().for_each(|name| check(name, &exact(), "scalar", &walks));
}

#[test]
fn every_pair_on_every_architecture_and_packing() {
    let walks = axes::every_pair(PROMPT, &FEW);
    let hybrid = ["qwen35-tiny-4bit", "qwen35-tiny-bf16", "qwen35-tiny-mixed", "qwen35-mini-f32"];
    let attention = ["qwen3-tiny-4bit", "llama-tiny-4bit"];
    hybrid.iter().chain(&attention).for_each(|name| check(name, &exact(), "scalar", &walks));
}

#[test]
fn every_value_without_rounding_between_ops() {
    let mut switches = exact();
    switches["activations"] = json!("f32");
    check("qwen35-tiny-mixed", &switches, "scalar", &axes::every_value(PROMPT, &FEW));
}

#[test]
fn every_bit_width_and_group_size() {
    let walks = axes::every_value(PROMPT, &FEW);
    let minis = CASES.iter().filter(|name| name.starts_with("qwen35-mini-b") && **name != SMALLEST);
    minis.for_each(|name| check(name, &exact(), "scalar", &walks));
}

#[test]
fn every_pair_on_the_sample() {
    check("sample", &exact(), "scalar", &axes::every_pair(PROMPT, &FEW));
}

/// The chain of so many steps runs on the fastest instruction set; the scalar one joins it for the first half.
#[test]
fn the_sample_far_into_its_context() {
    let blocks: Vec<_> = [1, 2, 5, 8, 16, 32].map(|width| axes::Block { width, forked: width % 2 == 0 }).into();
    let run = |isa, threads, part, batch| Run { isa, threads, part, batch, capture: false };
    let mut walks = vec![Walk { run: run("scalar", 2, None, 1), prompt: 700, blocks: blocks.clone() }];
    for isa in axes::isas().into_iter().filter(|isa| *isa != "scalar") {
        walks.push(Walk { run: run(isa, 2, None, 1), prompt: 1900, blocks: blocks.clone() });
        walks.push(Walk { run: run(isa, 3, Some(64), 2), prompt: 1300, blocks: blocks.clone() });
    }
    check("sample", &exact(), axes::fastest(), &walks);
}
