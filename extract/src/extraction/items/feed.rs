//! Turns the events of an extraction into items. Those that were delivered may not change later.

use std::{
    borrow::Cow,
    collections::{HashSet, VecDeque},
    ops::Range,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{
    error::SettingsError,
    extraction::list_continuation::ListContinuation,
    judging::{
        AcceptedParts, ContinuationNotice, ContinuedText, Event, JoinWatch, PartJudge, ReplyContinuation,
    },
    reading::{GrowingAnswer, PartState, Places, Sight, Snapshot},
    validation::{ClosedPart, SurroundingValues, canonical, deserialize, scalar_around},
    vocabulary::{
        path::{Path, Segment},
        text::{counted, quoted},
        violation::{Code, LeftOutItem, Violation},
    },
};

/// Capacity above which an empty queue is freed: a reply that arrived at once may have had many
/// items.
const MANY: usize = 64;

/// An element of a list that was accepted before the list was complete, from
/// [`Items`](super::Items).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Item<V> {
    /// Its position in the list, from 0.
    pub index: usize,
    /// The element.
    pub value: V,
}

/// Finds the items of one list in the replies, and judges each as soon as it is complete.
pub(super) struct ItemFeed<'c, T, V> {
    judge: PartJudge<'c, T>,
    list: Path,
    delivered: Arc<DeliveredItems>,
    /// Items of one delta, or of one reply that was not streamed, that the consumer has not taken.
    /// Nothing is polled while there are any.
    queue: VecDeque<Item<V>>,
    reply: ReplyScan,
    /// Why the items of an accepted value cannot become `V`s.
    misfit: Option<String>,
}

/// The reply that is being written.
struct ReplyScan {
    answer: GrowingAnswer,
    /// Whether it is the value, and not a patch or the rest of the previous value.
    is_value: bool,
    /// Set if the reply continues the list. The `Value` has the objects around the list, with their
    /// scalar members.
    rest: Option<(ListContinuation, Value)>,
    /// The text of the reply that it continues.
    prefill: Option<PrefilledReply>,
    /// How many elements were checked.
    seen: usize,
    /// Checked elements that can only be judged once the whole reply was read.
    unsure: Vec<usize>,
    /// Whether it has a different item where one was already delivered. Nothing else in it is
    /// delivered.
    is_changed: bool,
}

/// The text of a reply that was cut, and what is being added to it.
#[derive(Clone)]
struct PrefilledReply {
    there: Arc<str>,
    watch: JoinWatch,
    /// The watch of the reply that is being written.
    added: JoinWatch,
}

impl PrefilledReply {
    fn of(prefill: &ContinuedText) -> Self {
        let watch = prefill.watch();
        Self { there: prefill.settled().into(), added: watch.clone(), watch }
    }
}

impl ReplyScan {
    fn new(answer: GrowingAnswer, is_value: bool) -> Self {
        let (rest, prefill, unsure) = (None, None, Vec::new());
        Self { answer, is_value, rest, prefill, seen: 0, unsure, is_changed: false }
    }

    /// The same reply, from its first byte again.
    fn restarted(&mut self) -> Self {
        let mut rest = self.rest.take();
        if let Some((rest, _)) = &mut rest {
            rest.begin_again();
        }
        let prefill = self.prefill.take();
        Self { rest, prefill, ..Self::new(self.answer.restarted(), self.is_value) }
    }
}

impl<'c, T, V: DeserializeOwned> ItemFeed<'c, T, V> {
    pub(super) fn new(
        judge: PartJudge<'c, T>,
        list: Path,
        delivered: Arc<DeliveredItems>,
        answer: GrowingAnswer,
    ) -> Self {
        let reply = ReplyScan::new(answer, true);
        Self { judge, list, delivered, queue: VecDeque::new(), reply, misfit: None }
    }

