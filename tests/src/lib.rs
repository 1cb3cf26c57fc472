//! Behaviour of `extract` by topic, in one binary.
#![cfg(test)]

mod agents;
mod attempts;
mod bad_input;
mod contracts;
mod conversation;
mod derive;
mod dialects;
mod domain;
#[cfg(feature = "local")]
mod local_model;
mod metrics;
mod patches;
mod progress;
mod reading;
mod readme;
mod reports;
mod transport;
mod unions;
