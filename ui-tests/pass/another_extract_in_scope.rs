//! The paths of a derive that names `::extract` where `extract` is something else.

use ::extract::{
    Extractable,
    testing::{ScriptedAgent, block_on},
};
use serde::Deserialize;

/// A module of the user.
mod extract {
    pub struct Json<T>(pub T);
}

/// Stands for the crate.
mod axum {
    pub mod extract {
        pub struct State<T>(pub T);
    }
}

#[derive(Deserialize, Extractable)]
#[extract(rule = is_long)]
struct Person {
    #[extract(length(min = 1), example = "Ann")]
    name: String,
}

fn is_long(person: &Person) -> Result<(), ::extract::Rejection> {
    if person.name.len() > 1 { Ok(()) } else { Err("too short".into()) }
}

mod handlers {
    use super::axum::extract;
    use ::extract::Extractable;

    #[derive(serde::Deserialize, Extractable)]
    #[extract(partial)]
    pub struct Order {
        pub part: String,
        pub person: super::Person,
    }

    pub fn person(extract::State(order): extract::State<Order>) -> super::Person {
        let _ = order.part;
        order.person
    }
}

/// A function of the user.
fn extract(text: &str) -> extract::Json<String> {
    extract::Json(text.to_owned())
}

fn main() {
    let agent = ScriptedAgent::new([r#"{"name": "Ann"}"#]);
    let (person, _) = block_on(Person::extract(&agent, extract("Who?").0.as_str())).unwrap();
    let order = handlers::Order { part: String::new(), person };
    assert_eq!(handlers::person(axum::extract::State(order)).name, "Ann");
}
