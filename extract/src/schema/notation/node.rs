//! A schema whose keywords are consumed one by one as they are written.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::schema::{
    DECIMAL, OTHER,
    view::keywords::{implied_by_parts, types},
};

/// Keywords that describe the schema rather than a value.
const NOT_ABOUT_VALUES: [&str; 9] =
    ["$schema", "$id", "$comment", "$defs", "definitions", "$anchor", "$dynamicAnchor", DECIMAL, OTHER];

pub(super) struct NotationNode<'s> {
    keywords: &'s Map<String, Value>,
    taken: HashSet<&'s str>,
}

impl<'s> NotationNode<'s> {
    pub(super) fn new(keywords: &'s Map<String, Value>) -> Self {
        Self { keywords, taken: HashSet::new() }
    }

    /// The value of a keyword, without consuming it.
    pub(super) fn peek(&self, keyword: &str) -> Option<&'s Value> {
        self.keywords.get(keyword)
    }

    /// Consumes the value of a keyword, which the caller writes; `None` if it was consumed before.
    pub(super) fn take(&mut self, keyword: &str) -> Option<&'s Value> {
        let (keyword, value) = self.keywords.get_key_value(keyword)?;
        self.taken.insert(keyword).then_some(value)
    }

    /// Consumes all keywords that `is_taken` accepts.
    pub(super) fn take_all(&mut self, is_taken: impl Fn(&str) -> bool) {
        self.taken.extend(self.keywords.keys().map(String::as_str).filter(|keyword| is_taken(keyword)));
    }

    /// Like [`take`](Self::take), for a keyword with a list.
    pub(super) fn list(&mut self, keyword: &str) -> Option<&'s [Value]> {
        self.peek(keyword)?.as_array()?;
        self.take(keyword)?.as_array().map(Vec::as_slice)
    }

    /// Like [`take`](Self::take), for a keyword with an object.
    pub(super) fn object(&mut self, keyword: &str) -> Option<&'s Map<String, Value>> {
        self.peek(keyword)?.as_object()?;
        self.take(keyword)?.as_object()
    }

    /// Like [`take`](Self::take), for a keyword with a string.
    pub(super) fn text(&mut self, keyword: &str) -> Option<&'s str> {
        self.peek(keyword)?.as_str()?;
        self.take(keyword)?.as_str()
    }

    /// The names under `type`.
    pub(super) fn types(&mut self) -> Vec<&'s str> {
        self.take("type").map(types).unwrap_or_default()
    }

    /// Returns the type implied by the keywords of objects and lists, if `type` is absent.
    pub(super) fn implied_types(&self) -> Vec<&'s str> {
        implied_by_parts(self.keywords).into_iter().collect()
    }

    /// The keywords that were not consumed.
    pub(super) fn rest(&self) -> Option<Value> {
        let is_left = |keyword: &str| !self.taken.contains(keyword) && !NOT_ABOUT_VALUES.contains(&keyword);
        let rest = self.keywords.iter().filter(|(keyword, _)| is_left(keyword));
        let rest: Map<_, _> = rest.map(|(keyword, value)| (keyword.clone(), value.clone())).collect();
        (!rest.is_empty()).then_some(Value::Object(rest))
    }
}
