//! The elements that continue a list, while the reply that contains them is written.

use std::fmt::Write as _;

use serde_json::Value;

use crate::{
    judging::continuation::{ContinuationPlan, LOOK_BACK, OpenPart},
    reading::{GrowingAnswer, PartState, Sight},
    vocabulary::path::Segment,
};

/// The brackets around an element of the rest: the reply's, and the list's.
const LEVELS: usize = 2;

/// A reply that continues a list.
///
/// An element is known when it is complete and the join cannot take it back. It must not be an
/// element that was already there, and the first elements must not repeat the end of the list.
/// Elements that are not known while the reply is written follow when it was read.
#[derive(Debug)]
pub(super) struct ListContinuation {
    answer: GrowingAnswer,
    /// How many elements were already there.
    there: usize,
    /// The last of them.
    tail: Vec<Value>,
    /// The index of the first element of the rest, once it is written.
    from: Option<usize>,
    /// How many elements were checked.
    seen: usize,
    /// The first elements, while they may still repeat the end of the list.
    held: Vec<Value>,
    stage: ContinuationStage,
    /// Whether nothing of the reply has arrived yet.
    pub(super) is_fresh: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ContinuationStage {
    Overlap,
    Beyond,
    /// Only the reading of the whole reply can tell what it says.
    Unclear,
}

impl ListContinuation {
    /// The reply to the question for `continuation`, if that continues a list; `answer` has the
    /// options.
    pub(super) fn of(continuation: &ContinuationPlan, answer: &GrowingAnswer) -> Option<Self> {
        let OpenPart::List(there) = continuation.part else { return None };
        let list = continuation.place.resolve(&continuation.value)?.as_array()?;
        let tail = list[list.len().saturating_sub(LOOK_BACK)..].to_vec();
        let answer = answer.of(continuation.form.shapes());
        let (seen, held) = (0, Vec::new());
        Some(Self {
            answer,
            there,
            tail,
            from: None,
            seen,
            held,
            stage: ContinuationStage::Overlap,
            is_fresh: true,
        })
    }

    /// Restarts the reply.
    pub(super) fn begin_again(&mut self) {
        self.answer = self.answer.restarted();
        self.is_fresh = true;
        (self.from, self.seen, self.stage) = (None, 0, ContinuationStage::Overlap);
        self.held.clear();
    }

    /// Reads the next part of the reply. `take` gets the elements that are known now, with their
    /// index in the list.
    pub(super) fn push(&mut self, mut delta: &str, mut take: impl FnMut(usize, &Value)) {
        self.is_fresh = false;
        while !delta.is_empty() && self.stage != ContinuationStage::Unclear {
            let read = self.answer.push_item(delta, LEVELS);
            delta = &delta[read..];
            if self.look(&mut take).is_none() {
                self.stage = ContinuationStage::Unclear;
            }
            if self.from.is_some() {
                self.answer.forget_items(LEVELS);
            }
        }
    }

    /// Checks the new elements. `None` if nothing more can be known.
    fn look(&mut self, take: &mut impl FnMut(usize, &Value)) -> Option<()> {
        let Some(sight) = self.answer.sight().map(Sight::kept) else { return Some(()) };
        let Some(from) = self.from else {
            if sight.state("/from") != PartState::Done {
                return Some(());
            }
            let from = usize::try_from(sight.value("/from")?.as_u64()?).ok()?;
            let is_near = from <= self.there && self.there - from <= self.tail.len();
            self.from = Some(from).filter(|_| is_near);
            self.from?;
            return self.look(take);
        };
        let Some(len) = sight.len("/rest") else { return Some(()) };
        let mut new = Vec::new();
        while self.seen < len {
            let pointer = format!("/rest/{}", self.seen);
            if sight.state(&pointer) != PartState::Done {
                // The last element is still being written. An earlier one that is not done cannot be
                // known.
                return (self.seen + 1 == len).then(|| self.pass(new, from, take))?;
            }
            new.push(sight.value(&pointer)?);
            self.seen += 1;
        }
        self.pass(new, from, take)
    }

    /// Passes on the elements of `new` that are beyond the overlap. `new` are the latest elements.
    fn pass(&mut self, new: Vec<Value>, from: usize, take: &mut impl FnMut(usize, &Value)) -> Option<()> {
        let first = from + self.seen - new.len();
        for (index, value) in (first..).zip(new) {
            if index < self.there {
                let before_end = self.there - index;
                let there = self.tail.get(self.tail.len() - before_end)?;
                (*there == value).then_some(())?;
            } else if self.stage == ContinuationStage::Beyond || from < self.there {
                take(index, &value);
            } else {
                self.held.push(value);
                self.stage = self.overlap_stage()?;
                if self.stage == ContinuationStage::Beyond {
                    let held = std::mem::take(&mut self.held);
                    (self.there..).zip(&held).for_each(|(index, value)| take(index, value));
                }
            }
        }
        Some(())
    }

    /// Returns whether the held elements may still repeat the end of the list; `None` if they do.
    fn overlap_stage(&self) -> Option<ContinuationStage> {
        let (tail, held) = (&self.tail[..], &self.held[..]);
        if !held.iter().all(|value| value.is_object() || value.is_array()) {
            return Some(ContinuationStage::Beyond);
        }
        if tail.ends_with(held) {
            return None;
        }
        let starts = 0..tail.len().saturating_sub(held.len());
        let may_be = starts.into_iter().any(|start| tail[start..].starts_with(held));
        Some(if may_be { ContinuationStage::Overlap } else { ContinuationStage::Beyond })
    }
}

/// The text of the existing part, up to where `continuation` continues it.
pub(super) fn opened(continuation: &ContinuationPlan) -> Option<String> {
    let mut text = String::new();
    open(&continuation.value, continuation.place.segments(), &mut text)?;
    Some(text)
}

/// Writes `value` up to the end of the list that `way` leads to. Members on the way come last.
fn open(value: &Value, way: &[Segment], text: &mut String) -> Option<()> {
    let (inside, way) = match (value, way.split_first()) {
        (Value::Array(items), None) => {
            text.push('[');
            for item in items {
                text.push_str(&item.to_string());
                text.push(',');
            }
            return Some(());
        }
        (Value::Array(items), Some((Segment::Index(index), way))) if index + 1 == items.len() => {
            text.push('[');
            for item in &items[..*index] {
                text.push_str(&item.to_string());
                text.push(',');
            }
            (&items[*index], way)
        }
        (Value::Object(members), Some((Segment::Key(step), way))) => {
            text.push('{');
            for (key, member) in members.iter().filter(|(key, _)| *key != step.as_str()) {
                // Writing to a string does not fail.
                let _ = write!(text, "{}:{member},", Value::from(key.as_str()));
            }
            text.push_str(&Value::from(step.as_str()).to_string());
            text.push(':');
            (members.get(step.as_str())?, way)
        }
        _ => return None,
    };
    open(inside, way, text)
}
