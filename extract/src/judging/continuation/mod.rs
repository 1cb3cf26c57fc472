//! Going on with a value that was cut, instead of asking for all of it again.
//!
//! [`plan`] chooses the part that goes on: a list, a long string, or the members of an object. What
//! is complete stays. [`form`] is the schema of the reply that brings the rest, and [`seam`] puts
//! the rest behind what is there. The value is judged as a whole when it is complete.
//!
//! Where the open part is inside of an element of another list, that list goes on with the next
//! question: one reply completes one list.

mod form;
mod plan;
mod seam;

use std::fmt;

use serde_json::{Map, Value};

use self::{
    form::REST,
    plan::{Break, choose, outer_list, top},
    seam::{Merged, Seam},
};
pub(crate) use self::{plan::OpenPart, seam::LOOK_BACK};
use crate::{
    attempt::Continuation as Going,
    change::{Change, ChangeKind},
    contract::Contract,
    path::{Path, Segment},
    reading::{Completeness, Reading, ReadingOptions, ReplyEnd},
    schema::Written,
    text::{excerpt, json_bytes, quoted},
    violation::{Code, Violation},
};

/// Keywords of a string that only a whole one can satisfy.
const WHOLE_STRINGS: [&str; 5] = ["pattern", "format", "enum", "const", "contentEncoding"];

/// Maximum changes that are carried from one reply to the next.
const MAX_CHANGES: usize = 1_000;

/// A value of which a part is missing, and where it goes on.
#[derive(Clone)]
pub(crate) struct Continuation {
    /// What is there: only parts that are complete, but for the open one and what is around it.
    pub(crate) value: Value,
    pub(crate) place: Path,
    pub(crate) part: OpenPart,
    /// Whether an element of the list had begun that is not kept.
    pub(crate) has_begun: bool,
    /// The object or value around it that lacks members: the element of the next list, or the root.
    pub(crate) top: Path,
    /// The contract of the reply that brings the rest.
    pub(crate) form: Contract,
    /// The receipt of the replies until now.
    changes: Vec<Change>,
}

impl fmt::Debug for Continuation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Continuation")
            .field("place", &self.place)
            .field("part", &self.part)
            .finish_non_exhaustive()
    }
}

/// What a reply to the question for the rest says.
pub(super) enum Continued {
    /// The whole value, which is to be judged.
    Whole(Reading),
    /// More of the value, or no more of it.
    Part {
        /// What is there now.
        reading: Reading,
        /// Whether the reply was cut as well; otherwise another list around it is not complete.
        is_cut: bool,
        /// Where it goes on, if there is more than before.
        goes_on: Option<Box<Continuation>>,
    },
    /// A rest that does not fit. The value is as it was.
    Refused(Reading),
}

impl Continuation {
    /// Where the value in `reply` goes on, which was read as `reading`. `None` if that was not cut,
    /// if anything else is wrong with it, or if too little of it is complete.
    pub(super) fn of(
        reply: &str,
        reading: &Reading,
        contract: &Contract,
        options: &ReadingOptions,
    ) -> Option<Box<Self>> {
        let text = &reply[reading.cut_from?..];
        let mut rough = reading.value.clone()?;
        let broken = choose(text, false, |place, part| is_usable(contract, &rough, place, part))?;
        let kept = contract.read_with(&broken.closed, &whole(options));
        rough = kept.value.filter(|_| kept.violations.is_empty())?;
        let changes = moved(kept.changes, &mut |path| path);
        let open = (broken.part, broken.has_begun);
        Self::at(broken.place, open, rough, changes, contract, options).map(Box::new)
    }

