//! The numbers of lists, which are not in the text of a Word file but counted by the program.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
};

use super::super::xml::{Tag, Xml, XmlToken};

/// Levels of a list.
const LEVELS: usize = 9;

/// A paragraph's part in a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ListParagraph {
    /// `0` for none.
    pub(super) list: Option<String>,
    pub(super) level: Option<usize>,
}

impl ListParagraph {
    /// Reads the element that was started last.
    pub(super) fn read(xml: &mut Xml) -> Result<Self, String> {
        let mut item = Self::default();
        let outside = xml.depth() - 1;
        while xml.depth() > outside {
            match xml.next()? {
                XmlToken::Start(tag) if tag.name() == "numId" => item.list = tag.attr("val"),
                XmlToken::Start(tag) if tag.name() == "ilvl" => item.level = number(&tag, "val"),
                _ => {}
            }
        }
        Ok(item)
    }
}

/// The lists of a file, and how far each is counted.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    /// The levels of a kind of list.
    kinds: HashMap<String, BTreeMap<usize, NumberingLevel>>,
    lists: HashMap<String, List>,
    /// The numbers of the last item of a kind of list.
    counted: HashMap<String, [Option<u32>; LEVELS]>,
}

/// How a level is numbered.
#[derive(Debug, Clone)]
struct NumberingLevel {
    start: u32,
    /// `decimal`, `bullet` and so on.
    format: String,
    /// `%1.%2.`
    text: String,
}

impl Default for NumberingLevel {
    fn default() -> Self {
        Self { start: 1, format: "decimal".to_owned(), text: String::new() }
    }
}

/// A list: its kind, and where its levels start if not as the kind says.
#[derive(Debug, Default)]
struct List {
    kind: String,
    starts: BTreeMap<usize, u32>,
    is_begun: bool,
}

impl Numbering {
    pub(super) fn read(mut xml: Xml) -> Result<Self, String> {
        let mut numbering = Self::default();
        loop {
            match xml.next()? {
                XmlToken::Start(tag) if tag.name() == "abstractNum" => {
                    let id = tag.attr("abstractNumId").unwrap_or_default();
                    numbering.kinds.insert(id, levels(&mut xml)?);
                }
                XmlToken::Start(tag) if tag.name() == "num" => {
                    let id = tag.attr("numId").unwrap_or_default();
                    numbering.lists.insert(id, list(&mut xml)?);
                }
                XmlToken::End if xml.depth() == 0 => return Ok(numbering),
                _ => {}
            }
        }
    }

    /// The mark before the next item, such as `-` or `2.1.`; `None` if it has none. The second value
    /// is its level.
    pub(super) fn mark(&mut self, item: &ListParagraph) -> Option<(String, usize)> {
        let list = self.lists.get_mut(item.list.as_deref()?)?;
        let depth = item.level.unwrap_or_default().min(LEVELS - 1);
        let levels = self.kinds.get(&list.kind)?;
        let usual = NumberingLevel::default();
        let level = |depth: usize| levels.get(&depth).unwrap_or(&usual);
        let numbers = self.counted.entry(list.kind.clone()).or_default();
        if !list.is_begun {
            list.is_begun = true;
            // Lists of one kind continue its numbers, unless they say where they start.
            list.starts.keys().for_each(|depth| numbers[*depth] = None);
        }
        let start = |depth: usize| list.starts.get(&depth).copied().unwrap_or(level(depth).start);
        for (above, number) in numbers.iter_mut().enumerate().take(depth) {
            number.get_or_insert(start(above));
        }
        numbers[depth] = Some(numbers[depth].map_or(start(depth), |number| number.saturating_add(1)));
        numbers[depth + 1..].fill(None);
        let own = level(depth);
        match own.format.as_str() {
            "bullet" => Some(("-".to_owned(), depth)),
            "none" => None,
            _ => {
                let mark = written(&own.text, |above| (numbers[above].unwrap_or(1), &level(above).format));
                (!mark.is_empty()).then_some((mark, depth))
            }
        }
    }
}

/// The text of a mark with its numbers: `%1.%2.` becomes `2.1.`.
fn written<'f>(text: &str, number: impl Fn(usize) -> (u32, &'f String)) -> String {
    let mut mark = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        mark.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match rest.bytes().next() {
            Some(digit @ b'1'..=b'9') => {
                let (number, format) = number(usize::from(digit - b'1'));
                mark.push_str(&formatted(number, format));
                rest = &rest[1..];
            }
            _ => mark.push('%'),
        }
    }
    mark.push_str(rest);
    mark.trim().to_owned()
}

fn formatted(number: u32, format: &str) -> String {
    match format {
        "lowerLetter" => letters(number, b'a'),
        "upperLetter" => letters(number, b'A'),
        "lowerRoman" => roman(number).to_lowercase(),
        "upperRoman" => roman(number),
        "decimalZero" => format!("{number:02}"),
        "bullet" | "none" => String::new(),
        _ => number.to_string(),
    }
}

