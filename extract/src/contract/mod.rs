//! The contract that a reply must satisfy.

mod documents;
mod known;
mod narrow;
mod repetition;
mod reply_text;

use std::{
    any::TypeId,
    borrow::Cow,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, OnceLock},
};

use jsonschema::ValidationError;
use serde_json::Value;

use self::repetition::RepetitionCheck;
use crate::{
    merging,
    reading::{self, Reader, Reading, Validity as _},
    schema::{self, REFERENCES, SchemaError, SchemaForms, SchemaView, Subschemas, TypesError, ValueOrder},
    validation::{
        self, ClosedPart, LazyPath, PartFindings, QuoteSource, RuleJudge, RuleResult as _, SchemaChecker,
        SensitiveParts,
    },
    vocabulary::{
        context::ErasedContext,
        path::{Path, PathPattern, Segment},
        rejection::IntoRejections,
        text::{checksum, counted},
        violation::{Code, Violation},
    },
};

/// The contract that a reply must satisfy: a compiled JSON Schema (2020-12), an example and rules.
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
    inner: Arc<CompiledContract>,
    /// Where quotes are looked up.
    source: Option<QuoteSource>,
}

#[derive(Clone)]
struct CompiledContract {
    schema: Arc<Value>,
    /// The schema for agents, without this library's keywords.
    forms: Arc<SchemaForms>,
    shapes: Arc<reading::Shapes>,
    validator: SchemaChecker,
    /// Built for the first reply that may be judged as text; `None` if no reply can be.
    text_checker: Arc<OnceLock<Option<reading::TextChecker>>>,
    /// The first place that was found to be in the schema, mostly that of a list whose items are asked for.
    known_place: Arc<OnceLock<PathPattern>>,
    example: Option<Value>,
    rules: Vec<Arc<dyn ContractRule>>,
    /// Judges parts of a value by the type.
    type_judges: Option<TypeJudges>,
    is_sensitive: bool,
    may_lose_items: bool,
    has_quotes: bool,
    repetition_check: RepetitionCheck,
    /// The type that the contract was compiled from.
    type_: Option<TypeId>,
}

/// How a type judges parts of a value.
#[derive(Clone)]
pub(crate) struct TypeJudges {
    /// The valid parts of a value that is broken elsewhere.
    pub(crate) parts: fn(&Value, &[Violation], ErasedContext<'_>) -> Vec<Violation>,
    /// One part, before the value around it has arrived.
    pub(crate) part: fn(ClosedPart<'_>, ErasedContext<'_>) -> PartFindings,
    /// The orders that the schema's keywords refer to by number.
    pub(crate) orders: Arc<[ValueOrder]>,
}

/// A condition of a contract beyond its schema.
pub(crate) trait ContractRule: Fn(&Value) -> Vec<Violation> + Send + Sync {}

impl<F: Fn(&Value) -> Vec<Violation> + Send + Sync> ContractRule for F {}

impl Contract {
    /// Compiles a contract from a JSON Schema (2020-12) that is known at run time only.
    ///
    /// A schema whose `$schema` names draft-04, -06, -07 or 2019-09 is judged by the rules of that
    /// draft; [`schema`](Self::schema) is the same in 2020-12. `nullable: true` of OpenAPI 3.0
    /// allows null, also beside `enum` and `$ref`.
    ///
    /// # Errors
    ///
    /// If `schema` is not a valid JSON Schema, refers to another document, or leads back to itself
    /// for the same value (as `{"$ref": "#"}` does; recursion goes through `properties`, `items`
    /// and similar keywords). Also if it nests more than 256 levels deep, if more than 64 schemas
    /// lead to each other for one value, or if references repeat more than 10,000 for one value.
    /// Also if JSON Schema would ignore it: a schema without any keyword of JSON Schema (an example
    /// of the value, say), a misspelt keyword (`requred`), a mark such as `x-merge` with a value that
    /// means nothing. Also if it has constraints that no value satisfies together. The error has the
    /// path in the schema.
    ///
    /// ```
    /// use extract::Contract;
    /// use serde_json::json;
    ///
    /// let error = Contract::from_schema(json!({"type": "object", "requred": ["total"]})).unwrap_err();
    /// assert!(error.to_string().contains("did you mean `required`?"));
    /// ```
    pub fn from_schema(schema: Value) -> Result<Self, SchemaError> {
        Self::compile(schema, Vec::new(), None)
    }

