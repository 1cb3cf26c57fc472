//! Sheets of Excel workbooks, by ECMA-376, part 1, chapter 18.

use std::{collections::HashMap, sync::Arc};

use super::{
    super::{
        archive::{Archive, PartRelation},
        xml::{Tag, Xml, XmlToken},
    },
    calendar::{self, DateForm},
    cell::{CellValue, NOT_CALCULATED},
    number_format,
    row::{MAX_COLUMNS, MAX_ROWS, RowReader, SheetRow, Workbook},
    strings::{SharedStrings, string, unescaped},
};

/// A workbook.
pub(super) struct Excel {
    archive: Archive,
    sheets: Vec<ListedSheet>,
    context: Arc<WorkbookData>,
}

/// A sheet as the workbook lists it.
struct ListedSheet {
    name: String,
    is_hidden: bool,
    part: Option<String>,
}

/// Data shared by the cells of all sheets.
#[derive(Debug, Default)]
struct WorkbookData {
    strings: Arc<SharedStrings>,
    /// How each style shows numbers.
    styles: Vec<Option<DateForm>>,
    is_1904: bool,
}

impl Excel {
    pub(super) fn open(mut archive: Archive, main: &str) -> Result<Self, String> {
        let relations = archive.relations(main)?;
        let mut xml = archive.xml(main)?.ok_or("it has no workbook")?;
        let (mut sheets, mut is_1904, mut is_workbook) = (Vec::new(), false, false);
        loop {
            match xml.next()? {
                XmlToken::Start(tag) => match tag.name() {
                    "workbook" => is_workbook = true,
                    "workbookPr" => is_1904 = tag.attr("date1904").is_some_and(|value| is_true(&value)),
                    "sheet" => sheets.push(listed(&tag, &relations)),
                    _ => {}
                },
                XmlToken::End if xml.depth() == 0 => break,
                _ => {}
            }
        }
        if !is_workbook {
            return Err("it is not an Excel workbook in XML, as .xlsx and .xlsm are".to_owned());
        }
        let mut part = |kind: &str| match relations.values().find(|one| one.kind == kind) {
            Some(one) => archive.xml(&one.target),
            None => Ok(None),
        };
        let strings = part("sharedStrings")?.map(SharedStrings::read).transpose()?.unwrap_or_default().into();
        let styles = part("styles")?.map(styles).transpose()?.unwrap_or_default();
        Ok(Self { archive, sheets, context: Arc::new(WorkbookData { strings, styles, is_1904 }) })
    }
}

impl Workbook for Excel {
    fn sheets(&self) -> Vec<(String, bool)> {
        self.sheets.iter().map(|sheet| (sheet.name.clone(), sheet.is_hidden)).collect()
    }

    fn rows(&mut self, index: usize) -> Result<Box<dyn RowReader>, String> {
        let ListedSheet { name, part, .. } = &self.sheets[index];
        let part = part.as_deref().ok_or_else(|| format!("the sheet `{name}` is not in the file"))?;
        let xml = self.archive.xml(part)?.ok_or_else(|| format!("the sheet `{name}` is not in the file"))?;
        Ok(Box::new(ExcelSheetReader { xml, context: Arc::clone(&self.context), row: 0 }))
    }
}

fn listed(tag: &Tag, relations: &HashMap<String, PartRelation>) -> ListedSheet {
    // Charts are sheets without rows.
    let relation = tag.attr("id").and_then(|id| relations.get(&id));
    let is_chart = relation.is_some_and(|one| one.kind != "worksheet");
    ListedSheet {
        name: tag.attr("name").unwrap_or_default(),
        is_hidden: is_chart || tag.attr("state").is_some_and(|state| state != "visible"),
        part: relation.map(|one| one.target.clone()),
    }
}

fn is_true(value: &str) -> bool {
    matches!(value.trim(), "1" | "true" | "on")
}

/// How each style of the workbook shows numbers.
fn styles(mut xml: Xml) -> Result<Vec<Option<DateForm>>, String> {
    let number = |tag: &Tag, name: &str| tag.attr(name).and_then(|text| text.trim().parse::<u32>().ok());
    let (mut codes, mut ids) = (HashMap::new(), Vec::new());
    loop {
        match xml.next()? {
            XmlToken::Start(tag) if tag.name() == "numFmt" => {
                if let (Some(id), Some(code)) = (number(&tag, "numFmtId"), tag.attr("formatCode")) {
                    codes.insert(id, number_format::custom(&code));
                }
            }
            XmlToken::Start(tag) if tag.name() == "cellXfs" => {
                let outside = xml.depth() - 1;
                while xml.depth() > outside {
                    match xml.next()? {
                        XmlToken::Start(tag) if tag.name() == "xf" => {
                            ids.push(number(&tag, "numFmtId").unwrap_or_default());
                        }
                        _ => {}
                    }
                }
            }
            XmlToken::End if xml.depth() == 0 => break,
            _ => {}
        }
    }
    let shown = |id| codes.get(&id).copied().unwrap_or_else(|| number_format::built_in(id));
    Ok(ids.into_iter().map(shown).collect())
}

/// Reads the rows of a sheet.
struct ExcelSheetReader {
    xml: Xml,
    context: Arc<WorkbookData>,
    /// The number of the last row.
    row: u64,
}

