//! Reads a schema from types in the notation that [`types`](super::types) writes: a subset of
//! TypeScript, with constraints in comments.
//!
//! A [tokenizer](token) and a [parser](parser) turn the text into definitions, from which JSON Schema
//! is built. [`phrase`] finds the constraints in the comments.
//!
//! The notation allows only the keys that it shows, so every object is closed. The parts of an
//! intersection are merged into one object first, because closed objects would forbid each other's
//! keys.

mod parser;
mod phrase;
#[cfg(test)]
mod tests;
mod token;

use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
};

use serde_json::{Map, Value, json};

pub use self::token::TypesError;
use self::{
    parser::{CommentedType, IndexSignature, ObjectType, TupleType, TypeDefinition, TypeForm, TypesParser},
    token::{TypesMistake, tokens},
};
use crate::schema::view::pointer::percent_encoded;

/// The longest text that is read, in bytes.
const MAX_BYTES: usize = 256 << 10;

/// The JSON Schema for the types in `text`.
pub(crate) fn from_types(text: &str) -> Result<Value, TypesError> {
    let read = || {
        if text.len() > MAX_BYTES {
            return Err(TypesMistake::new(0, "longer than 256 KiB, the most that is read"));
        }
        schema(&TypesParser::new(tokens(text)?).definitions()?)
    };
    read().map_err(|wrong| wrong.in_text(text))
}

/// Maximum alternatives that the intersections of one type may expand to.
const MAX_ALTERNATIVES: usize = 64;
/// Maximum chain of names before a type.
const MAX_CHAIN: usize = 64;
/// Maximum parts of intersections that are visited in total.
const MAX_STEPS: usize = 10_000;
/// Maximum work of all schemas together, in types and in each four bytes of their comments. The
/// longest text has fewer; only intersections write the same types several times.
const MAX_WORK: usize = 200_000;

/// The schema of the root type: the one that no other type names, or the last of several.
fn schema(definitions: &[TypeDefinition]) -> Result<Value, TypesMistake> {
    let builder = SchemaBuilder::new(definitions)?;
    let mut defs = Map::new();
    let mut whole = Map::new();
    for definition in definitions {
        builder.at.set(definition.at);
        let schema = builder.schema(&definition.type_)?;
        if definition.name == builder.root {
            whole = object_of(schema);
        } else {
            defs.insert(definition.name.clone(), schema);
        }
    }
    whole.insert("title".to_owned(), Value::from(builder.root));
    if !defs.is_empty() {
        whole.insert("$defs".to_owned(), Value::Object(defs));
    }
    Ok(Value::Object(whole))
}

struct SchemaBuilder<'d> {
    by_name: HashMap<&'d str, &'d TypeDefinition>,
    root: &'d str,
    /// How many more parts of intersections may be visited.
    steps: Cell<usize>,
    work: Cell<usize>,
    /// The byte offset of the definition that is built.
    at: Cell<usize>,
}

/// The keys of an object, or of several that apply at once.
#[derive(Clone, Default)]
struct ObjectFields<'d> {
    members: Vec<ObjectField<'d>>,
    entries: Vec<&'d IndexSignature>,
    /// Comments about the object.
    words: Vec<String>,
}

#[derive(Clone)]
struct ObjectField<'d> {
    key: &'d str,
    is_optional: bool,
    types: Vec<&'d CommentedType>,
}

impl<'d> SchemaBuilder<'d> {
    fn new(definitions: &'d [TypeDefinition]) -> Result<Self, TypesMistake> {
        let mut by_name = HashMap::new();
        for definition in definitions {
            if by_name.insert(definition.name.as_str(), definition).is_some() {
                return Err(TypesMistake::new(
                    definition.at,
                    format!("the type `{}` is defined twice", definition.name),
                ));
            }
        }
        Ok(Self {
            root: root(definitions),
            by_name,
            steps: Cell::new(MAX_STEPS),
            work: Cell::new(MAX_WORK),
            at: Cell::new(0),
        })
    }

