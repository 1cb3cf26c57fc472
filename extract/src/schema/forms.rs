//! A schema in the forms in which agents get it.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use serde_json::Value;

use super::{
    absence::{Absence, absence},
    dialect::{Dialect, Inexpressible},
    notation::{Types, types},
    root::root,
    shown::shown,
};

/// A schema for agents, without our marks, and its forms. Each form is computed when it is first
/// needed and then kept, because it is the same in every request.
pub(crate) struct SchemaForms {
    schema: Arc<Value>,
    root: OnceLock<&'static str>,
    absence: OnceLock<Absence>,
    types: OnceLock<Types>,
    json: OnceLock<String>,
    native: [OnceLock<Result<NativeSchema, Inexpressible>>; Dialect::ALL.len()],
}

/// A schema in the dialect of a provider.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NativeSchema {
    pub(crate) schema: Value,
    /// What the decoder does not enforce.
    pub(crate) note: Option<String>,
}

impl SchemaForms {
    pub(crate) fn new(schema: Arc<Value>) -> Self {
        Self {
            schema,
            root: OnceLock::new(),
            absence: OnceLock::new(),
            types: OnceLock::new(),
            json: OnceLock::new(),
            native: Default::default(),
        }
    }

    /// The schema itself.
    pub(crate) fn schema(&self) -> &Arc<Value> {
        &self.schema
    }

    /// What the whole of an answer is.
    pub(crate) fn root(&self) -> &'static str {
        self.root.get_or_init(|| root(&self.schema))
    }

    /// How parts of an answer may be absent.
    pub(crate) fn absence(&self) -> Absence {
        *self.absence.get_or_init(|| absence(&self.schema))
    }

    /// The schema as type definitions.
    pub(crate) fn types(&self) -> &Types {
        self.types.get_or_init(|| types(&self.schema))
    }

    /// The schema as compact JSON.
    pub(crate) fn json(&self) -> &str {
        self.json.get_or_init(|| shown(&self.schema))
    }

    /// The schema in `dialect`.
    pub(crate) fn native(&self, dialect: Dialect) -> &Result<NativeSchema, Inexpressible> {
        self.native[dialect as usize].get_or_init(|| NativeSchema::of(&self.schema, dialect))
    }
}

impl NativeSchema {
    pub(crate) fn of(schema: &Value, dialect: Dialect) -> Result<Self, Inexpressible> {
        let projection = dialect.project(schema)?;
        Ok(Self { note: projection.note(), schema: projection.schema })
    }
}

impl fmt::Debug for SchemaForms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SchemaForms")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_form_is_computed_once() {
        let forms = SchemaForms::new(Arc::new(json!({"type": "object", "title": "A"})));
        assert!(std::ptr::eq(forms.types(), forms.types()));
        assert!(std::ptr::eq(forms.json(), forms.json()));
        for dialect in Dialect::ALL {
            let native = forms.native(dialect);
            assert!(std::ptr::eq(native, forms.native(dialect)));
            assert_eq!(native.clone().ok(), NativeSchema::of(forms.schema(), dialect).ok(), "{dialect}");
        }
    }
}
