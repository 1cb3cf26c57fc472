//! A position in merged values, as the schema describes it, and the form in which values are
//! compared there.

use std::{
    cell::{OnceCell, RefCell},
    collections::HashMap,
    fmt::Write as _,
    rc::Rc,
};

use serde_json::Value;

use crate::{
    document::Span,
    schema::{GROUNDED, KEY, MERGE, QUOTE, ValueOrder, is_marked},
    validation::{SchemaNodes, canonical, sorted},
    vocabulary::path::Segment,
};

/// A position with its cached lookups. All elements of a list share one.
pub(super) struct MergePosition<'s> {
    nodes: SchemaNodes<'s>,
    orders: &'s [ValueOrder],
    pub(super) what: MergeMethod,
    pub(super) policy: Option<MergePolicy>,
    is_tuple: bool,
    /// The names of the fields that are the key of an object.
    keys: OnceCell<Vec<&'s str>>,
    members: RefCell<HashMap<String, Rc<MergePosition<'s>>>>,
    elements: RefCell<HashMap<usize, Rc<MergePosition<'s>>>>,
}

/// How the values at one position are compared and merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MergeMethod {
    /// A quote.
    Quote,
    /// A value with a quote.
    Grounded,
    /// A tuple or a value of a union, whose parts belong together.
    Whole,
    /// Anything else.
    Parts,
}

/// Which of several values is kept.
#[derive(Debug, Clone, Copy)]
pub(super) enum MergePolicy {
    /// The first one in the document.
    First,
    /// The last one in the document.
    Last,
    /// The elements of all lists.
    All,
    /// The one in most answers; on a tie the first.
    Most,
    /// The greatest one; on a tie the first.
    Greatest(ValueOrder),
}

impl<'s> MergePosition<'s> {
    /// The place of the whole value. The marks of the schema are indices into `orders`.
    pub(super) fn root(schema: &'s Value, orders: &'s [ValueOrder]) -> Rc<Self> {
        Self::new(SchemaNodes::of(schema), orders)
    }

    fn new(nodes: SchemaNodes<'s>, orders: &'s [ValueOrder]) -> Rc<Self> {
        let is_tuple = nodes.all.iter().any(|node| is_tuple(node));
        let what = if nodes.are_marked(GROUNDED) {
            MergeMethod::Grounded
        } else if nodes.are_marked(QUOTE) {
            MergeMethod::Quote
        } else if is_tuple || nodes.all.iter().any(|node| is_union(node)) {
            MergeMethod::Whole
        } else {
            MergeMethod::Parts
        };
        let policy = nodes.all.iter().find_map(|node| MergePolicy::marked(node.get(MERGE)?, orders));
        Rc::new(Self {
            nodes,
            orders,
            what,
            policy,
            is_tuple,
            keys: OnceCell::new(),
            members: RefCell::default(),
            elements: RefCell::default(),
        })
    }

    /// Returns whether its values are merged as a whole rather than part by part.
    pub(super) fn is_whole(&self) -> bool {
        self.what != MergeMethod::Parts
    }

    /// The names of the fields that identify an object.
    pub(super) fn keys(&self) -> &[&'s str] {
        self.keys.get_or_init(|| {
            let is_key = |name: &&str| {
                let properties = self.nodes.all.iter().filter_map(|node| node.get("properties")?.get(name));
                properties.into_iter().any(|schema| is_marked(schema, KEY))
            };
            match self.what {
                MergeMethod::Parts => self.nodes.keys("properties").into_iter().filter(is_key).collect(),
                _ => Vec::new(),
            }
        })
    }

    pub(super) fn key(&self, key: &str) -> Rc<Self> {
        if let Some(known) = self.members.borrow().get(key) {
            return Rc::clone(known);
        }
        let place = Self::new(self.nodes.step(&Segment::Key(key.into())), self.orders);
        self.members.borrow_mut().insert(key.to_owned(), Rc::clone(&place));
        place
    }

    pub(super) fn index(&self, index: usize) -> Rc<Self> {
        let index = if self.is_tuple { index } else { 0 };
        if let Some(known) = self.elements.borrow().get(&index) {
            return Rc::clone(known);
        }
        let place = Self::new(self.nodes.step(&Segment::Index(index)), self.orders);
        self.elements.borrow_mut().insert(index, Rc::clone(&place));
        place
    }
}

