//! `url` 2.

super::texts! {
    url2::Url: "Url", { "type": "string", "format": "uri" };
}
