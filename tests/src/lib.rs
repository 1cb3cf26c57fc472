//! Behaviour of `extract` by topic, in one binary.
#![cfg(test)]

mod agents;
mod attempts;
mod bad_input;
mod contracts;
mod conversation;
mod domain;
#[cfg(feature = "local")]
mod local_model;
mod metrics;
mod reports;
mod transport;
