//! The agents that are measured.

use std::error::Error;

use extract::Agent;

use crate::{cell::Cell, memory::Memory};

#[path = "../agent/mod.rs"]
mod environment;

/// Loads models on first use.
pub(crate) struct Agents<'a> {
    name: Option<&'a str>,
    memory: bool,
    /// Constrained to the schema, and not.
    loaded: [Option<Box<dyn Agent>>; 2],
}

impl<'a> Agents<'a> {
    pub(crate) fn new(name: Option<&'a str>, memory: bool) -> Self {
        Self { name, memory, loaded: [None, None] }
    }

    pub(crate) fn of(&mut self, cell: &Cell) -> Result<&dyn Agent, Box<dyn Error>> {
        let place = &mut self.loaded[usize::from(cell.is_free)];
        let agent = match place.take() {
            Some(agent) => agent,
            None if self.memory => Box::new(Memory::of(load(self.name, cell.is_free)?)),
            None => load(self.name, cell.is_free)?,
        };
        Ok(&**place.insert(agent))
    }
}

fn load(name: Option<&str>, is_free: bool) -> Result<Box<dyn Agent>, Box<dyn Error>> {
    let local_model = name.and_then(|name| match name.split_once(':') {
        Some(("local", model)) => Some(Some(model)),
        _ => (name == "local").then_some(None),
    });
    match (name, local_model) {
        (_, Some(model)) => local(model, is_free),
        _ if is_free => Err("a cell with `free` needs a local model: `--agent local:0.5b`".into()),
        (Some(name), None) => provider(name),
        (None, None) => environment::from_environment(),
    }
}

fn local(model: Option<&str>, is_free: bool) -> Result<Box<dyn Agent>, Box<dyn Error>> {
    let mut builder = extract_local::LocalModel::builder().constrained(!is_free);
    if let Some(model) = model {
        builder = builder.model(model);
    }
    Ok(Box::new(builder.build()?))
}

#[cfg(feature = "genai")]
fn provider(name: &str) -> Result<Box<dyn Agent>, Box<dyn Error>> {
    Ok(Box::new(extract::agent::GenaiAgent::new(name)?))
}

#[cfg(not(feature = "genai"))]
fn provider(name: &str) -> Result<Box<dyn Agent>, Box<dyn Error>> {
    Err(format!("`{name}` needs `--features genai`").into())
}
