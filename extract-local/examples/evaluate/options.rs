//! The command line.

use std::{error::Error, path::PathBuf};

use crate::{cell::Cell, documents};

pub(crate) const HELP: &str = "\
Measures ways of asking on documents whose right answer is known.

  --documents FILE…   lines of JSON with id, text, instruction, json_schema, gold and perhaps gold_any; those of the repository if absent
  --agent NAME        local, local:0.5b, local:PATH or provider/model; that of the other examples if absent
  --server URL        an OpenAI-compatible server that serves `--agent openai/NAME`, such as http://127.0.0.1:8080/v1/; a key
                      is read from OPENAI_API_KEY, if there is one
  --cells CELL,…      ways of asking, each some words joined by `+` (fitting+absence+auto+schemas+stall=0.7, the defaults of the library):
                        json, types, outline, none or fitting
                                              how the schema is written (json); fitting: as the agent needs it
                        example               shows an example
                        after                 schema and example after the prompt instead of in the system turn
                        free                  a local model writes without the grammar of the schema
                        absence               says what to write for a value that the text does not state
                        auto, continue, fresh or patch
                                              how it is asked again (continue)
                        schemas               quotes the failing parts of the schema in the feedback
                        retry=TEMPERATURE     temperature of all attempts but the first
                        stall=TEMPERATURE     temperature after an attempt that made no progress
                        copied                rejects strings that are neither in the document nor in the schema, for what repairs them
                        quotes                strings are words of the document, which are looked up in it
                        grounded              strings come with the words of the document that show them
                        document              the text stands in a fence after the instruction, as with quotes
                        shots=N, system-shots=N
                                              N worked examples with the same schema from the end of the file, as turns or in
                                              the system turn
                        thoughts              thinks in plain text before the answer
                        null-strings          keeps the strings \"null\", \"None\" and \"none\" where null may stand
                        label=WORD            tells runs of different builds apart
  --limit N           documents of each file, the first ones (all)
  --attempts N        attempts for each document (3)
  --max-tokens N      tokens of a reply beyond which it is cut off (512)
  --memory            asks the same question at temperature 0 once; seconds mean nothing then
  --journal FILE      where every attempt is written, and what is known is read from
  --tables FILE       where the tables are written as well
  --report            prints the tables of what the journal has and asks nothing
";

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) documents: Vec<PathBuf>,
    pub(crate) agent: Option<String>,
    pub(crate) server: Option<String>,
    pub(crate) cells: Vec<Cell>,
    pub(crate) limit: usize,
    pub(crate) attempts: u32,
    pub(crate) max_tokens: u32,
    pub(crate) journal: Option<PathBuf>,
    pub(crate) tables: Option<PathBuf>,
    pub(crate) report_only: bool,
    pub(crate) memory: bool,
}

impl Options {
    /// `None` if help was requested.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Option<Self>, Box<dyn Error>> {
        let mut options = Self {
            documents: Vec::new(),
            agent: None,
            server: None,
            cells: Vec::new(),
            limit: usize::MAX,
            attempts: 3,
            max_tokens: 512,
            journal: None,
            tables: None,
            report_only: false,
            memory: false,
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("`{argument}` needs a value"));
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--documents" => options.documents.push(value()?.into()),
                "--agent" => options.agent = Some(value()?),
                "--server" => options.server = Some(value()?),
                "--tables" => options.tables = Some(value()?.into()),
                "--cells" => {
                    for cell in value()?.split(',').filter(|cell| !cell.is_empty()) {
                        options.cells.push(cell.parse()?);
                    }
                }
                "--limit" => options.limit = value()?.parse()?,
                "--attempts" => options.attempts = value()?.parse()?,
                "--max-tokens" => options.max_tokens = value()?.parse()?,
                "--journal" => options.journal = Some(value()?.into()),
                "--memory" => options.memory = true,
                "--report" => options.report_only = true,
                other if other.starts_with("--") => {
                    return Err(format!("unknown option `{other}`; `--help` lists them").into());
                }
                file => options.documents.push(file.into()),
            }
        }
        if options.documents.is_empty() {
            options.documents = documents::of_repository()?;
        }
        if options.cells.is_empty() {
            options.cells.push(Cell::usual());
        }
        Ok(Some(options))
    }
}
