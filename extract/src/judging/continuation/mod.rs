//! Continues a value that was cut, instead of asking for the whole value again.
//!
//! [`plan`] chooses the part that continues: a list, a long string, or the members of an object.
//! Complete parts stay. [`form`] is the schema of the reply with the rest, and [`target`] appends the
//! rest to the existing part. The value is judged as a whole when it is complete.
//!
//! If the open part is inside an element of another list, that list continues with the next
//! question: one reply completes one list.

mod form;
mod plan;
mod target;

use std::collections::HashSet;

use serde_json::{Map, Value};

use self::{
    form::REST,
    plan::{BrokenText, ContinuationPoint, choose, top},
    target::{ContinuationTarget, ContinuedValue},
};
pub(crate) use self::{form::with_definitions, plan::OpenPart, target::LOOK_BACK};
use crate::{
    attempt::Continuation as Going,
    contract::Contract,
    reading::{Completeness, Reading, ReadingOptions, ReplyEnd},
    schema::PartialSchema,
    vocabulary::{
        change::{Change, ChangeKind},
        path::{Path, Segment},
        text::{excerpt, json_bytes, quoted},
        violation::{Code, Violation},
    },
};

/// Keywords that only a complete string can satisfy.
const WHOLE_STRINGS: [&str; 5] = ["pattern", "format", "enum", "const", "contentEncoding"];

/// Maximum changes that are carried over from one reply to the next.
const MAX_CHANGES: usize = 1_000;

/// An incomplete value, and where it continues.
#[derive(Clone)]
pub(crate) struct ContinuationPlan {
    /// The existing part. Everything in it is complete, except the open part and the values around
    /// that.
    pub(crate) value: Value,
    pub(crate) place: Path,
    pub(crate) part: OpenPart,
    /// Whether another element of the list had begun, which is not kept.
    pub(crate) has_begun: bool,
    /// The value around the open part that lacks members: the element of the next list, or the
    /// root.
    pub(crate) top: Path,
    /// The contract of the reply with the rest.
    pub(crate) form: Contract,
    /// The changes of the replies so far.
    changes: Vec<Change>,
}

/// The result of reading a reply to the question for the rest.
pub(super) enum ContinuedReading {
    /// The whole value, ready to be judged.
    Whole(Reading),
    /// More of the value, or nothing new.
    Part {
        /// The existing part, including this reply.
        reading: Reading,
        /// Whether the reply was cut, too; otherwise another list around the part is incomplete.
        is_cut: bool,
        /// Where the value continues, if the reply added something.
        next: Option<Box<ContinuationPlan>>,
    },
    /// A rest that does not fit. The value is unchanged.
    Refused(Reading),
}

impl ContinuationPlan {
    /// Returns where the value in `reply`, read as `reading`, continues. `None` if the reply was
    /// not cut, if anything else is wrong with it, or if too little of it is complete.
    pub(super) fn of(
        reply: &str,
        reading: &Reading,
        contract: &Contract,
        options: &ReadingOptions,
    ) -> Option<Box<Self>> {
        let start = reading.cut_from?;
        let text = &reply[start..];
        let mut rough = reading.value.clone()?;
        let broken = choose(text, BrokenText::Value, |place, part| is_usable(contract, &rough, place, part))?;
        let kept = contract.read_with(&broken.closed, &whole(options));
        rough = kept.value.filter(|_| kept.violations.is_empty())?;
        contract.drop_unknown(&mut rough);
        let changes = moved(kept.changes, (start, reply.len()), &mut |path| path);
        let open = (broken.part, broken.has_begun);
        Self::at(broken.place, open, rough, changes, contract, options).map(Box::new)
    }

    /// Returns a `value` that continues at `place`, where an element may have begun. `None` if the
    /// part there is not as expected.
    fn at(
        place: Path,
        (part, has_begun): (OpenPart, bool),
        value: Value,
        mut changes: Vec<Change>,
        contract: &Contract,
        options: &ReadingOptions,
    ) -> Option<Self> {
        let is_there = match (part, place.resolve(&value)?) {
            (OpenPart::List(count), Value::Array(list)) => list.len() == count,
            (OpenPart::Text(count), Value::String(text)) => text.chars().count() == count,
            (OpenPart::Members, Value::Object(_)) => true,
            _ => false,
        };
        if !is_there || json_bytes(&value, options.max_bytes).is_none() {
            return None;
        }
        changes.truncate(MAX_CHANGES);
        let top = top(&place);
        if part == OpenPart::Members && !lacks_members(contract, &value, &place) {
            return None;
        }
        let mut form = form::form(contract.schema(), &value, (&place, part), &top);
        if has_begun {
            form = form::with_an_element(form);
        }
        // An example of the value is not an example of a rest, so no reply is compared with one.
        let form = Contract::from_schema(form).ok()?.without_example();
        Some(Self { value, place, part, has_begun, top, form, changes })
    }

