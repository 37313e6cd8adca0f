//! The switches of a draft session: those of a session that mean something here, and one of its own.

use super::net::DraftNet;
use crate::{
    SwitchInfo,
    switches::{self, Switches},
};
use moire_base::Result;
use moire_checkpoint::DrafterKind;
use serde_json::{Map, Value, json};

const SHARED: [&str; 5] = ["matmul", "attention", "activations", "threads", "isa"];
const SLIDING_CAUSAL: &str = "slidingCausal";

/// Every switch, with what it allows and its default.
pub fn table(kind: &DrafterKind) -> Vec<SwitchInfo> {
    let mut table: Vec<SwitchInfo> = switches::table().into_iter().filter(|s| SHARED.contains(&s.name)).collect();
    if matches!(kind, DrafterKind::Dflash(_)) {
        table.push(switches::named(
            SLIDING_CAUSAL,
            &["auto", "true", "false"],
            "Whether a row of the block sees only earlier ones in sliding layers. auto: as the checkpoint says, else true.",
        ));
    }
    table
}

/// Resolved switches.
#[derive(Clone, Copy)]
pub struct DraftSwitches {
    /// What a session has too; the others have their defaults.
    pub shared: Switches,
    /// Of a DFlash drafter; `None`: auto.
    pub sliding_causal: Option<bool>,
    /// What auto means for this drafter; `None` for one without the switch.
    auto: Option<bool>,
}

impl DraftSwitches {
    /// From a request's `switches` object; what it leaves out takes its default.
    /// Errors: `Invalid` at `/switches/<name>` for an unknown name or value, listing what is allowed.
    pub fn parse(request: &Map<String, Value>, net: &DraftNet) -> Result<Self> {
        let table = table(&net.kind);
        for (name, value) in request.iter().filter(|(name, _)| *name != "threads") {
            switches::check(&table, name, value)?;
        }
        let mut shared = request.clone();
        let own = shared.shift_remove(SLIDING_CAUSAL);
        let auto = match &net.kind {
            DrafterKind::Dflash(d) => Some(d.is_causal.unwrap_or(true)),
            DrafterKind::Mtp => None,
        };
        let sliding_causal = own.as_ref().and_then(Value::as_str).and_then(|text| text.parse().ok());
        Ok(Self { shared: Switches::parse(&shared)?, sliding_causal, auto })
    }

    /// All switches by name, with `auto` resolved where it does not depend on the call.
    pub fn to_map(self) -> Map<String, Value> {
        let mut map: Map<String, Value> =
            self.shared.to_map().into_iter().filter(|(name, _)| SHARED.contains(&name.as_str())).collect();
        if let Some(auto) = self.auto {
            map.insert(SLIDING_CAUSAL.to_owned(), json!(self.sliding_causal.unwrap_or(auto).to_string()));
        }
        map
    }
}
