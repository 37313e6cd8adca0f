use super::*;
use std::sync::atomic::AtomicBool;

/// Addresses that no map of this process has.
const NOWHERE: usize = usize::MAX / 2;

#[test]
fn an_address_belongs_to_its_map_while_that_stands() {
    let (one, two) = (Watch::new(NOWHERE, 100), Watch::new(NOWHERE + 100, 50));
    assert_eq!(spoil_at(NOWHERE - 1), None);
    assert_eq!(spoil_at(NOWHERE + 150), None);
    assert!(!one.is_spoiled() && !two.is_spoiled());
    assert_eq!(spoil_at(NOWHERE + 100), Some((NOWHERE + 100, 50)));
    assert!(!one.is_spoiled() && two.is_spoiled());
    drop(two);
    assert_eq!(spoil_at(NOWHERE + 100), None);
    let again = Watch::new(NOWHERE + 100, 50);
    assert!(!again.is_spoiled(), "a new map at an old address begins whole");
    assert_eq!(spoil_at(NOWHERE + 99), Some((NOWHERE, 100)));
    assert!(one.is_spoiled() && !again.is_spoiled());
}

/// Others come and go, with every mix of an old start and a new length that a reader could see.
#[test]
fn a_map_is_found_while_others_change_around_it() {
    let far = NOWHERE / 2;
    let (kept, stop) = (Watch::new(far, 64), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for turn in 1..4 {
            let stop = &stop;
            scope.spawn(move || {
                while !stop.load(SeqCst) {
                    drop((Watch::new(far + 64 * turn, 64), Watch::new(turn, far / 8)));
                }
            });
        }
        for i in 0..200_000 {
            assert_eq!(spoil_at(far + i % 64), Some((far, 64)));
            assert_eq!(spoil_at(far - 1), None, "of a short range low and a long one high nobody makes a third");
        }
        stop.store(true, SeqCst);
    });
    assert!(kept.is_spoiled());
}
