//! One schema in several spellings.

use serde_json::{Map, Value, json};

/// How a part of a schema is written where it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Inline.
    Inline,
    /// `#/$defs/…`
    Pointer,
    /// A definition that refers to a definition that refers to …, 20 times.
    Chain,
    /// The same, alternating pointers and anchors, each with a description.
    MixedChain,
    /// `#name`, by `$anchor`
    Anchor,
    /// A pointer with percent-encoding.
    Percent,
    /// By `$dynamicRef` and `$dynamicAnchor`.
    Dynamic,
    /// By the `$id` of the schema and a pointer.
    Absolute,
    /// By the `$id` of the schema and an anchor.
    AbsoluteAnchor,
    /// Each definition is a resource with an `$id`, named by it.
    Resource,
    /// Each definition is a resource that refers to a definition of its own by `#/…`. From the root
    /// the same pointer leads to the resource.
    InnerPointer,
    /// The same by `#name`.
    InnerAnchor,
}

const ID: &str = "https://example.com/contract";

const LENGTH: usize = 20;

impl Spelling {
    /// All but [`Inline`](Self::Inline).
    pub(super) const ALL: [Self; 11] = [
        Self::Pointer,
        Self::Chain,
        Self::MixedChain,
        Self::Anchor,
        Self::Percent,
        Self::Dynamic,
        Self::Absolute,
        Self::AbsoluteAnchor,
        Self::Resource,
        Self::InnerPointer,
        Self::InnerAnchor,
    ];

    /// The reference to `name`.
    pub(super) fn reference(self, name: &str) -> Value {
        match self {
            Self::Dynamic => json!({"$dynamicRef": format!("#{name}")}),
            Self::Anchor => json!({"$ref": format!("#{name}")}),
            Self::Percent => json!({"$ref": format!("#/%24defs/%{:02x}{}", name.as_bytes()[0], &name[1..])}),
            Self::Absolute => json!({"$ref": format!("{ID}#/$defs/{name}")}),
            Self::AbsoluteAnchor => json!({"$ref": format!("{ID}#{name}")}),
            Self::Resource | Self::InnerPointer | Self::InnerAnchor => json!({"$ref": name}),
            Self::Inline | Self::Pointer | Self::Chain | Self::MixedChain => {
                json!({"$ref": format!("#/$defs/{name}")})
            }
        }
    }

    /// Adds the definitions of `name`, a name for `part`.
    pub(super) fn define(self, name: &str, mut part: Value, definitions: &mut Map<String, Value>) {
        let link = |number: usize| if number == 0 { name.to_owned() } else { format!("{name}_{number}") };
        match self {
            Self::Inline => return,
            Self::Anchor | Self::AbsoluteAnchor => part["$anchor"] = name.into(),
            Self::Dynamic => part["$dynamicAnchor"] = name.into(),
            Self::Chain | Self::MixedChain => {
                for number in 0..LENGTH - 1 {
                    let is_named = self == Self::MixedChain && number % 2 == 0;
                    let spelling = if is_named { Self::Anchor } else { Self::Pointer };
                    let mut step = spelling.reference(&link(number + 1));
                    if self == Self::MixedChain {
                        step["$anchor"] = link(number).into();
                        step["$comment"] = "beside the reference".into();
                    }
                    definitions.insert(link(number), step);
                }
                if self == Self::MixedChain {
                    part["$anchor"] = link(LENGTH - 1).into();
                }
                definitions.insert(link(LENGTH - 1), part);
                return;
            }
            Self::Resource => part["$id"] = name.into(),
            Self::InnerPointer => {
                part = json!({"$id": name, "$ref": format!("#/$defs/{name}"), "$defs": {name: part}});
            }
            Self::InnerAnchor => {
                part["$anchor"] = name.into();
                part = json!({"$id": name, "$ref": format!("#{name}"), "$defs": {name: part}});
            }
            Self::Pointer | Self::Percent | Self::Absolute => {}
        }
        definitions.insert(name.to_owned(), part);
    }

    /// `schema` with `definitions`, if any.
    pub(super) fn rooted(self, mut schema: Value, definitions: Map<String, Value>) -> Value {
        if self != Self::Inline {
            schema["$defs"] = Value::Object(definitions);
        }

        if matches!(self, Self::Absolute | Self::AbsoluteAnchor) {
            schema["$id"] = ID.into();
        }
        schema
    }
}

/// Builds a schema.
pub(super) struct Writer {
    spelling: Spelling,
    definitions: Map<String, Value>,
}

impl Writer {
    pub(super) fn new(spelling: Spelling) -> Self {
        Self { spelling, definitions: Map::new() }
    }

    /// The reference to `part`, which is defined.
    pub(super) fn part(&mut self, name: &str, part: Value) -> Value {
        if self.spelling == Spelling::Inline {
            return part;
        }
        let name = format!("X_{name}");
        self.spelling.define(&name, part, &mut self.definitions);
        self.spelling.reference(&name)
    }

    /// The whole schema, which is a part too.
    pub(super) fn root(&mut self, schema: Value) -> Value {
        let root = self.part("whole", schema);
        self.spelling.rooted(root, std::mem::take(&mut self.definitions))
    }
}