    /// The continuation as the answering attempt records it.
    pub(crate) fn going(&self) -> Going {
        let members = || self.place.resolve(&self.value).and_then(Value::as_object).map_or(0, Map::len);
        let from = match self.part {
            OpenPart::List(count) | OpenPart::Text(count) => count,
            OpenPart::Members => members(),
        };
        Going::new(self.place.clone(), from)
    }

    /// The schema of the members that the reply may add.
    pub(crate) fn after(&self) -> Option<&Value> {
        self.form.schema().get("properties")?.get(form::AFTER)
    }

    /// Reads `reply`, which should contain the rest.
    pub(super) fn read(
        &self,
        reply: &str,
        contract: &Contract,
        options: &ReadingOptions,
    ) -> ContinuedReading {
        let rest = self.form.read_with(reply, options);
        if rest.completeness.is_truncated() {
            return self.read_cut(reply, &rest, contract, options);
        }
        let is_form = rest.value.as_ref().is_some_and(|value| self.form.allows(value));
        if !is_form && let Some(whole) = self.read_whole(reply, contract, options) {
            return whole;
        }
        if !rest.violations.is_empty() {
            let from = rest.value.as_ref().and_then(|value| value.get(form::FROM)?.as_u64());
            let from = from.and_then(|from| usize::try_from(from).ok()).unwrap_or_default();
            let violations = rest.violations.into_iter().map(|violation| Violation {
                path: if violation.path.is_root() {
                    self.place.clone()
                } else {
                    self.real(&violation.path, from)
                },
                ..violation
            });
            let mut violations: Vec<_> = violations.collect();
            violations.push(self.misfit("the rest could not be read as it is"));
            return self.refused(violations, reply);
        }
        let Some(Value::Object(value)) = rest.value else {
            let violation = self.misfit("the answer is not an object with the rest").actual(excerpt(reply));
            return self.refused(vec![violation], reply);
        };
        let value = self.known(value, contract);
        let merged = match self.target(reply.len(), true).merge(self.value.clone(), value) {
            Ok(merged) => merged,
            Err(violations) => return self.refused(violations, reply),
        };
        let from = merged.from;
        let of_reply = moved(rest.changes, (0, reply.len()), &mut |path| self.real(&path, from));
        let changes = self.receipt(merged.changes, of_reply);
        self.finish(merged.value, changes, reply, contract, options)
    }

    /// Everything asked for is there: the whole value, or an element of a list that continues.
    fn finish(
        &self,
        value: Value,
        changes: Vec<Change>,
        reply: &str,
        contract: &Contract,
        options: &ReadingOptions,
    ) -> ContinuedReading {
        let Some((list, index)) = self.top.as_item() else {
            return ContinuedReading::Whole(whole_of(&value, changes, reply, contract, options));
        };
        let open = (OpenPart::List(index + 1), false);
        let next = Self::at(list, open, value.clone(), changes, contract, options);
        self.part_of(value, next, reply, ReplyEnd::Whole)
    }

    /// Returns the changes so far, then the changes of the join and of the reply. Those of repeated
    /// elements are there already.
    fn receipt(&self, of_seam: Vec<Change>, of_reply: Vec<Change>) -> Vec<Change> {
        let of_reply = of_reply.into_iter().filter(|change| !self.is_repeated(&change.path));
        self.changes.iter().cloned().chain(of_seam).chain(of_reply).collect()
    }

    /// Returns whether `path` is in an element that was there before the rest.
    fn is_repeated(&self, path: &Path) -> bool {
        let element = path.segments().get(self.place.segments().len());
        match (self.part, element) {
            (OpenPart::List(count), Some(Segment::Index(index))) => {
                *index < count && path.is_within(&self.place)
            }
            _ => false,
        }
    }

    /// A reply with the rest, without what the type does not know of it.
    fn known(&self, mut reply: Map<String, Value>, contract: &Contract) -> Map<String, Value> {
        for key in [REST, form::AFTER] {
            if let Some(part) = reply.get_mut(key) {
                contract.drop_unknown_by(self.form.shapes(), &Path::root().key(key), part);
            }
        }
        reply
    }

    /// Returns the whole value, if `reply` writes it again.
    fn read_whole(
        &self,
        reply: &str,
        contract: &Contract,
        options: &ReadingOptions,
    ) -> Option<ContinuedReading> {
        let whole = contract.read_with(reply, options);
        let mut value =
            whole.value.clone().filter(|value| whole.violations.is_empty() && contract.allows(value))?;
        contract.drop_unknown(&mut value);
        let value = &value;
        Some(match self.first_change(value) {
            None => ContinuedReading::Whole(whole),
            Some(path) => {
                let there = path.resolve(&self.value).map(quoted).unwrap_or_default();
                let now = path.resolve(value).map_or_else(|| "nothing".to_owned(), quoted);
                let message = "the whole answer was written again, and is not what was there";
                let violation = Violation::new(path, Code::Continuation, message);
                let violation =
                    violation.hint(format!("there it was {there}")).expected("the same, and more");
                self.refused(vec![violation.actual(now)], reply)
            }
        })
    }

