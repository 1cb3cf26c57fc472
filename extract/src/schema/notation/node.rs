//! A schema of which each keyword is said once.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::schema::view::keywords::{implied_by_parts, types};

/// Keywords that are about the schema, not about the value.
const SILENT: [&str; 8] =
    ["$schema", "$id", "$comment", "$defs", "definitions", "$anchor", "$dynamicAnchor", crate::schema::OTHER];

pub(super) struct Node<'s> {
    keywords: &'s Map<String, Value>,
    said: HashSet<&'s str>,
}

impl<'s> Node<'s> {
    pub(super) fn new(keywords: &'s Map<String, Value>) -> Self {
        Self { keywords, said: HashSet::new() }
    }

    /// The value of a keyword, which has not been said by that.
    pub(super) fn peek(&self, keyword: &str) -> Option<&'s Value> {
        self.keywords.get(keyword)
    }

    /// The value of a keyword, which the caller is going to say; `None` when it has been said.
    pub(super) fn take(&mut self, keyword: &str) -> Option<&'s Value> {
        let (keyword, value) = self.keywords.get_key_value(keyword)?;
        self.said.insert(keyword).then_some(value)
    }

    /// As [`take`](Self::take), of all keywords that `is_taken` accepts.
    pub(super) fn take_all(&mut self, is_taken: impl Fn(&str) -> bool) {
        self.said.extend(self.keywords.keys().map(String::as_str).filter(|keyword| is_taken(keyword)));
    }

    /// As [`take`](Self::take), of a keyword that holds a list.
    pub(super) fn list(&mut self, keyword: &str) -> Option<&'s [Value]> {
        self.peek(keyword)?.as_array()?;
        self.take(keyword)?.as_array().map(Vec::as_slice)
    }

    /// As [`take`](Self::take), of a keyword that holds an object.
    pub(super) fn object(&mut self, keyword: &str) -> Option<&'s Map<String, Value>> {
        self.peek(keyword)?.as_object()?;
        self.take(keyword)?.as_object()
    }

    /// As [`take`](Self::take), of a keyword that holds a text.
    pub(super) fn text(&mut self, keyword: &str) -> Option<&'s str> {
        self.peek(keyword)?.as_str()?;
        self.take(keyword)?.as_str()
    }

    /// The names under `type`.
    pub(super) fn types(&mut self) -> Vec<&'s str> {
        self.take("type").map(types).unwrap_or_default()
    }

    /// The type that keywords of objects and lists speak of where there is no `type`.
    pub(super) fn implied_types(&self) -> Vec<&'s str> {
        implied_by_parts(self.keywords).into_iter().collect()
    }

    /// What nobody has said.
    pub(super) fn rest(&self) -> Option<Value> {
        let is_unsaid = |keyword: &str| !self.said.contains(keyword) && !SILENT.contains(&keyword);
        let rest = self.keywords.iter().filter(|(keyword, _)| is_unsaid(keyword));
        let rest: Map<_, _> = rest.map(|(keyword, value)| (keyword.clone(), value.clone())).collect();
        (!rest.is_empty()).then_some(Value::Object(rest))
    }
}
