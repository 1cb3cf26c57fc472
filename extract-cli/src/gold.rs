//! Checked documents, for the commands that measure by them.

use std::path::{Path, PathBuf};

use extract::{Contract, Violation, agent::Agent};
use extract_gold::{GoldError, GoldSchema, GoldSet, Tolerance, ValueComparer};

use crate::{
    agent,
    cache::{CacheArgs, ReplyCache},
    error::Failure,
    input, output,
};

/// How many values that the schema refuses are named.
const MAX_REFUSED: usize = 5;

/// Checked documents, and how answers are compared with them.
#[derive(Debug, PartialEq, clap::Args)]
pub(crate) struct GoldArgs {
    /// Checked documents: JSON Lines with a `text`, or the `path` of a file with it, and the right `value`
    #[arg(long, value_name = "FILE")]
    gold: PathBuf,

    /// Address of a server that speaks like the providers
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,

    /// Count text as right without regard to case and white space, and dates in another form
    #[arg(long)]
    tolerant: bool,

    /// Documents to ask about at once
    #[arg(long, value_name = "NUMBER", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    concurrent: u16,

    #[command(flatten)]
    pub(crate) cache: CacheArgs,
}

impl GoldArgs {
    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.gold
    }

    /// The file, and those with the texts of its documents.
    pub(crate) fn files(&self, gold: &GoldSet) -> Vec<PathBuf> {
        let folder = self.gold.parent().unwrap_or(Path::new(""));
        let texts = gold.documents().iter().filter_map(|document| document.path.as_ref());
        [self.gold.clone()].into_iter().chain(texts.map(|path| folder.join(path))).collect()
    }

    /// Reads the documents; there is at least one. Without a contract, each has its own schema. A remark
    /// names those whose value the schema refuses.
    pub(crate) fn read(&self, contract: Option<&Contract>) -> Result<GoldSet, Failure> {
        let gold = read(&self.gold).map_err(|error| Failure::usage(error.to_string()))?;
        if gold.is_empty() {
            let message = format!("the file `{}` has no documents", self.gold.display());
            return Err(Failure::usage(message).help(FORM));
        }
        if gold.without_text() > 0 {
            let count = output::counted(gold.without_text() as u64, "document");
            output::remark(format!("{count} of the gold set left out, which are not texts"));
        }
        if gold.replaced() > 0 {
            let count = output::counted(gold.replaced() as u64, "line");
            output::remark(format!("{count} of the gold set replaced by later ones about the same document"));
        }
        if let Some(contract) = contract {
            self.remark_other_schema(&gold, contract);
            self.remark_refused(&gold, |_| contract);
            return Ok(gold);
        }
        let own = gold.contracts().map_err(|error| {
            Failure::usage(format!("`{}`, {error}", self.gold.display()))
                .help("give `--schema FILE`, or each document a `schema`")
        })?;
        self.remark_refused(&gold, |number| &own[number]);
        Ok(gold)
    }

    fn remark_other_schema(&self, gold: &GoldSet, contract: &Contract) {
        let is_other = |schema: &GoldSchema| match schema {
            GoldSchema::Fingerprint(schema) => *schema != contract.fingerprint(),
            GoldSchema::Whole(schema) => schema != contract.schema(),
        };
        let others = gold.documents().iter().enumerate();
        let mut others = others.filter(|(_, document)| document.schema.as_ref().is_some_and(is_other));
        if let Some((first, _)) = others.next() {
            let count = output::counted(others.count() as u64 + 1, "value");
            let (file, line) = (self.gold.display(), gold.line(first).unwrap_or_default());
            output::remark(output::plain(&format!(
                "`{file}`: {count} checked against another schema or another version of it, as of line {line}"
            )));
        }
    }

    fn remark_refused<'c>(&self, gold: &GoldSet, contract: impl Fn(usize) -> &'c Contract) {
        let documents = gold.documents().iter().enumerate();
        let checked = documents.map(|(number, document)| (number, document.violations(contract(number))));
        let refused: Vec<_> = checked.filter(|(_, violations)| !violations.is_empty()).collect();
        let file = self.gold.display();
        for (number, violations) in refused.iter().take(MAX_REFUSED) {
            let line = gold.line(*number).unwrap_or_default();
            let why: Vec<_> = violations.iter().map(Violation::to_string).collect();
            output::remark(output::plain(&format!(
                "`{file}`, line {line}: the schema refuses the value, so no answer is all right: {}",
                why.join("; ")
            )));
        }
        if let Some(more) = refused.len().checked_sub(MAX_REFUSED).filter(|more| *more > 0) {
            let others = output::counted(more as u64, "other value");
            output::remark(format!("`{file}`: the schema refuses {others} too"));
        }
    }

    /// The agent that an option names, with its replies in the cache if there is one.
    pub(crate) fn agent(
        &self,
        option: &str,
        name: &str,
        cache: Option<&ReplyCache>,
    ) -> Result<Box<dyn Agent>, Failure> {
        let limit = std::time::Duration::from_secs(agent::COMMAND_SECONDS);
        let base_url = self.base_url.as_deref();
        let agent = agent::named(option, name, base_url, limit)?;
        Ok(match cache {
            Some(cache) => {
                let address = agent::address::of(name, base_url).unwrap_or_default();
                cache.around(format!("{name} {address}"), agent)
            }
            None => agent,
        })
    }

    /// How values are compared.
    pub(crate) fn comparer(&self, contract: Option<&Contract>) -> ValueComparer {
        let comparer = contract.map_or_else(ValueComparer::new, ValueComparer::of);
        if !self.tolerant {
            return comparer;
        }
        comparer.tolerance(Tolerance::default().case().white_space().dates())
    }

    /// How many documents are asked about at once.
    pub(crate) fn concurrent(&self) -> usize {
        self.concurrent.into()
    }
}

/// Reads a gold set. The text of a document with a `path` is the one that a job reads from that file.
pub(crate) fn read(path: &Path) -> Result<GoldSet, GoldError> {
    GoldSet::read_with(path, |file| Ok(input::text_document(file)?.text().to_owned()))
}

const FORM: &str = r#"each line is a document: {"text": "the text of it", "value": the right value}"#;
