//! How good are the answers? Fields right, compared with values written by a person.

use extract::{Extractable, testing::ScriptedAgent};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Visit {
    city: Option<String>,
    guests: Option<u32>,
    day: Option<String>,
}

/// Returns how many fields of `gold` the value gets right, and how many there are.
fn fields_right(value: &Value, gold: &Value) -> (usize, usize) {
    let gold = gold.as_object().into_iter().flatten();
    gold.fold((0, 0), |(right, all), (name, gold)| {
        (right + usize::from(value.get(name) == Some(gold)), all + 1)
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), extract::ExtractionError> {
    let documents = [
        ("Two of us come to Lyon on Friday.", json!({"city": "Lyon", "guests": 2, "day": "Friday"})),
        ("See you in Bari!", json!({"city": "Bari", "guests": null, "day": null})),
    ];
    // An agent that is good but not perfect.
    let agent = ScriptedAgent::new([
        r#"{"city": "Lyon", "guests": 2, "day": "Friday"}"#,
        r#"{"city": "Bari", "guests": 1, "day": null}"#,
    ]);

    let (mut right, mut all, mut tokens) = (0, 0, 0);
    for (text, gold) in documents {
        let (visit, metrics) = Visit::extract(&agent, text).await?;
        let (found, of) = fields_right(&json!(visit), &gold);
        println!("{found} of {of} right: {text}");
        (right, all, tokens) = (right + found, all + of, tokens + metrics.usage.total());
    }
    println!("{right} of {all} fields right, about {tokens} tokens");
    Ok(())
}