    /// Compiles a contract from types in the notation of the prompts: a subset of TypeScript, with
    /// constraints as comments.
    ///
    /// Objects allow only the listed keys; a key with `?` may be absent. The root is the type that
    /// no other type refers to; if there are several, the last of them. `integer` is a type in
    /// addition to TypeScript's. A comment refers to the value before it or to the key below it.
    /// These phrases in it are constraints, and the rest is a description:
    ///
    /// | phrase | of |
    /// |---|---|
    /// | `at least 1`, `at most 5`, `1 to 5`, `exactly 3`, `more than 0`, `less than 1`, `a multiple of 5` | numbers |
    /// | `at least 1 character`, `1 to 5 items`, `at most 3 keys` | strings, lists and objects |
    /// | `matches ^INV-`, `format date` | strings |
    /// | `no item twice` | lists |
    /// | `such as "a", "b"`, `default 1`, `other than 0`, `deprecated`, `exactly one of these`, `and by JSON Schema {…}` | all |
    ///
    /// ```
    /// use extract::Contract;
    /// use serde_json::json;
    ///
    /// let contract = Contract::from_types("
    ///     type Line = {
    ///       description: string
    ///       quantity: integer // at least 1
    ///     }
    ///     // An invoice, as printed.
    ///     type Invoice = {
    ///       number: string // Printed at the top right. matches ^INV-[0-9]{4}$
    ///       currency: \"EUR\" | \"USD\"
    ///       due?: string | null // format date
    ///       lines: Line[] // at least 1 item
    ///     }
    /// ")?;
    /// let violations = contract.validate(&json!({"number": "INV-2041", "currency": "EUR", "lines": []}));
    /// assert_eq!(violations[0].path.to_string(), "$.lines");
    /// # Ok::<(), extract::schema::TypesError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the text is not in the notation, or longer than 256 KiB; the error has the line and the
    /// column. The notation has no generic types except `Array<T>` and `Record<string, T>`, and no
    /// `extends`. If the schema does not compile: as [`from_schema`](Self::from_schema).
    pub fn from_types(text: &str) -> Result<Self, TypesError> {
        Ok(Self::from_schema(schema::from_types(text)?)?)
    }

