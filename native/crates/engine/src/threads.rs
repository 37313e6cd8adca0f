//! How many threads a session computes with.

use moire_base::{Error, Result};
use serde_json::Value;

/// Most threads a session may have.
pub const MAX_THREADS: u64 = 256;

/// What was asked for, within limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threads {
    /// At most so many.
    pub limit: usize,
    /// Why it is another number than was asked for.
    pub note: Option<String>,
    /// Nobody asked for a number: one fewer if other work runs.
    polite: bool,
}

impl Threads {
    /// Of the switch `threads`; `None` is the default. A whole number outside of 1..=256 is limited.
    ///
    /// # Errors
    /// `Invalid` for anything but a whole number.
    pub fn parse(asked: Option<&Value>) -> Result<Self> {
        let Some(asked) = asked else { return Ok(Self { limit: cores(), note: None, polite: true }) };
        let Some(number) = asked.as_u64() else {
            let message = format!("{asked} is not a value of threads; use a whole number from 1 to {MAX_THREADS}");
            return Err(Error::invalid("/switches/threads", message));
        };
        let limit = number.clamp(1, MAX_THREADS);
        let note = (limit != number).then(|| {
            format!("The engine computes with 1 to {MAX_THREADS} threads; it was asked for {number} and uses {limit}.")
        });
        Ok(Self { limit: limit as usize, note, polite: false })
    }

    /// Threads to start now. A forward ends with its slowest thread, so one that shares its core with other work holds all others back.
    pub fn now(&self) -> usize {
        if self.polite && others_running() > spare() { (self.limit - 1).max(1) } else { self.limit }
    }
}

/// Physical cores this process may use.
pub fn cores() -> usize {
    let allowed = std::thread::available_parallelism().map_or(1, usize::from);
    num_cpus::get_physical().clamp(1, allowed)
}

/// Physical cores that this process may not use, where others can run without being in the way.
fn spare() -> usize {
    num_cpus::get_physical().saturating_sub(cores())
}

/// Tasks of others that want a core. Linux: the least of a few looks at /proc/loadavg, so that a moment's work does not count. Elsewhere nothing is
/// known at this price: 0.
fn others_running() -> usize {
    let mut least = usize::MAX;
    for look in 0..3 {
        if look > 0 {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        least = least.min(runnable().map_or(0, |all| all.saturating_sub(own_runnable())));
        if least == 0 {
            break;
        }
    }
    least
}

/// Tasks of the machine that run or wait for a core: the fourth field of /proc/loadavg, "running/all" (proc(5)).
fn runnable() -> Option<usize> {
    running_of(&std::fs::read_to_string("/proc/loadavg").ok()?)
}

fn running_of(loadavg: &str) -> Option<usize> {
    loadavg.split_whitespace().nth(3)?.split('/').next()?.parse().ok()
}

/// Threads of this process that run or wait for a core, the calling one included.
fn own_runnable() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    tasks.filter(|task| std::fs::read_to_string(task.path().join("stat")).is_ok_and(|stat| is_running(&stat))).count()
}

/// The state stands after the name, which is in brackets and may hold anything (proc(5)).
fn is_running(stat: &str) -> bool {
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('R'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn limit(asked: Value) -> (usize, Option<String>) {
        let threads = Threads::parse(Some(&asked)).unwrap();
        (threads.limit, threads.note)
    }

    #[test]
    fn whole_numbers_outside_are_limited_with_a_sentence() {
        assert_eq!([1, 3, 256].map(|n| limit(json!(n))), [(1, None), (3, None), (256, None)]);
        let (few, why) = limit(json!(0));
        assert!(few == 1 && why.unwrap().contains("asked for 0 and uses 1."));
        let (many, why) = limit(json!(10_000));
        assert!(many == 256 && why.unwrap().contains("asked for 10000 and uses 256."));
    }

    #[test]
    fn anything_else_is_refused() {
        for asked in [json!("two"), json!(1.5), json!(-1), json!(null)] {
            let e = Threads::parse(Some(&asked)).unwrap_err();
            assert!(e.place == "/switches/threads" && e.message.contains("1 to 256"), "{e}");
        }
    }

    #[test]
    fn who_asked_for_a_number_gets_it_and_the_default_is_near_the_cores() {
        assert_eq!(Threads::parse(Some(&json!(7))).unwrap().now(), 7);
        let default = Threads::parse(None).unwrap();
        assert_eq!(default.limit, cores());
        assert!((1..=cores()).contains(&default.now()) && default.now() + 1 >= cores());
    }

    #[test]
    fn proc_files_are_read() {
        assert_eq!(running_of("0.85 0.64 1.63 3/94 27383\n"), Some(3));
        assert_eq!(running_of(""), None);
        assert!(is_running("12 (a) b) R 1 2") && !is_running("12 (R) S 1"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_busy_thread_of_our_own_is_not_others_work() {
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
            std::thread::sleep(std::time::Duration::from_millis(5));
            assert!(own_runnable() >= 2);
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    }
}
