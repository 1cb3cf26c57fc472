//! Random schemas with values that satisfy them; `jsonschema` is the oracle.

use jsonschema::Validator;
use serde_json::Map;

use super::*;

const CASES: u64 = 600;

/// A pseudorandom generator (xorshift), so that every failure can be reproduced from its seed.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }
}

/// A schema, and how to generate values that satisfy it.
enum Model {
    /// A scalar with some of its values.
    Scalar(Value, Vec<Value>),
    List(Box<Model>, Value),
    Tuple(Vec<Model>),
    Object {
        members: Vec<(&'static str, Model, bool)>,
        beside: Value,
    },
    /// Objects with disjoint names that apply at once.
    Both(Vec<Model>),
    Union(&'static str, Vec<Model>),
    Map(Box<Model>),
    /// An object that may contain another one of its kind.
    Node,
}

fn scalar(dice: &mut Dice) -> Model {
    let (schema, values) = match dice.below(13) {
        0 => (json!({"type": "string"}), json!(["", "a"])),
        1 => (json!({"type": "string", "minLength": 2, "maxLength": 4}), json!(["ab", "abcd"])),
        2 => (json!({"type": "string", "pattern": r"^[A-Z]-\d{2}$"}), json!(["A-01", "Z-99"])),
        3 => (json!({"type": "string", "format": "date"}), json!(["2026-01-31"])),
        4 => (json!({"type": "string", "format": "uri"}), json!(["https://example.org/"])),
        5 => (json!({"type": "integer", "minimum": 2, "maximum": 5}), json!([2, 5])),
        6 => (json!({"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5}), json!([0.5, 3])),
        7 => (json!({"type": "boolean"}), json!([true, false])),
        8 => (json!({"type": ["string", "null"]}), json!(["a", null])),
        9 => (json!({"type": "string", "enum": ["a", "b"]}), json!(["a", "b"])),
        10 => (json!({"const": 3}), json!([3])),
        11 => (json!({"type": "integer", "not": {"const": 4}}), json!([1, 3])),
        _ => (json!({"enum": ["a", 1, true, null]}), json!(["a", 1, true, null])),
    };
    let Value::Array(values) = values else { unreachable!("a list above") };
    Model::Scalar(schema, values)
}

fn object(dice: &mut Dice, depth: usize, names: &[&'static str]) -> Model {
    let members = names.iter().take(1 + dice.below(names.len()));
    let members = members.map(|name| (*name, model(dice, depth + 1), dice.coin())).collect();
    let beside = if dice.coin() { json!({"additionalProperties": false}) } else { json!({}) };
    Model::Object { members, beside }
}

fn union(dice: &mut Dice, depth: usize) -> Model {
    let branches = ["x", "y", "z"].map(|tag| {
        let kind = Model::Scalar(json!({"const": tag}), vec![json!(tag)]);
        let members = vec![("kind", kind, true), ("a", model(dice, depth + 1), dice.coin())];
        Model::Object { members, beside: json!({}) }
    });
    Model::Union(if dice.coin() { "oneOf" } else { "anyOf" }, branches.into())
}

fn model(dice: &mut Dice, depth: usize) -> Model {
    if depth > 2 {
        return scalar(dice);
    }
    match dice.below(12) {
        0 => Model::List(Box::new(model(dice, depth + 1)), json!({"minItems": 2})),
        1 => Model::List(Box::new(model(dice, depth + 1)), json!({"maxItems": 3, "uniqueItems": false})),
        2 => Model::Tuple((0..=dice.below(3)).map(|_| model(dice, depth + 1)).collect()),
        3 | 4 => object(dice, depth, &["a", "b", "c"]),
        5 => {
            let open = |mut object| {
                if let Model::Object { beside, .. } = &mut object {
                    *beside = json!({});
                }
                object
            };
            let names: &[_] = &["c", "d"];
            let (one, other) = (open(object(dice, depth, names)), dice.coin());
            Model::Both(vec![
                one,
                if other { union(dice, depth) } else { open(object(dice, depth, &["a", "b"])) },
            ])
        }
        6 => union(dice, depth),
        7 => Model::Map(Box::new(model(dice, depth + 1))),
        8 => Model::Node,
        _ => scalar(dice),
    }
}

impl Model {
    fn schema(&self) -> Value {
        match self {
            Self::Scalar(schema, _) => schema.clone(),
            Self::List(item, beside) => with(json!({"type": "array", "items": item.schema()}), beside),
            Self::Tuple(items) => json!({
                "type": "array",
                "prefixItems": items.iter().map(Self::schema).collect::<Vec<_>>(),
                "minItems": items.len(),
                "maxItems": items.len(),
            }),
            Self::Object { members, beside } => {
                let properties: Map<_, _> =
                    members.iter().map(|(name, model, _)| ((*name).to_owned(), model.schema())).collect();
                let required: Vec<_> =
                    members.iter().filter(|member| member.2).map(|member| member.0).collect();
                with(json!({"type": "object", "properties": properties, "required": required}), beside)
            }
            Self::Both(parts) => json!({"allOf": parts.iter().map(Self::schema).collect::<Vec<_>>()}),
            Self::Union(keyword, branches) => {
                json!({*keyword: branches.iter().map(Self::schema).collect::<Vec<_>>()})
            }
            Self::Map(item) => json!({"type": "object", "additionalProperties": item.schema()}),
            Self::Node => json!({"$ref": "#/$defs/Node"}),
        }
    }

    /// A value, with `null` for absent properties if `has_nulls`.
    fn value(&self, dice: &mut Dice, has_nulls: bool) -> Value {
        match self {
            Self::Scalar(_, values) => values[dice.below(values.len())].clone(),
            Self::List(item, _) => (0..2 + dice.below(2)).map(|_| item.value(dice, has_nulls)).collect(),
            Self::Tuple(items) => items.iter().map(|item| item.value(dice, has_nulls)).collect(),
            Self::Object { members, .. } => {
                let mut object = Map::new();
                for (name, model, is_required) in members {
                    // Drawn for all members, so that both forms use the same numbers.
                    let (is_there, value) = (dice.coin(), model.value(dice, has_nulls));
                    if *is_required || is_there {
                        object.insert((*name).to_owned(), value);
                    } else if has_nulls {
                        object.insert((*name).to_owned(), Value::Null);
                    }
                }
                Value::Object(object)
            }
            Self::Both(parts) => {
                let parts = parts.iter().map(|part| part.value(dice, has_nulls));
                parts.reduce(|one, other| with(one, &other)).unwrap()
            }
            Self::Union(_, branches) => branches[dice.below(branches.len())].value(dice, has_nulls),
            Self::Map(item) => {
                let count = dice.below(3);
                (0..count)
                    .map(|n| (format!("key {n}"), item.value(dice, has_nulls)))
                    .collect::<Map<_, _>>()
                    .into()
            }
            Self::Node => match (dice.below(3) == 0, has_nulls) {
                (true, _) => json!({"name": "a", "next": self.value(dice, has_nulls)}),
                (false, true) => json!({"name": "a", "next": null}),
                (false, false) => json!({"name": "a"}),
            },
        }
    }
}

/// The value with another value at one path.
fn changed(dice: &mut Dice, mut value: Value) -> Value {
    const OTHERS: [fn() -> Value; 6] =
        [|| json!(""), || json!("zzzzz"), || json!(-7), || json!(2.25), || json!(true), || json!([[]])];
    let goes_deeper = dice.below(4) > 0;
    match &mut value {
        Value::Object(object) if goes_deeper && !object.is_empty() => {
            let index = dice.below(object.len());
            let (_, member) = object.iter_mut().nth(index).unwrap();
            *member = changed(dice, member.take());
        }
        Value::Object(object) if dice.coin() && !object.is_empty() => {
            let key = object.keys().nth(dice.below(object.len())).unwrap().clone();
            object.shift_remove(&key);
        }
        Value::Object(object) if dice.coin() => {
            object.insert("unheard of".to_owned(), json!(1));
        }
        Value::Array(list) if goes_deeper && !list.is_empty() => {
            let index = dice.below(list.len());
            list[index] = changed(dice, list[index].take());
        }
        Value::Array(list) if dice.coin() => list.reverse(),
        Value::Array(list) if dice.coin() => list.truncate(1),
        other => *other = OTHERS[dice.below(OTHERS.len())](),
    }
    value
}

fn with(mut object: Value, more: &Value) -> Value {
    object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    object
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.iter().any(has_null),
        Value::Object(object) => object.values().any(has_null),
        _ => false,
    }
}

pub(super) fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::options().should_validate_formats(true).build(schema).unwrap()
}

fn root_schema(root: &Model) -> Value {
    let node = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/Node"}},
        "required": ["name"],
    });
    with(root.schema(), &json!({"$defs": {"Node": node}}))
}

#[test]
fn values_that_satisfy_the_schema_satisfy_the_projection() {
    let mut expressed = [0; 4];
    for seed in 1..CASES {
        let mut dice = Dice::new(seed);
        let root = object(&mut dice, 0, &["a", "b", "c"]);
        let schema = root_schema(&root);
        let ours = validator(&schema);
        for (dialect, expressed) in Dialect::ALL.into_iter().zip(&mut expressed) {
            let Ok(projection) = dialect.project(&schema) else { continue };
            *expressed += 1;
            let has_nulls = matches!(dialect, Dialect::OpenAi | Dialect::Ollama);
            let theirs = validator(&projection.schema);
            for round in 0..4 {
                let plain = root.value(&mut Dice::new(seed + round), false);
                let written = root.value(&mut Dice::new(seed + round), has_nulls);
                assert!(ours.is_valid(&plain), "seed {seed}: {schema}\n{plain}");
                assert!(
                    theirs.is_valid(&written),
                    "seed {seed}, {dialect}: {schema}\n{}\n{written}",
                    projection.schema
                );
            }
        }
    }
    assert!(expressed.iter().all(|count| *count > 100), "{expressed:?}");
}

#[test]
fn everything_that_is_not_enforced_is_listed() {
    let mut caught = 0;
    for seed in 1..CASES {
        let mut dice = Dice::new(seed);
        let names = ["a", "b", "c"];
        let root = object(&mut dice, 0, &names);
        let schema = root_schema(&root);
        let ours = validator(&schema);
        for dialect in Dialect::ALL {
            let Ok(projection) = dialect.project(&schema) else { continue };
            if !projection.unenforced.is_empty() {
                continue;
            }
            let theirs = validator(&projection.schema);
            for _ in 0..24 {
                let value = root.value(&mut dice, false);
                let value = changed(&mut dice, value);
                if !has_null(&value) && !ours.is_valid(&value) {
                    caught += 1;
                    assert!(
                        !theirs.is_valid(&value),
                        "seed {seed}, {dialect}: {schema}\n{}\n{value}",
                        projection.schema
                    );
                }
            }
        }
    }
    assert!(caught > 200, "{caught}");
}
