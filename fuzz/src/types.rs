//! Checks any text as types in TypeScript notation: it is a contract, or an error at a place of
//! the text.

use arbitrary::{Result, Unstructured};
use extract::{Contract, schema::TypesError};

/// Tokens, so that more texts are types.
const TOKENS: [&str; 48] = [
    "type A = ",
    "type B = ",
    "interface C ",
    "export ",
    "A",
    "B",
    "C",
    "string",
    "number",
    "integer",
    "boolean",
    "unknown",
    "never",
    "object",
    "null",
    "true",
    "\"k\"",
    "'x'",
    "-1.5e3",
    "2",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "|",
    "&",
    ":",
    "?",
    ";",
    ",",
    "=",
    "...",
    "Array<",
    "Record<string, ",
    "k: ",
    "[key: string]: ",
    "// ",
    "/*",
    "*/",
    "\n",
    " at least 1 ",
    " matches ^a ",
    " such as 1; ",
    " \u{e9} ",
];

/// Maximum repetitions of one token.
const MOST: usize = 200;

/// Panics if a property does not hold.
pub fn check(data: &[u8]) {
    let _ = checked(&mut Unstructured::new(data));
}

fn checked(u: &mut Unstructured<'_>) -> Result<()> {
    let text =
        if u.arbitrary()? { of_tokens(u)? } else { String::from_utf8_lossy(u.bytes(u.len())?).into_owned() };
    match Contract::from_types(&text) {
        Ok(contract) => {
            let again = Contract::from_types(&text).expect("it was read before");
            assert_eq!(contract.schema(), again.schema());
        }
        Err(TypesError::Notation { line, column, message, .. }) => {
            let found = text.split('\n').nth(line - 1).expect("the line is in the text");
            assert!(column <= found.chars().count() + 1, "{line}:{column} {message}");
        }
        Err(_) => {}
    }
    Ok(())
}

fn of_tokens(u: &mut Unstructured<'_>) -> Result<String> {
    let mut text = String::from(TOKENS[0]);
    while !u.is_empty() {
        let token = u.choose(&TOKENS)?;
        let times = if u.ratio(1, 16)? { u.int_in_range(1..=MOST)? } else { 1 };
        text.push_str(&token.repeat(times));
    }
    Ok(text)
}