    /// Reads a reply that was cut, too.
    fn read_cut(
        &self,
        reply: &str,
        rest: &Reading,
        contract: &Contract,
        options: &ReadingOptions,
    ) -> ContinuedReading {
        let nothing = || self.part_of(self.value.clone(), None, reply, ReplyEnd::Cut);
        let Some(start) = rest.cut_from else { return nothing() };
        let text = &reply[start..];
        let is_usable = |path: &Path, part| self.is_usable(contract, path, part);
        let Some(broken) = choose(text, BrokenText::Rest, is_usable) else { return nothing() };
        let kept = self.form.read_with(&broken.closed, &whole(options));
        let Some(Value::Object(value)) = kept.value.filter(|_| kept.violations.is_empty()) else {
            return nothing();
        };
        if self.part != OpenPart::Members && !value.contains_key(REST) {
            return self.read_cut_whole(reply, contract, options);
        }
        let value = self.known(value, contract);
        let is_in_rest =
            matches!(broken.place.segments().first(), Some(Segment::Key(key)) if key.as_str() == REST);
        let ContinuedValue { value, changes: of_seam, from } =
            match self.target(reply.len(), !is_in_rest).merge(self.value.clone(), value) {
                Ok(merged) => merged,
                Err(violations) => return self.refused(violations, reply),
            };
        let of_reply = moved(kept.changes, (start, reply.len()), &mut |path| self.real(&path, from));
        let changes = self.receipt(of_seam, of_reply);
        let (place, part) = self.open(&broken, from, &value);
        if value == self.value && (&place, part) == (&self.place, self.part) {
            return nothing();
        }
        if part == OpenPart::Members && !lacks_members(contract, &value, &place) {
            // Only the closing brackets are missing.
            return self.finish(value, changes, reply, contract, options);
        }
        let open = (part, broken.has_begun);
        let next = Self::at(place, open, value.clone(), changes, contract, options);
        self.part_of(value, next, reply, ReplyEnd::Cut)
    }

    /// Reads a whole value that was written again and cut again. It counts if it has more than
    /// before.
    fn read_cut_whole(&self, reply: &str, contract: &Contract, options: &ReadingOptions) -> ContinuedReading {
        let reading = contract.read_with(reply, options);
        let next = Self::of(reply, &reading, contract, options);
        let bytes = |value: &Value| json_bytes(value, options.max_bytes);
        let next = next.filter(|next| {
            self.first_change(&next.value).is_none() && bytes(&next.value) > bytes(&self.value)
        });
        let value = next.as_ref().map_or(&self.value, |next| &next.value).clone();
        self.part_of(value, next.map(|next| *next), reply, ReplyEnd::Cut)
    }

    /// Where the value continues after a rest that was cut at `broken`.
    fn open(&self, broken: &ContinuationPoint, from: usize, value: &Value) -> (Path, OpenPart) {
        let place = self.real(&broken.place, from);
        let part = match place.resolve(value) {
            Some(Value::Array(list)) => OpenPart::List(list.len()),
            Some(Value::String(text)) => OpenPart::Text(text.chars().count()),
            _ => OpenPart::Members,
        };
        (place, part)
    }

    /// Returns the path in the value for a path in the reply, if the rest starts with index `from`.
    fn real(&self, place: &Path, from: usize) -> Path {
        let (start, steps) = match place.segments() {
            [Segment::Key(key), steps @ ..] if key.as_str() == REST => (&self.place, steps),
            [Segment::Key(key), steps @ ..] if key.as_str() == form::AFTER => (&self.top, steps),
            steps => (&self.top, steps),
        };
        let is_rest = std::ptr::eq(start, &raw const self.place);
        steps.iter().enumerate().fold(start.clone(), |path, (index, step)| match step {
            Segment::Index(at) if is_rest && index == 0 => path.index(from.saturating_add(*at)),
            step => path.step(step.clone()),
        })
    }

    fn is_usable(&self, contract: &Contract, path: &Path, part: OpenPart) -> bool {
        // Elements of the rest are not there yet, so no existing element tells their alternatives
        // apart.
        is_usable(contract, &self.value, &self.real(path, usize::MAX / 2), part)
    }

