//! Reading, compared with libraries that repair JSON: how many replies each reads, and how fast.
//!
//! ```text
//! mkdir replies
//! cargo bench -p extractable --bench reading -- --write "$PWD/replies"
//! pip install json_repair baml-py pydantic
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin reading -- replies python3
//! ```
//!
//! Without the last word the two libraries from PyPI are skipped. Three tables: the rows of other
//! projects' test suites (`tests/fixtures/replies`) that become the value the suite expects;
//! nanoseconds per byte, the best of seven, over the files that the benchmark `reading` writes,
//! with `wrong` where the value read is not the one that was printed; and the ratio of speeds to
//! libraries that read as many and to libraries that read fewer.

mod count;
mod readers;
mod speed;

use std::path::Path;

fn main() {
    let mut words = std::env::args().skip(1);
    let folder = words.next().expect("the folder with replies is named");
    let python = words.next();
    let counts = count::print(python.as_deref());
    speed::print(Path::new(&folder), python.as_deref(), &counts);
}
