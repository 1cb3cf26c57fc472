//! Counts the documents of a file before the first one is read.

#[cfg(unix)]
use std::os::fd::AsFd as _;
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Seek as _, SeekFrom},
    path::Path,
};

#[cfg(feature = "parquet")]
use super::parquet;
use super::{
    array::ArrayElements,
    columns::Columns,
    csv::{Gauge, Start, start},
    format::Format,
};

/// Returns the number of documents in the file at `path`, or in the standard input; `None` if it is unknown
/// without reading them. A pipe can be read only once, so it is never counted.
pub(super) fn documents(path: Option<&Path>, format: Format, columns: &Columns) -> Option<u64> {
    let mut file = match path {
        // To open a pipe is to wait for its other end.
        Some(path) => path.metadata().ok()?.is_file().then(|| File::open(path))?.ok()?,
        None => stdin()?,
    };
    // The documents in the standard input begin where it is now.
    let start = file.stream_position().ok()?;
    let count = of_file(file.try_clone().ok()?, format, columns);
    file.seek(SeekFrom::Start(start)).ok()?;
    count
}

/// The standard input, if it is a file.
#[cfg(unix)]
fn stdin() -> Option<File> {
    let file = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    file.metadata().ok()?.is_file().then_some(file)
}

#[cfg(not(unix))]
fn stdin() -> Option<File> {
    None
}

fn of_file(file: File, format: Format, columns: &Columns) -> Option<u64> {
    #[cfg(feature = "parquet")]
    if format == Format::Parquet {
        return parquet::count(file);
    }
    let reader = BufReader::with_capacity(1 << 20, file);
    match format {
        Format::Text => Some(1),
        Format::Lines | Format::Jsonl => lines(reader).ok(),
        Format::Json => Some(ArrayElements::new(String::new(), Box::new(reader)).count() as u64),
        Format::Csv => rows(Box::new(reader), None, columns),
        Format::Tsv => rows(Box::new(reader), Some(b'\t'), columns),
        _ => None,
    }
}

/// The number of lines that are not empty.
fn lines(mut reader: impl BufRead) -> io::Result<u64> {
    let (mut count, mut has_text) = (0, false);
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok(count + u64::from(has_text));
        }
        for byte in bytes {
            if *byte == b'\n' {
                count += u64::from(has_text);
                has_text = false;
            } else {
                has_text |= !byte.is_ascii_whitespace();
            }
        }
        let size = bytes.len();
        reader.consume(size);
    }
}

/// The number of rows after the header, as they are read later.
fn rows(reader: Box<dyn BufRead + Send>, delimiter: Option<u8>, columns: &Columns) -> Option<u64> {
    let Start { delimiter, lines, reader } = start(reader, delimiter, columns).ok()?;
    let (reader, read) = Gauge::new(reader, delimiter, lines);
    let mut rows = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(reader);
    let (mut row, mut count) = (csv::ByteRecord::new(), 0);
    while rows.read_byte_record(&mut row).ok()? {
        read.start_row();
        count += 1;
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser as _;

    use crate::input::InputArgs;

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        input: InputArgs,
    }

    #[test]
    fn as_many_are_counted_as_are_read() {
        let path = |ending: &str| {
            std::env::temp_dir().join(format!("extractable-count-{}.{ending}", std::process::id()))
        };
        let cases = [
            ("jsonl", "\n"),
            ("jsonl", "{\"text\": \"a\"}"),
            ("jsonl", "\n{\"text\": \"a\"}\r\n \t\r\nno json\n\n{}\n"),
            ("json", "[{\"text\": \"a\"}]"),
            ("json", " [{\"text\": \"a\"},\n {}, 1, {\"text\" 2}]\n"),
            ("json", "[{\"text\": \"a\"}, {\"text\": \"b\""),
            ("csv", "text"),
            ("csv", "text\n"),
            ("csv", "text,b\n1,2\n\n3\n\"a\nb\",4\n,\n"),
            ("csv", "\u{feff}sep=;\r\ntext;b\r\n\"x;\r\ny\";2\r\n3;4"),
            ("tsv", "text\tb\na\tb\nc\td\n"),
        ];
        for (ending, text) in cases {
            let path = path(ending);
            fs::write(&path, text).unwrap();
            let input = Cli::parse_from(["count", path.to_str().unwrap()]).input;
            let mut documents = input.documents(&crate::destination::Files::of([]), None).unwrap();
            documents.count_records();
            let counted = documents.count;
            assert_eq!(counted, Some(documents.items.count() as u64), "{text:?}");
            fs::remove_file(path).unwrap();
        }
    }

    #[test]
    fn a_quote_that_does_not_end_is_not_counted_in_memory() {
        let path = std::env::temp_dir().join(format!("extractable-open-{}.csv", std::process::id()));
        let mut text = b"text\n\"".to_vec();
        text.resize(70 << 20, b'x');
        fs::write(&path, text).unwrap();
        let input = Cli::parse_from(["count", path.to_str().unwrap()]).input;
        let mut documents = input.documents(&crate::destination::Files::of([]), None).unwrap();
        documents.count_records();
        assert_eq!(documents.count, None);
        fs::remove_file(path).unwrap();
    }
}
