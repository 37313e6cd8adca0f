//! Jobs on several sessions at once: all are claimed when the job starts, each once however often it is named.

use crate::{
    handle::{HANDLES, Kind, Made},
    job::Work,
    session::{Claim, Slot},
};
use moire_base::Result;
use std::sync::{Arc, MutexGuard};

/// The work of `body(target, others)`, whose handles stand in the request's list `field`.
/// Errors: `Handle` for one that is no session of this kind, `Busy` for one at work; the place names it.
pub fn work<S: Send + 'static>(
    target: u64,
    others: &[u64],
    field: &str,
    body: impl FnOnce(&S, &[&S], &mut Made) -> Result<Vec<u8>> + Send + 'static,
) -> Result<Work>
where
    Slot<S>: Kind,
{
    let mut group = Group::default();
    group.take(&HANDLES.get(target, "target")?, "target")?;
    for (i, handle) in others.iter().enumerate() {
        let place = format!("/{field}/{i}");
        group.take(&HANDLES.get(*handle, &place)?, &place)?;
    }
    Ok(Box::new(move |_, made| {
        let held = group.claims.iter().map(Claim::session).collect::<Result<Vec<MutexGuard<S>>>>()?;
        let all: Vec<&S> = group.named.iter().map(|i| &*held[*i]).collect();
        body(all[0], &all[1..], made)
    }))
}

/// Claimed sessions, and which of them each name of the request means.
struct Group<S> {
    claims: Vec<Claim<S>>,
    named: Vec<usize>,
}

impl<S> Default for Group<S> {
    fn default() -> Self {
        Self { claims: Vec::new(), named: Vec::new() }
    }
}

impl<S> Group<S> {
    fn take(&mut self, slot: &Arc<Slot<S>>, place: &str) -> Result<()> {
        let known = self.claims.iter().position(|claim| claim.is_of(slot));
        if known.is_none() {
            self.claims.push(slot.claim(place)?);
        }
        self.named.push(known.unwrap_or(self.claims.len() - 1));
        Ok(())
    }
}
