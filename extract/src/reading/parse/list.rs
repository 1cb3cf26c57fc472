//! Lists.

use super::{
    Context, Parser, Unreadable,
    commas::{Commas, Next},
    growth::{fit, push},
};
use crate::{
    reading::{
        node::{Data, Node},
        words::{NOTHING, words},
    },
    vocabulary::change::{ChangeKind, Loss},
};

impl<'t> Parser<'t> {
    /// Parses the list that starts with the bracket here.
    pub(super) fn list(&mut self) -> Result<Node<'t>, Unreadable> {
        let start = self.at;
        self.enter(b'[')?;
        self.bump();
        let mut items = Vec::new();
        let mut commas = Commas::default();
        while let Next::Element(_) = self.next(&mut commas, "]") {
            self.element(&mut commas, |parser| {
                if let Some(item) = parser.value(Context::Item)? {
                    push(&mut items, item);
                    parser.unknown.count_value();
                }
                Ok(())
            })?;
        }
        self.leave();
        if items.is_empty() {
            self.note_elements_in_comments(start);
        }
        fit(&mut items);
        Ok(Node::new(start..self.at, Data::List(items)))
    }

    /// Records that the list from byte `start` on has elements in comments alone. A sentence is none.
    fn note_elements_in_comments(&mut self, start: usize) {
        for note in self.notes.iter_mut().rev().take_while(|note| note.span.start >= start) {
            let text = &self.text[note.span.clone()];
            let is_element = words(text).count() < 3 && !NOTHING.any_in(text);
            if note.kind == ChangeKind::Comment && is_element {
                note.loss = Loss::Lossy;
            }
        }
    }
}
