//! `url` 2.

super::strings! {
    url2::Url: "Url", { "type": "string", "format": "uri" };
}