    /// Adds a rule. It sees only values that satisfy the schema.
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
            let mut judge = RuleJudge::default();
            rule(value).record(&mut judge, &LazyPath::root());
            judge.into_violations()
        };
        let mut rules = self.inner.rules.clone();
        rules.push(Arc::new(rule));
        let inner = CompiledContract::clone(&self.inner);
        let example = inner.example.filter(|example| satisfies(example, &rules));
        Self { inner: Arc::new(CompiledContract { example, rules, ..inner }), ..self }
    }

    pub(crate) fn without_example(&self) -> Self {
        let inner = CompiledContract { example: None, ..CompiledContract::clone(&self.inner) };
        Self { inner: Arc::new(inner), source: self.source.clone() }
    }

    pub(crate) fn compile(
        schema: Value,
        rules: Vec<Arc<dyn ContractRule>>,
        type_judges: Option<TypeJudges>,
    ) -> Result<Self, SchemaError> {
        let schema = Arc::new(one_document(schema::check_nesting(schema)?)?);
        let (validator, max_depth) = compile(&schema)?;
        let is_sensitive = !SensitiveParts::of(&schema).is_empty();
        let is_acceptable = |example: &Value| {
            !schema::nests_deeper(example, max_depth)
                && validator.is_valid(example)
                && satisfies(example, &rules)
        };
        let example = schema::example(&schema).filter(is_acceptable);
        let shapes = reading::Shapes::compile(&schema, max_depth).of_type(type_judges.is_some());
        let shapes = shapes.with_example(example.as_ref());
        let has_item_lists = schema::is_marked_within(&schema, schema::KEEP_VALID_ITEMS);
        let has_quotes = schema::is_marked_within(&schema, schema::QUOTE);
        let has_marks = is_sensitive
            || has_item_lists
            || has_quotes
            || merging::is_marked(&schema)
            || shapes.has_other()
            || schema::is_marked_within(&schema, schema::DECIMAL);
        let of_type = |_: &TypeJudges| RepetitionCheck::of_type(&schema);
        let repetition_check = type_judges.as_ref().map_or(RepetitionCheck::Schema, of_type);
        let forms =
            Arc::new(SchemaForms::new(if has_marks { without_marks(&schema) } else { Arc::clone(&schema) }));
        let may_lose_items = has_item_lists || shapes.take_list();
        let shapes = Arc::new(shapes);
        Ok(Self {
            inner: Arc::new(CompiledContract {
                schema,
                forms,
                shapes,
                validator,
                text_checker: Arc::default(),
                known_place: Arc::default(),
                example,
                rules,
                type_judges,
                is_sensitive,
                may_lose_items,
                has_quotes,
                repetition_check,
                type_: None,
            }),
            source: None,
        })
    }

    pub(crate) fn of_type(mut self, type_: Option<TypeId>) -> Self {
        Arc::make_mut(&mut self.inner).type_ = type_;
        self
    }

    /// Returns whether the contract was compiled from this type.
    pub(crate) fn is_of(&self, type_: TypeId) -> bool {
        self.inner.type_ == Some(type_)
    }

    /// Returns the JSON Schema, as one document. If its parts have an `$id`, their references are
    /// pointers from the root.
    pub fn schema(&self) -> &Value {
        &self.inner.schema
    }

    /// The schema for agents, in its forms, without this library's keywords.
    pub(crate) fn forms(&self) -> &Arc<SchemaForms> {
        &self.inner.forms
    }

    /// Returns the shapes that reading knows from the schema.
    pub(crate) fn shapes(&self) -> &Arc<reading::Shapes> {
        &self.inner.shapes
    }

    /// Returns the schema with this library's keywords, if it has sensitive parts.
    pub(crate) fn marked_schema(&self) -> Option<Arc<Value>> {
        self.inner.is_sensitive.then(|| Arc::clone(&self.inner.schema))
    }

    /// The sensitive parts of a value.
    pub(crate) fn sensitive(&self) -> Option<SensitiveParts<'_>> {
        self.inner.is_sensitive.then(|| SensitiveParts::of(self.schema()))
    }

    /// Returns whether any part of a value is marked `#[extract(sensitive)]`.
    pub fn has_sensitive_values(&self) -> bool {
        self.inner.is_sensitive
    }

    /// Redacts the sensitive parts of a `value` of this contract, and quotes of them in its other
    /// parts, for a record that must not contain them.
    ///
    /// ```
    /// use extract::{Contract, Extractable};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, Extractable)]
    /// struct Patient {
    ///     #[extract(sensitive)]
    ///     name: String,
    ///     note: String,
    /// }
    ///
    /// let mut value = serde_json::json!({"name": "Ada Lovelace", "note": "Ada Lovelace coughs."});
    /// Contract::of::<Patient>()?.redact(&mut value);
    /// assert_eq!(value, serde_json::json!({"name": "(hidden)", "note": "(hidden) coughs."}));
    /// # let _ = |patient: Patient| (patient.name, patient.note);
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    pub fn redact(&self, value: &mut Value) {
        if let Some(sensitive) = self.sensitive() {
            let values = sensitive.values_in(value);
            sensitive.redact_at(&Path::root(), value, &values);
        }
    }

    /// Returns whether a value may have a list that may lose broken items.
    pub(crate) fn may_lose_items(&self) -> bool {
        self.inner.may_lose_items
    }

    /// `violations` of `value`, with sensitive values redacted.
    pub(crate) fn redacted(&self, violations: Vec<Violation>, value: &Value) -> Vec<Violation> {
        self.redacted_at(&Path::root(), violations, value)
    }

    /// `violations` of the `value` at `path`, with sensitive values redacted.
    pub(crate) fn redacted_at(
        &self,
        path: &Path,
        mut violations: Vec<Violation>,
        value: &Value,
    ) -> Vec<Violation> {
        if let Some(sensitive) = self.sensitive() {
            sensitive.redact_violations(path, &mut violations, value);
        }
        violations
    }

    /// `text` about the `value` at `path`, with sensitive values redacted.
    pub(crate) fn redacted_text_at(&self, path: &Path, mut text: String, value: &Value) -> String {
        if let Some(sensitive) = self.sensitive() {
            sensitive.redact_message(path, &mut text, value);
        }
        text
    }

    /// `text` about `value`, with sensitive values redacted.
    pub(crate) fn redacted_text(&self, text: String, value: &Value) -> String {
        self.redacted_text_at(&Path::root(), text, value)
    }

    /// Returns a small value that satisfies the contract, at most 32 KiB of JSON. `None` if none
    /// was found: the schema requires a larger one, or the generated value breaks a rule or a
    /// keyword that the generator does not support. An agent is never shown a wrong example.
    pub fn example(&self) -> Option<&Value> {
        self.inner.example.as_ref()
    }

    /// Returns everything wrong with `value`, sorted by path; empty if it is acceptable.
    ///
    /// Rules run only on a value that satisfies the schema. If a value breaks the schema of a type,
    /// the checks and rules of its valid parts still run. The list includes warnings. The value
    /// is judged as it is: the string `"null"`, which [`read`](Self::read) turns into null where
    /// both are allowed, stays a string here.
    ///
    /// A value that nests more than 256 levels deep (fewer if the schema leads through many others
    /// for one value) is not checked; the nesting is its violation.
    ///
    /// # Panics
    ///
    /// If a rule or a check panics.
    pub fn validate(&self, value: &Value) -> Vec<Violation> {
        if let Some(violation) = self.too_deep(value) {
            return vec![violation];
        }
        let mut violations = self.validate_schema(value);
        let grounding = self.ground(value);
        violations.extend(grounding.violations);
        let value = &*grounding.value;
        if violations.iter().all(Violation::is_warning) {
            violations.extend(self.apply_rules(value));
            validation::sort(&mut violations);
            return violations;
        }
        let of_parts = self.judge_parts(value, &violations, ErasedContext::default());
        if !of_parts.is_empty() {
            violations.extend(self.redacted(of_parts, value));
            validation::sort(&mut violations);
        }
        violations
    }

    /// The violation of a value that nests too deeply to be checked.
    pub(crate) fn too_deep(&self, value: &Value) -> Option<Violation> {
        let max_depth = self.inner.shapes.max_depth();
        schema::nests_deeper(value, max_depth).then(|| {
            let levels = counted(max_depth, "level");
            Violation::new(Path::root(), Code::InvalidValue, "nested too deeply to be looked at")
                .expected(format!("at most {levels} of brackets"))
        })
    }

    /// The violations that the type's checks and rules find in the parts of `value` that are not
    /// `broken`.
    pub(crate) fn judge_parts(
        &self,
        value: &Value,
        broken: &[Violation],
        context: ErasedContext<'_>,
    ) -> Vec<Violation> {
        self.inner.type_judges.as_ref().map_or_else(Vec::new, |judges| (judges.parts)(value, broken, context))
    }

    /// Returns the findings of the type's checks and rules in a part, before the value around it
    /// has arrived.
    pub(crate) fn judge_part(&self, part: ClosedPart<'_>, context: ErasedContext<'_>) -> PartFindings {
        let nothing = || PartFindings { violations: Vec::new(), is_certain: true, is_settled: true };
        self.inner.type_judges.as_ref().map_or_else(nothing, |judges| (judges.part)(part, context))
    }

    /// Returns the findings of the schema in a part, before the value around it has arrived. Also
    /// the part with the spans of its quotes, if the value around it cannot change them.
    pub(crate) fn validate_part<'p>(&self, part: ClosedPart<'p>) -> (PartFindings, Option<Cow<'p, Value>>) {
        let findings = self.inner.validator.part_violations(part);
        let violations = self.with_repeated(findings.violations, (part.path, part.value), |value| {
            self.inner.validator.part_violations(ClosedPart { value, ..part }).violations
        });
        let mut violations = self.redacted_at(part.path, violations, part.value);
        let grounding = self.ground_part(part.path, part.value);
        violations.extend(grounding.violations.into_iter().filter(|violation| !violation.is_warning()));
        let placed = grounding.is_certain.then_some(grounding.value);
        (PartFindings { violations, ..findings }, placed)
    }

    /// Returns whether the schema allows `value`; cheaper than listing the violations.
    pub(crate) fn allows(&self, value: &Value) -> bool {
        self.inner.validator.is_valid(value)
    }

    pub(crate) fn validate_schema(&self, value: &Value) -> Vec<Violation> {
        let validator = &self.inner.validator;
        let violations = validator.violations(value);
        let at = (&Path::root(), value);
        self.redacted(self.with_repeated(violations, at, |value| validator.violations(value)), value)
    }

    pub(crate) fn apply_rules(&self, value: &Value) -> Vec<Violation> {
        let violations = self.inner.rules.iter().flat_map(|rule| rule(value)).collect();
        let mut violations = self.redacted(violations, value);
        validation::sort(&mut violations);
        violations
    }

    /// Reads a reply: finds the JSON value that fits the contract best, repairs its syntax, and
    /// aligns it to the schema where only one interpretation is possible.
    /// [`changes`](Reading::changes) records every difference from conforming strict JSON. Never
    /// panics. Time and memory are proportional to the length of the reply: at most 32 times its
    /// bytes, or, if it has a value every few bytes, four times what `serde_json` takes for the
    /// same value.
    ///
    /// A value in prose counts only if it contains a name from the contract, and is not the schema,
    /// the example, a form with placeholders, or a reference such as `[1]`; otherwise there is a
    /// violation. A value that is the whole reply, or alone in a code fence, is the answer whatever
    /// it contains. If several objects fit, the last one is the answer. If they look like the
    /// elements of a list, and no word such as "corrected" or "final" tells them apart, there is a
    /// violation. A value in reasoning is never the answer. Whether the reply is complete is
    /// decided by its text alone, see [`ReplyEnd::Unknown`](crate::reading::ReplyEnd::Unknown).
    ///
    /// The value is not validated; see [`validate`](Self::validate). For settings see
    /// [`reader`](Self::reader).
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

    /// Reads replies with settings: which changes are accepted, and how much of a reply is
    /// searched.
    pub fn reader(&self) -> Reader<'_> {
        Reader::new(&self.inner.shapes, &self.inner.validator)
    }

    pub(crate) fn read_with(&self, reply: &str, options: &reading::ReadingOptions) -> Reading {
        reading::read(reply, &self.inner.shapes, options, &self.inner.validator)
    }
}

