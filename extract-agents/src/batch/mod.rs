//! Files of requests, which a server answers within hours: by the interface of its provider, or by
//! a folder.
//!
//! One engine creates, polls and reads batches. The forms differ in their lines (`line`) and in
//! what they say of a batch (`remote`).

mod directory;
mod line;
mod provider;
mod remote;

pub use self::{directory::DirectoryBatches, provider::ProviderBatches};
