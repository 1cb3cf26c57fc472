//! Word files as text with the marks of Markdown, by ECMA-376, part 1, chapter 17.
//!
//! Headings, lists with their numbers, tables, text boxes, headers, footers, notes and comments are
//! read. Images and the like leave a mark in the text. Deleted and hidden text is counted.

mod body;
mod counts;
mod file;
mod inline;
mod numbering;
mod styles;
mod table;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use self::{
    file::{BlockReader, WordFile, push},
    numbering::Numbering,
    styles::Styles,
};
use super::{
    archive::{Archive, PartRelation},
    reading::Read,
    xml::{Xml, XmlToken},
};

/// The text of a Word file.
pub(super) fn read(bytes: Vec<u8>) -> Result<Read, String> {
    let mut archive = Archive::open(bytes)?;
    let main = archive.main_part()?.ok_or("it is not a Word file in XML, as .docx and .docm are")?;
    let relations = archive.relations(&main)?;
    let mut file = WordFile::default();
    if let Some(xml) = related(&mut archive, &relations, "styles")?.pop() {
        file.styles = Styles::read(xml)?;
    }
    if let Some(xml) = related(&mut archive, &relations, "numbering")?.pop() {
        file.numbering = Numbering::read(xml)?;
    }
    let mut text = String::new();
    file.around(related(&mut archive, &relations, "header")?, "header", &mut text)?;
    let xml = archive.xml(&main)?.ok_or("it has no text")?;
    let Some(body) = file.inside(xml, "document")? else {
        return Err("it is not a Word document".to_owned());
    };
    push(&mut text, &body);
    for (kind, element, mark) in
        [("footnotes", "footnote", "^"), ("endnotes", "endnote", "^e"), ("comments", "comment", "comment ")]
    {
        for xml in related(&mut archive, &relations, kind)? {
            file.notes(xml, element, mark, &mut text)?;
        }
    }
    file.around(related(&mut archive, &relations, "footer")?, "footer", &mut text)?;
    text.push('\n');
    let document = extract_documents::markdown(text).map_err(|error| error.to_string())?;
    Ok(Read { document, remark: file.counts.remark() })
}

impl WordFile {
    /// Returns the text in the element of a part with this name; `None` if there is no such
    /// element.
    fn inside(&mut self, mut xml: Xml, name: &str) -> Result<Option<String>, String> {
        loop {
            match xml.next()? {
                XmlToken::Start(tag) if tag.name() == name => break,
                XmlToken::End if xml.depth() == 0 => return Ok(None),
                _ => {}
            }
        }
        BlockReader { xml, file: self, span: 1 }.blocks().map(Some)
    }

    /// Adds the texts above or below the pages, each once: most sections repeat them.
    fn around(&mut self, parts: Vec<Xml>, what: &str, to: &mut String) -> Result<(), String> {
        let mut texts: Vec<String> = Vec::new();
        for xml in parts {
            let name = if what == "header" { "hdr" } else { "ftr" };
            let text = self.inside(xml, name)?.unwrap_or_default();
            if !text.trim().is_empty() && !texts.contains(&text) {
                push(to, &format!("[{what} of the pages]\n\n{text}"));
                texts.push(text);
            }
        }
        if !texts.is_empty() && what == "header" {
            push(to, "[end of the header]");
        }
        Ok(())
    }

    /// Adds notes or comments, each with the mark of its position in the text.
    fn notes(&mut self, xml: Xml, element: &str, mark: &str, to: &mut String) -> Result<(), String> {
        let mut reader = BlockReader { xml, file: self, span: 1 };
        loop {
            match reader.xml.next()? {
                // Those with a type are the lines between text and notes.
                XmlToken::Start(tag)
                    if tag.name() == element && tag.attr("type").is_none_or(|kind| kind == "normal") =>
                {
                    let id = tag.attr("id").unwrap_or_default();
                    let author = tag.attr("author").map(|author| format!(" by {author}")).unwrap_or_default();
                    let text = reader.blocks()?;
                    push(to, &format!("[{mark}{id}]{author}: {}", text.trim()));
                }
                XmlToken::Start(tag) if tag.name() == element => reader.xml.skip()?,
                XmlToken::End if reader.xml.depth() == 0 => return Ok(()),
                _ => {}
            }
        }
    }
}

/// The parts of one kind that a part refers to, in the order of their names.
fn related(
    archive: &mut Archive,
    relations: &HashMap<String, PartRelation>,
    kind: &str,
) -> Result<Vec<Xml>, String> {
    let mut names: Vec<&str> =
        relations.values().filter(|one| one.kind == kind).map(|one| one.target.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut parts = Vec::new();
    for name in names {
        parts.extend(archive.xml(name)?);
    }
    Ok(parts)
}
