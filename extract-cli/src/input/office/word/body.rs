//! Paragraphs, and the elements around them.

use super::{
    super::xml::{Tag, XmlToken},
    file::{BlockReader, Inline, push},
    numbering::ListParagraph,
    styles,
};

/// The properties of a paragraph.
#[derive(Default)]
struct Properties {
    style: Option<String>,
    heading: Option<usize>,
    item: Option<ListParagraph>,
}

impl BlockReader<'_> {
    /// The blocks of the element that was started last, with an empty line between them.
    pub(super) fn blocks(&mut self) -> Result<String, String> {
        let mut text = String::new();
        let mut was_item = false;
        let outside = self.xml.depth() - 1;
        while self.xml.depth() > outside {
            let XmlToken::Start(tag) = self.xml.next()? else { continue };
            match tag.name() {
                "p" => {
                    let (block, is_item) = self.paragraph()?;
                    if is_item && was_item && !block.is_empty() {
                        text.push('\n');
                        text.push_str(&block);
                    } else {
                        push(&mut text, &block);
                    }
                    was_item = if block.is_empty() { was_item } else { is_item };
                }
                "tbl" => {
                    let table = self.table()?;
                    push(&mut text, &table);
                    was_item = false;
                }
                _ => self.other(&tag, &mut text)?,
            }
        }
        Ok(text)
    }

    /// An element between blocks. Unknown elements are searched.
    pub(super) fn other(&mut self, tag: &Tag, text: &mut String) -> Result<(), String> {
        match tag.name() {
            "del" | "moveFrom" => {
                self.file.counts.deletions += 1;
                self.xml.skip()?;
            }
            // Another document, embedded in this one.
            "altChunk" | "subDoc" => {
                self.file.counts.objects += 1;
                push(text, "[embedded document]");
            }
            "tcPr" => self.span = self.cell_span()?,
            "sectPr" | "sdtPr" | "sdtEndPr" | "tblPr" | "tblGrid" | "Fallback" => self.xml.skip()?,
            _ => {}
        }
        Ok(())
    }

    /// The paragraph that was started last, and whether it is part of a list.
    fn paragraph(&mut self) -> Result<(String, bool), String> {
        let mut properties = Properties::default();
        let mut inline = Inline::default();
        let outside = self.xml.depth() - 1;
        while self.xml.depth() > outside {
            match self.xml.next()? {
                XmlToken::Start(tag) if tag.name() == "pPr" => properties = self.properties()?,
                XmlToken::Start(tag) => self.inline(&tag, &mut inline)?,
                XmlToken::Text(_) | XmlToken::End => {}
            }
        }
        let mut line = inline.text.trim_matches([' ', '\n']).to_owned();
        let style = properties.style.as_deref().unwrap_or_default();
        let item = properties.item.map(|item| {
            let of_style = self.file.styles.item(style).unwrap_or_default();
            ListParagraph { list: item.list.or(of_style.list), level: item.level.or(of_style.level) }
        });
        let item = item.or_else(|| self.file.styles.item(style));
        let mark = item.filter(|_| !line.is_empty()).and_then(|item| self.file.numbering.mark(&item));
        let heading =
            properties.heading.or_else(|| self.file.styles.heading(style)).filter(|level| *level > 0);
        let is_item = mark.is_some() && heading.is_none();
        if let (Some((mark, level)), false) = (mark, line.is_empty()) {
            let indent = if heading.is_none() { "  ".repeat(level) } else { String::new() };
            line = format!("{indent}{mark} {line}");
        }
        if let (Some(level), false) = (heading, line.is_empty()) {
            // A heading is one line.
            line = format!("{} {}", "#".repeat(level.min(6)), line.replace('\n', " "));
        }
        for block in inline.boxes {
            push(&mut line, &block);
        }
        self.file.grow(line.len())?;
        Ok((line, is_item))
    }

    fn properties(&mut self) -> Result<Properties, String> {
        let mut properties = Properties::default();
        let outside = self.xml.depth() - 1;
        while self.xml.depth() > outside {
            let XmlToken::Start(tag) = self.xml.next()? else { continue };
            match tag.name() {
                "pStyle" => properties.style = tag.attr("val"),
                "outlineLvl" => properties.heading = styles::outline(&tag),
                "numPr" => properties.item = Some(ListParagraph::read(&mut self.xml)?),
                // Of the mark at the end of the paragraph, and of earlier versions.
                "rPr" | "pPrChange" | "sectPr" => self.xml.skip()?,
                _ => {}
            }
        }
        Ok(properties)
    }
}
