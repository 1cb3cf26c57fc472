//! The places of a value, each with the shapes that describe it.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use serde_json::Value;

use crate::{
    reading::{
        shape::{
            Additional, Id, NULL_STRING_BYTES, NullReading, ROOT, Shape, Shapes,
            kind::{self, JsonKinds},
        },
        spelling,
    },
    vocabulary::{
        path::{Path, Segment},
        tokens::Bracket,
    },
};

/// Limits on the shapes of one place and on the places. Beyond them, a place is [`UNCLEAR`].
const MAX_SHAPES: usize = 64;
const MAX_PLACES: usize = 1 << 12;

/// A place that the schema does not restrict.
const FREE: PlaceId = 0;
/// A place with too many shapes to follow.
const UNCLEAR: PlaceId = 1;

pub(crate) type PlaceId = usize;

/// A member of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Member {
    /// It is shown.
    At(PlaceId),
    /// It is not shown, and does not affect the others.
    Ignored,
    /// It is not shown, and may turn out to be another member.
    Unsure,
}

impl Member {
    /// Its place, if it is shown.
    pub(crate) fn place(self) -> Option<PlaceId> {
        if let Self::At(place) = self { Some(place) } else { None }
    }
}

/// How members are treated that no shape names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum UnknownMembers {
    /// They are [ignored](Member::Ignored).
    #[default]
    Ignored,
    /// Those that the schema forbids are [unsure](Member::Unsure): the object is not valid.
    UnsureIfForbidden,
    /// All are [unsure](Member::Unsure): they are part of the value.
    Unsure,
}

/// Decides which parts of an answer may be shown, and when. Places are computed on first use.
#[derive(Debug)]
pub(crate) struct Places {
    shapes: Arc<Shapes>,
    null_reading: NullReading,
    unknown: UnknownMembers,
    all: Vec<Place>,
    by_shapes: HashMap<Vec<Id>, PlaceId>,
}

#[derive(Debug, Default)]
struct Place {
    /// Alternatives: one of these describes the value.
    shapes: Vec<Id>,
    /// All shapes that apply to the value: these, their parts and their alternatives.
    all: Vec<Id>,
    /// The types allowed here.
    kinds: JsonKinds,
    /// Whether each shape is for decimals.
    is_decimal: bool,
    shown_from: Option<usize>,
    /// Whether keys that no shape names are ignored rather than data.
    knows_names: bool,
    /// The places of the members that shapes name.
    members: BTreeMap<String, PlaceId>,
    /// The places of the first elements, and of all others.
    first: Vec<PlaceId>,
    other: Option<PlaceId>,
}

impl Places {
    pub(crate) fn new(shapes: Arc<Shapes>, null_reading: NullReading) -> Self {
        let free = Place { kinds: kind::ANY, shown_from: Some(0), ..Place::default() };
        let unclear = Place { kinds: kind::ANY, ..Place::default() };
        let unknown = UnknownMembers::default();
        let (all, by_shapes) = (vec![free, unclear], HashMap::new());
        let mut places = Self { shapes, null_reading, unknown, all, by_shapes };
        places.place(vec![ROOT]);
        places
    }

    /// The same places, with members that no shape names treated as `unknown` says.
    pub(crate) fn with_unknown(self, unknown: UnknownMembers) -> Self {
        Self { unknown, ..self }
    }

    /// The same places, before their first use.
    pub(crate) fn restarted(&self) -> Self {
        Self::new(Arc::clone(&self.shapes), self.null_reading).with_unknown(self.unknown)
    }

    /// The places of the values of `shapes`.
    pub(crate) fn of(shapes: &Arc<Shapes>) -> Self {
        Self::new(Arc::clone(shapes), NullReading::Null)
    }

    /// Returns whether the value at `place` may be of one of these types.
    pub(crate) fn allows(&self, place: PlaceId, kinds: JsonKinds) -> bool {
        self.all[place].kinds.meets(kinds)
    }

    /// The place that one of `shapes` describes.
    fn place(&mut self, mut shapes: Vec<Id>) -> PlaceId {
        shapes.sort_unstable();
        shapes.dedup();
        if shapes.is_empty() {
            return FREE;
        }
        if let Some(known) = self.by_shapes.get(&shapes) {
            return *known;
        }
        if self.all.len() >= MAX_PLACES {
            return UNCLEAR;
        }
        let Some(place) = self.described(shapes.clone()) else { return UNCLEAR };
        self.all.push(place);
        self.by_shapes.insert(shapes, self.all.len() - 1);
        self.all.len() - 1
    }

    fn described(&self, shapes: Vec<Id>) -> Option<Place> {
        let all = self.shapes.parts(&shapes, MAX_SHAPES);
        if all.len() > MAX_SHAPES {
            return None;
        }
        let direct = || shapes.iter().map(|id| self.shapes.get(*id));
        Some(Place {
            kinds: direct().map(|shape| shape.kinds).collect(),
            is_decimal: direct().all(|shape| shape.is_decimal),
            shown_from: self.string_shown_from(&all),
            knows_names: all.iter().any(|id| self.shapes.get(*id).knows_names()),
            shapes,
            all,
            ..Place::default()
        })
    }

    fn may_be_null(&self, shape: &Shape) -> bool {
        self.null_reading == NullReading::Null && !shape.null_strings.is_empty()
    }

    /// After how many bytes a growing string of these shapes may be shown. One with a required form is
    /// shown only as a whole; one that may mean null, once it cannot.
    fn string_shown_from(&self, all: &[Id]) -> Option<usize> {
        let strings = || all.iter().map(|id| self.shapes.get(*id)).filter(|shape| shape.allows(kind::TEXT));
        let is_formed = |shape: &Shape| shape.choices.is_some() || shape.is_other || shape.has_form;
        if strings().next().is_none() || strings().any(is_formed) {
            return None;
        }
        Some(if strings().any(|shape| self.may_be_null(shape)) { NULL_STRING_BYTES } else { 0 })
    }

