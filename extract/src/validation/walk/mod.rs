//! Finds everything that is wrong with a value: schema and value are walked side by side.
//!
//! The validator says fast whether a value is valid, but its list of errors cannot be used: it
//! collects the errors of every alternative at every level, which is exponential in the depth of a
//! recursive union, and writes out each path. Here an alternative is chosen before its failures are
//! listed, the result for each part and schema is cached, and a path is built only when a failure
//! is reported. So each part of the value is visited at most once for each part of the schema that
//! describes it.
//!
//! The validator still checks the keywords about the value itself.

mod children;
mod failure;
mod plan;

#[cfg(test)]
mod tests;

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    ops::ControlFlow::{self, Break, Continue},
    rc::Rc,
    sync::Arc,
};

use serde_json::{Map, Value};

use self::{
    failure::{ByAddress, ByBoth, WalkAim, address},
    plan::{ApplicatorKeyword, WalkProperties},
};
pub(super) use self::{
    failure::{FailureCause, KeywordFailure, KeywordFailures},
    plan::{SchemaPlan, SchemaPlans, is_plainly_wrong},
};
use super::{
    LazyPath,
    alternatives::{self, UnionAlternatives, UnionKeyword},
    describe,
    nodes::{AllowedKeys, KeyRule},
};
use crate::{schema::SchemaView, vocabulary::path::Path};

/// Maximum depth of schemas that a walk follows. Replies nest at most 128 levels deep, and a level
/// takes a handful of schemas. Anything deeper is not visited, and a value that reaches it is
/// reported as invalid as a whole.
const MAX_DEPTH: usize = 350;

/// One walk, and its caches.
pub(super) struct ValidationWalk<'a> {
    /// The whole schema.
    pub(super) view: SchemaView<'a>,
    plans: &'a SchemaPlans,
    depth: Cell<usize>,
    /// Whether anything was too deep to be visited.
    is_incomplete: Cell<bool>,
    /// References that are being followed for a scalar.
    entered: RefCell<Vec<(usize, usize)>>,
    /// Caches by the addresses of schemas and values, which neither change nor move during a walk.
    known: RefCell<KnownResults<'a>>,
}

#[derive(Default)]
struct KnownResults<'a> {
    nodes: ByAddress<Rc<WalkNode<'a>>>,
    unions: ByAddress<Rc<UnionAlternatives<'a>>>,
    /// By the schema and the keyword.
    allowed: ByBoth<Rc<AllowedKeys<'a>>>,
    /// Descriptions of one schema, or of several alternatives together.
    words: HashMap<Vec<usize>, Rc<str>>,
    valid: ByBoth<bool>,
}

/// A prepared subschema with its parts.
struct WalkNode<'a> {
    plan: Arc<SchemaPlan>,
    /// The target of `$ref`.
    target: Option<&'a Value>,
    dynamic_target: Option<&'a Value>,
    properties: WalkProperties<'a>,
    patterns: Option<&'a Map<String, Value>>,
    /// `additionalProperties`
    rest: Option<&'a Value>,
}

/// A value, and a schema that it must satisfy.
#[derive(Clone, Copy)]
struct SchemaAtValue<'a, 'p> {
    schema: &'a Value,
    whole: &'a Value,
    value: &'a Value,
    place: &'p LazyPath<'p>,
}

