//! Lists.

use super::{
    Context, Parser, TooDeep,
    commas::{Commas, Next},
};
use crate::reading::node::{Data, Node};

impl<'t> Parser<'t> {
    /// The list that starts with the bracket here.
    pub(super) fn list(&mut self) -> Result<Node<'t>, TooDeep> {
        let start = self.at;
        self.enter(b'[')?;
        self.at += 1;
        let mut items = Vec::new();
        let mut commas = Commas::default();
        while let Next::Element(_) = self.next(&mut commas, "]") {
            self.element(&mut commas, |parser| {
                items.extend(parser.value(Context::Item)?);
                Ok(())
            })?;
        }
        self.leave();
        Ok(Node::new(start..self.at, Data::List(items)))
    }
}
