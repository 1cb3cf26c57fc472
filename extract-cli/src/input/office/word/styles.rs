//! The styles of paragraphs: which are headings, and which are lists.

use std::collections::HashMap;

use super::{
    super::xml::{Tag, Xml, XmlToken},
    numbering::ListParagraph,
};

/// Styles that are based on each other.
const MAX_BASES: usize = 16;

/// The styles of a file.
#[derive(Debug, Default)]
pub(super) struct Styles(HashMap<String, ParagraphStyle>);

/// Properties of the paragraphs with a style.
#[derive(Debug, Default)]
struct ParagraphStyle {
    /// From 1.
    heading: Option<usize>,
    item: Option<ListParagraph>,
    based_on: Option<String>,
}

impl Styles {
    pub(super) fn read(mut xml: Xml) -> Result<Self, String> {
        let mut styles = HashMap::new();
        loop {
            match xml.next()? {
                XmlToken::Start(tag) if tag.name() == "style" => {
                    let id = tag.attr("styleId").unwrap_or_default();
                    styles.insert(id, style(&mut xml)?);
                }
                XmlToken::End if xml.depth() == 0 => return Ok(Self(styles)),
                _ => {}
            }
        }
    }

    /// The level of a heading with this style.
    pub(super) fn heading(&self, id: &str) -> Option<usize> {
        self.chain(id).find_map(|style| style.heading).filter(|level| *level > 0)
    }

    /// The list that a paragraph with this style is part of.
    pub(super) fn item(&self, id: &str) -> Option<ListParagraph> {
        self.chain(id).find_map(|style| style.item.clone())
    }

    fn chain<'s>(&'s self, id: &str) -> impl Iterator<Item = &'s ParagraphStyle> {
        let base = |style: &&'s ParagraphStyle| self.0.get(style.based_on.as_deref()?);
        std::iter::successors(self.0.get(id), base).take(MAX_BASES)
    }
}

/// The style that was started last.
fn style(xml: &mut Xml) -> Result<ParagraphStyle, String> {
    let mut style = ParagraphStyle::default();
    let outside = xml.depth() - 1;
    while xml.depth() > outside {
        let XmlToken::Start(tag) = xml.next()? else { continue };
        match tag.name() {
            "name" => {
                // Names of headings are the same in every language.
                let name = tag.attr("val").unwrap_or_default().to_ascii_lowercase();
                let level = name.strip_prefix("heading ").and_then(|level| level.parse().ok());
                style.heading = if name == "title" { Some(1) } else { level };
            }
            "outlineLvl" => style.heading = style.heading.or_else(|| outline(&tag)),
            "basedOn" => style.based_on = tag.attr("val"),
            "numPr" => style.item = Some(ListParagraph::read(xml)?),
            _ => {}
        }
    }
    Ok(style)
}

/// The level of a heading; 0 for body text, which overrides the base.
pub(super) fn outline(tag: &Tag) -> Option<usize> {
    let level: usize = tag.attr("val")?.trim().parse().ok()?;
    Some(if level < 9 { level + 1 } else { 0 })
}