impl Contract {
    /// Returns where the leaves of the value in `reply` are.
    pub(crate) fn leaf_spans(&self, reply: &str, options: &reading::ReadingOptions) -> reading::LeafSpans {
        reading::leaf_spans(reply, &self.inner.shapes, options)
    }

    /// Returns a short string that distinguishes the schema from others: 16 hexadecimal digits. What
    /// was learned about answers to a schema, such as a calibration, is stored with it.
    ///
    /// ```
    /// use extract::Contract;
    /// use serde_json::json;
    ///
    /// let contract = |schema| Contract::from_schema(schema).unwrap();
    /// let integer = contract(json!({"type": "integer", "minimum": 1}));
    /// assert_eq!(integer.fingerprint(), contract(json!({"minimum": 1, "type": "integer"})).fingerprint());
    /// assert_ne!(integer.fingerprint(), contract(json!({"type": "integer"})).fingerprint());
    /// ```
    pub fn fingerprint(&self) -> String {
        format!("{:016x}", checksum(validation::canonical(self.schema()).as_bytes()))
    }
}

impl fmt::Debug for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contract")
            .field("schema", self.schema())
            .field("example", &self.example())
            .field("rules", &self.inner.rules.len())
            .finish_non_exhaustive()
    }
}

/// `schema` without this library's keywords.
fn without_marks(schema: &Value) -> Arc<Value> {
    let mut schema = schema.clone();
    schema::drop_marks(&mut schema);
    Arc::new(schema)
}

