//! The agent that asks a server.

mod address;
mod answered;
mod compatible;
mod env;
mod exchange;
mod learned;
mod provider;
mod schemas;
mod settings;

pub(crate) use self::exchange::SentForm;
pub use self::{
    answered::Answered,
    compatible::OpenAiCompatible,
    provider::{ProviderAgent, StructuredOutput},
};