fn is_container(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

impl<'a> ValidationWalk<'a> {
    pub(super) fn new(view: SchemaView<'a>, plans: &'a SchemaPlans) -> Self {
        Self {
            view,
            plans,
            depth: Cell::new(0),
            is_incomplete: Cell::new(false),
            entered: RefCell::default(),
            known: RefCell::default(),
        }
    }

    /// Returns whether `value` satisfies the whole schema. The validator gives the same answer, but
    /// its time grows with the number of paths from the schema to its parts.
    pub(super) fn allows(&self, value: &'a Value) -> bool {
        self.allows_as(self.view.root(), value)
    }

    /// Returns whether `value` satisfies `schema`, a part of the whole one.
    pub(super) fn allows_as(&self, schema: &'a Value, value: &'a Value) -> bool {
        self.is_valid(schema, value) && !self.is_incomplete.get()
    }

    /// The plan of `schema`, a part of the whole one.
    pub(super) fn plan(&self, schema: &Map<String, Value>) -> Arc<SchemaPlan> {
        self.plans.of(schema)
    }

    /// A walk with empty caches, for a value that does not live as long.
    pub(super) fn fresh(&self) -> ValidationWalk<'_> {
        let fresh = ValidationWalk::new(self.view.clone(), self.plans);
        fresh.depth.set(self.depth.get());
        fresh
    }

    /// Returns whether `key` satisfies `schema`.
    fn is_valid_key(&self, schema: &Value, key: &str) -> bool {
        let (key, fresh) = (Value::from(key), self.fresh());
        let is_valid = fresh.is_valid(schema, &key);
        self.is_incomplete.set(self.is_incomplete.get() || fresh.is_incomplete.get());
        is_valid
    }

    /// The first `most` failures of `value` at `path` against `schema`, a part of `whole`.
    pub(super) fn failures(
        &self,
        schema: &'a Value,
        whole: &'a Value,
        value: &'a Value,
        path: Path,
        most: usize,
    ) -> KeywordFailures<'a> {
        let mut failures = KeywordFailures::new(most);
        let place = LazyPath::at(path);
        // A list collects all failures.
        let _ = self
            .node(SchemaAtValue { schema, whole, value, place: &place }, &mut WalkAim::List(&mut failures));
        failures
    }

    /// Returns whether `value` satisfies `schema`. The answer for an array or object is cached.
    pub(super) fn is_valid(&self, schema: &'a Value, value: &'a Value) -> bool {
        if let Value::Bool(is_valid) = schema {
            return *is_valid;
        }
        let place = LazyPath::root();
        let test = || {
            self.node(SchemaAtValue { schema, whole: schema, value, place: &place }, &mut WalkAim::Test)
                .is_continue()
        };
        if !is_container(value) {
            return test();
        }
        let key = (address(schema), address(value));
        if let Some(known) = self.known.borrow().valid.get(&key) {
            return *known;
        }
        // A schema that refers to itself adds no constraint.
        self.known.borrow_mut().valid.insert(key, true);
        let is_valid = test();
        self.known.borrow_mut().valid.insert(key, is_valid);
        is_valid
    }

    /// Describes briefly what `schema` allows.
    pub(super) fn words(&self, schema: &'a Value) -> Rc<str> {
        self.remembered(&[schema], || describe::schema(schema, &self.view))
    }

    /// The keys that `schema` allows by this keyword.
    pub(super) fn allowed(&self, schema: &'a Value, by: KeyRule) -> Rc<AllowedKeys<'a>> {
        let find = || Rc::new(AllowedKeys::of(schema, by, &self.view));
        let known = &mut self.known.borrow_mut().allowed;
        Rc::clone(known.entry((address(schema), by as usize)).or_insert_with(find))
    }

    /// Describes what `alternatives` allow together. References are followed already.
    pub(super) fn words_of(&self, alternatives: &[&'a Value]) -> Rc<str> {
        let one = |one| self.words(one).to_string();
        self.remembered(alternatives, || alternatives::in_words(alternatives, &self.view, &one))
    }

    fn remembered(&self, schemas: &[&'a Value], describe: impl FnOnce() -> String) -> Rc<str> {
        let key: Vec<usize> = schemas.iter().map(|schema| address(schema)).collect();
        if let Some(known) = self.known.borrow().words.get(&key) {
            return Rc::clone(known);
        }
        let words: Rc<str> = describe().into();
        self.known.borrow_mut().words.insert(key, Rc::clone(&words));
        words
    }

    /// The union of `alternatives`, the value of `anyOf` or `oneOf`.
    fn union(&self, alternatives: &'a Value, keyword: UnionKeyword) -> Rc<UnionAlternatives<'a>> {
        let new = || Rc::new(UnionAlternatives::new(alternatives, keyword, &self.view));
        let known = &mut self.known.borrow_mut().unions;
        Rc::clone(known.entry(address(alternatives)).or_insert_with(new))
    }

    fn node_of(&self, schema: &'a Value, object: &'a Map<String, Value>) -> Rc<WalkNode<'a>> {
        let mut known = self.known.borrow_mut();
        let node = || {
            let target = |keyword| self.view.target(object.get(keyword)?.as_str()?);
            let named = |keyword| object.get(keyword).and_then(Value::as_object);
            Rc::new(WalkNode {
                plan: self.plans.of(object),
                target: target("$ref"),
                dynamic_target: target("$dynamicRef"),
                properties: WalkProperties::of(named("properties")),
                patterns: named("patternProperties"),
                rest: object.get("additionalProperties"),
            })
        };
        Rc::clone(known.nodes.entry(address(schema)).or_insert_with(node))
    }

    fn node(&self, on: SchemaAtValue<'a, '_>, aim: &mut WalkAim<'_, 'a>) -> ControlFlow<()> {
        let object = match on.schema {
            Value::Object(object) => object,
            Value::Bool(false) => return aim.take(|| on.failure(FailureCause::False)),
            _ => return Continue(()),
        };
        if self.depth.get() >= MAX_DEPTH {
            self.is_incomplete.set(true);
            return Continue(());
        }
        self.depth.set(self.depth.get() + 1);
        let node = self.node_of(on.schema, object);
        let mut flow = Self::own(&node, on, aim);
        for applicator in &node.plan.applicators {
            if flow.is_continue() {
                flow = self.apply(*applicator, &node, on, object, aim);
            }
        }
        self.depth.set(self.depth.get() - 1);
        flow
    }

    /// The keywords about the value itself.
    fn own(node: &WalkNode<'a>, on: SchemaAtValue<'a, '_>, aim: &mut WalkAim<'_, 'a>) -> ControlFlow<()> {
        let Some(own) = &node.plan.own else { return Continue(()) };
        let is_valid = match node.plan.type_.and_then(|type_| type_(on.value)) {
            Some(false) => false,
            Some(true) if node.plan.is_type_only => true,
            _ => own.is_valid(on.value),
        };
        match aim {
            _ if is_valid => return Continue(()),
            WalkAim::Test => return Break(()),
            WalkAim::List(_) => {}
        }
        for error in own.iter_errors(on.value) {
            aim.take(|| on.failure(FailureCause::of(error)))?;
        }
        Continue(())
    }

    fn apply(
        &self,
        applicator: ApplicatorKeyword,
        node: &WalkNode<'a>,
        on: SchemaAtValue<'a, '_>,
        object: &'a Map<String, Value>,
        aim: &mut WalkAim<'_, 'a>,
    ) -> ControlFlow<()> {
        match applicator {
            ApplicatorKeyword::Ref => self.reference(on, node.target, aim),
            ApplicatorKeyword::DynamicRef => self.reference(on, node.dynamic_target, aim),
            ApplicatorKeyword::AllOf => {
                let all = object.get("allOf").and_then(Value::as_array);
                all.into_iter()
                    .flatten()
                    .try_for_each(|schema| self.node(SchemaAtValue { schema, ..on }, aim))
            }
            ApplicatorKeyword::AnyOf => self.alternatives(on, object.get("anyOf"), UnionKeyword::AnyOf, aim),
            ApplicatorKeyword::OneOf => self.alternatives(on, object.get("oneOf"), UnionKeyword::OneOf, aim),
            ApplicatorKeyword::Not => match object.get("not") {
                Some(not) if self.is_valid(not, on.value) => aim.take(|| on.failure(FailureCause::Not(not))),
                _ => Continue(()),
            },
            ApplicatorKeyword::If => self.condition(on, object, aim),
            ApplicatorKeyword::DependentSchemas => self.dependent(on, object, aim),
            ApplicatorKeyword::Entries => self.entries(on, node, aim),
            ApplicatorKeyword::PropertyNames => self.names(on, object, aim),
            ApplicatorKeyword::Elements => self.elements(on, object, aim),
            ApplicatorKeyword::Contains => self.contains(on, object, aim),
            ApplicatorKeyword::UnevaluatedProperties => self.unevaluated_properties(on, object, aim),
            ApplicatorKeyword::UnevaluatedItems => self.unevaluated_items(on, object, aim),
        }
    }

    fn reference(
        &self,
        on: SchemaAtValue<'a, '_>,
        target: Option<&'a Value>,
        aim: &mut WalkAim<'_, 'a>,
    ) -> ControlFlow<()> {
        let Some(target) = target else { return Continue(()) };
        let (key, on) = ((address(target), address(on.value)), SchemaAtValue { schema: target, ..on });
        match aim {
            _ if !is_container(on.value) => self.scalar_reference(key, on, aim),
            WalkAim::Test if self.is_valid(target, on.value) => Continue(()),
            WalkAim::Test => Break(()),
            WalkAim::List(failures) => {
                if failures.seen.insert(key) {
                    self.node(on, aim)
                } else {
                    Continue(())
                }
            }
        }
    }

    /// There are many scalars, and each is quick to check; only cycles have to be stopped.
    fn scalar_reference(
        &self,
        key: (usize, usize),
        on: SchemaAtValue<'a, '_>,
        aim: &mut WalkAim<'_, 'a>,
    ) -> ControlFlow<()> {
        if self.entered.borrow().contains(&key) {
            return Continue(());
        }
        self.entered.borrow_mut().push(key);
        let flow = self.node(on, aim);
        self.entered.borrow_mut().pop();
        flow
    }

    /// `dependentSchemas`, and `dependencies`, which was split into that and `dependentRequired`.
    fn dependent(
        &self,
        on: SchemaAtValue<'a, '_>,
        object: &'a Map<String, Value>,
        aim: &mut WalkAim<'_, 'a>,
    ) -> ControlFlow<()> {
        let keywords = ["dependentSchemas", "dependencies"].into_iter();
        let dependent = keywords.filter_map(|keyword| object.get(keyword)?.as_object()).flatten();
        for (_, wanted) in dependent.filter(|(key, _)| on.value.get(*key).is_some()) {
            let Value::Array(names) = wanted else {
                self.node(SchemaAtValue { schema: wanted, ..on }, aim)?;
                continue;
            };
            let is_absent = |name: &&Value| name.as_str().is_some_and(|name| on.value.get(name).is_none());
            names
                .iter()
                .filter(is_absent)
                .try_for_each(|name| aim.take(|| on.failure(FailureCause::Dependent(name.clone()))))?;
        }
        Continue(())
    }

    fn condition(
        &self,
        on: SchemaAtValue<'a, '_>,
        object: &'a Map<String, Value>,
        aim: &mut WalkAim<'_, 'a>,
    ) -> ControlFlow<()> {
        let Some(condition) = object.get("if") else { return Continue(()) };
        let consequence = if self.is_valid(condition, on.value) { "then" } else { "else" };
        match object.get(consequence) {
            Some(schema) => self.node(SchemaAtValue { schema, ..on }, aim),
            None => Continue(()),
        }
    }

    /// A union is one failure. Its alternatives are examined when the failure is explained.
    fn alternatives(
        &self,
        on: SchemaAtValue<'a, '_>,
        alternatives: Option<&'a Value>,
        keyword: UnionKeyword,
        aim: &mut WalkAim<'_, 'a>,
    ) -> ControlFlow<()> {
        let Some(alternatives) = alternatives else { return Continue(()) };
        let union = self.union(alternatives, keyword);
        match self.fitting(&union, on.value) {
            0 => aim.take(|| on.failure(FailureCause::NoneOf(union))),
            1 => Continue(()),
            _ => aim.take(|| on.failure(FailureCause::SeveralOf(union))),
        }
    }

    /// Returns how many alternatives of `union` fit `value`, counted until the result is certain.
    fn fitting(&self, union: &UnionAlternatives<'a>, value: &'a Value) -> usize {
        if let Some(only) = value.as_object().and_then(|object| union.tags.only(object)) {
            return usize::from(self.is_valid(&union.schemas[only], value));
        }
        let enough = match union.keyword {
            UnionKeyword::OneOf => 2,
            UnionKeyword::AnyOf => 1,
        };
        union.schemas.iter().filter(|schema| self.is_valid(schema, value)).take(enough).count()
    }
}

impl<'a> SchemaAtValue<'a, '_> {
    fn failure(&self, cause: FailureCause<'a>) -> KeywordFailure<'a> {
        let Self { schema, whole, value, place } = *self;
        KeywordFailure { cause, value, path: place.to_path(), schema, whole }
    }
}