    /// `value` goes on at `place`, where an element may have begun. `None` if that is not there as it
    /// should be.
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
        // An example would not be that of a rest, so no reply is compared with one.
        let form = Contract::from_schema(form).ok()?.without_example();
        Some(Self { value, place, part, has_begun, top, form, changes })
    }

    /// What the attempt that answers it is recorded to go on with.
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

    /// Reads `reply`, which should have the rest.
    pub(super) fn read(&self, reply: &str, contract: &Contract, options: &ReadingOptions) -> Continued {
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
        let merged = match self.seam(reply.len(), true).merge(self.value.clone(), value) {
            Ok(merged) => merged,
            Err(violations) => return self.refused(violations, reply),
        };
        let changes = self.receipt(merged.changes, rest.changes, merged.from);
        self.finish(merged.value, changes, reply, contract, options)
    }

    /// All that was asked for is there: the whole value, or an element of a list that goes on.
    fn finish(
        &self,
        value: Value,
        changes: Vec<Change>,
        reply: &str,
        contract: &Contract,
        options: &ReadingOptions,
    ) -> Continued {
        let Some((list, index)) = outer_list(&self.top) else {
            return Continued::Whole(whole_of(&value, changes, reply, contract, options));
        };
        let open = (OpenPart::List(index + 1), false);
        let next = Self::at(list, open, value.clone(), changes, contract, options);
        self.part_of(value, next, reply, false)
    }

    /// The receipt until now, with that of the seam and that of the reply.
    fn receipt(&self, of_seam: Vec<Change>, of_reply: Vec<Change>, from: usize) -> Vec<Change> {
        let of_reply = moved(of_reply, &mut |path| self.real(&path, from));
        self.changes.iter().cloned().chain(of_seam).chain(of_reply).collect()
    }

    /// The whole value once more, if `reply` is that.
    fn read_whole(&self, reply: &str, contract: &Contract, options: &ReadingOptions) -> Option<Continued> {
        let whole = contract.read_with(reply, options);
        let value =
            whole.value.as_ref().filter(|value| whole.violations.is_empty() && contract.allows(value))?;
        Some(match self.first_change(value) {
            None => Continued::Whole(whole),
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

    /// A reply that was cut as well.
    fn read_cut(
        &self,
        reply: &str,
        rest: &Reading,
        contract: &Contract,
        options: &ReadingOptions,
    ) -> Continued {
        let nothing = || self.part_of(self.value.clone(), None, reply, true);
        let Some(start) = rest.cut_from else { return nothing() };
        let text = &reply[start..];
        let is_usable = |path: &Path, part| self.is_usable(contract, path, part);
        let Some(broken) = choose(text, true, is_usable) else { return nothing() };
        let kept = self.form.read_with(&broken.closed, &whole(options));
        let Some(Value::Object(value)) = kept.value.filter(|_| kept.violations.is_empty()) else {
            return nothing();
        };
        if self.part != OpenPart::Members && !value.contains_key(REST) {
            return self.read_cut_whole(reply, contract, options);
        }
        let is_in_rest =
            matches!(broken.place.segments().first(), Some(Segment::Key(key)) if key.as_str() == REST);
        let Merged { value, changes: of_seam, from } =
            match self.seam(reply.len(), !is_in_rest).merge(self.value.clone(), value) {
                Ok(merged) => merged,
                Err(violations) => return self.refused(violations, reply),
            };
        let changes = self.receipt(of_seam, kept.changes, from);
        let (place, part) = self.open(&broken, from, &value);
        if value == self.value && (&place, part) == (&self.place, self.part) {
            return nothing();
        }
        if part == OpenPart::Members && !lacks_members(contract, &value, &place) {
            // Only its last brackets are missing.
            return self.finish(value, changes, reply, contract, options);
        }
        let open = (part, broken.has_begun);
        let next = Self::at(place, open, value.clone(), changes, contract, options);
        self.part_of(value, next, reply, true)
    }

    /// The whole value once more, cut again: it counts if it has more than there was.
    fn read_cut_whole(&self, reply: &str, contract: &Contract, options: &ReadingOptions) -> Continued {
        let reading = contract.read_with(reply, options);
        let next = Self::of(reply, &reading, contract, options);
        let bytes = |value: &Value| json_bytes(value, options.max_bytes);
        let next = next.filter(|next| {
            self.first_change(&next.value).is_none() && bytes(&next.value) > bytes(&self.value)
        });
        let value = next.as_ref().map_or(&self.value, |next| &next.value).clone();
        self.part_of(value, next.map(|next| *next), reply, true)
    }

    /// Where the value goes on after a rest that was cut as `broken` says.
    fn open(&self, broken: &Break, from: usize, value: &Value) -> (Path, OpenPart) {
        let place = self.real(&broken.place, from);
        let part = match place.resolve(value) {
            Some(Value::Array(list)) => OpenPart::List(list.len()),
            Some(Value::String(text)) => OpenPart::Text(text.chars().count()),
            _ => OpenPart::Members,
        };
        (place, part)
    }

    /// Where a place of the reply is in the value, if the rest starts with index `from`.
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
        // Elements of the rest are not there yet, so none that is there tells their alternatives apart.
        is_usable(contract, &self.value, &self.real(path, usize::MAX / 2), part)
    }

    fn seam(&self, bytes: usize, is_whole: bool) -> Seam<'_> {
        let Self { place, part, has_begun, top, .. } = self;
        Seam { place, part: *part, has_begun: *has_begun, top, is_whole, bytes }
    }

    fn misfit(&self, message: &str) -> Violation {
        Violation::new(self.place.clone(), Code::Continuation, message)
    }

    fn refused(&self, violations: Vec<Violation>, reply: &str) -> Continued {
        Continued::Refused(unfinished(self.value.clone(), violations, reply))
    }

    fn part_of(&self, value: Value, next: Option<Self>, reply: &str, is_cut: bool) -> Continued {
        let place = next.as_ref().map_or(&self.place, |next| &next.place).clone();
        let violation = Violation::new(place, Code::Truncated, "the answer is not complete")
            .expected("a value that is complete");
        let reading = unfinished(value, vec![violation], reply);
        Continued::Part { reading, is_cut, goes_on: next.map(Box::new) }
    }

    /// The first place where `value` is not what is there, or more of it.
    fn first_change(&self, value: &Value) -> Option<Path> {
        first_change(&self.value, value, Some(self.place.segments()), Path::root())
    }
}

