//! What one conforming attempt costs without the agent, beside its floor.
//!
//! ```text
//! cargo bench -p extractable --bench one_attempt
//! ```
//!
//! Measured: `Invoice::from_reply`, which reads, validates, deserializes and applies checks and rules. Floor: the same reply
//! through `serde_json::from_str::<Value>`, `jsonschema` and `serde_json::from_value`. Both run in turns in the same process;
//! the ratio of each turn is taken, and the median of all turns is printed with its quartiles.
//!
//! With `floor` or `extract` and a number of runs it does only that with the shortest reply, for a program that counts
//! instructions or allocations, such as `valgrind --tool=callgrind`.

mod pairs;

use std::hint::black_box;

use extract::Extractable;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::pairs::Pairs;

#[derive(Debug, Serialize, Deserialize, Extractable)]
#[extract(rule = total_is_the_sum)]
struct Invoice {
    #[extract(pattern = r"^INV-\d{4}$")]
    number: String,
    #[extract(one_of = ["EUR", "USD", "GBP"])]
    currency: String,
    #[extract(length(min = 1))]
    lines: Vec<Line>,
    #[extract(range(min = 0.0), example = 1.0)]
    total: f64,
    remarks: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Line {
    #[extract(length(min = 1, max = 80))]
    description: String,
    #[extract(range(min = 1))]
    quantity: u32,
    #[extract(range(min = 0.0), example = 1.0)]
    unit_price: f64,
    kind: Kind,
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Goods,
    Service,
}

fn total_is_the_sum(invoice: &Invoice) -> Result<(), &'static str> {
    let sum: f64 = invoice.lines.iter().map(|line| f64::from(line.quantity) * line.unit_price).sum();
    if (sum - invoice.total).abs() < 0.005 { Ok(()) } else { Err("the total is not the sum of the lines") }
}

fn reply(lines: u32) -> String {
    let line = |n: u32| Line {
        description: format!("Position number {n} of the delivery"),
        quantity: n % 7 + 1,
        unit_price: 2.5,
        kind: if n.is_multiple_of(2) { Kind::Goods } else { Kind::Service },
    };
    let lines: Vec<_> = (0..lines).map(line).collect();
    let total = lines.iter().map(|line| f64::from(line.quantity) * line.unit_price).sum();
    let invoice = Invoice { number: "INV-2041".into(), currency: "EUR".into(), lines, total, remarks: None };
    serde_json::to_string(&invoice).expect("an invoice serializes")
}

fn main() {
    let validator = jsonschema::draft202012::options()
        .should_validate_formats(true)
        .build(&Invoice::schema())
        .expect("the schema compiles");
    let floor = |reply: &str| {
        let value: Value = serde_json::from_str(black_box(reply)).expect("it is JSON");
        assert!(validator.is_valid(&value));
        black_box(serde_json::from_value::<Invoice>(value).expect("it is an invoice"));
    };
    let ours = |reply: &str| {
        black_box(Invoice::from_reply(black_box(reply)).expect("it is an invoice"));
    };
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [way, runs, ..] = &arguments[..]
        && let Ok(runs) = runs.parse::<u32>()
    {
        let reply = reply(1);
        (0..runs).for_each(|_| if way == "floor" { floor(&reply) } else { ours(&reply) });
        return;
    }
    println!("{}", Pairs::heading("floor"));
    for lines in [1, 10, 100, 1000] {
        let reply = reply(lines);
        // About a millisecond a turn, so that the clock does not matter.
        let times = (4000 / lines).max(4);
        let pairs = Pairs::measure(times, || floor(&reply), || ours(&reply));
        println!("{}", pairs.line(reply.len()));
    }
}
