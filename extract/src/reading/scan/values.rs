//! Puts the values that are shown on the tape.

use super::{
    grammar::{Expected, Open, ScanState, Slot, StringStage},
    guide::{Bracket, Guide, Member, Scalar},
    tape::{Data, Members, NodeId, Tape},
    token::{NotStrict, NumberToken, StringToken, Word},
};

impl<G: Guide> ScanState<G> {
    /// Starts the value whose first byte is `byte`.
    pub(super) fn begin(&mut self, byte: u8, tape: &mut Tape) -> Result<(), NotStrict> {
        match byte {
            b'{' => return self.open(Bracket::Object, tape),
            b'[' => return self.open(Bracket::List, tape),
            b'"' => {
                self.put(Data::Unknown, tape);
                let stage = match self.slot.place.and_then(|place| self.guide.shown_from(place)) {
                    Some(bytes) => StringStage::Short(bytes),
                    None => StringStage::Held,
                };
                self.expected = Expected::InString(StringToken::default(), stage);
            }
            _ => {
                if let Some(number) = NumberToken::of(byte) {
                    self.put(Data::Unknown, tape);
                    self.token.push(char::from(byte));
                    self.expected = Expected::InNumber(number);
                } else {
                    let word = Word::of(byte).ok_or(NotStrict)?;
                    self.put(Data::Unknown, tape);
                    self.expected = Expected::InWord(word);
                }
            }
        }
        Ok(())
    }

    /// Puts a value into its slot. The token, which may be its key, is free afterwards.
    fn put(&mut self, data: Data, tape: &mut Tape) {
        let around = self.open.last().map(|open| (open.bracket, open.node));
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

    fn open(&mut self, bracket: Bracket, tape: &mut Tape) -> Result<(), NotStrict> {
        if self.open.len() >= self.max_depth {
            return Err(NotStrict);
        }
        let place = self.slot.place.filter(|place| self.guide.admits(*place, bracket));
        let data = match (place, bracket) {
            (None, _) => Data::Unknown,
            (_, Bracket::List) => Data::List(Box::default()),
            (_, Bracket::Object) => Data::Object(Members::default()),
        };
        self.put(data, tape);
        let is_unsure = self.slot.place.is_some() && place.is_none();
        let node = self.slot.node.filter(|_| place.is_some());
        self.open.push(Open { bracket, node, place, count: 0, is_unsure });
        match bracket {
            Bracket::List => self.expect_item(Expected::FirstItem),
            Bracket::Object => self.expected = Expected::FirstKey,
        }
        Ok(())
    }

    pub(super) fn close(&mut self, tape: &mut Tape) {
        let Some(closed) = self.open.pop() else { return };
        // An object in which nothing is known may turn out to be something else.
        let is_strange = |node| closed.count > 0 && tape.is_empty_object(node);
        let is_unsure = closed.is_unsure || closed.node.is_some_and(is_strange);
        if let Some(node) = closed.node.filter(|_| !is_unsure) {
            tape.is_done(node);
        }
        self.unsure(is_unsure);
        self.expect_next();
    }

    /// Marks the surrounding value as unsure if `is_unsure`, because the value that ends here may
    /// still change.
    fn unsure(&mut self, is_unsure: bool) {
        if let Some(around) = self.open.last_mut() {
            around.is_unsure |= is_unsure;
        }
    }

    pub(super) fn expect_item(&mut self, expected: Expected) {
        self.expected = expected;
        if let Some(list) = self.open.last_mut() {
            let place = list.place.map(|place| self.guide.item(place, list.count));
            list.count += 1;
            self.slot = Slot { place, node: None };
        }
    }

    fn expect_next(&mut self) {
        self.token.clear();
        self.expected = if self.open.is_empty() { Expected::Nothing } else { Expected::Next };
    }

    pub(super) fn end_key(&mut self, tape: &mut Tape) -> Result<(), NotStrict> {
        let object = self.open.last_mut().ok_or(NotStrict)?;
        if object.node.is_some_and(|node| tape.has_member(node, &self.token)) {
            return Err(NotStrict);
        }
        object.count += 1;
        let member = object.place.map(|place| self.guide.member(place, &self.token));
        object.is_unsure |= member == Some(Member::Unsure);
        if let (Some(Member::Ignored), Some(node)) = (member, object.node) {
            tape.hide_member(node);
        }
        let place = match member {
            Some(Member::At(place)) => Some(place),
            _ => None,
        };
        self.slot = Slot { place, node: None };
        self.expected = Expected::Colon;
        Ok(())
    }

    pub(super) fn end_string(&mut self, stage: StringStage, tape: &mut Tape) {
        if let (Some(node), Some(place)) = (self.slot.node, self.slot.place) {
            if stage != StringStage::Shown {
                tape.begin_string(node, false);
                tape.append(node, &self.token);
            }
            let is_final = self.guide.is_final(place, Scalar::String(tape.string(node)));
            self.end_value(node, is_final);
        }
        self.expect_next();
    }

    pub(super) fn end_scalar(&mut self, data: Data, tape: &mut Tape) {
        if let (Some(node), Some(place)) = (self.slot.node, self.slot.place) {
            let scalar = match &data {
                Data::Bool(value) => Scalar::Bool(*value),
                Data::Number(number) => Scalar::Number(number),
                _ => Scalar::Null,
            };
            let is_final = self.guide.is_final(place, scalar);
            tape.set(node, data);
            self.end_value(node, is_final);
        }
        self.expect_next();
    }

    fn end_value(&mut self, node: NodeId, is_final: bool) {
        self.ended = is_final.then_some(node);
        self.unsure(!is_final);
    }
}
