//! What has to be awaited, beside everything else.
#![deny(warnings)]

use std::pin::Pin;

use extract::{Extractable, Rejection, Rejections};
use serde::Deserialize;

struct Register;

impl Register {
    async fn knows(&self, _: &str) -> bool {
        std::future::ready(true).await
    }
}

#[derive(Deserialize, Extractable)]
#[extract(context = Register, async_rule = is_registered, rule = is_named, async_rule = Self::has_parts)]
struct Company<T: Sync> {
    #[extract(check = is_short, async_check = is_known, async_check = boxed)]
    name: String,
    #[extract(async_check = is_any)]
    parts: Vec<T>,
}

async fn is_registered<T: Sync>(company: &Company<T>, register: &Register) -> Result<(), Rejection> {
    if register.knows(&company.name).await { Ok(()) } else { Err(Rejection::fatal("not registered").at("name")) }
}

fn is_named<T: Sync>(company: &Company<T>, _: &Register) -> Result<(), &'static str> {
    if company.name.is_empty() { Err("nameless") } else { Ok(()) }
}

impl<T: Sync> Company<T> {
    async fn has_parts(&self, _: &Register) -> Result<(), Rejections> {
        self.parts.iter().map(|_| Rejection::new("too much")).collect::<Rejections>().into_result()
    }
}

fn is_short(name: &str, _: &Register) -> Result<(), String> {
    Err(name.to_owned())
}

async fn is_known(name: &str, register: &Register) -> Result<(), String> {
    if register.knows(name).await { Ok(()) } else { Err(format!("{name} is unknown")) }
}

/// A future need not come from an `async fn`.
fn boxed<'a>(name: &'a str, _: &'a Register) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>> {
    Box::pin(async { Err(name.to_owned()) })
}

async fn is_any<T, C>(_: &[T], _: &C) -> Result<(), String> {
    Ok(())
}

#[derive(Deserialize, Extractable)]
enum Seat {
    #[extract(async_rule = is_a_place)]
    Abroad(#[extract(async_check = is_somewhere)] String, String),
    Unknown,
}

async fn is_a_place(country: &str, city: &str) -> Result<(), String> {
    Err(format!("{country} {city}"))
}

async fn is_somewhere(country: &str) -> Result<(), String> {
    Err(country.to_owned())
}

fn main() {
    fn is_extractable<T: Extractable>() {}
    is_extractable::<Company<u8>>();
    is_extractable::<Seat>();
    let _ = Seat::Unknown;
}
