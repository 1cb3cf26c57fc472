//! Rows of a sheet, and who reads them.

use super::cell::CellValue;

/// Maximum columns of a sheet, as in Excel.
pub(super) const MAX_COLUMNS: usize = 16_384;

/// Maximum rows of a sheet, as in Excel.
pub(super) const MAX_ROWS: u64 = 1_048_576;

/// Sheets that can be read.
pub(super) trait Workbook {
    /// The names of the sheets, and whether they are hidden.
    fn sheets(&self) -> Vec<(String, bool)>;

    /// The rows of the sheet with this index.
    fn rows(&mut self, index: usize) -> Result<Box<dyn RowReader>, String>;
}

/// Reads the rows of one sheet.
pub(super) trait RowReader: Send {
    /// The next row that has cells.
    fn next_row(&mut self) -> Result<Option<SheetRow>, String>;
}

/// The cells of a row that have values, in their order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SheetRow {
    /// Counted from 1.
    pub(super) number: u64,
    pub(super) cells: Vec<CellRun>,
}

/// Neighbours in a row that have the same value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CellRun {
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) cell: CellValue,
}

impl SheetRow {
    pub(super) fn cell(&self, column: usize) -> &CellValue {
        let at = self.cells.partition_point(|run| run.first + run.count <= column);
        self.cells.get(at).filter(|run| run.first <= column).map_or(&CellValue::Empty, |run| &run.cell)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cells.iter().all(|run| run.cell.is_empty())
    }

    /// Adds cells to the right of the others.
    pub(super) fn push(&mut self, first: usize, count: usize, cell: CellValue) -> Result<(), String> {
        if cell == CellValue::Empty || count == 0 {
            return Ok(());
        }
        if self.cells.last().is_some_and(|run| run.first + run.count > first) {
            return Err(format!("the cells of row {} are not in their order", self.number));
        }
        if first + count > MAX_COLUMNS {
            return Err(format!(
                "row {} has more than {MAX_COLUMNS} columns, the most that is read",
                self.number
            ));
        }
        self.cells.push(CellRun { first, count, cell });
        Ok(())
    }
}
