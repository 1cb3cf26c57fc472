//! Derives a schema's requirements for one part before the value around it is complete.
//!
//! Keywords that concern several parts of a value at once (`if`, `not`, `contains`,
//! `unevaluatedProperties` and the like) are decided once the whole value is there.

use std::{collections::HashMap, rc::Rc};

use serde_json::{Map, Value};

use super::{
    alternatives::listed,
    report::{ExplainFailure, MAX_VIOLATIONS, ViolationReport, unexplained},
    valid_parts::{ClosedPart, PartFindings, PartPath},
    walk::{SchemaPlan, ValidationWalk},
};
use crate::{
    schema::view::keywords::allows_type,
    vocabulary::{path::Segment, violation::Violation},
};

/// A demand on a part.
enum SchemaDemand<'s> {
    /// To satisfy a schema.
    Schema(&'s Value),
    /// To meet all of these demands.
    All(Vec<Rc<SchemaDemand<'s>>>),
    /// To meet one of these demands, because the value around it is one of several alternatives.
    Any(Vec<Rc<SchemaDemand<'s>>>),
}

/// The demands on one part. Each is found and judged once, even if several paths lead to it.
pub(super) struct SchemaDemands<'w, 's> {
    part: ClosedPart<'s>,
    walk: &'w ValidationWalk<'s>,
    explain: ExplainFailure,
    /// Demands by the schema of a value around the part, and the number of steps to that value.
    found: HashMap<(usize, usize), Option<Rc<SchemaDemand<'s>>>>,
    judged: HashMap<usize, Rc<[Violation]>>,
    /// Whether no alternative had to be guessed.
    is_certain: bool,
}

impl<'w, 's> SchemaDemands<'w, 's> {
    pub(super) fn of(part: ClosedPart<'s>, walk: &'w ValidationWalk<'s>, explain: ExplainFailure) -> Self {
        Self { part, walk, explain, found: HashMap::new(), judged: HashMap::new(), is_certain: true }
    }

    /// The violations of the part.
    pub(super) fn findings(mut self) -> PartFindings {
        let way = PartPath::to(self.part);
        let violations = match self.find(self.walk.view.root(), way, 0).as_deref() {
            Some(SchemaDemand::Schema(schema)) => self.judge_schema(schema),
            Some(demand) => self.judge(demand).to_vec(),
            None => {
                self.is_certain = false;
                vec![unexplained(self.part.path.clone())]
            }
        };
        PartFindings { violations, is_certain: self.is_certain, is_settled: false }
    }

    /// The demand of `schema` on the part that `way` leads to; `None` if it allows no part there.
    fn find(&mut self, schema: &'s Value, way: PartPath<'s>, depth: usize) -> Option<Rc<SchemaDemand<'s>>> {
        let object = match schema {
            Value::Bool(false) => return None,
            _ if way.arrived().is_some() => return Some(Rc::new(SchemaDemand::Schema(schema))),
            Value::Object(object) => object,
            _ => return Some(Rc::new(SchemaDemand::All(Vec::new()))),
        };
        let plan = self.walk.plan(object);
        if !plan.applies_to_same_value() {
            return self.find_in(object, &plan, way, depth);
        }
        let key = (std::ptr::from_ref(schema).addr(), depth);
        if let Some(known) = self.found.get(&key) {
            return known.clone();
        }
        // A schema that refers to itself adds no constraint.
        self.found.insert(key, Some(Rc::new(SchemaDemand::All(Vec::new()))));
        let demand = self.find_in(object, &plan, way, depth);
        self.found.insert(key, demand.clone());
        demand
    }

    fn find_in(
        &mut self,
        object: &'s Map<String, Value>,
        plan: &SchemaPlan,
        way: PartPath<'s>,
        depth: usize,
    ) -> Option<Rc<SchemaDemand<'s>>> {
        let step = way.next()?;
        if !takes_type(object, step) || !self.is_tagged_so(object, plan, way) {
            return None;
        }
        let mut all = Vec::new();
        if plan.applies_to_same_value() {
            self.find_for_same(object, way, depth, &mut all)?;
        }
        for schema in self.below(object, step) {
            all.push(self.find(schema, way.step(), depth + 1)?);
        }
        Some(match <[_; 1]>::try_from(all) {
            Ok([only]) => only,
            Err(all) => Rc::new(SchemaDemand::All(all)),
        })
    }

    /// Adds the demands of the schemas that `object` applies to its own value.
    fn find_for_same(
        &mut self,
        object: &'s Map<String, Value>,
        way: PartPath<'s>,
        depth: usize,
        all: &mut Vec<Rc<SchemaDemand<'s>>>,
    ) -> Option<()> {
        let view = self.walk.view.clone();
        let listed = |keyword: &str| object.get(keyword).and_then(Value::as_array).into_iter().flatten();
        for schema in view.targets(object).chain(listed("allOf")) {
            all.push(self.find(schema, way, depth)?);
        }
        for keyword in ["anyOf", "oneOf"] {
            let Some(alternatives) = object.get(keyword).and_then(Value::as_array) else { continue };
            let any: Vec<_> =
                alternatives.iter().filter_map(|schema| self.find(schema, way, depth)).collect();
            match <[_; 1]>::try_from(any) {
                Ok([only]) => all.push(only),
                Err(none) if none.is_empty() => return None,
                Err(several) => all.push(Rc::new(SchemaDemand::Any(several))),
            }
        }
        Some(())
    }

    /// The schemas of the part that `step` leads to.
    fn below(&self, object: &'s Map<String, Value>, step: &Segment) -> Vec<&'s Value> {
        match step {
            Segment::Index(index) => {
                let first = object.get("prefixItems").and_then(|first| first.get(*index));
                first.or_else(|| object.get("items")).into_iter().collect()
            }
            Segment::Key(key) => {
                let own = object.get("properties").and_then(|named| named.get(key.as_str()));
                let mut found: Vec<_> = own.into_iter().collect();
                found.extend(self.walk.matching(object, key.as_str()));
                if found.is_empty() {
                    found.extend(object.get("additionalProperties"));
                }
                found
            }
        }
    }

    /// Returns whether the known members of the value on the way match the values that `object`
    /// lists for them, such as the tag of an alternative.
    fn is_tagged_so(&self, object: &'s Map<String, Value>, plan: &SchemaPlan, way: PartPath<'s>) -> bool {
        let properties = object.get("properties").and_then(Value::as_object);
        let listed = |schema: &'s Value| listed(schema, &self.walk.view);
        let tags = plan.tags.get_or_init(|| {
            let all = properties.into_iter().flatten();
            all.filter(|(_, schema)| listed(schema).next().is_some()).map(|(key, _)| key.clone()).collect()
        });
        let allows = |key: &str, known: &Value| {
            let schema = properties.and_then(|properties| properties.get(key));
            schema.is_some_and(|schema| listed(schema).any(|listed| listed == known))
        };
        tags.iter().all(|key| way.known(key).is_none_or(|known| allows(key, &known)))
    }

    fn judge(&mut self, demand: &SchemaDemand<'s>) -> Rc<[Violation]> {
        let key = std::ptr::from_ref(demand).addr();
        if let Some(known) = self.judged.get(&key) {
            return Rc::clone(known);
        }
        let violations: Rc<[Violation]> = match demand {
            SchemaDemand::Schema(schema) => self.judge_schema(schema).into(),
            SchemaDemand::All(all) => all.iter().flat_map(|one| self.judge(one).to_vec()).collect(),
            SchemaDemand::Any(any) => {
                let judged: Vec<_> = any.iter().map(|one| self.judge(one)).collect();
                self.is_certain &=
                    judged.iter().any(|one| one.is_empty()) || judged.windows(2).all(|two| two[0] == two[1]);
                judged.into_iter().min_by_key(|violations| violations.len()).unwrap_or_default()
            }
        };
        self.judged.insert(key, Rc::clone(&violations));
        violations
    }

    fn judge_schema(&self, schema: &'s Value) -> Vec<Violation> {
        let ClosedPart { value, path, .. } = self.part;
        if self.walk.allows_as(schema, value) {
            return Vec::new();
        }
        let failures = self.walk.failures(schema, schema, value, path.clone(), MAX_VIOLATIONS);
        let mut report = ViolationReport::of(failures.list.len(), self.explain);
        report.explain_all(&failures, self.walk);
        let violations = report.into_violations();
        if violations.is_empty() { vec![unexplained(path.clone())] } else { violations }
    }
}

/// Returns whether `object` allows the type of value that has a part at `step`.
fn takes_type(object: &Map<String, Value>, step: &Segment) -> bool {
    match step {
        Segment::Key(_) => allows_type(object, "object"),
        Segment::Index(_) => allows_type(object, "array"),
    }
}
