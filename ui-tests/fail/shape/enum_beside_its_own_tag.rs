use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[serde(tag = "op")]
enum Expression {
    Not(Box<Expression>),
    True,
}

fn main() {}
