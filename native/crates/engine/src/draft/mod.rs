//! Drafters: small networks that propose tokens for a target, whose embedding and head they use (model-spec 2 and 3).

mod call;
mod dflash;
mod drafter;
mod features;
mod info;
mod mtp;
mod net;
mod proposal;
mod session;
mod state;
mod switches;

pub use drafter::Drafter;
pub use features::Observation;
pub use info::{DraftLayerInfo, DrafterInfo};
pub use proposal::{Proposal, Wish};
pub use session::DraftSession;
