use extract::Extractable;
use serde::{Deserialize, de::DeserializeOwned};

#[derive(Deserialize, Extractable)]
struct Extracted<const N: usize>
where
    [u8; N]: Extractable,
{
    bytes: [u8; N],
}

#[derive(Deserialize, Extractable)]
struct Owned<const N: usize>
where
    [u8; N]: DeserializeOwned,
{
    bytes: [u8; N],
}

fn main() {
    let reply = r#"{"bytes": [1, 2]}"#;
    assert_eq!(Extracted::<2>::from_reply(reply).unwrap().0.bytes, [1, 2]);
    assert_eq!(Owned::<2>::from_reply(reply).unwrap().0.bytes, [1, 2]);
    assert!(Owned::<3>::from_reply(reply).is_err());
}
