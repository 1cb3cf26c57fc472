//! Sheets of OpenDocument, by its version 1.2, part 1.

use std::{collections::HashSet, sync::Arc};

use super::{
    super::{
        archive::Archive,
        xml::{Tag, Xml, XmlToken, utf8},
    },
    cell::{CellValue, NOT_CALCULATED},
    row::{MAX_COLUMNS, MAX_ROWS, RowReader, SheetRow, Workbook},
};

/// A workbook, whose sheets are in one part.
pub(super) struct OpenDocument {
    content: Arc<[u8]>,
    /// Name, and whether it is hidden.
    sheets: Vec<(String, bool)>,
}

impl OpenDocument {
    pub(super) fn open(mut archive: Archive) -> Result<Self, String> {
        let content =
            archive.part("content.xml")?.ok_or("it is neither an Excel nor an OpenDocument workbook")?;
        if archive.part("META-INF/manifest.xml")?.is_some_and(|manifest| is_encrypted(&manifest)) {
            return Err("it has a password; save it without".to_owned());
        }
        let content: Arc<[u8]> = utf8(content)?.into();
        let mut xml = Xml::shared(Arc::clone(&content));
        let (mut sheets, mut hidden, mut style, mut is_workbook) = (Vec::new(), HashSet::new(), None, false);
        loop {
            match xml.next()? {
                XmlToken::Start(tag) => match tag.name() {
                    "spreadsheet" => is_workbook = true,
                    "style" => style = tag.full_attr("style:name"),
                    "table-properties" if tag.full_attr("table:display").as_deref() == Some("false") => {
                        hidden.extend(style.clone());
                    }
                    "table" => {
                        let style = tag.full_attr("table:style-name");
                        let is_hidden = style.is_some_and(|style| hidden.contains(&style));
                        sheets.push((tag.full_attr("table:name").unwrap_or_default(), is_hidden));
                        xml.skip()?;
                    }
                    _ => {}
                },
                XmlToken::End if xml.depth() == 0 => break,
                _ => {}
            }
        }
        if is_workbook { Ok(Self { content, sheets }) } else { Err("it is not a workbook".to_owned()) }
    }
}

fn is_encrypted(manifest: &[u8]) -> bool {
    manifest.windows(15).any(|window| window == b"encryption-data")
}

impl Workbook for OpenDocument {
    fn sheets(&self) -> Vec<(String, bool)> {
        self.sheets.clone()
    }

    fn rows(&mut self, index: usize) -> Result<Box<dyn RowReader>, String> {
        let mut xml = Xml::shared(Arc::clone(&self.content));
        let mut left = index;
        loop {
            match xml.next()? {
                XmlToken::Start(tag) if tag.name() == "table" && left == 0 => break,
                XmlToken::Start(tag) if tag.name() == "table" => {
                    left -= 1;
                    xml.skip()?;
                }
                XmlToken::End if xml.depth() == 0 => return Err("the sheet is not in the file".to_owned()),
                _ => {}
            }
        }
        let outside = xml.depth() - 1;
        Ok(Box::new(OpenDocumentSheetReader { xml, outside, row: 0, repeated: None }))
    }
}

/// Reads the rows of a sheet.
struct OpenDocumentSheetReader {
    xml: Xml,
    /// The depth outside of the sheet.
    outside: usize,
    /// The number of the last row.
    row: u64,
    /// A repeated row, and how many repetitions are left.
    repeated: Option<(SheetRow, u64)>,
}

impl RowReader for OpenDocumentSheetReader {
    fn next_row(&mut self) -> Result<Option<SheetRow>, String> {
        loop {
            if let Some((row, left)) = self.repeated.take() {
                if row.is_empty() {
                    // Thousands of empty rows are at the end of most sheets.
                    self.row = self.row.saturating_add(left);
                } else if left > 0 {
                    self.row += 1;
                    if self.row > MAX_ROWS {
                        return Err(format!("more than {MAX_ROWS} rows, the most that is read"));
                    }
                    let next = SheetRow { number: self.row, ..row.clone() };
                    self.repeated = Some((row, left - 1));
                    return Ok(Some(next));
                }
            }
            if self.xml.depth() <= self.outside {
                return Ok(None);
            }
            match self.xml.next()? {
                XmlToken::Start(tag) if tag.name() == "table-row" => {
                    let count = count(&tag, "table:number-rows-repeated")?;
                    self.repeated = Some((self.cells()?, count));
                }
                // Forms and drawings.
                XmlToken::Start(tag) if matches!(tag.name(), "forms" | "shapes" | "named-expressions") => {
                    self.xml.skip()?;
                }
                _ => {}
            }
        }
    }
}

