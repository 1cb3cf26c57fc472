//! The agent that a command line names: `local`, `local:0.5b` or `provider/model`.

use std::error::Error;

use extract::agent::Agent;
use extract_agents::ProviderAgent;
use extract_local::LocalModel;

/// The agent `name`, at `server` if given.
pub(crate) fn agent(name: &str, server: Option<&str>) -> Result<Box<dyn Agent>, Box<dyn Error>> {
    Ok(match (name.split_once(':'), server) {
        (Some(("local", model)), _) => Box::new(LocalModel::builder().model(model).build()?),
        _ if name == "local" => Box::new(LocalModel::load()?),
        (_, None) => Box::new(ProviderAgent::new(name)?),
        (_, Some(server)) => Box::new(ProviderAgent::at(server, name)?),
    })
}