    /// The next item that was not taken yet.
    pub(super) fn next(&mut self) -> Option<Item<V>> {
        let item = self.queue.pop_front();
        if self.queue.is_empty() && self.queue.capacity() > MANY {
            self.queue = VecDeque::new();
        }
        item
    }

    /// Returns whether there are items that were not taken yet.
    pub(super) fn has_items(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Why the items of an accepted value could not all be delivered.
    pub(super) fn misfit(&mut self) -> Option<SettingsError> {
        let message = self.misfit.take()?;
        Some(SettingsError::Items { place: self.list.to_string(), message })
    }

    pub(super) fn observe(&mut self, event: &Event<'_>) {
        match event {
            Event::Asked { wants_patch, notice, .. } => {
                let continuation = notice.map(|ContinuationNotice(continuation)| continuation);
                let is_value = !wants_patch && !matches!(continuation, Some(ReplyContinuation::Rest(_)));
                self.reply = ReplyScan::new(self.reply.answer.restarted(), is_value);
                match continuation {
                    Some(ReplyContinuation::Rest(rest)) if rest.place == self.list => {
                        let around = around(&rest.value, self.list.segments());
                        self.reply.rest = ListContinuation::of(rest, &self.reply.answer).zip(Some(around));
                    }
                    Some(ReplyContinuation::Text(prefill)) => {
                        self.reply.prefill = Some(PrefilledReply::of(prefill));
                    }
                    _ => {}
                }
            }
            Event::TransportFailed { .. } => self.reply = self.reply.restarted(),
            Event::Delta { text, is_first, .. } => {
                if *is_first {
                    self.reply = self.reply.restarted();
                    self.take_prefill();
                }
                if let Some(prefill) = &mut self.reply.prefill {
                    let text = prefill.added.push(text);
                    self.take_delta(&text);
                } else if self.reply.is_value {
                    self.take_delta(text);
                } else {
                    self.take_rest(text);
                }
            }
            Event::Read { reading, .. }
                if !reading.completeness.is_truncated() && reading.violations.is_empty() =>
            {
                if let Some(value) = &reading.value {
                    self.take_read(value);
                }
            }
            Event::Judged { record, is_accepted: true, .. } => {
                if let Some(value) = record.submitted() {
                    self.take_accepted(value, &[]);
                }
            }
            Event::LeftOut { record, left_out, .. } => {
                if let Some(value) = record.submitted() {
                    self.take_accepted(value, left_out);
                }
            }
            _ => {}
        }
    }

    /// Reads the text that the reply continues.
    fn take_prefill(&mut self) {
        if let Some(prefill) = &mut self.reply.prefill {
            prefill.added.clone_from(&prefill.watch);
            let there = Arc::clone(&prefill.there);
            self.take_delta(&there);
        }
    }

    /// Reads the next part of a value, one element after the other. Elements that were checked are
    /// dropped.
    fn take_delta(&mut self, mut text: &str) {
        let levels = self.list.segments().len() + 1;
        while !text.is_empty() {
            let read = self.reply.answer.push_item(text, levels);
            text = &text[read..];
            self.take_written();
            self.reply.answer.forget_items(levels);
        }
    }

    /// Reads the next part of a reply that continues the list.
    fn take_rest(&mut self, text: &str) {
        let Some((mut rest, around)) = self.reply.rest.take() else { return };
        let path = self.list.clone();
        let known = |depth: usize, key: &str| scalar_around(&around, &path, depth, key);
        rest.push(text, |index, value| {
            if !self.reply.is_changed {
                self.offer(index, value, SurroundingValues::new(&known));
            }
        });
        self.reply.rest = Some((rest, around));
    }

    /// Checks the elements that are new in the text so far.
    fn take_written(&mut self) {
        let Some(snapshot) = self.reply.answer.sight().map(Sight::kept) else { return };
        let (path, list) = (self.list.clone(), self.list.to_pointer());
        let Some(len) = snapshot.len(&list) else { return };
        while self.reply.seen < len && !self.reply.is_changed {
            let index = self.reply.seen;
            let pointer = format!("{list}/{index}");
            if snapshot.state(&pointer) == PartState::Done {
                if let Some(value) = snapshot.value(&pointer) {
                    let known = |depth: usize, key: &str| known_in(&snapshot, &path, depth, key);
                    self.offer(index, &value, SurroundingValues::new(&known));
                }
            } else if index + 1 < len {
                self.reply.unsure.push(index);
            } else {
                // It is still being written.
                return;
            }
            self.reply.seen += 1;
        }
    }

    /// Checks those elements of the `value` of a whole reply that were not checked before.
    fn take_read(&mut self, value: &Value) {
        let Some(list) = self.list.resolve(value).and_then(Value::as_array) else { return };
        if self.reply.unsure.is_empty() && self.reply.seen >= list.len() {
            return;
        }
        self.reply.is_changed |= !self.delivered.changes_in(value).is_empty();
        let path = self.list.clone();
        let known = |depth: usize, key: &str| scalar_around(value, &path, depth, key);
        let unsure = std::mem::take(&mut self.reply.unsure);
        for index in unsure.into_iter().chain(self.reply.seen..list.len()) {
            if self.reply.is_changed {
                return;
            }
            if let Some(item) = list.get(index) {
                self.offer(index, item, SurroundingValues::new(&known));
            }
        }
    }

    /// Delivers an item if it is valid and was not delivered before.
    fn offer(&mut self, index: usize, value: &Value, around: SurroundingValues<'_>) {
        if let Some(is_same) = self.delivered.has(index, value) {
            self.reply.is_changed |= !is_same;
            return;
        }
        let path = self.list.clone().index(index);
        // A panic in a check holds the item back. The judgement of the whole value reports it.
        let judged = self.judge.judge_placed(ClosedPart { path: &path, value, around });
        if let Ok((found, Some(placed))) = judged
            && found.is_settled
            && found.violations.iter().all(Violation::is_warning)
            && let Ok(item) = deserialize(&placed)
        {
            self.deliver(index, value, item);
        }
    }

    /// Delivers the remaining items of an accepted value, which was judged as a whole.
    fn take_accepted(&mut self, value: &Value, left_out: &[LeftOutItem]) {
        let value = self.judge.grounded(value);
        let Some(found) = self.list.resolve(&value) else { return };
        let Some(list) = found.as_array() else {
            if !found.is_null() {
                self.misfit = Some("it is not a list".to_owned());
            }
            return;
        };
        let is_gone = left_out.iter().any(|item| self.list.is_within(&item.path));
        let gone: HashSet<usize> = left_out.iter().filter_map(|item| self.index_of(&item.path)).collect();
        for (index, value) in list.iter().enumerate().filter(|_| !is_gone) {
            if gone.contains(&index) || self.delivered.contains(index) {
                continue;
            }
            let value = &self.without(left_out, index, value);
            match deserialize(value) {
                Ok(item) => self.deliver(index, value, item),
                Err(_) => self.misfit = Some(format!("item {index} cannot be read by itself")),
            }
        }
    }

    /// The item without the broken items inside it that were left out.
    fn without<'v>(&self, left_out: &[LeftOutItem], index: usize, value: &'v Value) -> Cow<'v, Value> {
        let path = self.list.clone().index(index);
        let mut value = Cow::Borrowed(value);
        // They are in order: `left_out[start..]` are those from this item on.
        let start = left_out.partition_point(|item| item.path < path);
        let inside: Vec<_> = left_out[start..].iter().take_while(|item| item.path.is_within(&path)).collect();
        for item in inside.into_iter().rev() {
            let Some((Segment::Index(at), around)) = item.path.segments().split_last() else { continue };
            let around = &around[path.segments().len().min(around.len())..];
            let list = around.iter().try_fold(value.to_mut(), |value, step| step.within_mut(value));
            if let Some(list) = list.and_then(Value::as_array_mut).filter(|list| *at < list.len()) {
                list.remove(*at);
            }
        }
        value
    }

    /// The index of the item at `path`.
    fn index_of(&self, path: &Path) -> Option<usize> {
        match path.segments().strip_prefix(self.list.segments())? {
            [Segment::Index(index)] => Some(*index),
            _ => None,
        }
    }

    fn deliver(&mut self, index: usize, value: &Value, item: V) {
        self.delivered.insert(index, value);
        self.queue.push_back(Item { index, value: item });
    }
}

