//! Measures what becomes of a list that is cut at the token limit.
//!
//! ```text
//! cargo run --release -p extractable-local --example cut_lists -- 1.5b
//! ```
//!
//! Three orders of 30 rows are extracted, with at most 300 tokens a reply, which are enough for some
//! 14 rows. The model is asked in three ways: it continues the text of its reply, it is asked for the
//! rest, or it is asked for the whole list again with twice the room.

use std::{borrow::Cow, error::Error};

use extract::{
    Extractable,
    agent::{Agent, Capabilities, ConstraintFuture, DeltaSink, ReplyFuture, Request},
};
use extract_local::LocalModel;
use serde::Deserialize;

const ORDERS: u32 = 3;
const ROWS: u32 = 30;
const TOKENS: u32 = 300;

/// An order.
#[derive(Deserialize, Extractable)]
struct Order {
    number: String,
    rows: Vec<Row>,
}

/// A row of the order.
#[derive(PartialEq, Deserialize, Extractable)]
struct Row {
    /// The goods.
    item: String,
    quantity: u32,
    price: f64,
}

/// The rows of an order, all different, and its text.
fn order(number: u32) -> (Vec<Row>, String) {
    const GOODS: [&str; 10] =
        ["lamp", "desk", "chair", "shelf", "rug", "mirror", "vase", "clock", "stool", "bench"];
    let row = |index: u32| {
        let colour = ["red", "oak", "steel"][index as usize * 3 / ROWS as usize];
        let goods = GOODS[(index * 7 + number * 3) as usize % GOODS.len()];
        Row {
            item: format!("{colour} {goods}"),
            quantity: 1 + (index * 5 + number) % 9,
            price: f64::from(10 + (index * 37 + number * 11) % 90) + 0.5,
        }
    };
    let rows: Vec<Row> = (0..ROWS).map(row).collect();
    let line = |row: &Row| format!("- {} x {} at {:.2}\n", row.quantity, row.item, row.price);
    let lines: String = rows.iter().map(line).collect();
    (rows, format!("Order A-{number}17\n{lines}Please deliver soon."))
}

/// The model without the capability to continue its text.
struct AskedForTheRest<'m>(&'m LocalModel);

impl Agent for AskedForTheRest<'_> {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        self.0.respond(request)
    }

    fn stream<'a>(&'a self, request: &'a Request, sink: DeltaSink<'a>) -> ReplyFuture<'a> {
        self.0.stream(request, sink)
    }

    fn name(&self) -> Cow<'_, str> {
        self.0.name()
    }

    fn capabilities(&self) -> Capabilities {
        let mut capabilities = self.0.capabilities();
        capabilities.continues_replies = false;
        capabilities
    }

    fn constraint<'a>(&'a self, request: &'a Request) -> ConstraintFuture<'a> {
        self.0.constraint(request)
    }
}

/// Prints a line for each order.
async fn measure(way: &str, agent: &dyn Agent, max_continuations: u32) {
    for number in 0..ORDERS {
        let (rows, text) = order(number);
        let extraction =
            Order::extract(agent, text).max_output_tokens(TOKENS).max_continuations(max_continuations);
        match extraction.await {
            Ok((order, metrics)) => {
                let right = order.rows.iter().filter(|row| rows.contains(row)).count();
                let found = order.rows.len();
                println!("{way}, order {number}: {found} rows of {ROWS}, {right} right; {metrics}");
            }
            Err(error) => println!("{way}, order {number}: {error}"),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let model = std::env::args().nth(1).unwrap_or_else(|| "1.5b".to_owned());
    let model = LocalModel::builder().model(&*model).build()?;
    measure("continued", &model, 8).await;
    measure("asked for the rest", &AskedForTheRest(&model), 8).await;
    measure("asked for the whole", &model, 0).await;
    Ok(())
}
