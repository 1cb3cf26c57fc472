//! Sheets of Excel and OpenDocument workbooks: each row a document, with the first row as the header.

mod calendar;
mod cell;
mod excel;
mod number_format;
mod opendocument;
mod row;
mod strings;
#[cfg(test)]
mod tests;

use std::io::Read as _;

use serde_json::Value;

use self::{
    cell::CellValue,
    row::{RowReader, SheetRow, Workbook},
};
use super::{archive::Archive, reading::guarded};
use crate::input::{
    columns::{COLUMN, Columns},
    item::{InputError, InputItem, InputItems},
    size::{MAX_BYTES, too_long},
};

/// Returns the rows of the sheets called `names` as documents; without names, the rows of the only
/// visible sheet with values.
pub(crate) fn items(
    name: &str,
    reader: impl std::io::Read,
    names: &[String],
    columns: &Columns,
) -> InputItems {
    let mut bytes = Vec::new();
    let sheets = match reader.take(MAX_BYTES + 1).read_to_end(&mut bytes) {
        Err(error) => Err(InputError::new(name, error)),
        Ok(size) if size as u64 > MAX_BYTES => Err(InputError::new(name, too_long())),
        Ok(_) => guarded(name, || chosen(workbook(bytes)?, names)),
    };
    let sheets = match sheets {
        Ok(sheets) => sheets,
        Err(error) => return Box::new(std::iter::once(Err(error))),
    };
    let (name, columns) = (name.to_owned(), columns.clone());
    Box::new(sheets.into_iter().flat_map(move |sheet| SheetRows {
        place: format!("{name}:{}", sheet.name),
        sheet: Some(sheet),
        header: None,
        columns: columns.clone(),
    }))
}

/// Opens a workbook without reading its sheets.
fn workbook(bytes: Vec<u8>) -> Result<Box<dyn Workbook>, String> {
    let mut archive = Archive::open(bytes)?;
    Ok(match archive.main_part()? {
        Some(main) => Box::new(excel::Excel::open(archive, &main)?),
        None => Box::new(opendocument::OpenDocument::open(archive)?),
    })
}

/// A sheet to read.
struct Sheet {
    name: String,
    rows: Box<dyn RowReader>,
    /// A row that was read to see whether there is one.
    first: Option<SheetRow>,
}

impl Sheet {
    fn has_values(&mut self) -> Result<bool, String> {
        self.first = self.next_row()?;
        Ok(self.first.is_some())
    }

    /// The next row with a value.
    fn next_row(&mut self) -> Result<Option<SheetRow>, String> {
        if let Some(row) = self.first.take() {
            return Ok(Some(row));
        }
        loop {
            match self.rows.next_row()? {
                Some(row) if row.is_empty() => {}
                found => return Ok(found),
            }
        }
    }
}

/// The sheets to read.
fn chosen(mut workbook: Box<dyn Workbook>, names: &[String]) -> Result<Vec<Sheet>, String> {
    let sheets = workbook.sheets();
    let mut open = |index: usize, name: &str| {
        workbook.rows(index).map(|rows| Sheet { name: name.to_owned(), rows, first: None })
    };
    if !names.is_empty() {
        let index = |wanted: &String| {
            sheets.iter().position(|(name, _)| name == wanted).ok_or_else(|| {
                let all = shown(sheets.iter().map(|(name, _)| name));
                format!("no sheet `{wanted}`, which `--sheet` asks for; there is {all}")
            })
        };
        return names.iter().map(|name| open(index(name)?, name)).collect();
    }
    let mut with_values = Vec::new();
    for (index, (name, is_hidden)) in sheets.iter().enumerate() {
        if *is_hidden {
            continue;
        }
        let mut sheet = open(index, name)?;
        if sheet.has_values()? {
            with_values.push(sheet);
        }
    }
    if with_values.len() > 1 {
        return Err(format!(
            "several sheets have values; name those to read with `--sheet`: {}",
            shown(with_values.iter().map(|sheet| &sheet.name))
        ));
    }
    Ok(with_values)
}

fn shown<'s>(names: impl Iterator<Item = &'s String>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The rows of a sheet as documents.
struct SheetRows {
    /// `book.xlsx:Sheet`
    place: String,
    /// `None` after the end, or after an error.
    sheet: Option<Sheet>,
    header: Option<Vec<String>>,
    columns: Columns,
}

impl Iterator for SheetRows {
    type Item = Result<InputItem, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let sheet = self.sheet.as_mut()?;
            let row = match guarded(&self.place, || sheet.next_row()) {
                Ok(Some(row)) => row,
                Ok(None) => {
                    self.sheet = None;
                    return None;
                }
                Err(error) => {
                    self.sheet = None;
                    return Some(Err(error));
                }
            };
            let Some(header) = &self.header else {
                self.header = Some(header(&row));
                continue;
            };
            let item = item(&format!("{}:{}", self.place, row.number), &row, header, &self.columns);
            if item.as_ref().is_err_and(|error| error.is_about_input) {
                self.sheet = None;
            }
            return Some(item);
        }
    }
}

/// The names of the columns.
fn header(row: &SheetRow) -> Vec<String> {
    let end = row.cells.last().map_or(0, |run| run.first + run.count);
    let mut names = vec![String::new(); end];
    for run in &row.cells {
        let name = run.cell.text().trim().to_owned();
        names[run.first..run.first + run.count].fill(name);
    }
    names
}

fn item(place: &str, row: &SheetRow, header: &[String], columns: &Columns) -> Result<InputItem, InputError> {
    let cell = |name: &str| Some(row.cell(header.iter().position(|column| column == name)?));
    for name in columns.names() {
        let Some(cell) = cell(name) else { continue };
        if let CellValue::Unknown(why) = cell {
            return Err(InputError::new(place, format!("the cell in `{name}` {why}")));
        }
        if cell.text().len() as u64 > MAX_BYTES {
            return Err(InputError::new(place, format!("the cell in `{name}` is {}", too_long())));
        }
    }
    // The text of a document may be a number; the rest keeps its type.
    let part = |name: &str| {
        let cell = cell(name)?;
        let is_text = columns.names().next() == Some(name);
        Some(if is_text { Value::String(cell.text().into_owned()) } else { cell.value() })
    };
    let names = || header.iter().filter(|name| !name.is_empty()).cloned().collect();
    columns.item(place, COLUMN, part, names)
}