/// Returns whether the rules accept an example. The user did not ask for a rule to run on a made-up
/// value, so a panic only means that no example exists.
fn satisfies(example: &Value, rules: &[Arc<dyn ContractRule>]) -> bool {
    let judged = catch_unwind(AssertUnwindSafe(|| rules.iter().all(|rule| rule(example).is_empty())));
    judged.unwrap_or(false)
}

/// Checks that `schema` is a JSON Schema, rewrites it as one of 2020-12, and merges its resources.
fn one_document(schema: Value) -> Result<Value, SchemaError> {
    let schema = schema::modern(&schema).unwrap_or(schema);
    jsonschema::draft202012::meta::validate(&schema).map_err(|error| schema_error(&error, &schema))?;
    Ok(schema::merged(&schema)?.unwrap_or(schema))
}

/// The validator of `schema`, and the maximum depth of a value.
fn compile(schema: &Arc<Value>) -> Result<(SchemaChecker, usize), SchemaError> {
    let subschemas = Subschemas::of(schema);
    let bounds = schema::bounds(&subschemas)?;
    schema::check(&subschemas)?;
    let validator = SchemaChecker::compile(Arc::clone(schema), bounds).map_err(|error| {
        dangling_reference(schema, &SchemaView::of(schema), &Path::root())
            .unwrap_or_else(|| schema_error(&error, schema))
    })?;
    Ok((validator, bounds.depth))
}

fn schema_error(error: &ValidationError<'_>, schema: &Value) -> SchemaError {
    let path = Path::from_pointer_in(error.instance_path().as_str(), schema);
    SchemaError::new(path.unwrap_or_default(), error.to_string())
}

/// The first reference whose target is missing; the validator does not report its path.
fn dangling_reference(part: &Value, view: &SchemaView<'_>, path: &Path) -> Option<SchemaError> {
    Segment::parts(part).find_map(|(step, value)| {
        let is_reference = matches!(&step, Segment::Key(key) if REFERENCES.contains(&key.as_str()));
        let path = path.clone().step(step);
        match value.as_str().filter(|_| is_reference) {
            Some(reference) => view.target(reference).is_none().then(|| {
                SchemaError::new(path, format!("`{reference}` is not in the schema; move it into `$defs`"))
            }),
            None => dangling_reference(value, view, &path),
        }
    })
}
