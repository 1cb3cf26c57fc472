//! Checks the derive macro with any tokens, as attributes of a type and as the type itself.

use extractable_fuzz_derive::{is_expression, is_file, of_item, of_place};
use proc_macro2::{TokenStream, TokenTree};

/// Maximum nesting of groups in the tokens. The compiler's own parser rejects much deeper ones, and
/// the recursion is syn's.
const LEVELS: usize = 32;

/// The contexts of the text, which replaces `#`.
const ITEMS: [&str; 9] = [
    "#",
    "#[extract(#)] struct S { a: u8 }",
    "struct S { #[extract(#)] a: String, b: Option<Vec<f64>> }",
    "struct S(#[extract(#)] String);",
    "#[extract(#)] enum E { A, B { c: u8 } }",
    "enum E { #[extract(#)] A, B(String) }",
    "enum E { A { #[extract(#)] a: u32 }, #[serde(other)] B }",
    "#[serde(#)] struct S { a: u8 }",
    "#[serde(tag = \"t\")] enum E { #[serde(#)] A { #[serde(#)] b: i64 } }",
];

/// Panics if a property does not hold. The first byte selects the context of the text.
pub fn check(data: &[u8]) {
    let Some((first, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let first = usize::from(*first) % (ITEMS.len() + 1);
    let item = ITEMS.get(first).map_or_else(|| text.to_owned(), |item| insert(item, text));
    let Ok(tokens) = item.parse::<TokenStream>() else { return };
    if levels(&tokens) > LEVELS {
        return;
    }
    if first == ITEMS.len() {
        let generated = of_place(tokens.clone());
        assert!(is_expression(generated.clone()), "{generated} of {tokens}");
    } else if let Some(generated) = of_item(tokens.clone()) {
        assert!(is_file(generated.clone()), "{generated} of {tokens}");
    }
}

/// Replaces each `#` that stands alone by `text`.
fn insert(item: &str, text: &str) -> String {
    if item == "#" { text.to_owned() } else { item.replace("(#)", &format!("({text})")) }
}

fn levels(tokens: &TokenStream) -> usize {
    let inside = tokens.clone().into_iter().map(|token| match token {
        TokenTree::Group(group) => 1 + levels(&group.stream()),
        _ => 0,
    });
    inside.max().unwrap_or(0)
}
