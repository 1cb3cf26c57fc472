//! What `#[derive(Extractable)]` makes of a type.

mod constraints;
mod hygiene;
mod names;
mod oracle;
mod representations;
mod rules;
mod shapes;
