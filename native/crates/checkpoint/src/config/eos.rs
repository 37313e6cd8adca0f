//! End-of-text ids from the three places that may name them (model-spec 6.3).

use crate::files::json::{Object, kind};
use moire_base::Result;
use serde_json::Value;
use std::collections::HashSet;

/// The ids, and warnings about unusable ones.
#[derive(Debug, Default)]
pub(crate) struct Eos {
    pub ids: Vec<u32>,
    pub warnings: Vec<String>,
}

/// Union of `eos_token_id` of `sources` (most important first) and the tokenizer's own eos token. An id beyond the vocabulary can never come up: it is left out with a warning.
pub(crate) fn eos_ids(sources: &[Object<'_>], tokenizer: Option<u32>, vocab: usize) -> Result<Eos> {
    let mut eos = Eos::default();
    let mut seen = HashSet::new();
    for source in sources {
        eos.add(&ids(*source)?, vocab, source.place(), &mut seen);
    }
    if let Some(id) = tokenizer {
        eos.add(&[u64::from(id)], vocab, "tokenizer_config.json", &mut seen);
    }
    Ok(eos)
}

impl Eos {
    fn add(&mut self, ids: &[u64], vocab: usize, place: &str, seen: &mut HashSet<u32>) {
        let within = |id: &u64| u32::try_from(*id).ok().filter(|id| (*id as usize) < vocab);
        self.ids.extend(ids.iter().filter_map(within).filter(|id| seen.insert(*id)));
        let beyond: Vec<&u64> = ids.iter().filter(|id| within(id).is_none()).collect();
        match beyond[..] {
            [] => {}
            [id] => self
                .warnings
                .push(format!("{place}: the eos id {id} is beyond the vocabulary of {vocab} and was left out")),
            [id, ..] => self.warnings.push(format!(
                "{place}: {} eos ids, for example {id}, are beyond the vocabulary of {vocab} and were left out",
                beyond.len()
            )),
        }
    }
}

/// One id or a list of ids.
fn ids(source: Object<'_>) -> Result<Vec<u64>> {
    let wrong =
        |v: &Value| source.error("eos_token_id", format!("must be a token id or a list of them, found {}", kind(v)));
    match source.get("eos_token_id") {
        None => Ok(Vec::new()),
        Some(Value::Array(list)) => list.iter().map(|v| v.as_u64().ok_or_else(|| wrong(v))).collect(),
        Some(one) => one.as_u64().map(|id| vec![id]).ok_or_else(|| wrong(one)),
    }
}
