//! Lists and tuples.

use serde_json::Value;

use super::{
    TypesWriter,
    node::NotationNode,
    type_text::{TypeText, bracketed},
};

impl<'s> TypesWriter<'s> {
    pub(super) fn list(&mut self, node: &mut NotationNode<'s>) -> TypeText {
        if let Some(first) = node.list("prefixItems") {
            return self.tuple(first, node);
        }
        let items = node.take("items").map_or_else(|| TypeText::type_("unknown"), |items| self.write(items));
        TypeText::type_(format!("{}[]", items.operand()))
    }

    /// `[A, B?, ...C[]]`: optional elements have a `?`, and three dots precede further ones.
    fn tuple(&mut self, first: &'s [Value], node: &mut NotationNode<'s>) -> TypeText {
        let count =
            |keyword| node.peek(keyword).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let (least, most) = (count("minItems").unwrap_or(0), count("maxItems").unwrap_or(usize::MAX));
        let mut elements = Vec::new();
        for (index, schema) in first.iter().enumerate() {
            let mark = if index < least { "" } else { "?" };
            let text = self.write(schema);
            elements.push(if mark.is_empty() { text.inline() } else { format!("{}{mark}", text.operand()) });
        }
        let more = node.take("items");
        if more != Some(&Value::Bool(false)) && most > first.len() {
            let more = more.map_or_else(|| TypeText::type_("unknown"), |more| self.write(more));
            elements.push(format!("...{}[]", more.operand()));
        }
        // The brackets imply the number of elements.
        if least == first.len() {
            node.take("minItems");
        }
        if most == first.len() {
            node.take("maxItems");
        }
        TypeText::type_(bracketed('[', &elements, ']'))
    }
}
