//! A dependency under another name.

#[cfg(test)]
mod tests {
    use answers::Extractable;
    use serde::Deserialize;

    #[derive(Deserialize, Extractable)]
    #[extract(crate = answers, partial)]
    struct Order {
        #[extract(length(min = 1), check = not_blank)]
        name: String,
        size: Size,
    }

    #[derive(Deserialize, Extractable)]
    #[extract(crate = ::answers)]
    #[serde(tag = "kind")]
    enum Size {
        Small,
        Exact { width: u8 },
    }

    fn not_blank(name: &str) -> Result<(), &'static str> {
        if name.trim().is_empty() { Err("blank") } else { Ok(()) }
    }

    #[test]
    fn the_attribute_says_where_the_crate_is() {
        let reply = r#"{"name": "a", "size": {"kind": "Exact", "width": 3}}"#;
        let (order, _) = Order::from_reply(reply).unwrap();
        assert_eq!(order.name, "a");
        assert!(matches!(order.size, Size::Exact { width: 3 }));
        let OrderPartial { name, size } = order.into();
        assert_eq!((name.done().map(String::as_str), size.done().is_some()), (Some("a"), true));
        assert!(Order::from_reply(r#"{"name": " ", "size": {"kind": "Small"}}"#).is_err());
    }
}
