//! The agents that are measured.

use std::error::Error;

use extract::Agent;

use crate::{cell::Cell, memory::Memory, options::Options};

#[path = "../agent/mod.rs"]
mod environment;
#[path = "../agent/named.rs"]
mod named;

/// Loads models on first use.
pub(crate) struct Agents<'a> {
    options: &'a Options,
    /// With the grammar of the schema, and without it.
    loaded: [Option<Box<dyn Agent>>; 2],
}

impl<'a> Agents<'a> {
    pub(crate) fn new(options: &'a Options) -> Self {
        Self { options, loaded: [None, None] }
    }

    pub(crate) fn of(&mut self, cell: &Cell) -> Result<&dyn Agent, Box<dyn Error>> {
        let place = &mut self.loaded[usize::from(cell.is_free)];
        let agent = match place.take() {
            Some(agent) => agent,
            None if self.options.memory => Box::new(Memory::of(load(self.options, cell.is_free)?)),
            None => load(self.options, cell.is_free)?,
        };
        Ok(&**place.insert(agent))
    }
}

fn load(options: &Options, is_free: bool) -> Result<Box<dyn Agent>, Box<dyn Error>> {
    match options.agent.as_deref() {
        Some(name) => named::agent(name, options.server.as_deref(), is_free),
        None if is_free => Err("a cell with `free` needs a local model: `--agent local:0.5b`".into()),
        None if options.server.is_some() => Err("`--server` needs `--agent openai/NAME`".into()),
        None => environment::from_environment(),
    }
}
