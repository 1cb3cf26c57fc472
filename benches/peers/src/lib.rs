//! Code that the comparisons with other libraries share. Each task is a program in `src/bin/`:
//!
//! - `one_extraction`: what one extraction over HTTP costs
//! - `reading`: how many messy replies each library reads, and how fast
//! - `adapter`: one library that does the tasks of `python/beside.py`, which `run` starts
//!
//! A new peer of a task is a file next to the others in its folder, and a [`turns::Way`] in its
//! `main`.

pub mod clock;
pub mod invoice;
pub mod server;
pub mod turns;
