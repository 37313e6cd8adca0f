//! The thread pool, instruction sets and top-k.

use moire_base::Status;
use moire_kernels::{Isa, Pool, topk::top_k};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn map_keeps_part_order_on_any_number_of_threads() {
    for threads in [1, 2, 3, 8] {
        let pool = Pool::new(threads).unwrap();
        assert_eq!(pool.threads(), threads);
        for parts in [0, 1, 2, 7, 100] {
            assert_eq!(pool.map(parts, |i| i * i), (0..parts).map(|i| i * i).collect::<Vec<_>>());
        }
    }
}

#[test]
fn split_covers_everything_once_in_whole_units() {
    let pool = Pool::new(3).unwrap();
    for n in [0, 1, 7, 8, 9, 64, 1000] {
        for unit in [1, 8] {
            for least in [0, 1, 100] {
                let parts = pool.split(n, unit, least);
                assert!(parts.len() <= 3 && parts[0].start == 0 && parts[parts.len() - 1].end == n);
                assert!(parts.windows(2).all(|w| w[0].end == w[1].start && w[1].start % unit == 0));
            }
        }
    }
}

#[test]
fn slabs_hand_out_every_element_once() {
    let pool = Pool::new(3).unwrap();
    for n in [0, 1, 5, 30, 31] {
        let mut out = vec![0.0; n];
        pool.slabs(&mut out, 5, 1, |first, slab| {
            for (i, v) in slab.iter_mut().enumerate() {
                *v += (first * 5 + i) as f32 + 1.0;
            }
        });
        assert_eq!(out, (1..=n).map(|i| i as f32).collect::<Vec<_>>());
    }
}

#[test]
fn each_item_is_taken_once_by_any_number_of_threads() {
    for threads in [1, 2, 3, 8] {
        let mut out = vec![0; 100];
        Pool::new(threads).unwrap().each(out.iter_mut().enumerate().collect(), |(i, v)| *v += i + 1);
        assert!(out.iter().enumerate().all(|(i, v)| *v == i + 1));
    }
}

#[test]
fn a_panic_reaches_the_caller_and_the_pool_lives() {
    let pool = Pool::new(2).unwrap();
    let failed = catch_unwind(AssertUnwindSafe(|| pool.map(4, |i| assert!(i != 2, "part {i}"))));
    assert!(failed.is_err());
    assert_eq!(pool.map(3, |i| i), [0, 1, 2]);
}

#[test]
fn several_callers_share_a_pool() {
    let pool = Pool::new(2).unwrap();
    std::thread::scope(|scope| {
        for caller in 0..4 {
            let pool = &pool;
            scope.spawn(move || {
                for _ in 0..200 {
                    assert_eq!(pool.map(5, |i| i + caller), (caller..caller + 5).collect::<Vec<_>>());
                }
            });
        }
    });
}

#[test]
fn workers_keep_subnormals_and_round_to_nearest() {
    let pool = Pool::new(3).unwrap();
    let tiny = std::hint::black_box(f32::MIN_POSITIVE);
    assert!(pool.map(6, |_| tiny * 0.5).into_iter().all(|v| v > 0.0));
    let ulp = std::hint::black_box(2f32.powi(-24));
    assert!(pool.map(6, |_| 1.0 + ulp).into_iter().all(|v| v == 1.0));
}

#[test]
fn thread_counts_have_limits() {
    for threads in [0, 257] {
        let error = Pool::new(threads).err().unwrap();
        assert_eq!((error.status, error.place.as_str()), (Status::Invalid, "threads"));
    }
}

#[test]
fn instruction_sets_are_parsed_with_a_clear_error() {
    assert_eq!(Isa::parse("auto").unwrap(), Isa::detect());
    assert_eq!(Isa::parse("scalar").unwrap(), Isa::Scalar);
    assert!(Isa::available().contains(&Isa::Scalar));
    let error = Isa::parse("avx9").unwrap_err().to_string();
    assert!(error.starts_with("isa: unknown instruction set \"avx9\"; use auto or one of: scalar"), "{error}");
    if !Isa::Avx2.is_available() {
        assert!(Isa::parse("avx2").unwrap_err().message.contains("this CPU does not have"));
    }
}

#[test]
fn top_k_prefers_low_ids_and_numbers() {
    let ids = |logits: &[f32], k| top_k(Isa::detect(), logits, k).into_iter().map(|c| c.id).collect::<Vec<_>>();
    assert_eq!(ids(&[1.0, 3.0, 3.0, 2.0], 3), [1, 2, 3]);
    assert_eq!(ids(&[f32::NAN, -1.0, f32::NEG_INFINITY, f32::NAN], 4), [1, 2, 0, 3]);
    assert_eq!(ids(&[-0.0, 0.0, f32::INFINITY], 3), [2, 0, 1]);
    assert_eq!(ids(&[f32::NAN, f32::NAN, 5.0], 1), [2]);
    assert_eq!(ids(&[1.0, 2.0], 0), [0; 0]);
    assert_eq!(ids(&[1.0, 2.0], 9), [1, 0]);
    assert_eq!(ids(&[], 2), [0; 0]);
}

#[test]
fn top_k_passes_over_nothing_that_belongs_in() {
    let mut seed = 1u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed >> 8
    };
    for n in [1, 255, 256, 257, 3000] {
        let draw = |r: u32| [f32::NAN, f32::NEG_INFINITY, -0.0, 0.0].get(r as usize % 40).copied();
        let logits: Vec<f32> =
            (0..n).map(|_| draw(next()).unwrap_or_else(|| (next() % 500) as f32 / 10.0 - 25.0)).collect();
        let mut order: Vec<u32> = (0..n as u32).collect();
        let key = |id: &u32| logits[*id as usize];
        order.sort_by(|a, b| {
            let (a, b) = (key(a), key(b));
            a.is_nan().cmp(&b.is_nan()).then(b.partial_cmp(&a).unwrap_or(std::cmp::Ordering::Equal))
        });
        for isa in Isa::available() {
            for k in [1, 5, 40, n] {
                let got: Vec<u32> = top_k(isa, &logits, k).iter().map(|c| c.id).collect();
                assert_eq!(got, order[..k.min(n)], "{k} of {n}, {}", isa.name());
            }
        }
    }
}
