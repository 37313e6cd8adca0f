//! Byte equality: batch, threads, instruction sets, pieces, forks. The exact families.

use crate::{
    common::{goldens, load as load_model, same_bytes},
    pair::{DFLASH, folder, load, logits, noise, observe, open, propose, rows, tokens, wish},
};
use moire_base::Dtype;
use moire_engine::{Drafter, Tensor, Wish};
use moire_kernels::Isa;
use serde_json::{Value, json};
use std::sync::Arc;

const NAMES: [&str; 3] = [DFLASH[0], DFLASH[1], "mtp-tiny"];

fn drafter(name: &str) -> Arc<Drafter> {
    load(&folder(name), &load_model(&goldens().join("models/qwen35-tiny-4bit")))
}

fn exact() -> Value {
    json!({"matmul": "exact", "attention": "exact"})
}

fn given(drafter: &Drafter, rows: usize) -> Vec<Arc<Tensor>> {
    noise(drafter.info().taps.len(), rows, drafter.info().hidden, Dtype::Bf16)
}

/// Two observations and a proposal after each, of batch rows with different numbers of rows.
#[test]
fn rows_of_a_batch_are_the_rows_alone() {
    let parts: [[[usize; 2]; 3]; 2] = [[[0, 24], [24, 33], [48, 65]], [[24, 24], [33, 40], [65, 66]]];
    let all = tokens(100);
    for name in NAMES {
        let drafter = drafter(name);
        let given = given(&drafter, 80);
        let next = |[from, to]: [usize; 2]| all[from..to].to_vec();
        let mut batch = open(&drafter, &exact(), 3);
        let mut single: Vec<_> = (0..3).map(|_| open(&drafter, &exact(), 1)).collect();
        for part in parts {
            observe(&mut batch, &given, &part, &part.map(next));
            let whole = propose(&mut batch, &wish(5));
            for (b, draft) in single.iter_mut().enumerate() {
                observe(draft, &given, &[part[b]], &[next(part[b])]);
                let one = propose(draft, &wish(5));
                assert!(same_bytes(&rows(logits(&whole), 4 * b, 4 * b + 4), logits(&one)), "{name} row {b}");
                assert_eq!(whole.ids[b], one.ids[0]);
            }
            if name == "mtp-tiny" {
                let after = |ids| Wish { after: Some(ids), ..wish(3) };
                let whole = propose(&mut batch, &after(vec![7, 8, 9]));
                for (b, draft) in single.iter_mut().enumerate() {
                    let one = propose(draft, &after(vec![7 + b as u32]));
                    assert!(same_bytes(&rows(logits(&whole), 2 * b, 2 * b + 2), logits(&one)), "{name} row {b}, after");
                }
            }
        }
        assert_eq!(batch.position(), [24, 16, 18]);
    }
}

#[test]
fn threads_and_instruction_sets_change_no_byte() {
    for name in NAMES {
        let drafter = drafter(name);
        let given = given(&drafter, 70);
        for activations in ["checkpoint", "f32"] {
            let run = |threads: usize, isa: Isa| {
                let mut switches = exact();
                switches["activations"] = json!(activations);
                (switches["threads"], switches["isa"]) = (json!(threads), json!(isa.name()));
                let mut draft = open(&drafter, &switches, 1);
                observe(&mut draft, &given, &[[0, 70]], &[tokens(70)]);
                logits(&propose(&mut draft, &wish(8))).clone()
            };
            let first = run(1, Isa::Scalar);
            assert_eq!(first.dtype, if activations == "f32" { Dtype::F32 } else { Dtype::Bf16 });
            for (threads, isa) in Isa::available().into_iter().flat_map(|isa| [1, 2, 3].map(|t| (t, isa))) {
                assert!(same_bytes(&run(threads, isa), &first), "{name} {activations} {threads} {}", isa.name());
            }
        }
    }
}

/// Far beyond the window of the sliding layer and beyond one chunk: at once, in pieces, and with proposals in between.
#[test]
fn rows_in_pieces_are_the_rows_at_once() {
    const ROWS: usize = 700;
    for name in NAMES {
        let drafter = drafter(name);
        let given = given(&drafter, ROWS);
        let all = tokens(ROWS);
        let mut whole = open(&drafter, &exact(), 1);
        observe(&mut whole, &given, &[[0, ROWS]], std::slice::from_ref(&all));
        let want = propose(&mut whole, &wish(8));
        for piece in [1, 64, 333] {
            let mut draft = open(&drafter, &exact(), 1);
            for from in (0..ROWS).step_by(piece) {
                let to = ROWS.min(from + piece);
                observe(&mut draft, &given, &[[from, to]], &[all[from..to].to_vec()]);
                if from % 7 == 0 {
                    propose(&mut draft, &wish(3));
                }
            }
            assert!(same_bytes(logits(&propose(&mut draft, &wish(8))), logits(&want)), "{name} pieces of {piece}");
        }
    }
}

#[test]
fn a_fork_goes_its_own_way() {
    for name in NAMES {
        let drafter = drafter(name);
        let given = given(&drafter, 80);
        let all = tokens(80);
        let start = || {
            let mut draft = open(&drafter, &exact(), 1);
            observe(&mut draft, &given, &[[0, 30]], &[all[..30].to_vec()]);
            draft
        };
        let mut draft = start();
        let mut fork = draft.fork();
        observe(&mut fork, &given, &[[40, 50]], &[all[40..50].to_vec()]);
        let forked = propose(&mut fork, &wish(8));
        observe(&mut draft, &given, &[[60, 65]], &[all[60..65].to_vec()]);
        let went_on = propose(&mut draft, &wish(8));
        for (rows, proposal) in [([40, 50], forked), ([60, 65], went_on)] {
            let mut alone = start();
            observe(&mut alone, &given, &[rows], &[all[rows[0]..rows[1]].to_vec()]);
            assert!(same_bytes(logits(&propose(&mut alone, &wish(8))), logits(&proposal)), "{name} {rows:?}");
        }
        assert_eq!((draft.position(), fork.position()), (vec![35], vec![40]));
    }
}

/// Features of another dtype than the activations: nothing is rounded on the way in, so that fp32 ones of the same values give the same bytes.
#[test]
fn features_may_be_wider_or_narrower_than_the_activations() {
    for name in NAMES {
        let drafter = drafter(name);
        let proposed = |given: &[Arc<Tensor>], activations: &str| {
            let mut draft = open(&drafter, &json!({"activations": activations}), 1);
            observe(&mut draft, given, &[[0, 20]], &[tokens(20)]);
            logits(&propose(&mut draft, &wish(4))).clone()
        };
        for (dtype, activations) in [(Dtype::Bf16, "f32"), (Dtype::F16, "f32"), (Dtype::F16, "checkpoint")] {
            let given = noise(drafter.info().taps.len(), 20, drafter.info().hidden, dtype);
            let wide = |t: &Arc<Tensor>| {
                let bytes = Dtype::F32.narrow(&t.dtype.widen(&t.data));
                Arc::new(Tensor::new(Dtype::F32, t.shape.clone(), bytes.into()).unwrap())
            };
            let widened: Vec<Arc<Tensor>> = given.iter().map(wide).collect();
            let [a, b] = [&given, &widened].map(|given| proposed(given, activations));
            assert!(same_bytes(&a, &b), "{name} {activations} {}", dtype.name());
        }
    }
}