    fn target(&self, bytes: usize, is_whole: bool) -> ContinuationTarget<'_> {
        let Self { place, part, has_begun, top, .. } = self;
        ContinuationTarget { place, part: *part, has_begun: *has_begun, top, is_whole, bytes }
    }

    fn misfit(&self, message: &str) -> Violation {
        Violation::new(self.place.clone(), Code::Continuation, message)
    }

    fn refused(&self, violations: Vec<Violation>, reply: &str) -> ContinuedReading {
        ContinuedReading::Refused(unfinished(self.value.clone(), violations, reply))
    }

    fn part_of(&self, value: Value, next: Option<Self>, reply: &str, end: ReplyEnd) -> ContinuedReading {
        let place = next.as_ref().map_or(&self.place, |next| &next.place).clone();
        let violation = Violation::new(place, Code::Truncated, "the answer is not complete")
            .expected("a value that is complete");
        let reading = unfinished(value, vec![violation], reply);
        ContinuedReading::Part { reading, is_cut: end == ReplyEnd::Cut, next: next.map(Box::new) }
    }

    /// Returns the first path where `value` changes the existing part instead of adding to it.
    fn first_change(&self, value: &Value) -> Option<Path> {
        first_change(&self.value, value, Some(self.place.segments()), Path::root())
    }
}

/// Returns the first path where `now` differs from `there`. More content at the end of `way` is not
/// a difference. `way` is `None` for values beside the way.
fn first_change(there: &Value, now: &Value, way: Option<&[Segment]>, path: Path) -> Option<Path> {
    let Some(way) = way else { return (there != now).then_some(path) };
    let onward = |step: &Segment| match way {
        [first, rest @ ..] if first == step => Some(rest),
        _ => None,
    };
    match (there, now) {
        (Value::Object(_), Value::Object(_)) | (Value::Array(_), Value::Array(_)) => Segment::parts(there)
            .find_map(|(step, old)| {
                let path = path.clone().step(step.clone());
                match step.within(now) {
                    Some(new) => first_change(old, new, onward(&step), path),
                    None => Some(path),
                }
            }),
        (Value::String(old), Value::String(new)) if way.is_empty() && new.starts_with(old.as_str()) => None,
        _ => (there != now).then_some(path),
    }
}

/// Returns whether the schema names members that the objects from `place` up to its top lack.
fn lacks_members(contract: &Contract, value: &Value, place: &Path) -> bool {
    form::form(contract.schema(), value, (place, OpenPart::Members), &top(place))
        .get("properties")
        .is_some_and(|properties| properties.get(form::AFTER).is_some())
}

/// Returns whether the part at `path` can continue: a list whose elements are alike, or a string
/// whose parts are strings of the same kind. A part that the schema does not have may be in a wrapper, which
/// is dropped once there is a value beside it.
fn is_usable(contract: &Contract, value: &Value, path: &Path, part: OpenPart) -> bool {
    let written = PartialSchema::of(contract.schema());
    let Some(schema) = written.part(path, value) else { return false };
    match part {
        OpenPart::List(_) => !written.has_any(schema, &["prefixItems"]),
        OpenPart::Text(_) => !written.has_any(schema, &WHOLE_STRINGS),
        OpenPart::Members => true,
    }
}

/// `changes` of the text from `start` in a reply of `bytes`, at the paths that `path` returns, without
/// the information that something was cut.
fn moved(
    changes: Vec<Change>,
    (start, bytes): (usize, usize),
    path: &mut dyn FnMut(Path) -> Path,
) -> Vec<Change> {
    let kept = changes.into_iter().filter(|change| change.kind != ChangeKind::Cut);
    // The text was closed by brackets that the reply does not have.
    let at = |byte: usize| (start + byte).min(bytes);
    kept.map(|change| Change {
        path: path(change.path.clone()),
        span: at(change.span.start)..at(change.span.end),
        ..change
    })
    .collect()
}

/// The complete value, read for the contract.
fn whole_of(
    value: &Value,
    changes: Vec<Change>,
    reply: &str,
    contract: &Contract,
    options: &ReadingOptions,
) -> Reading {
    let mut reading = contract.read_with(&value.to_string(), &whole(options));
    let known: HashSet<_> = changes.iter().map(|change| (&change.path, change.kind)).collect();
    reading.changes.retain(|change| !known.contains(&(&change.path, change.kind)));
    for change in &mut reading.changes {
        change.span = 0..reply.len();
    }
    reading.changes.splice(0..0, changes);
    reading
}

/// The reading of an incomplete value.
fn unfinished(value: Value, violations: Vec<Violation>, reply: &str) -> Reading {
    let completeness = Completeness::Truncated { at: reply.len() };
    Reading { value: Some(value), changes: Vec::new(), violations, completeness, cut_from: None }
}

fn whole(options: &ReadingOptions) -> ReadingOptions {
    ReadingOptions { reply_end: ReplyEnd::Whole, ..*options }
}
