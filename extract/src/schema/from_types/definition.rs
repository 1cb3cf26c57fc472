//! Definitions: the result of parsing.

use serde_json::Value;

/// A named type.
#[derive(Debug)]
pub(super) struct Definition {
    pub(super) name: String,
    /// Its byte offset in the text.
    pub(super) at: usize,
    pub(super) type_: Type,
}

/// A type with the comments about it.
#[derive(Debug)]
pub(super) struct Type {
    pub(super) kind: Kind,
    /// The lines of the comments.
    pub(super) words: Vec<String>,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// `unknown`
    Any,
    /// `never`
    Never,
    /// `object`: any keys.
    AnyObject,
    /// `string`, `number`, `integer` or `boolean`.
    Primitive(&'static str),
    /// One literal value.
    Literal(Value),
    /// Another definition, and the byte offset of the reference.
    Reference(String, usize),
    List(Box<Type>),
    Tuple(Tuple),
    Object(Object),
    /// Any of them.
    Union(Vec<Type>),
    /// All of them at once, and their byte offset.
    All(Vec<Type>, usize),
}

/// `[A, B?, ...C[]]`
#[derive(Debug, Default)]
pub(super) struct Tuple {
    pub(super) first: Vec<Type>,
    /// How many of the first elements may be absent.
    pub(super) optional: usize,
    /// The list type of further elements.
    pub(super) more: Option<Box<Type>>,
}

#[derive(Debug, Default)]
pub(super) struct Object {
    pub(super) members: Vec<Member>,
    pub(super) entries: Vec<Entries>,
}

#[derive(Debug)]
pub(super) struct Member {
    pub(super) key: String,
    pub(super) is_optional: bool,
    pub(super) type_: Type,
}

/// `[key: string]: T`, which applies to keys without a member of their own.
#[derive(Debug)]
pub(super) struct Entries {
    pub(super) keys: Type,
    pub(super) values: Type,
}

impl Type {
    pub(super) fn plain(kind: Kind) -> Self {
        Self { kind, words: Vec::new() }
    }
}
