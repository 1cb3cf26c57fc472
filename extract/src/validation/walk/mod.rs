//! Finding what is wrong with a value: schema and value are gone through side by side.
//!
//! The validator answers whether a value is valid, fast. Its list of errors is of no use, though: it collects the errors of
//! every alternative at every level, which is exponential in the depth of a recursive union, and writes out the path of
//! each. Here an alternative is chosen before its faults are listed, whether a part satisfies a schema is found out once,
//! and a path is made when a fault is told. So the work is at most that of looking at each part of the value once for each
//! part of the schema that speaks of it.
//!
//! The validator still checks the keywords that are about a value itself.

mod by_address;
mod children;
mod evaluated;
mod fault;
mod plan;
mod properties;
#[cfg(test)]
mod tests;
mod types;

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    ops::ControlFlow::{self, Break, Continue},
    rc::Rc,
    sync::Arc,
};

use serde_json::{Map, Value};

use self::{
    by_address::{ByAddress, ByBoth, address},
    fault::Aim,
    plan::{Applicator, Plan},
    properties::Properties,
    types::Type,
};
pub(super) use self::{
    fault::{Cause, Fault, Faults},
    plan::Plans,
    types::is_plainly_wrong,
};
use super::{
    Place,
    allowed::Allowed,
    alternatives::{self, Union},
    describe,
};
use crate::{path::Path, schema::View};

/// Schemas inside of one another that a walk follows. Replies are not nested more than 128 deep, and a level takes at most a
/// handful of schemas. What lies deeper is not looked at, and a value that has it is said to be wrong as a whole.
const MAX_DEPTH: usize = 350;

/// One walk, and what it has found out.
pub(super) struct Walk<'a> {
    /// The whole schema.
    pub(super) view: View<'a>,
    plans: &'a Plans,
    depth: Cell<usize>,
    /// Whether something lay too deep to be looked at.
    is_incomplete: Cell<bool>,
    /// References that are being followed for a scalar.
    entered: RefCell<Vec<(usize, usize)>>,
    /// What was looked up, by the addresses of schemas and values. Neither changes nor moves during a walk.
    known: RefCell<Known<'a>>,
}

#[derive(Default)]
struct Known<'a> {
    nodes: ByAddress<Rc<Node<'a>>>,
    unions: ByAddress<Rc<Union<'a>>>,
    /// By `additionalProperties` and by `unevaluatedProperties`.
    allowed: [ByAddress<Rc<Allowed<'a>>>; 2],
    /// Of one schema, or of several alternatives together.
    words: HashMap<Vec<usize>, Rc<str>>,
    valid: ByBoth<bool>,
}

/// A subschema, taken apart and its parts looked up.
struct Node<'a> {
    plan: Arc<Plan>,
    type_: Option<Type>,
    /// What `$ref` stands for.
    target: Option<&'a Value>,
    dynamic_target: Option<&'a Value>,
    properties: Properties<'a>,
    patterns: Option<&'a Map<String, Value>>,
    /// `additionalProperties`
    rest: Option<&'a Value>,
}

/// A value, and a schema that it should satisfy.
#[derive(Clone, Copy)]
struct On<'a, 'p> {
    schema: &'a Value,
    whole: &'a Value,
    value: &'a Value,
    place: &'p Place<'p>,
}

