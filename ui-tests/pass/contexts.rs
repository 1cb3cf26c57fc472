//! A context of every kind, in types of every kind.
#![deny(warnings)]

use std::{collections::BTreeMap, sync::Arc};

use extract::{Agent, context::NoContext, Extractable, WithContext};
use serde::Deserialize;

mod shop {
    pub trait Prices: Send + Sync {
        fn of(&self, part: &str) -> Option<u32>;
    }

    pub struct Shelf<T>(pub Vec<T>);
}

type Prices = Arc<dyn shop::Prices>;

#[derive(Deserialize, Extractable)]
#[extract(context = Prices)]
pub struct Line {
    #[extract(check = has_a_price, check = any_text)]
    pub part: String,
}

fn has_a_price(part: &str, prices: &Prices) -> Result<(), &'static str> {
    prices.of(part).map(drop).ok_or("has no price")
}

/// A check that is right in every context.
fn any_text<C>(_: &str, _: &C) -> Result<(), &'static str> {
    Ok(())
}

#[derive(Deserialize, Extractable)]
#[extract(context = shop::Shelf::<u8>, rule = Self::fits)]
struct OnAShelf<T> {
    item: T,
}

impl<T> OnAShelf<T> {
    fn fits(&self, shelf: &shop::Shelf<u8>) -> Result<(), &'static str> {
        shelf.0.is_empty().then_some(()).ok_or("full")
    }
}

/// Without a rule of its own.
#[derive(Deserialize, Extractable)]
#[extract(context = Prices)]
pub struct Order<K: Ord> {
    pub lines: Vec<Line>,
    pub by_name: BTreeMap<K, Line>,
    pub parent: Option<Box<Self>>,
}

#[derive(Deserialize, Extractable)]
struct Plain<T> {
    inside: T,
}

fn with<T: WithContext<C>, C>() {}

async fn ask<T: Extractable + WithContext + Send>(agent: &dyn Agent) {
    let _ = T::extract(agent, "").await;
}

async fn ask_within<T: WithContext<C> + Send, C: Sync + 'static>(agent: &dyn Agent, context: &C) {
    let _ = T::extract(agent, "").max_attempts(1).context(context).max_attempts(2).await;
    let _ = T::from_reply_within("", context);
}

fn main() {
    with::<Line, Prices>();
    with::<Order<String>, Prices>();
    with::<Plain<Line>, Prices>();
    with::<Plain<u8>, NoContext>();
    with::<Plain<u8>, Prices>();
    with::<OnAShelf<u8>, shop::Shelf<u8>>();
    with::<(u8, Line, Option<Line>), Prices>();
    let _ = (ask::<Plain<u8>>, ask_within::<Plain<Line>, Prices>);
    let _ = |plain: Plain<OnAShelf<u8>>| plain.inside.item;
}
