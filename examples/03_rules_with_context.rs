//! A rule over the whole value that needs your own data: here a catalogue.

use extract::{Extractable, Rejection, testing::ScriptedAgent};
use serde::Deserialize;

#[derive(Debug, Deserialize, Extractable)]
#[extract(context = Catalogue, rule = is_sold)]
struct Order {
    item: String,
    #[extract(range(min = 1))]
    pieces: u32,
}

struct Catalogue(&'static [&'static str]);

fn is_sold(order: &Order, catalogue: &Catalogue) -> Result<(), Rejection> {
    if catalogue.0.contains(&order.item.as_str()) {
        return Ok(());
    }
    Err(Rejection::new("is not in the catalogue")
        .at("item")
        .expected(format!("one of {:?}", catalogue.0))
        .actual(order.item.as_str()))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), extract::ExtractionError> {
    let catalogue = Catalogue(&["desk lamp", "oak desk"]);
    let agent =
        ScriptedAgent::new([r#"{"item": "lamp", "pieces": 6}"#, r#"{"item": "desk lamp", "pieces": 6}"#]);
    // Without the context this does not compile.
    let (order, metrics) = Order::extract(&agent, "Six lamps, please.").context(&catalogue).await?;
    println!("{} x {} after {} attempts", order.pieces, order.item, metrics.attempts);
    println!(
        "\nwhat the agent was told:\n\n{}",
        agent.requests()[1].conversation.turns().last().unwrap().text()
    );
    Ok(())
}