/// The scalar member under `key` of the object that is `depth` steps towards `list`, if it is
/// complete.
fn known_in(snapshot: &Snapshot, list: &Path, depth: usize, key: &str) -> Option<Value> {
    let steps: Vec<Segment> = list.segments().iter().take(depth).cloned().collect();
    let pointer = Path::from(steps).key(key).to_pointer();
    let is_known = snapshot.state(&pointer) == PartState::Done && snapshot.len(&pointer).is_none();
    snapshot.value(&pointer).filter(|_| is_known)
}

/// The objects of `value` on the `way` to a list, with only their scalar members.
fn around(value: &Value, way: &[Segment]) -> Value {
    let Some((step, way)) = way.split_first() else { return Value::Null };
    let inside = || step.within(value).map_or(Value::Null, |inside| around(inside, way));
    match (step, value) {
        (Segment::Key(step), Value::Object(members)) => {
            let scalars = members.iter().filter(|(_, member)| !member.is_object() && !member.is_array());
            let mut kept: Map<_, _> = scalars.map(|(key, member)| (key.clone(), member.clone())).collect();
            kept.insert(step.to_string(), inside());
            Value::Object(kept)
        }
        _ => Value::Null,
    }
}

/// How many differences from delivered items are listed.
const MAX_LISTED: usize = 100;