    /// Counts work.
    fn spend(&self, parts: usize, words: &[String]) -> Result<(), TypesMistake> {
        let bytes = words.iter().map(String::len).sum::<usize>();
        match self.work.get().checked_sub(parts + words.len() + bytes / 4) {
            Some(left) => {
                self.work.set(left);
                Ok(())
            }
            None => Err(TypesMistake::new(
                self.at.get(),
                "the type is too large with its intersections written out",
            )),
        }
    }

    fn definition(&self, name: &str, at: usize) -> Result<&'d TypeDefinition, TypesMistake> {
        self.by_name.get(name).copied().ok_or_else(|| {
            let help = match name {
                "Date" => {
                    "; a date is `string // format date`, one with the time `string // format date-time`"
                }
                "String" | "Number" | "Boolean" | "Integer" => {
                    "; the types of JSON are written in small letters"
                }
                "int" | "float" => "; numbers are `integer` and `number`",
                _ => "",
            };
            TypesMistake::new(at, format!("no type `{name}` is defined{help}"))
        })
    }

    fn schema(&self, type_: &'d CommentedType) -> Result<Value, TypesMistake> {
        self.spend(1, &type_.words)?;
        let mut schema = self.bare(type_)?;
        if !type_.words.is_empty() {
            let mut object = object_of(schema);
            self.say(&type_.words, &mut object);
            schema = Value::Object(object);
        }
        Ok(schema)
    }

    /// Adds the constraints and descriptions from comments.
    fn say(&self, words: &[String], schema: &mut Map<String, Value>) {
        let named = |name: &str| self.by_name.contains_key(name).then(|| self.reference(name));
        phrase::apply(words, schema, &named);
    }

    fn reference(&self, name: &str) -> String {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        if name == self.root {
            "#".to_owned()
        } else {
            format!("#/$defs/{}", percent_encoded(name, is_plain))
        }
    }

    /// The schema of `type_` without its comments.
    fn bare(&self, type_: &'d CommentedType) -> Result<Value, TypesMistake> {
        Ok(match &type_.kind {
            TypeForm::Any => Value::Bool(true),
            TypeForm::Never => Value::Bool(false),
            TypeForm::AnyObject => json!({"type": "object"}),
            TypeForm::Primitive(name) => json!({"type": name}),
            TypeForm::Literal(Value::Null) => json!({"type": "null"}),
            TypeForm::Literal(value) => json!({"const": value}),
            TypeForm::Reference(name, at) => {
                self.definition(name, *at)?;
                json!({"$ref": self.reference(name)})
            }
            TypeForm::List(element) => json!({"type": "array", "items": self.schema(element)?}),
            TypeForm::Tuple(tuple) => self.tuple(tuple)?,
            TypeForm::Object(object) => self.object(&fields(object))?,
            TypeForm::Union(parts) => self.union(parts)?,
            TypeForm::All(parts, at) => self.all(parts, *at)?,
        })
    }

    fn union(&self, parts: &'d [CommentedType]) -> Result<Value, TypesMistake> {
        let literals = parts.iter().map(|part| match &part.kind {
            TypeForm::Literal(value) if part.words.is_empty() => Some(value.clone()),
            _ => None,
        });
        if let Some(values) = literals.collect::<Option<Vec<_>>>() {
            self.spend(values.len(), &[])?;
            return Ok(json!({"enum": values}));
        }
        let names = parts.iter().map(|part| match &part.kind {
            TypeForm::Primitive(name) if part.words.is_empty() => Some(*name),
            TypeForm::Literal(Value::Null) if part.words.is_empty() => Some("null"),
            _ => None,
        });
        if let Some(names) = names.collect::<Option<Vec<_>>>() {
            self.spend(names.len(), &[])?;
            return Ok(json!({"type": names}));
        }
        let branches = parts.iter().map(|part| self.schema(part)).collect::<Result<Vec<_>, _>>()?;
        Ok(json!({"anyOf": branches}))
    }

    fn tuple(&self, tuple: &'d TupleType) -> Result<Value, TypesMistake> {
        let first = tuple.first.iter().map(|element| self.schema(element)).collect::<Result<Vec<_>, _>>()?;
        let least = first.len() - tuple.optional;
        let more = match &tuple.more {
            // The list of further elements.
            Some(list) => match &list.kind {
                TypeForm::List(element) => self.schema(element)?,
                _ => Value::Bool(true),
            },
            None => Value::Bool(false),
        };
        let mut schema = Map::from_iter([("type".to_owned(), Value::from("array"))]);
        if !first.is_empty() {
            schema.insert("prefixItems".to_owned(), Value::from(first));
        }
        schema.insert("items".to_owned(), more);
        if least > 0 {
            schema.insert("minItems".to_owned(), Value::from(least));
        }
        Ok(Value::Object(schema))
    }

    fn object(&self, fields: &ObjectFields<'d>) -> Result<Value, TypesMistake> {
        self.spend(0, &fields.words)?;
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for field in &fields.members {
            let mut schemas =
                field.types.iter().map(|type_| self.schema(type_)).collect::<Result<Vec<_>, _>>()?;
            // `unknown` adds nothing to another type.
            if schemas.len() > 1 {
                schemas.retain(|schema| *schema != Value::Bool(true));
            }
            let schema = match schemas.pop() {
                None => Value::Bool(true),
                Some(only) if schemas.is_empty() => only,
                Some(last) => json!({"allOf": schemas.into_iter().chain([last]).collect::<Vec<_>>()}),
            };
            properties.insert(field.key.to_owned(), schema);
            if !field.is_optional {
                required.push(Value::from(field.key));
            }
        }
        let mut schema = Map::from_iter([("type".to_owned(), Value::from("object"))]);
        for (keyword, value) in [
            ("properties", Value::Object(properties)),
            ("required", Value::Array(required)),
            ("additionalProperties", Value::Bool(false)),
        ] {
            if value != json!({}) && value != json!([]) {
                schema.insert(keyword.to_owned(), value);
            }
        }
        for entries in &fields.entries {
            self.entries(entries, &mut schema)?;
        }
        self.say(&fields.words, &mut schema);
        Ok(Value::Object(schema))
    }

    fn entries(
        &self,
        entries: &'d IndexSignature,
        schema: &mut Map<String, Value>,
    ) -> Result<(), TypesMistake> {
        let (mut keys, values) = (self.schema(&entries.keys)?, self.schema(&entries.values)?);
        let pattern = match keys.as_object_mut() {
            Some(keys) if keys.get("type") == Some(&Value::from("string")) => keys.remove("pattern"),
            _ => None,
        };
        if let (Some(Value::String(pattern)), 1) = (&pattern, keys.as_object().map_or(0, Map::len)) {
            let patterns = schema.entry("patternProperties").or_insert_with(|| json!({}));
            patterns.as_object_mut().map(|patterns| patterns.insert(pattern.clone(), values));
            return Ok(());
        }
        if let (Some(keys), Some(pattern)) = (keys.as_object_mut(), pattern) {
            keys.insert("pattern".to_owned(), pattern);
        }
        if keys != json!({"type": "string"}) {
            schema.insert("propertyNames".to_owned(), keys);
        }
        schema.insert("additionalProperties".to_owned(), values);
        Ok(())
    }

    fn all(&self, parts: &'d [CommentedType], at: usize) -> Result<Value, TypesMistake> {
        let Some(alternatives) = self.all_alternatives(parts, at, 0)? else {
            let parts = parts.iter().map(|part| self.schema(part)).collect::<Result<Vec<_>, _>>()?;
            return Ok(json!({"allOf": parts}));
        };
        let mut objects =
            alternatives.iter().map(|fields| self.object(fields)).collect::<Result<Vec<_>, _>>()?;
        Ok(if objects.len() == 1 { objects.remove(0) } else { json!({"anyOf": objects}) })
    }

    /// The objects that a type may be; `None` if it may be anything else.
    fn alternatives(
        &self,
        type_: &'d CommentedType,
        chain: usize,
    ) -> Result<Option<Vec<ObjectFields<'d>>>, TypesMistake> {
        let all = match &type_.kind {
            TypeForm::Object(object) => Some(vec![fields(object)]),
            TypeForm::Reference(name, at) => {
                let steps = self.steps.get().checked_sub(1).filter(|_| chain < MAX_CHAIN);
                let Some(steps) = steps else {
                    return Err(TypesMistake::new(
                        *at,
                        "the type leads back to itself, or through too many others",
                    ));
                };
                self.steps.set(steps);
                self.alternatives(&self.definition(name, *at)?.type_, chain + 1)?
            }
            TypeForm::Union(parts) => {
                let all = parts.iter().map(|part| self.alternatives(part, chain));
                let all = all.collect::<Result<Option<Vec<_>>, _>>()?;
                all.map(|all| all.into_iter().flatten().collect())
            }
            TypeForm::All(parts, at) => self.all_alternatives(parts, *at, chain)?,
            _ => None,
        };
        let Some(mut all) = all else { return Ok(None) };
        for fields in &mut all {
            self.spend(1, &type_.words)?;
            fields.words.extend(type_.words.iter().cloned());
        }
        Ok(Some(all))
    }

    fn all_alternatives(
        &self,
        parts: &'d [CommentedType],
        at: usize,
        chain: usize,
    ) -> Result<Option<Vec<ObjectFields<'d>>>, TypesMistake> {
        let mut all = vec![ObjectFields::default()];
        for part in parts {
            let Some(more) = self.alternatives(part, chain)? else { return Ok(None) };
            if all.len() * more.len() > MAX_ALTERNATIVES {
                return Err(TypesMistake::new(
                    at,
                    format!("more than {MAX_ALTERNATIVES} combinations of objects"),
                ));
            }
            let pairs = all.iter().flat_map(|one| more.iter().map(move |other| (one, other)));
            let both = pairs.map(|(one, other)| {
                self.spend(one.size() + other.size(), &one.words)?;
                self.spend(0, &other.words)?;
                Ok(one.with(other))
            });
            all = both.collect::<Result<_, _>>()?;
        }
        Ok(Some(all))
    }
}

