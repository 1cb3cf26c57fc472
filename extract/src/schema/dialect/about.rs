//! Helpers for a decoder that reads a schema itself.

use serde_json::{Map, Value};

use crate::schema::view::{SchemaView, keywords};

/// Returns whether a keyword constrains nothing: an annotation of JSON Schema, such as `title` and
/// `$defs`, or a name that JSON Schema does not know, such as those of editors and generators.
///
/// ```
/// use extract::schema::dialect::is_annotation;
///
/// assert!(is_annotation("description") && is_annotation("x-order") && !is_annotation("pattern"));
/// ```
pub fn is_annotation(keyword: &str) -> bool {
    keywords::is_inert(keyword)
}

/// Returns the types that a schema without `type` implies, as the value of that keyword: the types
/// of its `const` or `enum`, else the type that its keywords apply to. `None` if it implies none.
/// Keywords that allow everything, such as `properties` without names, imply nothing.
///
/// ```
/// use extract::schema::dialect::implied_types;
/// use serde_json::json;
///
/// let implied = |schema: serde_json::Value| implied_types(schema.as_object().unwrap());
/// assert_eq!(implied(json!({"enum": [1, "a"]})), Some(json!(["number", "string"])));
/// assert_eq!(implied(json!({"maxLength": 3})), Some(json!("string")));
/// assert_eq!(implied(json!({"title": "Anything", "properties": {}})), None);
/// ```
pub fn implied_types(keywords: &Map<String, Value>) -> Option<Value> {
    keywords::implied_types(keywords)
}

/// Returns whether the types, tags and names of `branches` show that no value satisfies two of
/// them. Then `oneOf` means the same as `anyOf`, which more decoders support. References are looked
/// up in `root`.
///
/// ```
/// use extract::schema::dialect::are_exclusive;
/// use serde_json::json;
///
/// let root = json!({"oneOf": [{"type": "integer"}, {"type": "string"}]});
/// assert!(are_exclusive(root["oneOf"].as_array().unwrap(), &root));
/// assert!(!are_exclusive(&[json!({"minimum": 1}), json!({"maximum": 2})], &root));
/// ```
pub fn are_exclusive(branches: &[Value], root: &Value) -> bool {
    SchemaView::of(root).are_exclusive(branches)
}

/// Returns the first schema along the references of `schema` into `root` that says more than a
/// reference. That is `schema` itself if it is not a reference, or if the references lead nowhere
/// or in a circle.
///
/// ```
/// use extract::schema::dialect::follow_references;
/// use serde_json::json;
///
/// let root = json!({"$defs": {"Code": {"$ref": "#code"}, "Inner": {"$anchor": "code", "type": "string"}}});
/// assert_eq!(follow_references(&json!({"$ref": "#/$defs/Code"}), &root)["type"], "string");
/// ```
pub fn follow_references<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    SchemaView::of(root).meant(schema)
}