/// The items that were delivered, by their index. A later attempt may not change them.
///
/// Members that the schema does not know are not compared, unless the value is JSON and has them. An
/// item that is delivered while it is written lacks them, the value of the whole reply has them, and
/// another attempt may omit them.
#[derive(Debug)]
pub(super) struct DeliveredItems {
    list: Path,
    /// Whether values must not be quoted.
    is_sensitive: bool,
    /// What the schema knows, if nothing else is compared.
    places: Option<Mutex<Places>>,
    items: Mutex<CanonicalTexts>,
}

/// Items as [`canonical`] text, one after the other. They are kept until the extraction ends, and
/// this is the smallest form that still identifies an item.
#[derive(Debug, Default)]
struct CanonicalTexts {
    text: String,
    /// The range of the text for each index; empty if that item was not delivered.
    parts: Vec<Range<usize>>,
}

impl CanonicalTexts {
    fn insert(&mut self, index: usize, item: &str) {
        let start = self.text.len();
        self.text.push_str(item);
        self.parts.resize(self.parts.len().max(index + 1), 0..0);
        self.parts[index] = start..self.text.len();
    }

    fn get(&self, index: usize) -> Option<&str> {
        let part = self.parts.get(index).filter(|part| !part.is_empty())?;
        Some(&self.text[part.clone()])
    }

    /// The items with their indexes, in ascending order.
    fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, &str)> {
        (0..self.parts.len()).filter_map(|index| Some((index, self.get(index)?)))
    }
}

impl DeliveredItems {
    /// An empty record for the list at `list`.
    pub(super) fn of(list: Path, is_sensitive: bool, places: Option<Places>) -> Arc<Self> {
        Arc::new(Self { list, is_sensitive, places: places.map(Mutex::new), items: Mutex::default() })
    }

    pub(super) fn insert(&self, index: usize, value: &Value) {
        let known = self.known(index, value);
        self.items().insert(index, &canonical(&known));
    }

    /// Returns whether `value` equals the item delivered at `index`; `None` if none was delivered
    /// there.
    pub(super) fn has(&self, index: usize, value: &Value) -> Option<bool> {
        self.items().get(index).map(|item| *item == *canonical(&self.known(index, value)))
    }

