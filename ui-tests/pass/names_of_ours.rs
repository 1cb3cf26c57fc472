use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[extract(partial)]
struct Order {
    schema: u8,
    example: u8,
    extract: u8,
    generator: u8,
    place: u8,
    judge: u8,
    self_: u8,
    r#type: u8,
    r#match: u8,
    __extract: u8,
    __extract_place: u8,
    __extract_part: u8,
    __extract_value: u8,
    known: u8,
    state: u8,
}

#[derive(Deserialize, Extractable)]
#[allow(non_camel_case_types)]
enum Choice {
    r#type { r#fn: u8, __extract_0: u8 },
    schema(u8),
    __extract,
}

#[derive(Deserialize, Extractable)]
#[extract(partial)]
struct Generic<D, Field, T2> {
    d: D,
    field: Field,
    t: T2,
}

fn main() {
    fn extractable<T: Extractable>() {}
    extractable::<Order>();
    extractable::<Choice>();
    extractable::<Generic<u8, u8, u8>>();
}
