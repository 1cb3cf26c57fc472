//! The agent that a command line names: `local`, `local:0.5b` or `provider/model`.

use std::error::Error;

use extract::agent::Agent;

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
    // A self-hosted server needs no key, but the client requires one.
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
