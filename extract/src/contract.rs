//! What a reply must satisfy.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use jsonschema::ValidationError;
use serde_json::Value;

use crate::{
    context::Given,
    path::Path,
    reading::{self, Reader, Reading, Validity as _},
    rejection::IntoRejections,
    schema::{self, REFERENCES, SchemaError, SchemaForms, View},
    text::counted,
    validation::{self, Checker, Judge, Place, Sensitive},
    violation::{Code, Violation},
};

/// What a reply must satisfy: a compiled JSON Schema (2020-12), an example and rules.
///
/// Cheap to clone. [`of`](Self::of) is compiled once per type and process; keep the contract that
/// [`from_schema`](Self::from_schema) returns.
///
/// ```
/// use extract::Contract;
/// use serde_json::json;
///
/// let contract = Contract::from_schema(json!({
///     "type": "object",
///     "properties": {"total": {"type": "number", "minimum": 0}},
///     "required": ["total"],
/// }))?;
/// assert!(contract.validate(&json!({"total": 3})).is_empty());
/// assert_eq!(
///     contract.validate(&json!({"total": -1}))[0].to_string(),
///     "[INVALID_VALUE] $.total: too small (expected at least 0, got -1)"
/// );
/// # Ok::<(), extract::schema::SchemaError>(())
/// ```
#[derive(Clone)]
pub struct Contract {
    inner: Arc<Inner>,
}

#[derive(Clone)]
struct Inner {
    schema: Arc<Value>,
    /// The schema for agents, which has no marks of ours.
    forms: Arc<SchemaForms>,
    shapes: Arc<reading::Shapes>,
    validator: Checker,
    example: Option<Value>,
    rules: Vec<Arc<dyn Rule>>,
    /// What the healthy parts of a value that is broken elsewhere reject.
    judge_parts: Option<JudgeParts>,
    is_sensitive: bool,
}

