//! The wire formats: plain functions from a request to bytes, and from bytes or events to a reply.
//!
//! | step | function |
//! |---|---|
//! | a [`Question`] into the bytes of a body | [`body`] |
//! | the body of a response into an [`Answer`] | [`Collector::whole`] |
//! | the events of a stream into an [`Answer`] | [`Collector::event`], [`Collector::end`] |
//!
//! A body is a head, which is the same for every request of a contract and is kept by [`Heads`], the
//! turns that are not in the head, and the parameters.

mod answer;
mod body;
mod calls_in_text;
mod chat;
mod collector;
mod converse;
mod generate;
mod head;
mod instructions;
mod json;
mod media;
mod messages;
mod ollama;
mod plain_chat;
mod question;
mod responses;
mod thinking;
mod tokens;
mod usage;
mod writer;

pub(crate) use self::{
    answer::{Answer, StreamClosing, StreamEnd},
    body::{Body, body},
    collector::Collector,
    head::Heads,
    instructions::{SYSTEM_TURN, in_user_turn},
    question::{CACHE_CONTROL, ENCRYPTED_REASONING, LOG_PROBABILITIES, Offered, Question, RequestSettings},
    thinking::THINKING_IN_WHOLE,
};
