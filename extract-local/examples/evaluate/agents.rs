//! The agents that are measured.

use std::error::Error;

use extract::Agent;

use crate::{cell::Cell, memory::Memory, options::Options};

#[path = "../agent/mod.rs"]
mod environment;

/// Loads models on first use.
pub(crate) struct Agents<'a> {
    options: &'a Options,
    /// Constrained to the schema, and not.
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
    let name = options.agent.as_deref();
    let local_model = name.and_then(|name| match name.split_once(':') {
        Some(("local", model)) => Some(Some(model)),
        _ => (name == "local").then_some(None),
    });
    match (name, local_model) {
        (_, Some(model)) => local(model, is_free),
        _ if is_free => Err("a cell with `free` needs a local model: `--agent local:0.5b`".into()),
        (Some(name), None) => provider(name, options.server.as_deref()),
        (None, None) if options.server.is_some() => Err("`--server` needs `--agent openai/NAME`".into()),
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
fn provider(name: &str, server: Option<&str>) -> Result<Box<dyn Agent>, Box<dyn Error>> {
    use extract::agent::{
        GenaiAgent,
        genai_crate::{
            Client,
            adapter::AdapterKind,
            resolver::{AuthData, Endpoint},
        },
    };
    let Some(server) = server else { return Ok(Box::new(GenaiAgent::new(name)?)) };
    // A server of one's own needs no key, but the client wants one.
    let key = std::env::var("OPENAI_API_KEY").unwrap_or_else(|_| "none".to_owned());
    let endpoint = Endpoint::from_owned(format!("{}/", server.trim_end_matches('/')));
    let client = Client::builder()
        .append_provider_config(AdapterKind::OpenAI, (endpoint, AuthData::from_single(key)))
        .build()?;
    Ok(Box::new(GenaiAgent::with_client(client, name)?))
}

#[cfg(not(feature = "genai"))]
fn provider(name: &str, _: Option<&str>) -> Result<Box<dyn Agent>, Box<dyn Error>> {
    Err(format!("`{name}` needs `--features genai`").into())
}
