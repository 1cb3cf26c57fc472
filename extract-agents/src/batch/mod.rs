//! Files of requests, which a server answers within hours: by the interface of `OpenAI`, or by a
//! folder.

mod directory;
mod line;
mod provider;

pub use self::{directory::DirectoryBatches, provider::ProviderBatches};
