//! Lists.

use super::{Context, Parser, TooDeep};
use crate::reading::{
    change::{ChangeKind, Loss},
    node::{Data, Node},
};

impl Parser<'_> {
    /// The list that starts with the bracket here.
    pub(super) fn list(&mut self) -> Result<Node, TooDeep> {
        let start = self.at;
        self.enter(b'[')?;
        self.at += 1;
        let mut items = Vec::new();
        self.items(&mut items)?;
        self.leave();
        Ok(Node::new(start..self.at, Data::List(items)))
    }

    fn items(&mut self, items: &mut Vec<Node>) -> Result<(), TooDeep> {
        let mut comma = None;
        let mut needs_comma = false;
        loop {
            self.space();
            let at = self.at;
            match self.peek() {
                None => {
                    self.cut();
                    return Ok(());
                }
                Some(b']') => {
                    self.at += 1;
                    self.trailing(comma);
                    return Ok(());
                }
                Some(b'}') => {
                    self.trailing(comma);
                    self.wrong_bracket(self.objects > 0, "]");
                    return Ok(());
                }
                Some(b',') => {
                    self.at += 1;
                    if needs_comma {
                        comma = Some(at);
                    } else {
                        self.note(ChangeKind::Comma, Loss::Lossless, at..at + 1, "");
                    }
                    needs_comma = false;
                }
                Some(b'`') if self.starts_with("```") => {
                    self.note(ChangeKind::Bracket, Loss::Lossless, at..at, "]");
                    return Ok(());
                }
                Some(b'.' | 0xe2) if self.ellipsis() => needs_comma = false,
                Some(_) => {
                    if needs_comma {
                        self.note(ChangeKind::Comma, Loss::Lossless, at..at, ",");
                    }
                    items.extend(self.value(Context::Item)?);
                    needs_comma = true;
                    comma = None;
                }
            }
        }
    }
}
