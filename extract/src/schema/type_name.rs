//! The names of types in messages.

/// A type without the paths of its parts.
pub(super) fn short(type_: &str) -> String {
    let is_of_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '{' | '}' | '#');
    let (mut short, mut rest) = (String::new(), type_);
    while let Some(first) = rest.chars().next() {
        if is_of_path(first) {
            let (path, after) = rest.split_at(rest.find(|c| !is_of_path(c)).unwrap_or(rest.len()));
            short.push_str(path.rsplit("::").next().unwrap_or(path));
            rest = after;
        } else {
            short.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    short
}

#[test]
fn the_names_of_types_are_short() {
    for (type_, expected) in [
        ("u8", "u8"),
        ("(u8, alloc::string::String)", "(u8, String)"),
        ("alloc::vec::Vec<a::b::{{closure}}::Key>", "Vec<Key>"),
        ("[core::option::Option<a::K>; 3]", "[Option<K>; 3]"),
        ("()", "()"),
    ] {
        assert_eq!(short(type_), expected);
    }
}
