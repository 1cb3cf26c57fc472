//! A copy of a schema with some of its parts replaced.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// The replacements of parts of one schema, by keyword.
#[derive(Default)]
pub(super) struct SchemaEdits<'s>(HashMap<&'s str, SchemaEdit<'s>>);

enum SchemaEdit<'s> {
    Whole(Option<Value>),
    Entries(HashMap<&'s str, Value>),
    Elements(HashMap<usize, Value>),
}

/// Copies everything that is not replaced: the value of a keyword, or one of several schemas under
/// it. `None` drops the keyword.
pub(super) trait SchemaCopier<E> {
    fn keyword(&mut self, keyword: &str, value: &Value) -> Result<Option<Value>, E>;
    fn schema(&mut self, schema: &Value) -> Result<Value, E>;
}

impl<'s> SchemaEdits<'s> {
    /// Replaces the value of a keyword; `None` drops it.
    pub(super) fn whole(&mut self, keyword: &'s str, value: Option<Value>) {
        self.0.insert(keyword, SchemaEdit::Whole(value));
    }

    /// Replaces the entry `key` of the object under a keyword.
    pub(super) fn entry(&mut self, keyword: &'s str, key: &'s str, value: Value) {
        let edit = self.0.entry(keyword).or_insert_with(|| SchemaEdit::Entries(HashMap::new()));
        if let SchemaEdit::Entries(entries) = edit {
            entries.insert(key, value);
        }
    }

    /// Replaces an element of the list under a keyword.
    pub(super) fn element(&mut self, keyword: &'s str, index: usize, value: Value) {
        let edit = self.0.entry(keyword).or_insert_with(|| SchemaEdit::Elements(HashMap::new()));
        if let SchemaEdit::Elements(elements) = edit {
            elements.insert(index, value);
        }
    }

    /// A copy of `object` with the replacements.
    pub(super) fn apply<E>(
        mut self,
        object: &Map<String, Value>,
        copying: &mut dyn SchemaCopier<E>,
    ) -> Result<Value, E> {
        let mut edited = Map::new();
        for (keyword, value) in object {
            let value = match (self.0.remove(keyword.as_str()), value) {
                (Some(SchemaEdit::Whole(new)), _) => new,
                (Some(SchemaEdit::Entries(new)), Value::Object(old)) => Some(entries(old, new, copying)?),
                (Some(SchemaEdit::Elements(new)), Value::Array(old)) => Some(elements(old, new, copying)?),
                (_, value) => copying.keyword(keyword, value)?,
            };
            edited.extend(value.map(|value| (keyword.clone(), value)));
        }
        Ok(Value::Object(edited))
    }
}

fn entries<E>(
    old: &Map<String, Value>,
    mut new: HashMap<&str, Value>,
    copying: &mut dyn SchemaCopier<E>,
) -> Result<Value, E> {
    let entry = |(key, schema): (&String, &Value)| {
        let schema = new.remove(key.as_str()).map_or_else(|| copying.schema(schema), Ok)?;
        Ok((key.clone(), schema))
    };
    old.iter().map(entry).collect::<Result<Map<_, _>, E>>().map(Value::Object)
}

fn elements<E>(
    old: &[Value],
    mut new: HashMap<usize, Value>,
    copying: &mut dyn SchemaCopier<E>,
) -> Result<Value, E> {
    let element = |(index, schema)| new.remove(&index).map_or_else(|| copying.schema(schema), Ok);
    old.iter().enumerate().map(element).collect()
}
