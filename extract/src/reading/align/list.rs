//! Lists: values that should be wrapped in one, or taken out of one.

use std::borrow::Cow;

use super::{Aligner, Step};
use crate::{
    reading::{
        locate::BOXES,
        node::{Data, Node},
        parse,
        prose::after_bullet,
        receipt::{LIST_OF_IT, Note},
        shape::{Shape, kind},
    },
    vocabulary::change::{ChangeKind, Loss},
};

/// The lines of `text` without their bullets, if each line has the same bullet, equally indented.
fn bulleted(text: &str) -> Option<Vec<String>> {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let first = lines().next()?;
    let item = after_bullet(first.trim_start())?;
    let mark = &first[..first.len() - item.len()];
    let items: Option<Vec<String>> =
        lines().map(|line| line.strip_prefix(mark).map(|item| item.trim().to_owned())).collect();
    // A box to tick says something about its line.
    let is_one = |item: &String| !item.is_empty() && !BOXES.iter().any(|mark| item.starts_with(mark));
    items.filter(|items| items.len() > 1 && items.iter().all(is_one))
}

/// Returns whether `text` can only be one element, and not several, or none.
fn is_one_element(text: &str) -> bool {
    let text = text.trim();
    let means_none = ["none", "null", "n/a", "na", "nil", "-", "[]", "empty", "unknown", "not available"]
        .iter()
        .any(|none| text.eq_ignore_ascii_case(none));
    let may_be_several = |c: char| matches!(c, ',' | ';' | '\n' | '|' | '•' | '、' | '，' | '；' | '،');
    let is_joined =
        [" and ", " or ", " & ", " und ", " et ", " y ", "/"].iter().any(|joint| text.contains(joint));
    let is_counted =
        text.starts_with("1.") && text.contains(" 2.") || text.starts_with("1)") && text.contains(" 2)");
    let has_tags = text.split_whitespace().filter(|word| word.starts_with('#')).count() > 1;
    // A list in a notation that is not read, or that was not read for a reason.
    let is_list = text.starts_with('[') && text.ends_with(']');
    !text.is_empty()
        && !means_none
        && !is_list
        && !is_joined
        && !is_counted
        && !has_tags
        && !text.contains(may_be_several)
}

impl<'a> Aligner<'a> {
    pub(super) fn list(&mut self, items: &mut [Node<'a>], shape: &Shape) -> usize {
        let is_scalar = |item: &Node<'_>| !matches!(item.data, Data::List(_) | Data::Object(_));
        if let Some(row) = shape.items.map(|id| self.shapes.get(id)).filter(|row| row.kinds == kind::LIST) {
            // `[1, 2]` may be one row of a table or two, and `[[1, 2], 3]` may lack a bracket. The same in the rows, and
            // brackets that are too many there.
            let of_row = row.items.map(|id| self.shapes.get(id));
            let is_of_other_depth = |cell: &Node<'_>| match of_row {
                Some(shape) if shape.kinds == kind::LIST => items.len() > 1 && is_scalar(cell),
                Some(shape) => cell.is_list() && !shape.allows(kind::LIST),
                None => false,
            };
            let lacks_bracket = |row: &Node<'_>| items.len() > 1 && is_scalar(row);
            if items.iter().any(|row| lacks_bracket(row) || row.items().iter().any(is_of_other_depth)) {
                return items.len();
            }
        }
        // `[1, , 3]` may lack its second element, or have null there. Between brackets or strings it is taken for a
        // comma too many.
        let may_be_null = shape.items.is_some_and(|id| self.shapes.get(id).allows(kind::NULL));
        let may_lack_one =
            |pair: &[Node<'_>]| pair.iter().all(is_scalar) && pair.iter().any(|item| item.text().is_none());
        for pair in items.windows(2).filter(|pair| may_be_null || may_lack_one(pair)) {
            let between = pair[0].span.end..pair[1].span.start;
            let commas = self.reply.get(between.clone()).unwrap_or_default();
            let commas = commas.split_once(',').and_then(|(_, rest)| rest.rsplit_once(','));
            if commas.is_some_and(|(slots, _)| slots.split(',').any(|slot| slot.trim().is_empty())) {
                self.note_at(None, Note::new(ChangeKind::LeftOver, Loss::Lossy, between), || "");
            }
        }
        let mut misfit = 0;
        for (index, item) in items.iter_mut().enumerate() {
            if let Some(id) = shape.prefix.get(index).copied().or(shape.items) {
                misfit += self.align_at(Step::Index(index), item, id);
            }
        }
        misfit
    }

    /// Wraps a value in a list of one, if it fits there.
    pub(super) fn wrap(&mut self, node: &mut Node<'a>, shape: &Shape) -> bool {
        if shape.kinds != kind::LIST || node.is_null() || shape.prefix.len() > 1 {
            return false;
        }
        let Some(id) = shape.prefix.first().copied().or(shape.items) else { return false };
        if let Data::Text(text) = &node.data
            && self.shapes.get(id).choices.is_none()
        {
            if let Some(lines) = bulleted(text) {
                let items =
                    lines.into_iter().map(|line| Node::new(node.span.clone(), Data::Text(Cow::Owned(line))));
                let list = Node::new(node.span.clone(), Data::List(items.collect()));
                self.note(ChangeKind::Wrapper, Loss::Lossless, node, || "its lines as elements");
                *node = list;
                return true;
            }
            if !is_one_element(text) {
                return false;
            }
        }
        // `false` says that there are none.
        if matches!(node.data, Data::Bool(_)) && !self.shapes.get(id).allows(kind::BOOL) {
            return false;
        }
        if self.path.is_empty() && self.is_prose(node) && self.shapes.get(id).choices.is_none() {
            return false;
        }
        self.try_perfect(node, |aligner, copy| {
            aligner.note(ChangeKind::Wrapper, Loss::Lossless, copy, || LIST_OF_IT);
            let misfit = aligner.align_at(Step::Index(0), copy, id);
            let span = copy.span.clone();
            let item = std::mem::replace(&mut copy.data, Data::Null);
            copy.data = Data::List(vec![Node::new(span, item)]);
            misfit
        })
    }

    /// Returns whether it is unquoted words that nothing marks as an element.
    fn is_prose(&self, node: &Node<'a>) -> bool {
        let text = self.reply.get(node.span.clone()).unwrap_or_default();
        matches!(node.data, Data::Text(_)) && !parse::starts_with_quote(text) && !text.starts_with('\\')
    }

    /// Takes the only element out of its list, if the element fits.
    pub(super) fn unwrap(&mut self, node: &mut Node<'a>, shape: &Shape) -> bool {
        let Data::List(items) = &mut node.data else { return false };
        let [item] = items.as_mut_slice() else { return false };
        // Unless it is an allowed one and stands alone, a word in brackets is a part of a text: `see [DONE]`.
        let is_alone = || !shape.keeps_all(kind::TEXT) && self.reply.trim().len() == node.span.len();
        let is_said = self.path.is_empty() && self.is_prose(item) && !is_alone();
        let is_allowed = shape.allows(super::kind_of(item)) && !is_said;
        if is_allowed {
            let item = std::mem::replace(item, Node::new(0..0, Data::Null));
            self.note(ChangeKind::Wrapper, Loss::Lossless, node, || "its only element");
            *node = item;
        }
        is_allowed
    }
}
