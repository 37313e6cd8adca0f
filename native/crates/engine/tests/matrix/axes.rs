//! The axes of the matrix, and which combinations of their values are run.

use moire_kernels::Isa;
use std::{collections::BTreeSet, fmt};

/// One combination of the axes that hold for a whole session.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) isa: &'static str,
    pub(crate) threads: usize,
    /// Tokens of a prefill call; `None`: all in one.
    pub(crate) part: Option<usize>,
    pub(crate) batch: usize,
    /// All taps.
    pub(crate) capture: bool,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = self.part.map_or("whole".to_owned(), |n| format!("by {n}"));
        let taps = if self.capture { "all taps" } else { "no taps" };
        write!(f, "isa {}, threads {}, prefill {part}, batch {}, {taps}", self.isa, self.threads, self.batch)
    }
}

/// A verify after the prompt: in a fork that is rewound and dropped, or in the session itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) width: usize,
    pub(crate) forked: bool,
}

/// A prompt, then blocks.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    pub(crate) run: Run,
    pub(crate) prompt: usize,
    pub(crate) blocks: Vec<Block>,
}

impl Walk {
    /// Every block with the position it starts at.
    pub(crate) fn placed(&self) -> Vec<(usize, Block)> {
        let advance = |at: &mut usize, block: &Block| {
            let start = *at;
            *at += if block.forked { 0 } else { block.width };
            Some((start, *block))
        };
        self.blocks.iter().scan(self.prompt, advance).collect()
    }
}

pub(crate) fn isas() -> Vec<&'static str> {
    Isa::available().into_iter().map(Isa::name).collect()
}

pub(crate) fn fastest() -> &'static str {
    Isa::detect().name()
}

/// Every combination.
pub(crate) fn product() -> Vec<Run> {
    let mut all = Vec::new();
    for isa in isas() {
        for threads in [1, 2, 3] {
            for part in [None, Some(1), Some(7), Some(64)] {
                for batch in [1, 2, 4] {
                    all.extend([false, true].map(|capture| Run { isa, threads, part, batch, capture }));
                }
            }
        }
    }
    all
}

/// An axis and one of its values.
type Value = (&'static str, usize);

fn values(run: &Run) -> [Value; 5] {
    let isa = isas().iter().position(|isa| *isa == run.isa).unwrap_or_default();
    let part = run.part.unwrap_or_default();
    [("isa", isa), ("threads", run.threads), ("part", part), ("batch", run.batch), ("taps", run.capture.into())]
}

fn pairs(values: &[Value]) -> Vec<[Value; 2]> {
    (0..values.len()).flat_map(|i| (0..i).map(move |j| [values[j], values[i]])).collect()
}

/// Picks from `all` what covers most of what is missing, until nothing is. `start` says where the search begins, so that equals take turns.
fn cover<T: Ord>(all: &[Run], start: usize, covers: impl Fn(&Run) -> Vec<T>) -> Vec<usize> {
    let mut missing: BTreeSet<T> = all.iter().flat_map(&covers).collect();
    let mut chosen = Vec::new();
    while !missing.is_empty() {
        let gain = |i: &usize| covers(&all[*i]).iter().filter(|value| missing.contains(value)).count();
        let turn = (0..all.len()).map(|i| (i + start) % all.len());
        let best = turn.max_by_key(gain).expect("something is missing, so there is a run that has it");
        covers(&all[best]).iter().for_each(|value| {
            missing.remove(value);
        });
        chosen.push(best);
    }
    chosen
}

/// Walks that hold every pair of values of all seven axes: the runs hold the pairs of theirs; every width, forked and not, comes in runs that hold all values.
pub(crate) fn every_pair(prompt: usize, widths: &[usize]) -> Vec<Walk> {
    let all = product();
    let runs = cover(&all, 0, |run| pairs(&values(run))).into_iter().map(|i| all[i].clone());
    let mut walks: Vec<Walk> = runs.map(|run| Walk { run, prompt, blocks: Vec::new() }).collect();
    let runs: Vec<Run> = walks.iter().map(|walk| walk.run.clone()).collect();
    for (turn, &width) in widths.iter().enumerate() {
        for (i, chosen) in cover(&runs, turn, |run| values(run).to_vec()).into_iter().enumerate() {
            walks[chosen].blocks.push(Block { width, forked: (i + turn) % 2 == 0 });
        }
    }
    walks
}

/// A few walks that hold every value; all widths in each, forked and not in turn.
pub(crate) fn every_value(prompt: usize, widths: &[usize]) -> Vec<Walk> {
    let all = product();
    let chosen = cover(&all, 0, |run| values(run).to_vec()).into_iter().enumerate();
    let blocks = |i: usize| widths.iter().map(move |&width| Block { width, forked: (width + i) % 2 == 0 }).collect();
    chosen.map(|(i, run)| Walk { run: all[run].clone(), prompt, blocks: blocks(i) }).collect()
}

#[test]
fn every_pair_of_values_is_among_the_walks() {
    let widths: Vec<usize> = (1..=32).collect();
    let with_block = |run: &Run, block: Block| {
        let own = [("width", block.width), ("forked", usize::from(block.forked))];
        pairs(&[&values(run)[..], &own].concat())
    };
    let found: BTreeSet<_> = every_pair(71, &widths)
        .iter()
        .flat_map(|walk| walk.blocks.iter().flat_map(|block| with_block(&walk.run, *block)).collect::<Vec<_>>())
        .collect();
    for run in product() {
        for &width in &widths {
            for forked in [false, true] {
                let wanted = with_block(&run, Block { width, forked });
                assert!(wanted.iter().all(|pair| found.contains(pair)), "{run} width {width} forked {forked}");
            }
        }
    }
}