impl RowReader for ExcelSheetReader {
    fn next_row(&mut self) -> Result<Option<SheetRow>, String> {
        loop {
            match self.xml.next()? {
                XmlToken::Start(tag) if tag.name() == "row" => return self.row(&tag).map(Some),
                XmlToken::End if self.xml.depth() == 0 => return Ok(None),
                _ => {}
            }
        }
    }
}

impl ExcelSheetReader {
    fn row(&mut self, tag: &Tag) -> Result<SheetRow, String> {
        let number = match tag.attr("r") {
            None => self.row + 1,
            Some(text) => text.trim().parse().map_err(|_| format!("the row `{text}` is not a number"))?,
        };
        if number <= self.row {
            return Err(format!("the rows are not in their order: {number} follows {}", self.row));
        }
        if number > MAX_ROWS {
            return Err(format!("more than {MAX_ROWS} rows, the most that is read"));
        }
        self.row = number;
        let mut row = SheetRow { number, cells: Vec::new() };
        let mut column = 0;
        let outside = self.xml.depth() - 1;
        while self.xml.depth() > outside {
            match self.xml.next()? {
                XmlToken::Start(tag) if tag.name() == "c" => {
                    if let Some(reference) = tag.attr("r") {
                        column =
                            column_of(&reference).ok_or_else(|| format!("`{reference}` is not a cell"))?;
                    }
                    let cell = self
                        .cell(&tag)
                        .map_err(|error| format!("row {number}, column {}: {error}", column + 1))?;
                    row.push(column, 1, cell)?;
                    column += 1;
                }
                _ => {}
            }
        }
        Ok(row)
    }

    /// The value of the cell that was started last.
    fn cell(&mut self, tag: &Tag) -> Result<CellValue, String> {
        let outside = self.xml.depth() - 1;
        let (mut value, mut inline, mut is_formula) = (None, None, false);
        while self.xml.depth() > outside {
            if let XmlToken::Start(inner) = self.xml.next()? {
                match inner.name() {
                    "v" => value = Some(self.xml.text()?),
                    "is" => inline = Some(string(&mut self.xml)?),
                    "f" => {
                        is_formula = true;
                        self.xml.skip()?;
                    }
                    _ => self.xml.skip()?,
                }
            }
        }
        let kind = tag.attr("t");
        if kind.as_deref() == Some("inlineStr") {
            return Ok(inline.or(value).map_or(CellValue::Empty, CellValue::Text));
        }
        match value {
            None if is_formula => Ok(NOT_CALCULATED),
            None => Ok(inline.map_or(CellValue::Empty, CellValue::Text)),
            Some(value) => self.value(kind.as_deref(), tag.attr("s"), value, is_formula),
        }
    }

    fn value(
        &self,
        kind: Option<&str>,
        style: Option<String>,
        value: String,
        is_formula: bool,
    ) -> Result<CellValue, String> {
        let text = value.trim();
        match kind {
            Some("s") => {
                let strings = &self.context.strings;
                let index = text.parse().ok().filter(|index| strings.get(*index).is_some());
                let index = index.ok_or_else(|| format!("there is no string `{text}` in the workbook"))?;
                Ok(CellValue::Shared(Arc::clone(strings), index))
            }
            Some("str") => Ok(CellValue::Text(unescaped(&value))),
            // As they are shown: `#N/A`, and dates in ISO 8601.
            Some("e" | "d") => Ok(CellValue::Text(value)),
            Some("b") => match text {
                "1" | "true" => Ok(CellValue::Bool(true)),
                "0" | "false" => Ok(CellValue::Bool(false)),
                _ => Err(format!("`{text}` is not a truth value")),
            },
            Some("n") | None if text.is_empty() => {
                Ok(if is_formula { NOT_CALCULATED } else { CellValue::Empty })
            }
            Some("n") | None => self.number(text, style),
            Some(kind) => Err(format!("a value of the kind `{kind}` is not read")),
        }
    }

    fn number(&self, text: &str, style: Option<String>) -> Result<CellValue, String> {
        let cell = CellValue::number(text).ok_or_else(|| format!("`{text}` is not a number"))?;
        let CellValue::Number(number) = cell else { return Ok(cell) };
        let style = style.and_then(|style| style.trim().parse::<usize>().ok()).unwrap_or_default();
        let shown = self.context.styles.get(style).copied().flatten();
        let date = shown.and_then(|shown| calendar::iso(number, shown, self.context.is_1904));
        Ok(date.map_or(CellValue::Number(number), CellValue::Text))
    }
}

/// The column of a cell such as `AB12`, counted from 0.
fn column_of(reference: &str) -> Option<usize> {
    let letters = reference.trim().trim_end_matches(|digit: char| digit.is_ascii_digit());
    if letters.is_empty() || letters.len() > 3 {
        return None;
    }
    let column = letters.bytes().try_fold(0, |column, letter| {
        letter
            .is_ascii_alphabetic()
            .then(|| column * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1)
    })?;
    (column <= MAX_COLUMNS).then(|| column - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_letters() {
        for (reference, column) in [
            ("A1", Some(0)),
            ("z9", Some(25)),
            ("AA10", Some(26)),
            ("XFD1048576", Some(16_383)),
            ("XFE1", None),
            ("AAAA1", None),
            ("12", None),
            ("é1", None),
            ("", None),
        ] {
            assert_eq!(column_of(reference), column, "{reference}");
        }
    }
}
