//! Tests of `#[derive(Extractable)]`.

mod alternatives;
mod awaited;
mod buffered;
mod constraints;
mod contexts;
mod contradictions;
mod corners;
mod crates;
mod flat_keys;
mod flattened;
mod generated;
mod hygiene;
mod map_keys;
mod merged_entries;
mod names;
mod oracle;
mod places;
mod refused;
mod representations;
mod rules;
mod sensitive;
mod serde_attributes;
mod shapes;
mod soundness;
mod standard;
mod valid_parts;
