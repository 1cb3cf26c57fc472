//! Arguments that are constants, and names that other crates have too.
#![allow(non_upper_case_globals)]

use std::{
    collections::{HashMap, hash_map::RandomState},
    marker::PhantomData,
};

use extract::Extractable;
use serde::Deserialize;

const MOST: usize = 2;
const least: usize = 1;

#[derive(Deserialize, Extractable)]
struct Page<T, const N: usize> {
    items: Vec<T>,
}

#[derive(Deserialize, Extractable)]
struct Book<T, const Size: usize> {
    pages: Vec<Page<T, Size>>,
    first: Page<Vec<T>, MOST>,
    last: Page<u8, least>,
    other: Page<T, { MOST + 1 }>,
    next: Option<Box<Book<T, Size>>>,
}

/// Not extractable, and nothing of it is asked for.
struct Marker;

#[derive(Deserialize, Extractable)]
struct Id<T> {
    number: u64,
    of: PhantomData<T>,
}

#[derive(Deserialize, Extractable)]
struct Url(String);

#[derive(Deserialize, Extractable)]
struct DateTime<Z> {
    zone: Z,
}

mod time {
    #[derive(serde::Deserialize, extract::Extractable)]
    pub struct Date(pub u8);
}

#[derive(Deserialize, Extractable)]
struct Order {
    id: Id<Marker>,
    marker: PhantomData<Marker>,
    url: Option<Url>,
    at: DateTime<String>,
    due: time::Date,
    hashed: HashMap<String, time::Date, RandomState>,
}

fn main() {
    let order = Order::from_reply(
        r#"{"id": {"number": 1, "of": null}, "marker": null, "url": "a", "at": {"zone": "b"}, "due": 2, "hashed": {}}"#,
    );
    let (order, _) = order.unwrap();
    assert_eq!((order.id.number, order.at.zone.as_str(), order.due.0), (1, "b", 2));
    let _ = (order.id.of, order.marker, order.url.map(|url| url.0), order.hashed);
    assert!(Book::<u8, 3>::from_reply("{}").is_err());
    let _ = |book: Book<u8, 3>| (book.pages, book.first.items, book.last, book.other, book.next.is_some());
}
