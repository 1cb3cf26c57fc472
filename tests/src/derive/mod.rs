//! What `#[derive(Extractable)]` makes of a type.

mod constraints;
mod names;
mod oracle;
mod representations;
mod rules;
mod shapes;
