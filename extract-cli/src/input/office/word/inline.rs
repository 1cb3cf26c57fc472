//! Content of a paragraph.

use super::{
    super::xml::{Tag, XmlToken},
    file::{BlockReader, Inline},
};

impl BlockReader<'_> {
    /// An element in a paragraph. Unknown elements are searched for text.
    pub(super) fn inline(&mut self, tag: &Tag, to: &mut Inline) -> Result<(), String> {
        match tag.name() {
            "r" => self.run(to)?,
            "txbxContent" => {
                let text = self.blocks()?;
                to.boxes.push(text);
            }
            "AlternateContent" => self.alternative(to)?,
            "del" | "moveFrom" => {
                self.file.counts.deletions += 1;
                self.xml.skip()?;
            }
            "drawing" | "pict" | "object" => self.drawing(tag.name(), to)?,
            "sdtPr" | "sdtEndPr" | "Fallback" | "delText" | "instrText" | "rPr" | "rt" => self.xml.skip()?,
            "num" | "den" | "sup" | "sub" | "deg" => self.formula(tag.name(), to)?,
            "t" => to.text.push_str(&self.xml.text()?),
            "tab" | "ptab" => to.text.push('\t'),
            "br" | "cr" => to.text.push('\n'),
            "noBreakHyphen" => to.text.push('\u{2011}'),
            "sym" => to.text.push_str(&symbol(tag)),
            "footnoteReference" => to.refer("^", tag),
            "endnoteReference" => to.refer("^e", tag),
            "commentReference" => to.refer("comment ", tag),
            "ffData" => to.text.push_str(&self.form_field()?),
            _ => {}
        }
        Ok(())
    }

    /// A stretch of text in one format.
    fn run(&mut self, to: &mut Inline) -> Result<(), String> {
        let mut inner = Inline::default();
        let mut format = InlineFormat::default();
        let outside = self.xml.depth() - 1;
        while self.xml.depth() > outside {
            match self.xml.next()? {
                XmlToken::Start(tag) if tag.name() == "rPr" => format = self.format()?,
                XmlToken::Start(tag) => self.inline(&tag, &mut inner)?,
                XmlToken::Text(_) | XmlToken::End => {}
            }
        }
        to.boxes.append(&mut inner.boxes);
        if format.is_raised {
            inner.text = raised(&inner.text);
        }
        if format.is_hidden && !inner.text.is_empty() {
            self.file.counts.hidden += 1;
        } else if format.is_struck && !inner.text.trim().is_empty() {
            // A price that is struck out is not the price.
            match to.text.strip_suffix("~~").map(str::len) {
                Some(end) => to.text.truncate(end),
                None => to.text.push_str("~~"),
            }
            to.text.push_str(&inner.text);
            to.text.push_str("~~");
        } else {
            to.text.push_str(&inner.text);
        }
        Ok(())
    }

    /// The format that was started last.
    fn format(&mut self) -> Result<InlineFormat, String> {
        let mut format = InlineFormat::default();
        let outside = self.xml.depth() - 1;
        while self.xml.depth() > outside {
            let XmlToken::Start(tag) = self.xml.next()? else { continue };
            match tag.name() {
                "vanish" => format.is_hidden = is_on(&tag),
                "strike" | "dstrike" => format.is_struck |= is_on(&tag),
                "vertAlign" => format.is_raised = tag.attr("val").as_deref() == Some("superscript"),
                // The format of an earlier version.
                "rPrChange" => self.xml.skip()?,
                _ => {}
            }
        }
        Ok(format)
    }

    /// A part of a formula, which is written on one line: `(a + b)/2`.
    fn formula(&mut self, part: &str, to: &mut Inline) -> Result<(), String> {
        let mut inner = Inline::default();
        let outside = self.xml.depth() - 1;
        while self.xml.depth() > outside {
            if let XmlToken::Start(tag) = self.xml.next()? {
                self.inline(&tag, &mut inner)?;
            }
        }
        to.boxes.append(&mut inner.boxes);
        let text = inner.text;
        if text.is_empty() {
            return Ok(());
        }
        to.text.push_str(match part {
            "den" => "/",
            "sup" => "^",
            "sub" => "_",
            _ => "",
        });
        let is_one = text.chars().all(char::is_alphanumeric);
        let (open, close) = if is_one { ("", "") } else { ("(", ")") };
        to.text.extend([open, &text, close]);
        Ok(())
    }

    /// The same content in several forms, of which the first counts.
    fn alternative(&mut self, to: &mut Inline) -> Result<(), String> {
        let mut has_choice = false;
        let outside = self.xml.depth() - 1;
        while self.xml.depth() > outside {
            let XmlToken::Start(tag) = self.xml.next()? else { continue };
            match tag.name() {
                "Choice" | "Fallback" if has_choice => self.xml.skip()?,
                "Choice" | "Fallback" => {
                    has_choice = true;
                    let outside = self.xml.depth() - 1;
                    while self.xml.depth() > outside {
                        if let XmlToken::Start(tag) = self.xml.next()? {
                            self.inline(&tag, to)?;
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// An image, a chart, an object, or a box with text.
    fn drawing(&mut self, kind: &str, to: &mut Inline) -> Result<(), String> {
        let (mut name, mut what) = (String::new(), (kind == "object").then_some("object"));
        let outside = self.xml.depth() - 1;
        while self.xml.depth() > outside {
            let XmlToken::Start(tag) = self.xml.next()? else { continue };
            match tag.name() {
                "docPr" => name = tag.attr("descr").unwrap_or_default(),
                "shape" if name.is_empty() => name = tag.attr("alt").unwrap_or_default(),
                "blip" | "imagedata" => what = what.or(Some("image")),
                "chart" => what = Some("chart"),
                "relIds" => what = Some("diagram"),
                "txbxContent" | "AlternateContent" => self.inline(&tag, to)?,
                // Text as a picture, in a drawing of the old kind.
                "textpath" => to.text.push_str(&tag.attr("string").unwrap_or_default()),
                _ => {}
            }
        }
        let Some(what) = what else { return Ok(()) };
        match what {
            "image" => self.file.counts.images += 1,
            "chart" => self.file.counts.charts += 1,
            _ => self.file.counts.objects += 1,
        }
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let colon = if name.is_empty() { "" } else { ": " };
        to.text.extend(["[", what, colon, &name, "]"]);
        Ok(())
    }

    /// A box to tick, or a list to choose from, whose value is not in the text.
    fn form_field(&mut self) -> Result<String, String> {
        let (mut checked, mut is_box, mut chosen, mut entries) = (None, false, 0_usize, Vec::new());
        let outside = self.xml.depth() - 1;
        while self.xml.depth() > outside {
            let XmlToken::Start(tag) = self.xml.next()? else { continue };
            match tag.name() {
                "checkBox" => is_box = true,
                "checked" => checked = Some(is_on(&tag)),
                "default" if is_box => checked = checked.or_else(|| Some(is_on(&tag))),
                "result" => chosen = tag.attr("val").and_then(|text| text.parse().ok()).unwrap_or_default(),
                "listEntry" => entries.push(tag.attr("val").unwrap_or_default()),
                _ => {}
            }
        }
        if is_box {
            return Ok(if checked == Some(true) { "[x]" } else { "[ ]" }.to_owned());
        }
        Ok(entries.into_iter().nth(chosen).unwrap_or_default())
    }
}

/// Formatting that changes the meaning of a text.
#[derive(Default)]
struct InlineFormat {
    is_hidden: bool,
    is_struck: bool,
    is_raised: bool,
}

/// Digits as superscripts, because `10` with a raised `6` is not 106. Other text stays, as in `1st`.
fn raised(text: &str) -> String {
    let digit = |c: char| {
        Some(match c {
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            '0' | '4'..='9' => char::from_u32(0x2070 + c.to_digit(10)?)?,
            '-' | '\u{2212}' => '⁻',
            '+' => '⁺',
            _ => return None,
        })
    };
    text.chars().map(digit).collect::<Option<String>>().unwrap_or_else(|| text.to_owned())
}

/// Returns whether a property is set, with or without a value.
fn is_on(tag: &Tag) -> bool {
    !matches!(tag.attr("val").as_deref(), Some("0" | "false" | "off"))
}

/// A character of a symbol font. Characters of fonts with their own letters are unknown.
fn symbol(tag: &Tag) -> String {
    let code = tag.attr("char").unwrap_or_default();
    let font = tag.attr("font").unwrap_or_default();
    let number = u32::from_str_radix(code.trim(), 16).unwrap_or_default();
    match (font.as_str(), number & 0xff) {
        ("Wingdings", 0xfe | 0x78) => "☒".to_owned(),
        ("Wingdings", 0xfc) => "✓".to_owned(),
        ("Wingdings", 0x6f | 0xa8) => "☐".to_owned(),
        _ => match char::from_u32(number).filter(|_| !(0xe000..0xf900).contains(&number)) {
            Some(character) if number >= 0x20 => character.into(),
            _ => format!("[symbol {code} of {font}]"),
        },
    }
}
