//! The agent that asks a server.

mod compatible;
mod env;
mod exchange;
mod learned;
mod provider;
mod schemas;

pub use self::{
    compatible::OpenAiCompatible,
    provider::{ProviderAgent, StructuredOutput},
};
