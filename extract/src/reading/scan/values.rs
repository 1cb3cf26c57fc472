//! Puts the values that are shown on the tape, and writes values as the scanner reads them.

use std::io;

use serde::Serialize;
use serde_json::{
    Serializer, Value,
    ser::{CharEscape, CompactFormatter, Formatter},
};

use super::{
    places::Member,
    scanner::{NotStrict, Open, ScanState, Slot, Stage},
    tape::{Data, Members, NodeId, Tape},
};
use crate::{
    reading::{
        parse::number,
        shape::{kind, kinds_of},
    },
    vocabulary::{
        digits,
        tokens::{Bracket, Role, Token},
    },
};

impl ScanState {
    /// Starts the scalar that `token` is.
    pub(super) fn begin(&mut self, token: Token, tape: &mut Tape) {
        self.put(Data::Unknown, tape);
        let shown_from = || self.slot.place.and_then(|place| self.places.shown_from(place));
        let shown_from = (token == Token::String).then(shown_from).flatten();
        self.stage = shown_from.map_or(Stage::Held, Stage::Short);
    }

    /// Puts a value into its slot. The token, which may be its key, is free afterwards.
    fn put(&mut self, data: Data, tape: &mut Tape) {
        let around = self.walk.open().last().map(|(bracket, open)| (*bracket, open.node));
        self.slot.node = match (self.slot.place, around) {
            (None, _) | (_, Some((_, None))) => None,
            (Some(_), None) => Some(tape.begin(data)),
            (Some(_), Some((bracket, Some(parent)))) => {
                let node = tape.begin(data);
                match bracket {
                    Bracket::List => tape.push_item(parent, node),
                    Bracket::Object => tape.push_member(parent, &self.token, node),
                }
                Some(node)
            }
        };
        self.token.clear();
    }

    pub(super) fn open(&mut self, bracket: Bracket, tape: &mut Tape) -> Result<(), NotStrict> {
        if self.walk.open().len() >= self.max_depth {
            return Err(NotStrict);
        }
        let place = self.slot.place.filter(|place| self.places.admits(*place, bracket));
        let data = match (place, bracket) {
            (None, _) => Data::Unknown,
            (_, Bracket::List) => Data::List(Box::default()),
            (_, Bracket::Object) => Data::Object(Members::default()),
        };
        self.put(data, tape);
        let is_unsure = self.slot.place.is_some() && place.is_none();
        let node = self.slot.node.filter(|_| place.is_some());
        self.walk.enter(bracket, Open { node, place, count: 0, is_unsure });
        if bracket == Bracket::List {
            self.next_item();
        }
        Ok(())
    }

    pub(super) fn close(&mut self, tape: &mut Tape) {
        let Some(closed) = self.walk.leave() else { return };
        // An object in which nothing is known may turn out to be something else.
        let is_strange = |node| closed.count > 0 && tape.is_empty_object(node);
        let is_unsure = closed.is_unsure || closed.node.is_some_and(is_strange);
        if let Some(node) = closed.node.filter(|_| !is_unsure) {
            tape.is_done(node);
        }
        if is_unsure {
            self.leave_unsure();
        }
        self.token.clear();
    }

    /// Marks the surrounding value as unsure, because the value that ends here may still change.
    fn leave_unsure(&mut self) {
        if let Some(around) = self.walk.innermost() {
            around.is_unsure = true;
        }
    }

    /// Prepares for the next element of the innermost list.
    pub(super) fn next_item(&mut self) {
        if let Some(list) = self.walk.innermost() {
            let place = list.place.map(|place| self.places.item(place, list.count));
            list.count += 1;
            self.slot = Slot { place, node: None };
        }
    }

    fn end_scalar(&mut self) {
        self.token.clear();
        self.walk.pass(Role::Scalar);
    }

    pub(super) fn end_key(&mut self, tape: &mut Tape) -> Result<(), NotStrict> {
        let object = self.walk.innermost().ok_or(NotStrict)?;
        if object.node.is_some_and(|node| tape.has_member(node, &self.token)) {
            return Err(NotStrict);
        }
        object.count += 1;
        let member = object.place.map(|place| self.places.member(place, &self.token));
        object.is_unsure |= member == Some(Member::Unsure);
        if let (Some(Member::Ignored), Some(node)) = (member, object.node) {
            tape.hide_member(node);
        }
        let place = match member {
            Some(Member::At(place)) => Some(place),
            _ => None,
        };
        self.slot = Slot { place, node: None };
        self.walk.pass(Role::Key);
        Ok(())
    }

    pub(super) fn end_string(&mut self, tape: &mut Tape) {
        if let (Some(node), Some(place)) = (self.slot.node, self.slot.place) {
            if self.stage != Stage::Shown {
                tape.begin_string(node, false);
                tape.append(node, &self.token);
            }
            let is_final = self.places.is_final(place, kind::TEXT, || Value::from(tape.string(node)));
            self.end_value(is_final.then_some(node));
        }
        self.end_scalar();
    }

    /// Ends a number or a constant.
    pub(super) fn end_word(&mut self, tape: &mut Tape) -> Result<(), NotStrict> {
        let data = match &*self.token {
            "true" => Data::Bool(true),
            "false" => Data::Bool(false),
            "null" => Data::Null,
            word => Data::Number(number::strict(word).ok_or(NotStrict)?),
        };
        if let (Some(node), Some(place)) = (self.slot.node, self.slot.place) {
            let is_fraction = matches!(&data, Data::Number(number) if number.is_f64());
            if is_fraction && self.places.keeps_digits(place) {
                if let Some(digits) = digits::written_out(&self.token) {
                    self.token = digits.into_owned();
                }
                self.end_string(tape);
                return Ok(());
            }
            let value = match &data {
                Data::Bool(value) => Value::Bool(*value),
                Data::Number(number) => Value::Number(number.clone()),
                _ => Value::Null,
            };
            let is_final = self.places.is_final(place, kinds_of(&value), || value);
            tape.set(node, data);
            self.end_value(is_final.then_some(node));
        }
        self.end_scalar();
        Ok(())
    }

    /// Ends a value, which is its final `node` or may still change.
    fn end_value(&mut self, node: Option<NodeId>) {
        self.ended = node;
        if node.is_none() {
            self.leave_unsure();
        }
    }
}

/// `value` as strict JSON, without the escapes that are never meant when a model writes them.
pub(crate) fn written(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    // Every value can be written as JSON, and writing to memory does not fail.
    let is_written = value.serialize(&mut Serializer::with_formatter(&mut bytes, CodePoints)).is_ok();
    if is_written { String::from_utf8(bytes).unwrap_or_default() } else { String::new() }
}

/// Writes a backspace and a form feed as code points.
struct CodePoints;

impl Formatter for CodePoints {
    fn write_char_escape<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        match escape {
            CharEscape::Backspace => writer.write_all(b"\\u0008"),
            CharEscape::FormFeed => writer.write_all(b"\\u000c"),
            escape => CompactFormatter.write_char_escape(writer, escape),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backspace_and_a_form_feed_are_code_points() {
        assert_eq!(written(&"a\u{8}\u{c}\n\\b\u{1}"), r#""a\u0008\u000c\n\\b\u0001""#);
    }
}