fn is_container(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

impl<'a> Walk<'a> {
    pub(super) fn new(view: View<'a>, plans: &'a Plans) -> Self {
        Self {
            view,
            plans,
            depth: Cell::new(0),
            is_incomplete: Cell::new(false),
            entered: RefCell::default(),
            known: RefCell::default(),
        }
    }

    /// Whether `value` satisfies the whole schema. The answer of the validator, in time that does not grow with the number of
    /// ways that lead from the schema to one of its parts.
    pub(super) fn allows(&self, value: &'a Value) -> bool {
        self.is_valid(self.view.root(), value) && !self.is_incomplete.get()
    }

    /// A walk that knows nothing yet, for a value that does not live as long.
    pub(super) fn anew(&self) -> Walk<'_> {
        let anew = Walk::new(self.view.clone(), self.plans);
        anew.depth.set(self.depth.get());
        anew
    }

    /// Whether `key` satisfies `schema`.
    fn is_valid_key(&self, schema: &Value, key: &str) -> bool {
        let (key, anew) = (Value::from(key), self.anew());
        let is_valid = anew.is_valid(schema, &key);
        self.is_incomplete.set(self.is_incomplete.get() || anew.is_incomplete.get());
        is_valid
    }

    /// The first `most` faults of `value`, which stands at `path` and should satisfy `schema`, a part of `whole`.
    pub(super) fn faults(
        &self,
        schema: &'a Value,
        whole: &'a Value,
        value: &'a Value,
        path: Path,
        most: usize,
    ) -> Faults<'a> {
        let mut faults = Faults::new(most);
        let place = Place::at(path);
        // A list takes everything.
        let _ = self.node(On { schema, whole, value, place: &place }, &mut Aim::List(&mut faults));
        faults
    }

    /// Whether `value` satisfies `schema`. Of what may hold many values, it is found out once.
    pub(super) fn is_valid(&self, schema: &'a Value, value: &'a Value) -> bool {
        if let Value::Bool(is_valid) = schema {
            return *is_valid;
        }
        let place = Place::root();
        let test =
            || self.node(On { schema, whole: schema, value, place: &place }, &mut Aim::Test).is_continue();
        if !is_container(value) {
            return test();
        }
        let key = (address(schema), address(value));
        if let Some(known) = self.known.borrow().valid.get(&key) {
            return *known;
        }
        // A schema that refers to itself adds nothing to itself.
        self.known.borrow_mut().valid.insert(key, true);
        let is_valid = test();
        self.known.borrow_mut().valid.insert(key, is_valid);
        is_valid
    }

    /// What `schema` allows, in a few words.
    pub(super) fn words(&self, schema: &'a Value) -> Rc<str> {
        let key = vec![address(schema)];
        if let Some(known) = self.known.borrow().words.get(&key) {
            return Rc::clone(known);
        }
        let words: Rc<str> = describe::schema(schema, &self.view).into();
        self.known.borrow_mut().words.insert(key, Rc::clone(&words));
        words
    }

    /// The keys that `schema` allows, by `unevaluatedProperties` or else by `additionalProperties`.
    pub(super) fn allowed(&self, schema: &'a Value, is_unevaluated: bool) -> Rc<Allowed<'a>> {
        let allowed = &mut self.known.borrow_mut().allowed[usize::from(is_unevaluated)];
        let find = || Rc::new(Allowed::of(schema, is_unevaluated, &self.view));
        Rc::clone(allowed.entry(address(schema)).or_insert_with(find))
    }

    /// What `alternatives`, of which references are followed, allow together.
    pub(super) fn words_of(&self, alternatives: &[&'a Value]) -> Rc<str> {
        let key: Vec<usize> = alternatives.iter().map(|schema| address(schema)).collect();
        if let Some(known) = self.known.borrow().words.get(&key) {
            return Rc::clone(known);
        }
        let words: Rc<str> =
            alternatives::in_words(alternatives, &self.view, &|one| self.words(one).to_string()).into();
        self.known.borrow_mut().words.insert(key, Rc::clone(&words));
        words
    }

    /// What `alternatives`, the value of `anyOf` or `oneOf`, say.
    fn union(&self, alternatives: &'a Value, is_exclusive: bool) -> Rc<Union<'a>> {
        if let Some(known) = self.known.borrow().unions.get(&address(alternatives)) {
            return Rc::clone(known);
        }
        let union = Rc::new(Union::new(alternatives, is_exclusive, &self.view));
        self.known.borrow_mut().unions.insert(address(alternatives), Rc::clone(&union));
        union
    }

    fn node_of(&self, schema: &'a Value, object: &'a Map<String, Value>) -> Rc<Node<'a>> {
        let mut known = self.known.borrow_mut();
        let node = || {
            let target = |keyword| self.view.target(object.get(keyword)?.as_str()?);
            let named = |keyword| object.get(keyword).and_then(Value::as_object);
            Rc::new(Node {
                plan: self.plans.of(object),
                type_: types::of(schema),
                target: target("$ref"),
                dynamic_target: target("$dynamicRef"),
                properties: Properties::of(named("properties")),
                patterns: named("patternProperties"),
                rest: object.get("additionalProperties"),
            })
        };
        Rc::clone(known.nodes.entry(address(schema)).or_insert_with(node))
    }

    fn node(&self, on: On<'a, '_>, aim: &mut Aim<'_, 'a>) -> ControlFlow<()> {
        let object = match on.schema {
            Value::Object(object) => object,
            Value::Bool(false) => return aim.take(|| on.fault(Cause::False)),
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
    fn own(node: &Node<'a>, on: On<'a, '_>, aim: &mut Aim<'_, 'a>) -> ControlFlow<()> {
        let Some(own) = &node.plan.own else { return Continue(()) };
        let is_valid = match node.type_.and_then(|type_| type_(on.value)) {
            Some(false) => false,
            Some(true) if node.plan.is_type_only => true,
            _ => own.is_valid(on.value),
        };
        match aim {
            _ if is_valid => return Continue(()),
            Aim::Test => return Break(()),
            Aim::List(_) => {}
        }
        for error in own.iter_errors(on.value) {
            aim.take(|| on.fault(Cause::of(error)))?;
        }
        Continue(())
    }

    fn apply(
        &self,
        applicator: Applicator,
        node: &Node<'a>,
        on: On<'a, '_>,
        object: &'a Map<String, Value>,
        aim: &mut Aim<'_, 'a>,
    ) -> ControlFlow<()> {
        match applicator {
            Applicator::Ref => self.reference(on, node.target, aim),
            Applicator::DynamicRef => self.reference(on, node.dynamic_target, aim),
            Applicator::AllOf => {
                let all = object.get("allOf").and_then(Value::as_array);
                all.into_iter().flatten().try_for_each(|schema| self.node(On { schema, ..on }, aim))
            }
            Applicator::AnyOf => self.alternatives(on, object.get("anyOf"), false, aim),
            Applicator::OneOf => self.alternatives(on, object.get("oneOf"), true, aim),
            Applicator::Not => match object.get("not") {
                Some(not) if self.is_valid(not, on.value) => aim.take(|| on.fault(Cause::Not(not))),
                _ => Continue(()),
            },
            Applicator::If => self.condition(on, object, aim),
            Applicator::DependentSchemas => self.dependent(on, object, aim),
            Applicator::Entries => self.entries(on, node, aim),
            Applicator::PropertyNames => self.names(on, object, aim),
            Applicator::Elements => self.elements(on, object, aim),
            Applicator::Contains => self.contains(on, object, aim),
            Applicator::UnevaluatedProperties => self.unevaluated_properties(on, object, aim),
            Applicator::UnevaluatedItems => self.unevaluated_items(on, object, aim),
        }
    }

    fn reference(&self, on: On<'a, '_>, target: Option<&'a Value>, aim: &mut Aim<'_, 'a>) -> ControlFlow<()> {
        let Some(target) = target else { return Continue(()) };
        let (key, on) = ((address(target), address(on.value)), On { schema: target, ..on });
        match aim {
            _ if !is_container(on.value) => self.scalar_reference(key, on, aim),
            Aim::Test if self.is_valid(target, on.value) => Continue(()),
            Aim::Test => Break(()),
            Aim::List(faults) => {
                if faults.seen.insert(key) {
                    self.node(on, aim)
                } else {
                    Continue(())
                }
            }
        }
    }

    /// Scalars are many, and each is looked at quickly; only a circle must not go on.
    fn scalar_reference(
        &self,
        key: (usize, usize),
        on: On<'a, '_>,
        aim: &mut Aim<'_, 'a>,
    ) -> ControlFlow<()> {
        if self.entered.borrow().contains(&key) {
            return Continue(());
        }
        self.entered.borrow_mut().push(key);
        let flow = self.node(on, aim);
        self.entered.borrow_mut().pop();
        flow
    }

    /// `dependentSchemas`, and `dependencies` as it was before it became that and `dependentRequired`.
    fn dependent(
        &self,
        on: On<'a, '_>,
        object: &'a Map<String, Value>,
        aim: &mut Aim<'_, 'a>,
    ) -> ControlFlow<()> {
        let keywords = ["dependentSchemas", "dependencies"].into_iter();
        let dependent = keywords.filter_map(|keyword| object.get(keyword)?.as_object()).flatten();
        for (_, wanted) in dependent.filter(|(key, _)| on.value.get(*key).is_some()) {
            let Value::Array(names) = wanted else {
                self.node(On { schema: wanted, ..on }, aim)?;
                continue;
            };
            let is_absent = |name: &&Value| name.as_str().is_some_and(|name| on.value.get(name).is_none());
            names
                .iter()
                .filter(is_absent)
                .try_for_each(|name| aim.take(|| on.fault(Cause::Dependent(name.clone()))))?;
        }
        Continue(())
    }

    fn condition(
        &self,
        on: On<'a, '_>,
        object: &'a Map<String, Value>,
        aim: &mut Aim<'_, 'a>,
    ) -> ControlFlow<()> {
        let Some(condition) = object.get("if") else { return Continue(()) };
        let consequence = if self.is_valid(condition, on.value) { "then" } else { "else" };
        match object.get(consequence) {
            Some(schema) => self.node(On { schema, ..on }, aim),
            None => Continue(()),
        }
    }

    /// A union is one fault, whatever its alternatives find: they are looked at when it is put into words.
    fn alternatives(
        &self,
        on: On<'a, '_>,
        alternatives: Option<&'a Value>,
        is_exclusive: bool,
        aim: &mut Aim<'_, 'a>,
    ) -> ControlFlow<()> {
        let Some(alternatives) = alternatives else { return Continue(()) };
        let union = self.union(alternatives, is_exclusive);
        match self.fitting(&union, on.value) {
            0 => aim.take(|| on.fault(Cause::NoneOf(union))),
            1 => Continue(()),
            _ => aim.take(|| on.fault(Cause::SeveralOf(union))),
        }
    }

    /// How many alternatives of `union` `value` fits, up to the number at which that is decided.
    fn fitting(&self, union: &Union<'a>, value: &'a Value) -> usize {
        if let Some(only) = value.as_object().and_then(|object| union.tags.only(object)) {
            return usize::from(self.is_valid(&union.schemas[only], value));
        }
        let enough = if union.is_exclusive { 2 } else { 1 };
        union.schemas.iter().filter(|schema| self.is_valid(schema, value)).take(enough).count()
    }
}

impl<'a> On<'a, '_> {
    fn fault(&self, cause: Cause<'a>) -> Fault<'a> {
        let Self { schema, whole, value, place } = *self;
        Fault { cause, value, path: place.to_path(), schema, whole }
    }
}