    pub(super) fn contains(&self, index: usize) -> bool {
        self.items().get(index).is_some()
    }

    /// Their indexes, in ascending order.
    pub(super) fn indexes(&self) -> Vec<usize> {
        self.items().iter().map(|(index, _)| index).collect()
    }

    /// What is compared of the item at `index`.
    fn known(&self, index: usize, item: &Value) -> Value {
        let mut known = item.clone();
        let Some(places) = &self.places else { return known };
        let mut places = places.lock().unwrap_or_else(PoisonError::into_inner);
        places.drop_unknown(&self.list.clone().index(index), &mut known);
        known
    }

    /// No user code runs while the lock is held.
    fn items(&self) -> MutexGuard<'_, CanonicalTexts> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The violations of an item that was `old` and is `new`.
    fn compare(&self, old: &str, new: &Value, path: Path, found: &mut Vec<Violation>) {
        match serde_json::from_str(old) {
            Ok(old) if !self.is_sensitive => differences(&old, new, path, found),
            // Neither its values nor its keys may be quoted.
            _ => found.push(Violation::new(path, Code::Changed, CHANGED)),
        }
    }
}

const CHANGED: &str = "this was accepted before as something else, and may not change";

/// Lists where `new` differs from `old`, as deep inside as possible.
fn differences(old: &Value, new: &Value, path: Path, found: &mut Vec<Violation>) {
    if found.len() >= MAX_LISTED {
        // Nothing in this item may change, and some of its changes are already listed.
        return;
    }
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, old) in old {
                let path = path.clone().key(key);
                match new.get(key) {
                    Some(new) => differences(old, new, path, found),
                    None if found.len() < MAX_LISTED => found.push(changed(path).expected(quoted(old))),
                    None => {}
                }
            }
            let added = new.iter().filter(|(key, _)| !old.contains_key(*key));
            for (key, new) in added.take(MAX_LISTED.saturating_sub(found.len())) {
                let violation = changed(path.clone().key(key)).expected("no such key").actual(quoted(new));
                found.push(violation);
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                differences(old, new, path.clone().index(index), found);
            }
        }
        _ if canonical(old) == canonical(new) => {}
        _ => found.push(changed(path).expected(quoted(old)).actual(quoted(new))),
    }
}

fn changed(path: Path) -> Violation {
    Violation::new(path, Code::Changed, CHANGED)
}

impl AcceptedParts for DeliveredItems {
    fn changes_in(&self, value: &Value) -> Vec<Violation> {
        let items = self.items();
        let Some((highest, _)) = items.iter().next_back() else { return Vec::new() };
        let list = self.list.resolve(value).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut found = Vec::new();
        if list.len() <= highest {
            let missing = "items that were accepted before are missing";
            found.push(
                Violation::new(self.list.clone(), Code::Changed, missing)
                    .expected(format!("at least {}", counted(highest + 1, "item")))
                    .actual(counted(list.len(), "item")),
            );
        }
        let mut unlisted = 0_usize;
        for ((index, old), new) in items.iter().filter_map(|item| Some((item, list.get(item.0)?))) {
            let new = self.known(index, new);
            if canonical(&new) == old {
                continue;
            }
            if found.len() < MAX_LISTED {
                self.compare(old, &new, self.list.clone().index(index), &mut found);
            } else {
                unlisted += 1;
            }
        }
        if unlisted > 0 {
            let more = format!("{} changed", counted(unlisted, "more item"));
            found.push(Violation::new(self.list.clone(), Code::More, more));
        }
        found
    }

    fn include(&self, path: &Path) -> bool {
        let inside = path.segments().strip_prefix(self.list.segments());
        match inside.and_then(<[Segment]>::first) {
            Some(Segment::Index(index)) => self.contains(*index),
            _ => false,
        }
    }

    fn are_within(&self, path: &Path) -> bool {
        self.list.is_within(path) && !self.items().parts.is_empty()
    }
}
