//! Tables.

use super::{super::xml::XmlToken, file::BlockReader};

/// Maximum columns of a table; Word has 63.
const MAX_COLUMNS: usize = 1_000;

/// Adjacent columns that a cell takes.
struct CellSpan {
    text: String,
    columns: usize,
}

impl BlockReader<'_> {
    /// The table that was started last, in Markdown; one with a single cell is a frame around its text.
    pub(super) fn table(&mut self) -> Result<String, String> {
        let mut rows: Vec<Vec<CellSpan>> = Vec::new();
        let outside = self.xml.depth() - 1;
        while self.xml.depth() > outside {
            let XmlToken::Start(tag) = self.xml.next()? else { continue };
            match tag.name() {
                "tr" => {
                    let row = self.row()?;
                    if !row.is_empty() {
                        rows.push(row);
                    }
                }
                "tblPr" | "tblGrid" | "tblPrEx" => self.xml.skip()?,
                _ => {}
            }
        }
        if let [row] = rows.as_mut_slice()
            && let [cell] = row.as_mut_slice()
        {
            return Ok(std::mem::take(&mut cell.text));
        }
        let width = rows.iter().map(|row| row.iter().map(|cell| cell.columns).sum()).max().unwrap_or(0);
        let mut text = String::new();
        for (index, row) in rows.iter().enumerate() {
            let mut line = "|".to_owned();
            let mut columns = 0;
            for cell in row {
                let one_line: Vec<_> = cell.text.split_whitespace().collect();
                line.extend([" ", &one_line.join(" ").replace('|', "\\|"), " |"]);
                line.push_str(&"  |".repeat(cell.columns - 1));
                columns += cell.columns;
            }
            line.push_str(&"  |".repeat(width - columns));
            line.push('\n');
            if index == 0 {
                line.extend(["|", &"---|".repeat(width), "\n"]);
            }
            self.file.grow(line.len())?;
            text.push_str(&line);
        }
        Ok(text)
    }

    /// The cells of the row that was started last; none if it is deleted.
    fn row(&mut self) -> Result<Vec<CellSpan>, String> {
        let (mut cells, mut columns, mut is_deleted) = (Vec::new(), 0, false);
        let outside = self.xml.depth() - 1;
        while self.xml.depth() > outside {
            let XmlToken::Start(tag) = self.xml.next()? else { continue };
            match tag.name() {
                "tc" => {
                    let mut cell = self.cell()?;
                    cell.columns = cell.columns.clamp(1, MAX_COLUMNS);
                    columns += cell.columns;
                    if columns > MAX_COLUMNS {
                        return Err(format!(
                            "a table has more than {MAX_COLUMNS} columns, the most that is read"
                        ));
                    }
                    cells.push(cell);
                }
                "gridBefore" => {
                    let before: usize =
                        tag.attr("val").and_then(|text| text.parse().ok()).unwrap_or_default();
                    for _ in 0..before.min(MAX_COLUMNS - columns.min(MAX_COLUMNS)) {
                        cells.push(CellSpan { text: String::new(), columns: 1 });
                        columns += 1;
                    }
                }
                "del" => is_deleted = true,
                "tblPrEx" => self.xml.skip()?,
                _ => {}
            }
        }
        if is_deleted {
            self.file.counts.deletions += 1;
            cells.clear();
        }
        Ok(cells)
    }

    /// The cell that was started last.
    fn cell(&mut self) -> Result<CellSpan, String> {
        let outer = std::mem::replace(&mut self.span, 1);
        let text = self.blocks()?;
        Ok(CellSpan { text, columns: std::mem::replace(&mut self.span, outer) })
    }

    /// The columns that the properties of a cell give it.
    pub(super) fn cell_span(&mut self) -> Result<usize, String> {
        let mut columns = 1;
        let outside = self.xml.depth() - 1;
        while self.xml.depth() > outside {
            match self.xml.next()? {
                XmlToken::Start(tag) if tag.name() == "gridSpan" => {
                    columns = tag.attr("val").and_then(|text| text.parse().ok()).unwrap_or(1);
                }
                _ => {}
            }
        }
        Ok(columns)
    }
}