impl ObjectFields<'_> {
    /// Returns how many types it holds, with itself.
    fn size(&self) -> usize {
        let types = self.members.iter().map(|field| 1 + field.types.len());
        1 + types.sum::<usize>() + self.entries.len()
    }

    /// The keys of both, which apply at once.
    fn with(&self, other: &Self) -> Self {
        let mut both = self.clone();
        let known: HashMap<_, _> =
            self.members.iter().enumerate().map(|(number, field)| (field.key, number)).collect();
        // An object's own keys differ, so the keys of `other` are only looked for in `self`.
        for field in &other.members {
            match known.get(field.key).and_then(|number| both.members.get_mut(*number)) {
                Some(known) => {
                    known.is_optional &= field.is_optional;
                    known.types.extend(&field.types);
                }
                None => both.members.push(field.clone()),
            }
        }
        both.entries.extend(&other.entries);
        both.words.extend(other.words.iter().cloned());
        both
    }
}

fn fields(object: &ObjectType) -> ObjectFields<'_> {
    let members = object.members.iter().map(|member| ObjectField {
        key: &member.key,
        is_optional: member.is_optional,
        types: vec![&member.type_],
    });
    ObjectFields { members: members.collect(), entries: object.entries.iter().collect(), words: Vec::new() }
}

/// The type that no other type names. If there are several or none, the last type.
fn root(definitions: &[TypeDefinition]) -> &str {
    let mut named_by_others = HashSet::new();
    for definition in definitions {
        let mut names = HashSet::new();
        collect(&definition.type_, &mut names);
        names.remove(definition.name.as_str());
        named_by_others.extend(names);
    }
    let is_root = |definition: &&TypeDefinition| !named_by_others.contains(definition.name.as_str());
    let root = definitions.iter().rfind(is_root).or(definitions.last());
    root.map_or("", |definition| &definition.name)
}

/// A schema as an object, to which keywords can be added.
fn object_of(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(object) => object,
        Value::Bool(false) => Map::from_iter([("not".to_owned(), json!({}))]),
        _ => Map::new(),
    }
}

/// The names in a type.
fn collect<'d>(type_: &'d CommentedType, names: &mut HashSet<&'d str>) {
    if let TypeForm::Reference(name, _) = &type_.kind {
        names.insert(name);
    }
    type_.kind.parts().for_each(|part| collect(part, names));
}
