//! The program as a shell runs it: arguments and streams in, streams and an exit code out. No network: agents are
//! servers on 127.0.0.1 and small scripts.

#![forbid(unsafe_code)]

#[cfg(all(unix, feature = "providers"))]
mod addresses;
#[cfg(feature = "providers")]
mod batches;
mod calibrate;
mod eval;
mod extract;
mod forms;
mod gate;
mod general;
mod gold;
mod inspect;
mod job;
mod journal;
#[cfg(unix)]
mod last;
mod man;
#[cfg(unix)]
mod measuring;
mod missing;
#[cfg(all(unix, feature = "office"))]
mod office;
#[cfg(unix)]
mod outputs;
mod own;
#[cfg(unix)]
mod page;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(all(unix, feature = "pdf"))]
mod pdf;
mod program;
mod read;
#[cfg(unix)]
mod review;
mod run;
#[cfg(unix)]
mod running;
mod schema;
mod serve_mcp;
mod server;
#[cfg(unix)]
mod settings;
#[cfg(unix)]
mod shots;
mod signals;
mod tune;
mod validate;
mod view;
