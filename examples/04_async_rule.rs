//! A rule that waits, such as for a database. It runs last, on values that passed everything else.

use std::{collections::HashMap, time::Duration};

use extract::{Extractable, Rejection, testing::ScriptedAgent};
use serde::Deserialize;

#[derive(Debug, Deserialize, Extractable)]
#[extract(context = Customers, async_rule = is_known)]
struct Payment {
    #[extract(pattern = "^C-[0-9]+$", example = "C-17")]
    customer: String,
    #[extract(range(min = 0.01))]
    amount: f64,
}

/// Stands for a database.
struct Customers(HashMap<&'static str, &'static str>);

impl Customers {
    async fn name(&self, number: &str) -> Option<&'static str> {
        tokio::time::sleep(Duration::from_millis(1)).await;
        self.0.get(number).copied()
    }
}

async fn is_known(payment: &Payment, customers: &Customers) -> Result<(), Rejection> {
    let Some(name) = customers.name(&payment.customer).await else {
        println!("asked the database: {} is nobody", payment.customer);
        return Err(Rejection::new("there is no such customer")
            .at("customer")
            .actual(payment.customer.as_str()));
    };
    println!("asked the database: {} is {name}", payment.customer);
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), extract::ExtractionError> {
    let customers = Customers(HashMap::from([("C-71", "Ms Okafor")]));
    let agent = ScriptedAgent::new([
        r#"{"customer": "Okafor", "amount": 12.5}"#, // breaks the pattern: nobody is asked
        r#"{"customer": "C-17", "amount": 12.5}"#,
        r#"{"customer": "C-71", "amount": 12.5}"#,
    ]);
    let (payment, metrics) = Payment::extract(&agent, "C-71 has paid 12.50.").context(&customers).await?;
    println!("{payment:?} after {} attempts", metrics.attempts);
    Ok(())
}