    /// The shapes of the member under `key`; `None` if no shape mentions it.
    fn member_shapes(&self, place: PlaceId, key: &str) -> Option<Vec<Id>> {
        let mut found = Vec::new();
        let mut is_data = false;
        for id in &self.all[place].all {
            let shape = self.shapes.get(*id);
            match (shape.property(key), shape.additional) {
                (Some(id), _) | (None, Additional::Of(id)) => found.push(id),
                (None, Additional::Data) => is_data = true,
                (None, Additional::Unsaid | Additional::Closed) => {}
            }
        }
        (is_data || !found.is_empty()).then_some(found)
    }

    fn item_shapes(&self, place: PlaceId, index: usize) -> Vec<Id> {
        let all = self.all[place].all.iter().map(|id| self.shapes.get(*id));
        all.filter_map(|shape| shape.prefix.get(index).copied().or(shape.items)).collect()
    }

    /// Returns whether `key` may be another spelling of a name.
    fn may_be_renamed(&self, place: PlaceId, key: &str) -> bool {
        let bare = spelling::bare(key);
        self.all[place].all.iter().any(|id| self.shapes.get(*id).spellings.contains_key(&bare))
    }

    /// The place of the whole value.
    pub(crate) fn root(&self) -> PlaceId {
        self.by_shapes.get([ROOT].as_slice()).copied().unwrap_or(UNCLEAR)
    }

    /// Returns what to do with the member of the object at `place` under `key`.
    pub(crate) fn member(&mut self, place: PlaceId, key: &str) -> Member {
        if place <= UNCLEAR {
            return Member::At(place);
        }
        if let Some(known) = self.all[place].members.get(key) {
            return Member::At(*known);
        }
        match self.member_shapes(place, key) {
            Some(shapes) => {
                let member = self.place(shapes);
                let is_named = |id: &Id| self.shapes.get(*id).property(key).is_some();
                if self.all[place].all.iter().any(is_named) {
                    self.all[place].members.insert(key.to_owned(), member);
                }
                Member::At(member)
            }
            None if !self.all[place].knows_names => Member::At(FREE),
            None if self.may_be_renamed(place, key) || self.is_unsure(place) => Member::Unsure,
            None => Member::Ignored,
        }
    }

    fn is_unsure(&self, place: PlaceId) -> bool {
        let is_closed = |id: &Id| matches!(self.shapes.get(*id).additional, Additional::Closed);
        match self.unknown {
            UnknownMembers::Ignored => false,
            UnknownMembers::UnsureIfForbidden => self.all[place].all.iter().any(is_closed),
            UnknownMembers::Unsure => true,
        }
    }

    /// Drops the members that are not shown from `value`, which a reply has at `path`, so that it
    /// equals what was shown of it.
    pub(crate) fn drop_unknown(&mut self, path: &Path, value: &mut Value) {
        let place = path.segments().iter().try_fold(self.root(), |place, step| match step {
            Segment::Key(key) => self.member(place, key).place(),
            Segment::Index(index) => Some(self.item(place, *index)),
        });
        if let Some(place) = place {
            self.drop_unknown_at(place, value);
        }
    }

    fn drop_unknown_at(&mut self, place: PlaceId, value: &mut Value) {
        match value {
            // A key that may be another name was renamed when the reply was read, or is unknown.
            Value::Object(members) => members.retain(|key, value| {
                let member = self.member(place, key).place();
                member.map(|member| self.drop_unknown_at(member, value)).is_some()
            }),
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    let place = self.item(place, index);
                    self.drop_unknown_at(place, item);
                }
            }
            _ => {}
        }
    }

    /// The place of the element at `index`.
    pub(crate) fn item(&mut self, place: PlaceId, index: usize) -> PlaceId {
        if place <= UNCLEAR {
            return place;
        }
        let Place { first, other, .. } = &self.all[place];
        if let Some(known) = first.get(index).or(other.as_ref()) {
            return *known;
        }
        let is_first = self.all[place].all.iter().any(|id| self.shapes.get(*id).prefix.len() > index);
        let item = self.place(self.item_shapes(place, index));
        if is_first {
            self.all[place].first.push(item);
        } else {
            self.all[place].other = Some(item);
        }
        item
    }

    /// Returns whether an object or a list may be at `place`. If not, nothing inside it is shown.
    pub(super) fn admits(&self, place: PlaceId, bracket: Bracket) -> bool {
        self.allows(place, if bracket == Bracket::List { kind::LIST } else { kind::OBJECT })
    }

    /// After how many bytes a growing string may be shown; `None` if it is shown only when
    /// complete.
    pub(super) fn shown_from(&self, place: PlaceId) -> Option<usize> {
        self.all[place].shown_from
    }

    /// Returns whether a number at `place` with a fraction or an exponent is a string of its
    /// digits.
    pub(super) fn keeps_digits(&self, place: PlaceId) -> bool {
        self.all[place].is_decimal
    }

    /// Returns whether the scalar `value` at `place`, which is of one of `kinds`, will not change any
    /// more.
    pub(super) fn is_final(&self, place: PlaceId, kinds: JsonKinds, value: impl FnOnce() -> Value) -> bool {
        let shapes = &self.all[place].shapes;
        let is_plain = |id: &Id| self.shapes.get(*id).keeps_all(kinds);
        let is_kept = |value: &Value| shapes.iter().any(|id| self.shapes.keep(*id, value, self.null_reading));
        place <= UNCLEAR || shapes.iter().any(is_plain) || is_kept(&value())
    }
}
