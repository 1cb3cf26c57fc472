//! `extractable read`: reads the value in a reply, with the receipt.

use std::{
    fs,
    io::{self, Read as _},
    path::PathBuf,
};

use extract::{
    Contract, Violation,
    document::Document,
    reading::{Reading, ReplyEnd},
    settings::Leniency,
};
use serde_json::json;

use crate::{
    error::{Exit, Failure, Outcome},
    input,
    output::{self, Style},
    schema_file::SchemaArgs,
};

/// Maximum bytes of a reply.
const MAX_BYTES: u64 = 8 << 20;

/// Read the reply of a model: the value, what was repaired, what is wrong
///
/// No model is asked. The value is printed only if it conforms; what was changed in reading it and
/// what is wrong with it goes to the standard error. With --json all of it is printed in any case.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ReadArgs {
    #[command(flatten)]
    schema: SchemaArgs,

    /// File with the reply; - or nothing for the standard input
    #[arg(value_name = "REPLY")]
    reply: Option<PathBuf>,

    /// Accept only strict JSON
    #[arg(long, conflicts_with = "lossy")]
    strict: bool,

    /// Accept changes that lose something
    #[arg(long)]
    lossy: bool,

    /// Read the reply as one that was cut, such as by a token limit
    #[arg(long)]
    cut: bool,

    /// Document in which quotes in the value have to be, word for word
    #[arg(long, value_name = "FILE")]
    document: Option<PathBuf>,
}

impl ReadArgs {
    fn reply(&self) -> Result<String, Failure> {
        let (place, bytes) = match self.reply.as_deref() {
            Some(path) if path.as_os_str() != "-" => {
                (format!("`{}`", path.display()), fs::File::open(path).and_then(bounded))
            }
            _ => ("from the standard input".to_owned(), bounded(io::stdin())),
        };
        let bytes =
            bytes.map_err(|error| Failure::usage(format!("the reply {place} cannot be read: {error}")))?;
        String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to() + 1;
            Failure::usage(format!("the reply {place} is not UTF-8 text: byte {at}"))
        })
    }

    fn read(&self, contract: &Contract, reply: &str) -> Reading {
        let leniency = match (self.strict, self.lossy) {
            (true, _) => Leniency::Strict,
            (_, true) => Leniency::Lossy,
            _ => Leniency::Faithful,
        };
        let end = if self.cut { ReplyEnd::Cut } else { ReplyEnd::Unknown };
        contract.reader().leniency(leniency).reply_end(end).read(reply)
    }
}

fn bounded(from: impl io::Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more than the reader accepts, so that it reports an oversized reply.
    from.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub(crate) fn run(args: &ReadArgs, style: Style) -> Outcome {
    let document = args.document.as_deref().map(input::document).transpose()?;
    let contract = args.schema.contract()?.document(&document.unwrap_or_else(|| Document::from_text("")));
    let reply = args.reply()?;
    let reading = args.read(&contract, &reply);
    let violations = violations(&contract, &reading);
    let is_accepted = reading.value.is_some() && violations.iter().all(Violation::is_warning);
    if style.is_json {
        output::compact(&json!({
            "accepted": is_accepted,
            "value": reading.value,
            "changes": reading.changes,
            "violations": violations,
            "truncated": reading.completeness.is_truncated(),
        }))?;
        return Ok(Exit::of(is_accepted));
    }
    for change in &reading.changes {
        style.note(output::change(change));
    }
    for violation in &violations {
        output::note(output::violation(violation));
    }
    match &reading.value {
        Some(value) if is_accepted => output::pretty(value)?,
        Some(value) => {
            let mut value = value.clone();
            contract.redact(&mut value);
            style.note(output::plain(&format!("read, but not accepted: {value}")));
        }
        None => {}
    }
    Ok(Exit::of(is_accepted))
}

/// The violations of the reply and of the value in it.
fn violations(contract: &Contract, reading: &Reading) -> Vec<Violation> {
    let mut violations = reading.violations.clone();
    if let Some(value) = reading.value.as_ref().filter(|_| !reading.completeness.is_truncated()) {
        let of_value = contract.validate(value);
        violations.extend(of_value.into_iter().filter(|violation| !reading.violations.contains(violation)));
    }
    violations
}
