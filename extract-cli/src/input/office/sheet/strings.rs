//! The strings that an Excel workbook stores once.

use super::super::xml::{Xml, XmlToken};

/// All strings one after the other, and where each ends: an empty one is five bytes in a file, and
/// would be many more in memory by itself.
#[derive(Debug, Default, PartialEq)]
pub(super) struct SharedStrings {
    text: String,
    ends: Vec<u32>,
}

impl SharedStrings {
    pub(super) fn read(mut xml: Xml) -> Result<Self, String> {
        let mut strings = Self::default();
        loop {
            match xml.next()? {
                XmlToken::Start(tag) if tag.name() == "si" => {
                    strings.text.push_str(&string(&mut xml)?);
                    let end = u32::try_from(strings.text.len()).map_err(|_| "its strings are too long")?;
                    strings.ends.push(end);
                }
                XmlToken::End if xml.depth() == 0 => return Ok(strings),
                _ => {}
            }
        }
    }

    pub(super) fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)? as usize;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        Some(&self.text[start..end])
    }
}

/// The text of the string element that was started last, without the pronunciation that Japanese
/// Excel adds.
pub(super) fn string(xml: &mut Xml) -> Result<String, String> {
    let outside = xml.depth() - 1;
    let mut all = String::new();
    while xml.depth() > outside {
        match xml.next()? {
            XmlToken::Start(tag) if tag.name() == "rPh" => xml.skip()?,
            XmlToken::Start(tag) if tag.name() == "t" => all.push_str(&xml.text()?),
            _ => {}
        }
    }
    Ok(unescaped(&all))
}

/// The text without the escapes that Excel writes for control characters, such as `_x000D_`.
pub(super) fn unescaped(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        all.push_str(&rest[..at]);
        rest = &rest[at..];
        let character = rest
            .get(2..6)
            .filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()) && rest[6..].starts_with('_'))
            .and_then(|hex| u32::from_str_radix(hex, 16).ok())
            .and_then(char::from_u32);
        if let Some(character) = character {
            all.push(character);
            rest = &rest[7..];
        } else {
            all.push_str("_x");
            rest = &rest[2..];
        }
    }
    all.push_str(rest);
    all.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_read_with_all_their_runs() {
        let xml = "<sst uniqueCount='99999999999999'><si><t>a</t></si><si/><si><r><rPr><b/></rPr><t>b </t></r><r><t>c</t>\
                   </r><rPh sb='0' eb='1'><t>no</t></rPh></si></sst>";
        let strings = SharedStrings::read(Xml::new(xml.into()).unwrap()).unwrap();
        assert_eq!([0, 1, 2, 3].map(|index| strings.get(index)), [Some("a"), Some(""), Some("b c"), None]);
    }

    #[test]
    fn escapes_of_control_characters_are_characters() {
        for (text, plain) in [
            ("a_x000D_\nb", "a\nb"),
            ("_x005F_x000D_", "_x000D_"),
            ("_xyz_ _x00", "_xyz_ _x00"),
            ("_x00é0_", "_x00é0_"),
            ("_xD800_", "_xD800_"),
        ] {
            assert_eq!(unescaped(text), plain);
        }
    }
}
