//! Facts about each server: one file for each, with its sources and the month in which it was
//! compared with them.

mod all;
mod anthropic;
mod azure;
mod batching;
mod bedrock;
mod cerebras;
mod cohere;
mod deepseek;
mod definition;
mod fireworks;
mod gemini;
mod github;
mod groq;
mod huggingface;
mod kimi;
mod litellm;
mod llama_cpp;
mod lmstudio;
mod mistral;
mod nvidia;
mod ollama;
mod openai;
mod openrouter;
mod perplexity;
mod qwen;
mod sglang;
mod support;
mod table;
#[cfg(test)]
mod tests;
mod together;
mod vertex;
mod vllm;
mod xai;
mod zai;

pub use self::{
    batching::{BatchEndpoint, BatchForm, BatchInterface, BatchMark},
    definition::{Caching, DocumentForm, KeyHeader, Media, Prefill, Profile},
    support::{Enforcement, SchemaForm, SchemaSupport},
    table::markdown,
};
