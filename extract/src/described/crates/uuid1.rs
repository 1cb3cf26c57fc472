//! `uuid` 1.

super::texts! {
    uuid1::Uuid: "Uuid", { "type": "string", "format": "uuid" };
}
