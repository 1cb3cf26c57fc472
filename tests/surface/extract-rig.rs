// agent.rs
#[derive(Clone)]
pub struct RigAgent {}
impl RigAgent {
    pub fn redacting(mut self, secret: impl Into<String>) -> Self {}
}

// http.rs
#[derive(Debug, Clone)]
pub struct BoundedHttp {}
impl BoundedHttp {
    pub fn new() -> Result<Self, AgentError> {}
    pub fn with_client(client: reqwest::Client) -> Self {}
    pub fn max_body_bytes(mut self, max: usize) -> Self {}
}

// lib.rs
pub use {rig_agent, rig_core};
pub use self::{agent::RigAgent, http::BoundedHttp, model::RigModel};

// model.rs
#[derive(Clone)]
pub struct RigModel {}
impl RigModel {
    pub fn native_schema(mut self, is_native: bool) -> Self {}
    pub fn redacting(mut self, secret: impl Into<String>) -> Self {}
}

