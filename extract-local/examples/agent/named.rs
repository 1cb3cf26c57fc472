//! The agent that a command line names: `local`, `local:0.5b` or `provider/model`.

use std::error::Error;

use extract::agent::Agent;
use extract_agents::ProviderAgent;

/// The agent `name`, at `server` if given. If `is_free`, replies of a local model are not
/// constrained to the schema.
pub(crate) fn agent(
    name: &str,
    server: Option<&str>,
    is_free: bool,
) -> Result<Box<dyn Agent>, Box<dyn Error>> {
    match name.split_once(':') {
        Some(("local", model)) => local(Some(model), is_free),
        _ if name == "local" => local(None, is_free),
        _ if is_free => Err("a cell with `free` needs a local model: `--agent local:0.5b`".into()),
        _ => provider(name, server),
    }
}

fn local(model: Option<&str>, is_free: bool) -> Result<Box<dyn Agent>, Box<dyn Error>> {
    let mut builder = extract_local::LocalModel::builder().constrained(!is_free);
    if let Some(model) = model {
        builder = builder.model(model);
    }
    Ok(Box::new(builder.build()?))
}

fn provider(name: &str, server: Option<&str>) -> Result<Box<dyn Agent>, Box<dyn Error>> {
    Ok(Box::new(match server {
        None => ProviderAgent::new(name)?,
        Some(server) => ProviderAgent::at(server, name)?,
    }))
}