pub(crate) type JudgeParts = fn(&Value, &[Violation], Given<'_>) -> Vec<Violation>;

/// What a contract asks for beyond its schema.
pub(crate) trait Rule: Fn(&Value) -> Vec<Violation> + Send + Sync {}

impl<F: Fn(&Value) -> Vec<Violation> + Send + Sync> Rule for F {}

impl Contract {
    /// A contract from a JSON Schema (2020-12) that is known at run time only.
    ///
    /// # Errors
    ///
    /// When `schema` is not a valid JSON Schema, refers to one outside of itself, or leads back to itself for the same value (as
    /// `{"$ref": "#"}` does; recursion goes through `properties`, `items` and the like). Also when it nests more than 256 levels
    /// deep, when more than 64 schemas lead to each other for one value, or when references repeat more than 10,000 for one
    /// value. The error says where.
    pub fn from_schema(schema: Value) -> Result<Self, SchemaError> {
        Self::compile(schema, Vec::new(), None)
    }

    /// Adds a rule that looks at values which satisfy the schema.
    ///
    /// ```
    /// use extract::{Contract, Rejection};
    /// use serde_json::{Value, json};
    ///
    /// let contract = Contract::from_schema(json!({"type": "object"}))?.with_rule(|value: &Value| {
    ///     if value["start"].as_i64() <= value["end"].as_i64() {
    ///         return Ok(());
    ///     }
    ///     Err(Rejection::new("the end lies before the start").at("end"))
    /// });
    /// assert_eq!(contract.validate(&json!({"start": 2, "end": 1})).len(), 1);
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    #[must_use]
    pub fn with_rule<E: IntoRejections>(
        self,
        rule: impl Fn(&Value) -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        let rule = move |value: &Value| {
            let mut judge = Judge::default();
            judge.hear(rule(value), &Place::root());
            judge.into_violations()
        };
        let mut rules = self.inner.rules.clone();
        rules.push(Arc::new(rule));
        let inner = Inner::clone(&self.inner);
        let example = inner.example.filter(|example| satisfies(example, &rules));
        Self { inner: Arc::new(Inner { example, rules, ..inner }) }
    }

    pub(crate) fn without_example(&self) -> Self {
        Self { inner: Arc::new(Inner { example: None, ..Inner::clone(&self.inner) }) }
    }

    pub(crate) fn compile(
        schema: Value,
        rules: Vec<Arc<dyn Rule>>,
        judge_parts: Option<JudgeParts>,
    ) -> Result<Self, SchemaError> {
        let schema = Arc::new(schema::check_nesting(schema)?);
        let (validator, max_depth) = compile(&schema)?;
        let is_sensitive = !Sensitive::of(&schema).is_empty();
        let is_acceptable = |example: &Value| {
            !schema::nests_deeper(example, max_depth)
                && validator.is_valid(example)
                && satisfies(example, &rules)
        };
        let example = schema::example(&schema).filter(is_acceptable);
        let shapes = reading::Shapes::compile(&schema, max_depth).with_example(example.as_ref());
        let forms = Arc::new(SchemaForms::new(without_marks(&schema, is_sensitive || shapes.has_other())));
        let shapes = Arc::new(shapes);
        Ok(Self {
            inner: Arc::new(Inner {
                schema,
                forms,
                shapes,
                validator,
                example,
                rules,
                judge_parts,
                is_sensitive,
            }),
        })
    }

    /// The JSON Schema.
    pub fn schema(&self) -> &Value {
        &self.inner.schema
    }

    /// The schema for agents, which has no marks of ours, in its forms.
    pub(crate) fn forms(&self) -> &Arc<SchemaForms> {
        &self.inner.forms
    }

    /// The schema with its marks, if it marks places as sensitive.
    pub(crate) fn marked_schema(&self) -> Option<Arc<Value>> {
        self.inner.is_sensitive.then(|| Arc::clone(&self.inner.schema))
    }

    /// The places whose values are not to be repeated.
    pub(crate) fn sensitive(&self) -> Option<Sensitive<'_>> {
        self.inner.is_sensitive.then(|| Sensitive::of(self.schema()))
    }

    /// What is said of `value`, without what is not to be repeated.
    pub(crate) fn redacted(&self, mut violations: Vec<Violation>, value: &Value) -> Vec<Violation> {
        if let Some(sensitive) = self.sensitive() {
            sensitive.redact_violations(&mut violations, value);
        }
        violations
    }

    /// `text`, which was said of `value`, without what is not to be repeated.
    pub(crate) fn redacted_text(&self, mut text: String, value: &Value) -> String {
        if let Some(sensitive) = self.sensitive() {
            sensitive.redact_message(&mut text, value);
        }
        text
    }

    /// A small value that satisfies the contract, at most 32 KiB of JSON. `None` where none was found: the schema asks for more, or
    /// the one that was generated does not satisfy a rule or a keyword that the generator cannot follow. A wrong example is never
    /// shown to an agent.
    pub fn example(&self) -> Option<&Value> {
        self.inner.example.as_ref()
    }

    /// Everything that is wrong with `value`, sorted by path; empty when it is acceptable.
    ///
    /// Rules run only on a value that satisfies the schema. In a value that breaks the schema of a type, the parts that are
    /// not broken are judged by their own checks and rules. Warnings are in the list; one of them is for the text `null`, `None` or
    /// `none` where null may stand as well, which small models write for null. It is left as it is: a person may be called so.
    ///
    /// A value that nests more than 256 levels deep (fewer where the schema leads through many others for one value) is not looked at,
    /// and that is what is wrong with it.
    pub fn validate(&self, value: &Value) -> Vec<Violation> {
        let max_depth = self.inner.shapes.max_depth();
        if schema::nests_deeper(value, max_depth) {
            return vec![too_deep(max_depth)];
        }
        let mut violations = self.validate_schema(value);
        if violations.is_empty() {
            violations = self.warnings(value);
            violations.extend(self.apply_rules(value));
            validation::sort(&mut violations);
            return violations;
        }
        let of_parts = self.judge_parts(value, &violations, Given::default());
        if !of_parts.is_empty() {
            violations.extend(self.redacted(of_parts, value));
            validation::sort(&mut violations);
        }
        violations
    }

    /// What the checks and rules of the type say of the parts of `value` that are not `broken`.
    pub(crate) fn judge_parts(
        &self,
        value: &Value,
        broken: &[Violation],
        context: Given<'_>,
    ) -> Vec<Violation> {
        self.inner.judge_parts.map_or_else(Vec::new, |judge| judge(value, broken, context))
    }

    /// Whether the schema allows `value`; cheaper than the list of what is wrong.
    pub(crate) fn allows(&self, value: &Value) -> bool {
        self.inner.validator.is_valid(value)
    }

    pub(crate) fn validate_schema(&self, value: &Value) -> Vec<Violation> {
        self.redacted(self.inner.validator.violations(value), value)
    }

    /// What is worth saying of a value that satisfies the schema.
    pub(crate) fn warnings(&self, value: &Value) -> Vec<Violation> {
        self.redacted(validation::warnings(&self.inner.schema, value), value)
    }

    pub(crate) fn apply_rules(&self, value: &Value) -> Vec<Violation> {
        let violations = self.inner.rules.iter().flat_map(|rule| rule(value)).collect();
        let mut violations = self.redacted(violations, value);
        validation::sort(&mut violations);
        violations
    }

    /// Reads a reply: finds the JSON value in it that fits the contract best, repairs its syntax and brings it into the
    /// form that the schema asks for, where only one reading is possible. Every departure from strict JSON that
    /// conforms is one of the [`changes`](Reading::changes). Never panics; takes time and memory in proportion to the
    /// reply: at most 32 times its bytes, or, where there is a value in every few bytes, four times what `serde_json` takes
    /// for the same value.
    ///
    /// A value in prose counts only if it names something that the contract asks for, and is not the schema, the
    /// example, a form with placeholders, or a reference such as `[1]`; else there is a violation. A value that stands by
    /// itself, or alone in a code fence, is the answer whatever it names. A value in reasoning is none. How the reply ended
    /// is judged by its text alone, see [`ReplyEnd::Unknown`](crate::reading::ReplyEnd::Unknown).
    ///
    /// What was read is not judged; see [`validate`](Self::validate). Settings are those of [`reader`](Self::reader).
    ///
    /// ```
    /// # let contract = extract::Contract::from_schema(serde_json::json!({"type": "object"}))?;
    /// let reading = contract.read("Sure! Here it is:\n```json\n{'total': 3,}\n```");
    /// assert_eq!(reading.value.unwrap()["total"], 3);
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    pub fn read(&self, reply: &str) -> Reading {
        self.reader().read(reply)
    }

    /// Reads replies with settings: which changes are accepted, and how much is looked at.
    pub fn reader(&self) -> Reader<'_> {
        Reader::new(&self.inner.shapes, &self.inner.validator)
    }

    pub(crate) fn read_with(&self, reply: &str, options: &reading::ReadingOptions) -> Reading {
        reading::read(reply, &self.inner.shapes, options, &self.inner.validator)
    }
}

