use super::*;
use half::{bf16, f16};
use moire_base::Dtype;
use moire_kernels::diff::MAX_DISTANCE;

/// One pair, with a tile of that many elements.
fn compare(
    a: &Tensor,
    b: &Tensor,
    a_rows: Option<Range<usize>>,
    b_rows: Option<Range<usize>>,
    tile: usize,
) -> Result<Diff> {
    let pair = Pair { a: Arc::new(a.clone()), b: Arc::new(b.clone()), a_rows, b_rows };
    super::compare(&[pair], Wanted { tile, rows: false }, &Control::default()).map(|mut all| all.remove(0))
}

fn f32s(shape: Vec<usize>, values: &[f32]) -> Tensor {
    Tensor::from_f32(Dtype::F32, shape, values)
}

fn of(dtype: Dtype, bytes: Vec<u8>) -> Tensor {
    Tensor::new(dtype, vec![bytes.len() / dtype.size()], bytes.into()).unwrap()
}

#[test]
fn counts_and_norms_of_a_known_pair() {
    let a = f32s(vec![2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let b = f32s(vec![2, 2], &[1.0, 2.5, 3.0, 2.0]);
    let d = compare(&a, &b, None, None, 2).unwrap();
    assert!(!d.equal);
    assert_eq!((d.bytes, d.elements, d.differing_elements), (16, 4, 2));
    assert_eq!(d.max_abs, 2.0);
    assert_eq!(d.rms, (4.25f64 / 4.0).sqrt());
    assert_eq!(d.rel_l2, (4.25f64 / 30.0).sqrt());
    let first = d.first.unwrap();
    assert_eq!((first.index, first.a, first.b), (1, 2.0, 2.5));
    assert_eq!((first.a_hex.as_str(), first.b_hex.as_str()), ("00000040", "00002040"));
    assert_eq!(first.ulp, 0x20_0000);
    let tile = d.tile.unwrap();
    assert_eq!((tile.start, tile.a.as_str()), (0, "0000803f00000040"));
}

#[test]
fn rows_select_along_the_first_dimension() {
    let a = f32s(vec![3, 2], &[9.0, 9.0, 1.0, 2.0, 9.0, 9.0]);
    let b = f32s(vec![1, 2], &[1.0, 2.0]);
    assert!(compare(&a, &b, Some(1..2), None, 0).unwrap().equal);
    let e = compare(&a, &b, Some(2..4), None, 0).unwrap_err();
    assert_eq!((e.place.as_str(), e.message.as_str()), ("/pairs/0/aRows", "rows 2..4 of a tensor with 3 rows"));
}

#[test]
fn ulp_follows_the_dtype_across_zero() {
    let one =
        |d: Dtype, x: f32, y: f32| compare(&of(d, d.narrow(&[x])), &of(d, d.narrow(&[y])), None, None, 0).unwrap();
    let next = |bits: u16| bf16::from_bits(bits).to_f32();
    assert_eq!(one(Dtype::Bf16, next(0x3f80), next(0x3f83)).max_ulp, 3);
    assert_eq!(one(Dtype::Bf16, next(0x0002), next(0x8003)).max_ulp, 5);
    assert_eq!(one(Dtype::F16, f16::from_bits(0x3c00).to_f32(), f16::from_bits(0x3bff).to_f32()).max_ulp, 1);
    let zeros = one(Dtype::F32, 0.0, -0.0);
    assert_eq!((zeros.max_ulp, zeros.differing_elements, zeros.max_abs), (0, 1, 0.0));
    let bits = |x: u64| of(Dtype::F64, x.to_le_bytes().to_vec());
    let d = compare(&bits(0x3ff0_0000_0000_0000), &bits(0x3ff0_0000_0000_0007), None, None, 0).unwrap();
    assert_eq!(d.max_ulp, 7);
}

#[test]
fn integers_count_their_difference() {
    let a = of(Dtype::I64, i64::MIN.to_le_bytes().to_vec());
    let b = of(Dtype::I64, i64::MAX.to_le_bytes().to_vec());
    assert_eq!(compare(&a, &b, None, None, 0).unwrap().max_ulp, MAX_DISTANCE);
    let d = compare(&of(Dtype::U8, vec![3, 250]), &of(Dtype::U8, vec![3, 5]), None, None, 0).unwrap();
    assert_eq!((d.max_ulp, d.max_abs, d.first.unwrap().a_hex.as_str()), (245, 245.0, "fa"));
}

#[test]
fn numbers_that_are_not_finite_are_counted_and_written_as_strings() {
    let a = f32s(vec![4], &[f32::NAN, 1.0, f32::INFINITY, 2.0]);
    let b = f32s(vec![4], &[1.0, 1.0, f32::NEG_INFINITY, 3.0]);
    let d = compare(&a, &b, None, None, 0).unwrap();
    assert_eq!((d.non_finite.a, d.non_finite.b, d.max_ulp), (2, 1, u64::from(u32::MAX)));
    assert_eq!((d.max_abs, d.rms), (1.0, (0.5f64).sqrt()));
    let json = serde_json::to_value(&d).unwrap();
    assert_eq!(json["first"]["a"], "NaN");
    assert_eq!(json["relL2"], serde_json::json!((1.0f64 / 5.0).sqrt()));
    let zero = compare(&f32s(vec![1], &[0.0]), &f32s(vec![1], &[1.0]), None, None, 0).unwrap();
    assert_eq!(serde_json::to_value(&zero).unwrap()["relL2"], "Infinity");
}

#[test]
fn equal_nans_are_equal_and_unequal_ones_have_no_values_between() {
    let nan = |bits: u32| of(Dtype::F32, bits.to_le_bytes().to_vec());
    assert!(compare(&nan(0x7fc0_0000), &nan(0x7fc0_0000), None, None, 0).unwrap().equal);
    let d = compare(&nan(0x7fc0_0000), &nan(0x7fc0_0001), None, None, 0).unwrap();
    assert_eq!((d.equal, d.differing_bytes, d.max_ulp), (false, 1, 0));
}

#[test]
fn what_cannot_be_compared_is_named() {
    let a = f32s(vec![2, 3], &[0.0; 6]);
    let b = of(Dtype::Bf16, vec![0; 12]);
    let e = compare(&a, &b, None, None, 0).unwrap_err();
    assert!(e.message.contains("f32 [2, 3]") && e.message.contains("bf16 [6]"), "{e}");
    assert!(compare(&a, &f32s(vec![3, 2], &[0.0; 6]), None, None, 0).is_err());
    assert!(compare(&a, &a, None, None, MAX_TILE + 1).is_err());
}

#[test]
fn empty_tensors_are_equal() {
    let d = compare(&f32s(vec![0, 4], &[]), &f32s(vec![0, 4], &[]), None, None, 8).unwrap();
    assert!(d.equal && d.tile.is_none() && d.elements == 0);
}

#[test]
fn a_tile_stays_inside_the_tensor() {
    let a = f32s(vec![8], &[0.0; 8]);
    let mut values = [0.0; 8];
    values[7] = 1.0;
    let d = compare(&a, &f32s(vec![8], &values), None, None, 4).unwrap();
    let tile = d.tile.unwrap();
    assert_eq!((tile.start, tile.b.len()), (4, 4 * 8));
}

/// Bytes that look random, the same on every run.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as u8
    };
    (0..len).map(|_| next() & 0x3f).collect()
}