fn count(tag: &Tag, name: &str) -> Result<u64, String> {
    match tag.full_attr(name) {
        None => Ok(1),
        Some(text) => text.trim().parse().map_err(|_| format!("`{text}` is not a number of repetitions")),
    }
}

impl OpenDocumentSheetReader {
    /// The cells of the row that was started last.
    fn cells(&mut self) -> Result<SheetRow, String> {
        let mut row = SheetRow { number: self.row + 1, cells: Vec::new() };
        let mut column = 0;
        let outside = self.xml.depth() - 1;
        while self.xml.depth() > outside {
            match self.xml.next()? {
                XmlToken::Start(tag) if matches!(tag.name(), "table-cell" | "covered-table-cell") => {
                    let count = count(&tag, "table:number-columns-repeated")?;
                    let count = usize::try_from(count).unwrap_or(usize::MAX).min(MAX_COLUMNS + 1);
                    let cell = self
                        .cell(&tag)
                        .map_err(|error| format!("row {}, column {}: {error}", row.number, column + 1))?;
                    row.push(column, count, cell)?;
                    column = (column + count).min(MAX_COLUMNS + 1);
                }
                _ => {}
            }
        }
        Ok(row)
    }

    /// The value of the cell that was started last.
    fn cell(&mut self, tag: &Tag) -> Result<CellValue, String> {
        let shown = self.paragraphs()?;
        let number = |name: &str| {
            let text = tag.full_attr(name).unwrap_or_default();
            CellValue::number(text.trim()).ok_or_else(|| format!("`{text}` is not a number"))
        };
        Ok(match tag.full_attr("office:value-type").as_deref() {
            // An error is shown, and its value is 0.
            Some("float") if shown.starts_with(['#', 'E']) && shown.contains(['!', '?', '/', ':']) => {
                CellValue::Text(shown)
            }
            Some("float" | "percentage" | "currency") => number("office:value")?,
            Some("date") => CellValue::Text(date(&tag.full_attr("office:date-value").unwrap_or(shown))),
            Some("time") => CellValue::Text(time(&tag.full_attr("office:time-value").unwrap_or(shown))),
            Some("boolean") => {
                CellValue::Bool(tag.full_attr("office:boolean-value").as_deref() == Some("true"))
            }
            Some("string") => CellValue::Text(tag.full_attr("office:string-value").unwrap_or(shown)),
            _ if shown.is_empty() && tag.full_attr("table:formula").is_some() => NOT_CALCULATED,
            _ if shown.is_empty() => CellValue::Empty,
            _ => CellValue::Text(shown),
        })
    }

    /// The text of the element that was started last.
    fn paragraphs(&mut self) -> Result<String, String> {
        let outside = self.xml.depth() - 1;
        let (mut all, mut paragraphs, mut inside) = (String::new(), 0, usize::MAX);
        while self.xml.depth() > outside {
            match self.xml.next()? {
                XmlToken::Start(tag) => match tag.name() {
                    // A comment is about the value.
                    "annotation" => self.xml.skip()?,
                    "p" | "h" => {
                        if paragraphs > 0 {
                            all.push('\n');
                        }
                        paragraphs += 1;
                        inside = self.xml.depth();
                    }
                    "s" => {
                        let spaces = tag.full_attr("text:c").and_then(|text| text.parse().ok()).unwrap_or(1);
                        all.extend(std::iter::repeat_n(' ', spaces.min(MAX_SPACES)));
                    }
                    "tab" => all.push('\t'),
                    "line-break" => all.push('\n'),
                    _ => {}
                },
                XmlToken::Text(text) if self.xml.depth() >= inside => all.push_str(&text),
                XmlToken::End if self.xml.depth() < inside => inside = usize::MAX,
                XmlToken::Text(_) | XmlToken::End => {}
            }
        }
        Ok(all)
    }
}

/// Maximum repeated spaces of one element.
const MAX_SPACES: usize = 1_000;

/// `2026-01-31` without the time of midnight, which some programs write.
fn date(text: &str) -> String {
    let plain = text.trim().strip_suffix("T00:00:00").unwrap_or(text.trim());
    plain.to_owned()
}

/// `13:45:00` for `PT13H45M00S`; anything else as it is.
fn time(text: &str) -> String {
    let parse = |text: &str| {
        let (hours, rest) = text.strip_prefix("PT")?.split_once('H')?;
        let (minutes, rest) = rest.split_once('M')?;
        let seconds = rest.strip_suffix('S')?.split(['.', ',']).next()?;
        let number = |text: &str| text.parse::<u32>().ok();
        Some(format!("{:02}:{:02}:{:02}", number(hours)?, number(minutes)?, number(seconds)?))
    };
    parse(text.trim()).unwrap_or_else(|| text.to_owned())
}