/// `a` to `z`, then `aa`, `bb` and so on.
fn letters(number: u32, first: u8) -> String {
    let Some(before) = number.checked_sub(1).filter(|before| *before < 26 * 30) else {
        return number.to_string();
    };
    let letter = first + u8::try_from(before % 26).unwrap_or_default();
    char::from(letter).to_string().repeat(before as usize / 26 + 1)
}

fn roman(number: u32) -> String {
    if !(1..4_000).contains(&number) {
        return number.to_string();
    }
    let mut left = number;
    let mut all = String::new();
    for (value, letters) in [
        (1_000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ] {
        while left >= value {
            let _ = write!(all, "{letters}");
            left -= value;
        }
    }
    all
}

fn number<N: std::str::FromStr>(tag: &Tag, name: &str) -> Option<N> {
    tag.attr(name)?.trim().parse().ok()
}

/// The levels in the element that was started last.
fn levels(xml: &mut Xml) -> Result<BTreeMap<usize, NumberingLevel>, String> {
    let mut levels = BTreeMap::new();
    let outside = xml.depth() - 1;
    while xml.depth() > outside {
        match xml.next()? {
            XmlToken::Start(tag) if tag.name() == "lvl" => {
                let depth = number(&tag, "ilvl").unwrap_or(LEVELS);
                let level = level(xml)?;
                if depth < LEVELS {
                    levels.insert(depth, level);
                }
            }
            _ => {}
        }
    }
    Ok(levels)
}

fn level(xml: &mut Xml) -> Result<NumberingLevel, String> {
    let mut level = NumberingLevel::default();
    let outside = xml.depth() - 1;
    while xml.depth() > outside {
        let XmlToken::Start(tag) = xml.next()? else { continue };
        match tag.name() {
            "start" => level.start = number(&tag, "val").unwrap_or(1),
            "numFmt" => level.format = tag.attr("val").unwrap_or_default(),
            "lvlText" => level.text = tag.attr("val").unwrap_or_default(),
            _ => {}
        }
    }
    Ok(level)
}

/// The list in the element that was started last.
fn list(xml: &mut Xml) -> Result<List, String> {
    let (mut list, mut depth) = (List::default(), LEVELS);
    let outside = xml.depth() - 1;
    while xml.depth() > outside {
        let XmlToken::Start(tag) = xml.next()? else { continue };
        match tag.name() {
            "abstractNumId" => list.kind = tag.attr("val").unwrap_or_default(),
            "lvlOverride" => depth = number(&tag, "ilvl").unwrap_or(LEVELS),
            "startOverride" if depth < LEVELS => {
                list.starts.insert(depth, number(&tag, "val").unwrap_or(1));
            }
            _ => {}
        }
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_counted_as_the_program_shows_them() {
        let xml = r#"<numbering>
            <abstractNum abstractNumId="7">
              <lvl ilvl="0"><start val="1"/><numFmt val="decimal"/><lvlText val="%1."/></lvl>
              <lvl ilvl="1"><start val="1"/><numFmt val="lowerLetter"/><lvlText val="%1.%2)"/></lvl>
              <lvl ilvl="2"><numFmt val="bullet"/><lvlText val="x"/></lvl>
            </abstractNum>
            <num numId="1"><abstractNumId val="7"/></num>
            <num numId="2"><abstractNumId val="7"/><lvlOverride ilvl="0"><startOverride val="4"/></lvlOverride></num>
            <num numId="3"><abstractNumId val="7"/></num>
            </numbering>"#;
        let mut numbering = Numbering::read(Xml::new(xml.into()).unwrap()).unwrap();
        let mut mark = |list: &str, level| {
            let item = ListParagraph { list: Some(list.to_owned()), level: Some(level) };
            numbering.mark(&item).map(|(mark, _)| mark).unwrap_or_default()
        };
        let marks: Vec<_> = [
            ("1", 0),
            ("1", 1),
            ("1", 1),
            ("1", 2),
            ("1", 0),
            ("1", 1),
            ("3", 0),
            ("2", 0),
            ("2", 0),
            ("9", 0),
        ]
        .map(|(list, level)| mark(list, level))
        .into();
        assert_eq!(marks, ["1.", "1.a)", "1.b)", "-", "2.", "2.a)", "3.", "4.", "5.", ""]);
    }

    #[test]
    fn formats_of_numbers() {
        assert_eq!([1, 26, 27, 28].map(|number| formatted(number, "lowerLetter")), ["a", "z", "aa", "bb"]);
        assert_eq!(
            [4, 1_999, 0, 4_000].map(|number| formatted(number, "upperRoman")),
            ["IV", "MCMXCIX", "0", "4000"]
        );
        assert_eq!(formatted(u32::MAX, "upperLetter"), "4294967295");
    }
}