/// Four and a bit chunks; the sides differ in the middle and at the end.
fn large(dtype: Dtype) -> Pair {
    let a = noise(3 * 180_000);
    let mut b = a.clone();
    for at in [200_000, 200_001, 301_000, a.len() - 1] {
        b[at] ^= 0x11;
    }
    let rows = |data: Vec<u8>| Arc::new(Tensor::new(dtype, vec![3, 180_000 / dtype.size()], data.into()).unwrap());
    Pair { a: rows(a), b: rows(b), a_rows: None, b_rows: None }
}

fn run(pair: &Pair, isa: Isa, threads: usize, control: &Control) -> Result<Diff> {
    let pool = Pool::new(threads).unwrap();
    let run = Comparer { wanted: Wanted { tile: 8, rows: true }, isa, pool: &pool, control };
    run.compare(run.sides(pair)?)
}

#[test]
fn threads_and_instruction_sets_change_nothing() {
    for dtype in Dtype::ALL {
        let pair = large(dtype);
        let control = Control::default();
        let one = serde_json::to_string(&run(&pair, Isa::Scalar, 1, &control).unwrap()).unwrap();
        for isa in Isa::available() {
            for threads in 1..=3 {
                let other = serde_json::to_string(&run(&pair, isa, threads, &control).unwrap()).unwrap();
                assert_eq!(one, other, "{} {threads} threads {}", dtype.name(), isa.name());
            }
        }
    }
}

#[test]
fn every_row_has_its_counts() {
    for dtype in [Dtype::U8, Dtype::Bf16, Dtype::F64] {
        let d = run(&large(dtype), Isa::detect(), 2, &Control::default()).unwrap();
        let rows = d.rows.unwrap();
        let pairs = if dtype.size() == 1 { 3 } else { 2 };
        assert_eq!(rows.differing_elements, [0, pairs, 1]);
        assert_eq!(d.differing_elements, pairs + 1);
        assert_eq!(d.max_ulp, rows.max_ulp.iter().copied().max().unwrap());
        assert_eq!(d.first.unwrap().index as usize, 200_000 / dtype.size());
    }
    let empty = Arc::new(f32s(vec![3, 0], &[]));
    let pair = Pair { a: Arc::clone(&empty), b: empty, a_rows: None, b_rows: None };
    let d = run(&pair, Isa::detect(), 1, &Control::default()).unwrap();
    assert_eq!(d.rows.unwrap().differing_elements, [0, 0, 0]);
}

#[test]
fn a_cancel_ends_a_pair_in_the_middle_and_progress_counts_bytes() {
    let pair = large(Dtype::F32);
    let control = Control::default();
    super::compare(std::slice::from_ref(&pair), Wanted::default(), &control).unwrap();
    assert_eq!(control.progress(), (540_000, 540_000, "diff".to_owned()));
    control.cancel();
    for threads in 1..=2 {
        let e = run(&pair, Isa::detect(), threads, &control).unwrap_err();
        assert_eq!(e.status, moire_base::Status::Cancelled);
    }
}

#[test]
fn too_many_rows_to_count_are_refused() {
    let long = Arc::new(of(Dtype::U8, vec![0; MAX_ROWS + 1]));
    let pair = Pair { a: Arc::clone(&long), b: long, a_rows: None, b_rows: None };
    let e = run(&pair, Isa::detect(), 1, &Control::default()).unwrap_err();
    assert!(e.place == "/rows" && e.message.contains("65537 rows"), "{e}");
}
