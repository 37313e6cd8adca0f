//! Placeholder for switches.
