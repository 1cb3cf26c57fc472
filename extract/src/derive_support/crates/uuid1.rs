//! `uuid` 1.

super::strings! {
    uuid1::Uuid: "Uuid", { "type": "string", "format": "uuid" };
}
