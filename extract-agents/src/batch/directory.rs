//! Batches as files in a folder.

use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    path::{Path, PathBuf},
};

use extract::agent::{
    AgentError, BatchAgent, BatchFuture, BatchSearch, BatchSink, BatchStatus, LostBatch, Reply, Request,
    WrittenRequest, provider::ProviderFailure,
};

use super::line;
use crate::{
    agent::ProviderAgent,
    profile::{BatchEndpoint, BatchForm},
};

/// Maximum bytes of a line of results.
const LONGEST_LINE: u64 = 16 << 20;

/// The form of the files.
const FORM: BatchForm = BatchForm::Files { endpoint: BatchEndpoint::Versioned };

const REQUESTS: &str = ".jsonl";
const RESULTS: &str = ".results.jsonl";
const CANCELLED: &str = ".cancelled.jsonl";

/// Batches as files in a folder, for servers that read and write files, such as `vllm run-batch`, or
/// for people who carry them.
///
/// A batch is the file `MARK.jsonl`, with one request in each line, in the form of `OpenAI`'s batches.
/// Its results are expected in `MARK.results.jsonl`, in the same form and any order. The batch has
/// ended once that file is there, so it has to be written under another name and renamed. A batch that
/// is cancelled is renamed to `MARK.cancelled.jsonl`.
///
/// ```sh
/// vllm run-batch -i 5d0c….jsonl -o results.tmp --model Qwen/Qwen3-8B && mv results.tmp 5d0c….results.jsonl
/// ```
///
/// The agent says how requests are written and answers are read. It is not asked, and needs no key.
///
/// ```
/// use extract_agents::{DirectoryBatches, OpenAiCompatible};
///
/// let agent = OpenAiCompatible::at("http://127.0.0.1:8000/v1", "Qwen/Qwen3-8B").build()?;
/// let batches = DirectoryBatches::new(agent, std::env::temp_dir().join("batches"))?;
/// # let _ = batches;
/// # Ok::<(), extract::agent::AgentError>(())
/// ```
#[derive(Debug, Clone)]
pub struct DirectoryBatches {
    agent: ProviderAgent,
    folder: PathBuf,
}

impl DirectoryBatches {
    /// Keeps batches in `folder`, which is created if it is missing.
    ///
    /// # Errors
    ///
    /// If the agent speaks neither Chat Completions nor Responses, or the folder cannot be created.
    pub fn new(agent: ProviderAgent, folder: impl AsRef<Path>) -> Result<Self, AgentError> {
        let folder = folder.as_ref().to_owned();
        if line::endpoint(agent.profile.wire).is_none() {
            return Err(AgentError::unavailable(
                "batches in a folder are for servers of Chat Completions or Responses",
            ));
        }
        fs::create_dir_all(&folder).map_err(|error| of_file(&folder, &error))?;
        Ok(Self { agent, folder })
    }

    /// Returns the path of a file, whose name cannot lead out of the folder.
    fn path(&self, mark: &str, ending: &str) -> Result<PathBuf, AgentError> {
        let is_name =
            !mark.is_empty() && mark.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if !is_name {
            return Err(AgentError::refused(format!(
                "`{}` is not the name of a batch",
                mark.escape_default()
            )));
        }
        Ok(self.folder.join(format!("{mark}{ending}")))
    }

    fn write_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let unfinished = path.with_extension("unfinished");
        let mut file = File::create(&unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&unfinished, path)?;
        // On Windows a folder cannot be opened.
        File::open(&self.folder).map_or(Ok(()), |folder| folder.sync_all())
    }
}

fn of_file(path: &Path, error: &io::Error) -> AgentError {
    AgentError::unavailable(format!("{}: {error}", path.display()))
}

impl DirectoryBatches {
    /// Returns whether the batch has a file with this ending.
    fn has(&self, mark: &str, ending: &str) -> Result<bool, AgentError> {
        let path = self.path(mark, ending)?;
        path.try_exists().map_err(|error| of_file(&path, &error))
    }
}

impl BatchAgent for DirectoryBatches {
    fn write(&self, id: &str, request: &Request) -> Result<WrittenRequest, AgentError> {
        line::write(&self.agent, FORM, id, request)
    }

    fn read(&self, request: &Request, sent: &str, answer: &[u8]) -> Result<Reply, AgentError> {
        line::read(&self.agent, FORM, (request, sent), answer)
    }

    fn submit<'a>(&'a self, file: &'a [u8], mark: &'a str) -> BatchFuture<'a, String> {
        Box::pin(async move {
            let path = self.path(mark, REQUESTS)?;
            self.write_file(&path, file).map_err(|error| of_file(&path, &error))?;
            Ok(mark.to_owned())
        })
    }

    fn find<'a>(&'a self, lost: LostBatch<'a>) -> BatchFuture<'a, BatchSearch> {
        Box::pin(async move {
            let is_there = self.has(lost.mark, REQUESTS)? || self.has(lost.mark, CANCELLED)?;
            Ok(if is_there { BatchSearch::Found(lost.mark.to_owned()) } else { BatchSearch::Missing })
        })
    }

    fn status<'a>(&'a self, id: &'a str) -> BatchFuture<'a, BatchStatus> {
        Box::pin(async move {
            let has_ended = self.has(id, RESULTS)? || self.has(id, CANCELLED)?;
            Ok(if has_ended { BatchStatus::Ended } else { BatchStatus::Open })
        })
    }

    fn cancel<'a>(&'a self, id: &'a str) -> BatchFuture<'a, ()> {
        Box::pin(async move {
            let path = self.path(id, REQUESTS)?;
            match fs::rename(&path, self.path(id, CANCELLED)?) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(of_file(&path, &error)),
                _ => Ok(()),
            }
        })
    }

    fn results<'a>(&'a self, id: &'a str, mut sink: BatchSink<'a>) -> BatchFuture<'a, ()> {
        Box::pin(async move {
            let path = self.path(id, RESULTS)?;
            let file = match File::open(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(line::to_error(
                        &self.agent,
                        ProviderFailure::refused("the results are gone"),
                    ));
                }
                file => file.map_err(|error| of_file(&path, &error))?,
            };
            let (mut file, mut text) = (BufReader::new(file), Vec::new());
            loop {
                text.clear();
                let read = (&mut file).take(LONGEST_LINE).read_until(b'\n', &mut text);
                if read.map_err(|error| of_file(&path, &error))? == 0 {
                    return Ok(());
                }
                if text.len() as u64 == LONGEST_LINE {
                    let message = format!("a line of {} is longer than {LONGEST_LINE} bytes", path.display());
                    return Err(AgentError::refused(message));
                }
                if let Some(id) = line::id(FORM, &text) {
                    sink(&id, &text);
                }
            }
        })
    }
}
