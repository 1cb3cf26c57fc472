//! A program that is installed already as the agent, with layers around it, asked about several texts at once.
//!
//! ```text
//! cargo run -p extractable-agents --features command --example command -- claude -p
//! cargo run -p extractable-agents --features command --example command -- ollama run gemma3
//! ```
//!
//! Without an agent at hand, a program that says the same whatever it is asked shows what happens:
//!
//! ```text
//! cargo run -p extractable-agents --features command --example command -- echo '{"item": "lamp", "pieces": 6}'
//! ```

use std::process::ExitCode;

mod orders {
    use std::{error::Error, time::Duration};

    use extract::{
        Extractable,
        agent::{Agent, AgentExt as _, MemoryStore},
        settings::TransportOptions,
    };
    use extract_agents::CommandAgent;
    use serde::{Deserialize, Serialize};

    const ORDERS: [&str; 3] =
        ["Please send us six lamps.", "We need 12 chairs by Friday!", "Please send us six lamps."];

    /// What somebody orders.
    #[derive(Debug, Serialize, Deserialize, Extractable)]
    pub(crate) struct Order {
        /// In the singular.
        #[extract(length(min = 1), example = "table")]
        item: String,
        #[extract(range(min = 1), example = 3)]
        pieces: u32,
    }

    /// At most two runs at once, each for two minutes at most; one that fails is tried once more, and what was asked before
    /// is not asked again.
    fn agent(program: &str, args: &[String]) -> impl Agent {
        CommandAgent::new(program)
            .args(args)
            .timeout(Duration::from_secs(120))
            .concurrent(2)
            .retrying()
            .times(1)
            .cached(MemoryStore::new(100))
    }

    pub(crate) async fn run(program: &str, args: &[String]) -> Result<(), Box<dyn Error>> {
        let agent = agent(program, args);
        let extract = |order| {
            Order::extract(&agent, order).transport_options(TransportOptions::new().retries(0)).into_future()
        };
        let (first, second) = tokio::join!(extract(ORDERS[0]), extract(ORDERS[1]));
        let third = extract(ORDERS[2]).await;
        for (text, result) in ORDERS.iter().zip([first, second, third]) {
            let (order, metrics) = result?;
            println!("{text}\n  {order:?} ({metrics})");
        }
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((program, args)) = words.split_first() else {
        eprintln!("name a program that takes a prompt on its input and prints a reply, such as `claude -p`");
        return ExitCode::FAILURE;
    };
    match orders::run(program, args).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