impl fmt::Debug for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contract")
            .field("schema", self.schema())
            .field("example", &self.example())
            .field("rules", &self.inner.rules.len())
            .finish()
    }
}

fn too_deep(max_depth: usize) -> Violation {
    let levels = counted(max_depth, "level");
    Violation::new(Path::root(), Code::InvalidValue, "nested too deeply to be looked at")
        .expected(format!("at most {levels} of brackets"))
}

/// `schema` without our marks, if it has any.
fn without_marks(schema: &Arc<Value>, has_marks: bool) -> Arc<Value> {
    if !has_marks {
        return Arc::clone(schema);
    }
    let mut schema = (**schema).clone();
    schema::drop_marks(&mut schema);
    Arc::new(schema)
}

/// Whether the rules accept an example. One that panics on a made-up value has not been asked by the user, so the panic
/// only means that the example is none.
fn satisfies(example: &Value, rules: &[Arc<dyn Rule>]) -> bool {
    let judged = catch_unwind(AssertUnwindSafe(|| rules.iter().all(|rule| rule(example).is_empty())));
    judged.unwrap_or(false)
}

/// The validator of `schema`, and how deep a value may be for it.
fn compile(schema: &Arc<Value>) -> Result<(Checker, usize), SchemaError> {
    let at = |error: &ValidationError<'_>| {
        SchemaError::new(validation::path_of(error.instance_path(), schema), error.to_string())
    };
    jsonschema::draft202012::meta::validate(schema).map_err(|error| at(&error))?;
    let bounds = schema::bounds(schema)?;
    let validator = Checker::compile(Arc::clone(schema), bounds).map_err(|error| {
        dangling_reference(schema, &View::of(schema), &Path::root()).unwrap_or_else(|| at(&error))
    })?;
    Ok((validator, bounds.depth))
}

/// The first reference to what is not in the schema; the validator names it, but does not say where it stands.
fn dangling_reference(part: &Value, view: &View<'_>, path: &Path) -> Option<SchemaError> {
    match part {
        Value::Object(object) => object.iter().find_map(|(key, value)| {
            let path = path.clone().key(key);
            match value.as_str().filter(|_| REFERENCES.contains(&key.as_str())) {
                Some(reference) => view.target(reference).is_none().then(|| {
                    SchemaError::new(
                        path,
                        format!("`{reference}` is not in the schema; move it into `$defs`"),
                    )
                }),
                None => dangling_reference(value, view, &path),
            }
        }),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .find_map(|(index, value)| dangling_reference(value, view, &path.clone().index(index))),
        _ => None,
    }
}
