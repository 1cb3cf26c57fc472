//! Definitions: the result of parsing.

use serde_json::Value;

/// A named type.
#[derive(Debug)]
pub(super) struct TypeDefinition {
    pub(super) name: String,
    /// Its byte offset in the text.
    pub(super) at: usize,
    pub(super) type_: CommentedType,
}

/// A type with the comments about it.
#[derive(Debug)]
pub(super) struct CommentedType {
    pub(super) kind: TypeForm,
    /// The lines of the comments.
    pub(super) words: Vec<String>,
    /// How many types are nested in it, and itself.
    pub(super) levels: usize,
}

#[derive(Debug)]
pub(super) enum TypeForm {
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
    List(Box<CommentedType>),
    Tuple(TupleType),
    Object(ObjectType),
    /// Any of them.
    Union(Vec<CommentedType>),
    /// All of them at once, and their byte offset.
    All(Vec<CommentedType>, usize),
}

/// `[A, B?, ...C[]]`
#[derive(Debug, Default)]
pub(super) struct TupleType {
    pub(super) first: Vec<CommentedType>,
    /// How many of the first elements may be absent.
    pub(super) optional: usize,
    /// The list type of further elements.
    pub(super) more: Option<Box<CommentedType>>,
}

#[derive(Debug, Default)]
pub(super) struct ObjectType {
    pub(super) members: Vec<ObjectMember>,
    pub(super) entries: Vec<IndexSignature>,
}

#[derive(Debug)]
pub(super) struct ObjectMember {
    pub(super) key: String,
    pub(super) is_optional: bool,
    pub(super) type_: CommentedType,
}

/// `[key: string]: T`, which applies to keys without a member of their own.
#[derive(Debug)]
pub(super) struct IndexSignature {
    pub(super) keys: CommentedType,
    pub(super) values: CommentedType,
}

impl CommentedType {
    pub(super) fn plain(kind: TypeForm) -> Self {
        let levels = 1 + kind.parts().map(|part| part.levels).max().unwrap_or_default();
        Self { kind, words: Vec::new(), levels }
    }
}

impl TypeForm {
    /// The types directly in it.
    pub(super) fn parts(&self) -> Box<dyn Iterator<Item = &CommentedType> + '_> {
        match self {
            Self::List(element) => Box::new(std::iter::once(&**element)),
            Self::Tuple(tuple) => Box::new(tuple.first.iter().chain(tuple.more.as_deref())),
            Self::Union(parts) | Self::All(parts, _) => Box::new(parts.iter()),
            Self::Object(object) => {
                let entries = object.entries.iter().flat_map(|entries| [&entries.keys, &entries.values]);
                Box::new(object.members.iter().map(|member| &member.type_).chain(entries))
            }
            Self::Any
            | Self::Never
            | Self::AnyObject
            | Self::Primitive(_)
            | Self::Literal(_)
            | Self::Reference(..) => Box::new(std::iter::empty()),
        }
    }
}
