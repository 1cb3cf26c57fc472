//! XML as a stream of tags and texts, with limits.

use std::{borrow::Cow, io::Cursor, sync::Arc};

use quick_xml::{
    Reader, XmlVersion,
    escape::resolve_predefined_entity,
    events::{BytesStart, Event},
};

/// Maximum depth of elements. Documents of office programs have some dozens.
const MAX_DEPTH: usize = 256;

/// A part of an archive. Its own entities are refused, so none can expand.
pub(super) struct Xml {
    reader: Reader<Cursor<Arc<[u8]>>>,
    buffer: Vec<u8>,
    depth: usize,
}

/// The next part of the XML.
pub(super) enum XmlToken {
    Start(Tag),
    /// The end of an element, or of the part.
    End,
    Text(String),
}

/// The start of an element.
pub(super) struct Tag(BytesStart<'static>);

impl Tag {
    /// Its name without the prefix.
    pub(super) fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    /// Returns the value of the first attribute with this name, with any prefix.
    pub(super) fn attr(&self, name: &str) -> Option<String> {
        self.find(|key| key.rsplit(':').next() == Some(name))
    }

    /// The value of the attribute with this name and prefix.
    pub(super) fn full_attr(&self, name: &str) -> Option<String> {
        self.find(|key| key == name)
    }

    fn find(&self, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
        // Checking for duplicates takes the square of their number.
        let mut attributes = self.0.attributes();
        let found = attributes.with_checks(false).flatten().find(|one| is_wanted(one.key.into_inner()))?;
        found.normalized_value(XmlVersion::Implicit1_0).ok().map(Cow::into_owned)
    }
}

impl Xml {
    pub(super) fn new(bytes: Vec<u8>) -> Result<Self, String> {
        Ok(Self::shared(utf8(bytes)?.into()))
    }

    /// Reads bytes that are UTF-8 and that others read too.
    pub(super) fn shared(bytes: Arc<[u8]>) -> Self {
        let mut reader = Reader::from_reader(Cursor::new(bytes));
        reader.config_mut().expand_empty_elements = true;
        Self { reader, buffer: Vec::new(), depth: 0 }
    }

    /// The next tag or text. After the end of the part, only ends.
    pub(super) fn next(&mut self) -> Result<XmlToken, String> {
        loop {
            self.buffer.clear();
            let event = self.reader.read_event_into(&mut self.buffer).map_err(|error| wrong(&error))?;
            return Ok(match event {
                Event::Start(tag) => {
                    self.depth += 1;
                    if self.depth > MAX_DEPTH {
                        return Err(format!(
                            "its elements nest deeper than {MAX_DEPTH} levels, the most that is read"
                        ));
                    }
                    XmlToken::Start(Tag(tag.into_owned()))
                }
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    XmlToken::End
                }
                Event::Text(text) => XmlToken::Text(text.xml10_content().into_owned()),
                Event::CData(text) => XmlToken::Text(text.xml10_content().into_owned()),
                Event::GeneralRef(entity) => {
                    let character = entity.resolve_char_ref().map_err(|error| wrong(&error))?;
                    XmlToken::Text(match character {
                        Some(character) => character.into(),
                        None => predefined(&entity.xml10_content())?,
                    })
                }
                Event::DocType(_) => return Err("it declares a document type, which is not read".to_owned()),
                Event::Eof if self.depth > 0 => {
                    return Err("the file is damaged: its XML ends too early".to_owned());
                }
                Event::Eof => XmlToken::End,
                Event::Comment(_) | Event::PI(_) | Event::Decl(_) | Event::Empty(_) => continue,
            });
        }
    }

    /// The number of open elements.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Skips the rest of the element that was started last.
    pub(super) fn skip(&mut self) -> Result<(), String> {
        self.text_to_end(|_| {})
    }

    /// The text in the element that was started last.
    pub(super) fn text(&mut self) -> Result<String, String> {
        let mut all = String::new();
        self.text_to_end(|text| all.push_str(text))?;
        Ok(all)
    }

    fn text_to_end(&mut self, mut found: impl FnMut(&str)) -> Result<(), String> {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside {
            if let XmlToken::Text(text) = self.next()? {
                found(&text);
            }
        }
        Ok(())
    }
}

/// The character of an entity of XML itself.
fn predefined(name: &str) -> Result<String, String> {
    resolve_predefined_entity(name)
        .map(str::to_owned)
        .ok_or_else(|| format!("the entity `{name}`, which XML does not have, is not read"))
}

fn wrong(error: &dyn std::fmt::Display) -> String {
    format!("the file is damaged: {error}")
}

/// The bytes as UTF-8, of which the reader makes strings.
pub(super) fn utf8(bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    let unit: fn([u8; 2]) -> u16 = match bytes.as_slice() {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").map(<[u8]>::to_vec).unwrap_or(bytes);
            return match str::from_utf8(&bytes) {
                Ok(_) => Ok(bytes),
                Err(error) => Err(wrong(&error)),
            };
        }
    };
    let units = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    text.map(String::into_bytes).map_err(|error| wrong(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Result<String, String> {
        let mut xml = Xml::new(text.as_bytes().to_vec())?;
        let mut all = String::new();
        loop {
            match xml.next()? {
                XmlToken::Start(tag) => {
                    all.extend(["<", tag.name(), "=", &format!("{:?}", tag.attr("v")), ">"]);
                }
                XmlToken::Text(text) => all.push_str(&text),
                XmlToken::End if xml.depth() == 0 => return Ok(all),
                XmlToken::End => all.push_str("</>"),
            }
        }
    }

    #[test]
    fn tags_and_texts_come_in_their_order() {
        let text = "\u{feff}<?xml version=\"1.0\"?><w:a x:v='1&amp;2'>b &lt;&#x41;<!-- no --><c/><![CDATA[<d>]]></w:a>";
        assert_eq!(all(text).unwrap(), "<a=Some(\"1&2\")>b <A<c=None></><d>");
    }

    #[test]
    fn entities_never_expand() {
        let laughs = "<!DOCTYPE a [<!ENTITY b \"ha\"><!ENTITY c \"&b;&b;\">]><a>&c;</a>";
        assert_eq!(all(laughs).unwrap_err(), "it declares a document type, which is not read");
        assert!(all("<a>&c;</a>").unwrap_err().contains("the entity `c`"));
    }

    #[test]
    fn depth_is_limited() {
        let deep = |depth| format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
        assert!(all(&deep(MAX_DEPTH)).is_ok());
        assert!(all(&deep(MAX_DEPTH + 1)).unwrap_err().contains("256 levels"));
        assert!(all(&"<a>".repeat(1_000_000)).unwrap_err().contains("256 levels"));
    }

    #[test]
    fn damaged_xml_is_an_error() {
        for text in ["<a>", "<a></b>", "<a", "</a>", "<a>&#x110000;</a>", "<a>&amp</a>"] {
            assert!(all(text).is_err(), "{text}");
        }
        assert!(Xml::new(b"<a>\xff</a>".to_vec()).is_err());
        let wide: Vec<u8> = "\u{feff}<a>é</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(Xml::new(wide).unwrap().next().is_ok());
    }
}
