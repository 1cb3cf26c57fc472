//! Lists.

use super::{
    Context, Parser, Unreadable,
    commas::{Commas, Next},
    growth::{fit, push},
};
use crate::reading::node::{Data, Node};

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
        fit(&mut items);
        Ok(Node::new(start..self.at, Data::List(items)))
    }
}