impl MergePolicy {
    fn marked(mark: &Value, orders: &[ValueOrder]) -> Option<Self> {
        let Some(name) = mark.as_str() else {
            let number = usize::try_from(mark.as_u64()?).ok()?;
            return orders.get(number).copied().map(Self::Greatest);
        };
        Some(match name {
            "first" => Self::First,
            "last" => Self::Last,
            "all" => Self::All,
            "most" => Self::Most,
            _ => return None,
        })
    }
}

/// In a tuple, or a list of fixed length, the position of an element is its meaning.
fn is_tuple(node: &Value) -> bool {
    let length = node.get("minItems").filter(|length| **length != 0);
    node.get("prefixItems").is_some() || length.is_some() && length == node.get("maxItems")
}

/// Returns whether values are one of several alternatives. `null` as an alternative means an absent
/// value.
fn is_union(node: &Value) -> bool {
    let branches = ["anyOf", "oneOf"].iter().filter_map(|keyword| node.get(*keyword)?.as_array());
    branches.into_iter().any(|branches| {
        branches.iter().filter(|branch| branch.get("type").is_none_or(|kind| kind != "null")).count() > 1
    })
}

/// How quotes are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuoteComparison {
    /// By their words. The same words elsewhere state the same.
    Words,
    /// By their words and span: if a list's elements are quotes, each is a mention of its own.
    Places,
}

/// `value` as a string that is the same for equal values: keys are sorted, numbers are written by
/// value, and quotes beside values are dropped.
pub(super) fn plain(place: &MergePosition<'_>, value: &Value, quotes: QuoteComparison) -> String {
    let mut text = String::new();
    write_plain(place, value, quotes, &mut text);
    text
}

fn write_plain(place: &MergePosition<'_>, value: &Value, quotes: QuoteComparison, text: &mut String) {
    match (place.what, value) {
        (MergeMethod::Grounded, Value::Object(map)) if map.contains_key("value") => {
            write_plain(&place.key("value"), &map["value"], quotes, text);
        }
        (MergeMethod::Quote, Value::Object(map)) if map.contains_key("words") => {
            let _ = write!(text, "{}", map["words"]);
            if let (QuoteComparison::Places, Some(span)) = (quotes, span(value)) {
                let _ = write!(text, "@{}..{}", span.start(), span.end());
            }
        }
        (_, Value::Number(_)) => text.push_str(&canonical(value)),
        (_, Value::Array(list)) => {
            text.push('[');
            for (index, element) in list.iter().enumerate() {
                write_plain(&place.index(index), element, quotes, text);
                text.push(',');
            }
            text.push(']');
        }
        (_, Value::Object(map)) => {
            text.push('{');
            for (key, member) in sorted(map).into_iter().filter(|(_, member)| !member.is_null()) {
                let _ = write!(text, "{}:", Value::from(key));
                write_plain(&place.key(key), member, quotes, text);
                text.push(',');
            }
            text.push('}');
        }
        (_, scalar) => {
            let _ = write!(text, "{scalar}");
        }
    }
}

/// Returns the bare value, without quotes and their spans.
pub(super) fn stated(place: &MergePosition<'_>, value: &Value) -> Value {
    match (place.what, value) {
        (MergeMethod::Grounded, Value::Object(map)) if map.contains_key("value") => map["value"].clone(),
        (MergeMethod::Quote, Value::Object(map)) if map.contains_key("words") => map["words"].clone(),
        (_, Value::Array(list)) => {
            list.iter().enumerate().map(|(index, element)| stated(&place.index(index), element)).collect()
        }
        (_, Value::Object(map)) => {
            map.iter().map(|(key, member)| (key.clone(), stated(&place.key(key), member))).collect()
        }
        (_, scalar) => scalar.clone(),
    }
}

/// Collects the spans of the quotes in `value`, in its order.
pub(super) fn spans(place: &MergePosition<'_>, value: &Value, found: &mut Vec<Span>) {
    match value {
        Value::Object(_) if place.what == MergeMethod::Quote => found.extend(span(value)),
        Value::Object(map) => {
            map.iter().for_each(|(key, member)| spans(&place.key(key), member, found));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, element)| spans(&place.index(index), element, found));
        }
        _ => {}
    }
}

fn span(quote: &Value) -> Option<Span> {
    serde::Deserialize::deserialize(quote.get("span")?).ok()
}
