//! The faults, met by `GenaiAgent`.

use extract::agent::{GenaiAgent, StructuredOutput, genai_crate as genai};
use extractable_faults::{Agents, HTTP, KEY, faults_of};
use genai::{
    Client,
    adapter::AdapterKind,
    resolver::{AuthData, Endpoint},
};

fn agents(url: &str) -> Agents {
    let target = (Endpoint::from_owned(format!("{url}/")), AuthData::from_single(KEY));
    let client = Client::builder()
        .with_reqwest(HTTP.clone())
        .append_provider_config(AdapterKind::OpenAI, target)
        .build()
        .unwrap();
    let agent = GenaiAgent::with_client(client, "openai/some-model").unwrap();
    // With a schema, a failure with the status 500 may be about that.
    vec![("genai", Box::new(agent.structured_output(StructuredOutput::Off)))]
}

faults_of!(agents);
