//! Behaviour of `extract` by topic, in one binary.
#![cfg(test)]

mod agents;
mod asking;
mod attempts;
mod bad_input;
mod bulk;
mod calls;
mod constraint;
mod continuation;
mod contracts;
mod conversation;
mod corpus;
mod derive;
mod dialects;
mod document;
mod documents;
mod domain;
mod doors;
mod feedback;
mod grounding;
mod hostile;
mod items;
mod layers;
mod leaks;
#[cfg(feature = "mcp")]
mod mcp;
mod metrics;
mod narrow;
mod partials;
mod parts;
mod patches;
mod progress;
mod reading;
mod readme;
mod references;
mod refusals;
mod repetitions;
mod reports;
mod streaming;
mod surface;
mod toolkit;
mod transport;
mod types;
mod unions;
mod valid_items;
mod view;
