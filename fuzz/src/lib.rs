//! Properties that hold for any foreign input, as functions over bytes.
//!
//! | target | its input |
//! |---|---|
//! | `attributes` | tokens in the attributes of a type, or as the type, in the derive macro and in `at!` |
//! | `cassettes` | a file as a cassette; a reply that is recorded and replayed |
//! | `chunks` | a reply in any pieces, streamed |
//! | `feedback` | the text of violations, and a reply that is shown again |
//! | `journals` | damages of the journal of a job, and records in it |
//! | `patches` | operations of a patch |
//! | `paths` | paths, places and JSON Pointers |
//! | `reading` | a reply |
//! | `requests` | lines from a client of the MCP server |
//! | `schemas` | a schema, and a reply for it |
//! | `unions` | values of recursive unions |
//!
//! ```text
//! cargo run --manifest-path fuzz/Cargo.toml --example seeds -- fuzz/corpus  # more to start from, one folder a target
//! cargo +nightly fuzz run reading --features libfuzzer -s none -- -max_total_time=1800 -rss_limit_mb=1024
//! cargo run --manifest-path fuzz/Cargo.toml --bin reading -- FILE…       # the same function over files, on stable
//! ```
//!
//! Without a nightly toolchain `RUSTC_BOOTSTRAP=1 cargo fuzz run …` does the same. libFuzzer's own
//! limits are part of the test: `-rss_limit_mb=1024 -malloc_limit_mb=512 -timeout=10` with inputs
//! of at most 4 KiB.
//!
//! `fuzz/corpus/<target>` has committed inputs: `seed_…` as initial ones, and `found_…`, which
//! failed once. The tests `tests/src/corpus.rs` and
//! `extract-mcp/tests/mcp/corpus.rs` run them. Commit a failing input under such a name
//! together with its fix.

#![forbid(unsafe_code)]

pub mod attributes;
pub mod cassettes;
pub mod chunks;
pub mod feedback;
#[cfg(feature = "bulk")]
pub mod journals;
pub mod patches;
pub mod paths;
pub mod random;
pub mod reading;
#[cfg(feature = "mcp")]
pub mod requests;
pub mod schemas;
pub mod types;
pub mod unions;

/// The `main` of a target: libFuzzer's, or one that checks the files named on the command line.
#[macro_export]
macro_rules! target {
    ($check:path) => {
        #[cfg(feature = "libfuzzer")]
        libfuzzer_sys::fuzz_target!(|data: &[u8]| $check(data));

        #[cfg(not(feature = "libfuzzer"))]
        fn main() {
            for file in std::env::args().skip(1) {
                $check(&std::fs::read(&file).expect("the file can be read"));
            }
        }
    };
}
