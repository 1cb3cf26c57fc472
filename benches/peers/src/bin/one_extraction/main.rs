//! The cost of one conforming extraction of a 1 kB invoice for the client, compared with its peers.
//!
//! ```text
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin one_extraction
//! ```
//!
//! Measured: processor time of the thread that asks, in user mode and in the kernel, over a
//! connection to 127.0.0.1 that is kept open. The HTTP client and its connection run on this
//! thread, in a current-thread runtime of tokio; the server has threads of its own, which do not
//! count.
//!
//! - `genai alone` is another client without any check: the same question, with the same schema, is
//!   sent by the crate `genai`, and the text of the response is parsed by serde.
//! - `rstructor` is asked for the same type with the same prompt and has the same rule. It has no
//!   attributes for the constraints, and writes its own instructions and schema.
//!
//! All take turns in one process. With the name of a way and a number, only that way runs, that
//! many times: for a profiler, or to count instructions, which a busy machine does not disturb.

mod bare;
mod ours;
mod peer;

use peers::{
    invoice::Invoice,
    server::Server,
    turns::{Way, compare},
};

/// The model that all ask for.
const MODEL: &str = "gpt-4o-mini";

/// The prompt for all ways.
const PROMPT: &str = "Read the invoice INV-2041 in euros: ten positions of a delivery at 2.50 each, goods \
    and services in turn, in quantities from one to seven. There are no remarks.";

fn main() {
    let expected = Invoice::of_lines(10);
    let reply = serde_json::to_string(&expected).expect("an invoice serializes");
    let server = Server::start(&reply);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (ours, peer) = (ours::Asker::new(&server), peer::Asker::new(&server));

    // Each does the same.
    assert_eq!(runtime.block_on(peer.ask()), expected);
    assert_eq!(runtime.block_on(ours.ask()), expected);
    let sent = server.last_body();
    let bare = bare::Asker::new(&server, &sent);
    assert_eq!(runtime.block_on(bare.ask()), expected);

    let mut ways = [
        Way::new("genai alone", || drop(runtime.block_on(bare.ask()))),
        Way::new("extract", || drop(runtime.block_on(ours.ask()))),
        Way::new("rstructor", || drop(runtime.block_on(peer.ask()))),
    ];
    let mut words = std::env::args().skip(1);
    if let (Some(name), Some(times)) = (words.next(), words.next()) {
        let way = ways.iter_mut().find(|way| way.name() == name).expect("one of the names in the table");
        return (0..times.parse().expect("a number")).for_each(|_: u32| way.run());
    }
    println!("processor time of one extraction; request {} bytes, reply {} bytes", sent.len(), reply.len());
    compare(&mut ways, 20);
}
