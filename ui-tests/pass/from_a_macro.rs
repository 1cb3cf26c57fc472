//! Types and their attributes out of the user's own macros.

use extract::Extractable;
use serde::Deserialize;

macro_rules! order {
    ($name:ident, $field:ident: $type:ty, $min:expr, $check:path, $pattern:literal) => {
        #[derive(Deserialize, Extractable)]
        #[extract(rule = never)]
        struct $name {
            #[extract(range(min = $min), check = $check)]
            $field: $type,
            #[extract(pattern = $pattern, description = $pattern)]
            text: String,
        }
    };
}

order!(Order, size: u8, 1, never, "^a$");
order!(Other, size: Option<i64>, -5, crate::never, "^b$");

fn never<T>(_: &T) -> Result<(), String> {
    Ok(())
}

fn main() {
    assert_eq!(Order::schema()["properties"]["size"]["minimum"], 1);
    assert_eq!(Other::schema()["properties"]["size"]["minimum"], -5);
}
