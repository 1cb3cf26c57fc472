//! A rule that waits: it asks a database (SQLite) who the customer is. It runs last, on values that passed everything else.

use extract::{Extractable, Rejection, testing::ScriptedAgent};
use serde::Deserialize;
use tokio_rusqlite::{
    Connection,
    rusqlite::{self, OptionalExtension as _},
};

#[derive(Debug, Deserialize, Extractable)]
#[extract(context = Customers, async_rule = is_known)]
struct Payment {
    #[extract(pattern = "^C-[0-9]+$", example = "C-17")]
    customer: String,
    #[extract(range(min = 0.01))]
    amount: f64,
}

/// A table of customers. The connection has its own thread, so no other task waits for the disk.
struct Customers(Connection);

impl Customers {
    async fn open() -> Result<Self, tokio_rusqlite::Error> {
        let connection = Connection::open_in_memory().await?;
        let tables = "CREATE TABLE customers (number TEXT PRIMARY KEY, name TEXT NOT NULL);
            INSERT INTO customers VALUES ('C-71', 'Ms Okafor');";
        connection.call(move |sql| sql.execute_batch(tables)).await?;
        Ok(Self(connection))
    }

    async fn name(&self, number: &str) -> Result<Option<String>, tokio_rusqlite::Error> {
        let number = number.to_owned();
        let find = move |sql: &mut rusqlite::Connection| {
            sql.query_row("SELECT name FROM customers WHERE number = ?1", [number], |row| row.get(0))
                .optional()
        };
        self.0.call(find).await
    }
}

async fn is_known(payment: &Payment, customers: &Customers) -> Result<(), Rejection> {
    match customers.name(&payment.customer).await {
        Ok(Some(name)) => {
            println!("asked the database: {} is {name}", payment.customer);
            Ok(())
        }
        Ok(None) => {
            println!("asked the database: {} is nobody", payment.customer);
            Err(Rejection::new("there is no such customer").at("customer").actual(payment.customer.as_str()))
        }
        // No other answer of the model would help, so the extraction ends with this.
        Err(error) => Err(Rejection::new(error.to_string()).code("DATABASE")),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let customers = Customers::open().await?;
    let agent = ScriptedAgent::new([
        r#"{"customer": "Okafor", "amount": 12.5}"#, // breaks the pattern: nobody is asked
        r#"{"customer": "C-17", "amount": 12.5}"#,
        r#"{"customer": "C-71", "amount": 12.5}"#,
    ]);
    let (payment, metrics) = Payment::extract(&agent, "C-71 has paid 12.50.")
        .context(&customers)
        .fatal_codes(["DATABASE"])
        .await?;
    println!("{payment:?} after {} attempts", metrics.attempts);
    Ok(())
}