/// The first place where `now` is not what is `there`, or more of it at the end of `way`, which is
/// `None` beside it.
fn first_change(there: &Value, now: &Value, way: Option<&[Segment]>, path: Path) -> Option<Path> {
    let Some(way) = way else { return (there != now).then_some(path) };
    let onward = |step: &Segment| match way {
        [first, rest @ ..] if first == step => Some(rest),
        _ => None,
    };
    match (there, now) {
        (Value::Object(old), Value::Object(new)) => old.iter().find_map(|(key, old)| {
            let path = path.clone().key(key);
            match new.get(key) {
                Some(new) => first_change(old, new, onward(&Segment::Key(key.as_str().into())), path),
                None => Some(path),
            }
        }),
        (Value::Array(old), Value::Array(new)) => old.iter().enumerate().find_map(|(index, old)| {
            let path = path.clone().index(index);
            match new.get(index) {
                Some(new) => first_change(old, new, onward(&Segment::Index(index)), path),
                None => Some(path),
            }
        }),
        (Value::String(old), Value::String(new)) if way.is_empty() && new.starts_with(old.as_str()) => None,
        _ => (there != now).then_some(path),
    }
}

/// Whether the schema names members that the objects from `place` up to its top lack.
fn lacks_members(contract: &Contract, value: &Value, place: &Path) -> bool {
    form::form(contract.schema(), value, (place, OpenPart::Members), &top(place))
        .get("properties")
        .is_some_and(|properties| properties.get(form::AFTER).is_some())
}

/// Whether the part at `path` may go on: a list of elements alike, or a string that any part of is a
/// string of the same kind.
fn is_usable(contract: &Contract, value: &Value, path: &Path, part: OpenPart) -> bool {
    let written = Written::of(contract.schema());
    let Some(schema) = written.part(path, value) else { return true };
    match part {
        OpenPart::List(_) => !written.has_any(schema, &["prefixItems"]),
        OpenPart::Text(_) => !written.has_any(schema, &WHOLE_STRINGS),
        OpenPart::Members => true,
    }
}

/// `changes` at the places that `path` says. That something was cut is no longer true.
fn moved(changes: Vec<Change>, path: &mut dyn FnMut(Path) -> Path) -> Vec<Change> {
    let kept = changes.into_iter().filter(|change| change.kind != ChangeKind::Cut);
    kept.map(|change| Change { path: path(change.path.clone()), span: 0..0, ..change }).collect()
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
    for change in &mut reading.changes {
        change.span = 0..reply.len();
    }
    reading.changes.splice(0..0, changes);
    reading
}

/// The reading of a value that is not complete.
fn unfinished(value: Value, violations: Vec<Violation>, reply: &str) -> Reading {
    let completeness = Completeness::Truncated { at: reply.len() };
    Reading { value: Some(value), changes: Vec::new(), violations, completeness, cut_from: None }
}

fn whole(options: &ReadingOptions) -> ReadingOptions {
    ReadingOptions { reply_end: ReplyEnd::Whole, ..*options }
}
