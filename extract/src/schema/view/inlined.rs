//! Copies a part of a schema with its references inlined.

use serde_json::{Map, Value, json};

use super::{REFERENCES, SchemaView, is_only_reference};

impl<'s> SchemaView<'s> {
    /// A copy of `part` with its references inlined. Where that would recurse, anything is allowed.
    /// `None` if the copy has more than `most` values.
    pub(crate) fn inlined(&self, part: &'s Value, most: usize) -> Option<Value> {
        ReferenceInlining { view: self, left: most, entered: Vec::new() }.copy(part)
    }
}

struct ReferenceInlining<'v, 's> {
    view: &'v SchemaView<'s>,
    left: usize,
    /// The targets of the references that are being followed.
    entered: Vec<*const Value>,
}

impl<'s> ReferenceInlining<'_, 's> {
    fn copy(&mut self, part: &'s Value) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        match part {
            Value::Object(object) => self.object(part, object),
            Value::Array(list) => list.iter().map(|part| self.copy(part)).collect(),
            scalar => Some(scalar.clone()),
        }
    }

    fn object(&mut self, part: &'s Value, object: &'s Map<String, Value>) -> Option<Value> {
        let targets: Vec<_> = self.view.targets(object).collect();
        if targets.is_empty() {
            return self.entries(object).map(Value::Object);
        }
        let mut targets: Vec<_> =
            targets.into_iter().map(|target| self.entered(target)).collect::<Option<_>>()?;
        if is_only_reference(part) {
            return targets.pop();
        }
        let beside = self.entries(object)?;
        targets.push(Value::Object(beside));
        Some(json!({ "allOf": targets }))
    }

    /// Copies all keywords except references.
    fn entries(&mut self, object: &'s Map<String, Value>) -> Option<Map<String, Value>> {
        let entries =
            object.iter().filter(|(key, entry)| !(REFERENCES.contains(&key.as_str()) && entry.is_string()));
        entries.map(|(key, entry)| Some((key.clone(), self.copy(entry)?))).collect()
    }

    fn entered(&mut self, target: &'s Value) -> Option<Value> {
        let address = std::ptr::from_ref(target);
        if self.entered.contains(&address) {
            return Some(Value::Bool(true));
        }
        self.entered.push(address);
        let copy = self.copy(target);
        self.entered.pop();
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_replaced_as_far_as_there_is_an_end() {
        let root = json!({
            "$defs": {
                "Word": {"type": "string"},
                "Node": {"properties": {"word": {"$ref": "#/$defs/Word", "minLength": 1}, "next": {"$ref": "#node"}}, "$anchor": "node"},
            },
        });
        let view = SchemaView::of(&root);
        let inlined = json!({
            "properties": {"word": {"allOf": [{"type": "string"}, {"minLength": 1}]}, "next": true},
            "$anchor": "node",
        });
        let part = json!({"items": {"$ref": "#/$defs/Node"}});
        assert_eq!(view.inlined(&part, 20), Some(json!({"items": inlined})));
        assert_eq!(view.inlined(&part, 5), None);
    }
}
