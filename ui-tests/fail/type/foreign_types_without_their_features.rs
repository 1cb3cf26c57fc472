use chrono::{DateTime, Utc};
use extract::Extractable;
use pointers::Arc;
use rust_decimal::Decimal;
use serde::Deserialize;
use time::{Date, Weekday};
use url::Url;

#[derive(Deserialize, Extractable)]
struct Order {
    at: Option<DateTime<Utc>>,
    lines: indexmap::IndexMap<String, Decimal>,
    sent: jiff::Timestamp,
    due: Date,
    weekday: Weekday,
    month: time::Month,
    holiday: chrono::Weekday,
    paid: time::OffsetDateTime,
    version: semver::VersionReq,
    links: Vec<Url>,
    more_links: Vec<Url>,
    id: uuid::Uuid,
    note: Arc<str>,
    shared: Vec<Arc<Line>>,
}

#[derive(Deserialize)]
struct Line;

/// Stand for the crates.
mod chrono {
    #[derive(serde::Deserialize)]
    pub struct Weekday;
    #[derive(serde::Deserialize)]
    pub struct Utc;
    #[derive(serde::Deserialize)]
    pub struct DateTime<Z>(Z);
}

mod indexmap {
    #[derive(serde::Deserialize)]
    pub struct IndexMap<K, V>(K, V);
}

mod jiff {
    #[derive(serde::Deserialize)]
    pub struct Timestamp;
}

mod pointers {
    pub use self::sync::Arc;

    mod sync {
        #[derive(serde::Deserialize)]
        pub struct Arc<T: ?Sized>(std::marker::PhantomData<T>);
    }
}

mod rust_decimal {
    #[derive(serde::Deserialize)]
    pub struct Decimal;
}

mod semver {
    #[derive(serde::Deserialize)]
    pub struct VersionReq;
}

mod time {
    #[derive(serde::Deserialize)]
    pub struct Month;
    #[derive(serde::Deserialize)]
    pub struct Weekday;
    #[derive(serde::Deserialize)]
    pub struct Date;
    #[derive(serde::Deserialize)]
    pub struct OffsetDateTime;
}

mod url {
    #[derive(serde::Deserialize)]
    pub struct Url;
}

mod uuid {
    #[derive(serde::Deserialize)]
    pub struct Uuid;
}

fn main() {}
