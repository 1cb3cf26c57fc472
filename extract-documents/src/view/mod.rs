//! Renders a document and the values found in it as one HTML file.

mod controls;
mod escape;
mod fields;
mod items;
mod lines;
mod page;
mod policy;
mod rows;
mod segments;
mod states;
mod tables;
#[cfg(test)]
mod tests;
mod text;
mod words;

use std::{any, fmt, iter, ops::Range, sync::OnceLock};

use extract::{
    LeftOutItem, Path, Violation,
    document::{Document, Span},
    metrics::{Confidences, ExtractionMetrics, Statement},
    reading::Change,
};
use serde::Serialize;
use serde_json::Value;

/// Values with their locations; the first value is the one that was kept.
type Statements = Vec<(Value, Vec<Span>)>;

/// A page with a document and the values found in it, created by [`view`].
///
/// The page is rendered once, on first use: [`html`](Self::html), `AsRef<[u8]>` (so
/// `std::fs::write` takes it), and `Display`. Its size is linear in the text and the value, about
/// one byte for each byte of the text and 250 bytes for each value.
///
/// The file contains the whole text and the whole value in clear, including fields marked as
/// sensitive. Everything is escaped, and the page's own policy lets a browser run and load nothing
/// but the page's own style and script.
#[derive(Clone)]
pub struct View {
    document: Document,
    title: String,
    /// Further facts in the header, each with its name.
    facts: Vec<(String, String)>,
    /// The value, or why it could not be serialized.
    value: Result<Value, String>,
    mentions: Vec<(Path, Vec<Span>)>,
    conflicts: Vec<(Path, Statements)>,
    gaps: Vec<(Range<usize>, String)>,
    changes: Vec<Change>,
    left_out: Vec<LeftOutItem>,
    violations: Vec<Violation>,
    warnings: Vec<Violation>,
    confidences: Confidences,
    summary: Option<String>,
    html: OnceLock<String>,
}

/// Creates a page with `document` and `found`, a value extracted from it.
///
/// A browser shows it without a network or a server: the text with a mark at each quote, and a
/// table of the values, grouped by the items of lists. A location in the table links to its mark,
/// and a mark to its row. The values can be filtered by field and by state (empty, in conflict,
/// changed, without a place), and with JavaScript, the text and the values can be searched.
///
/// ```
/// use extract::document::Document;
///
/// let document = Document::from_text("Aspirin 5 mg daily, for pain.");
/// let quote = document.find("aspirin").unwrap()[0];
/// let words = &document.text()[quote.span().range()];
/// // As `Grounded<String>` is serialized.
/// let found = serde_json::json!([{
///     "name": {"value": "aspirin", "quote": {"words": words, "span": quote.span()}},
///     "dose_mg": 5,
/// }]);
///
/// let view = extract_documents::view(&document, &found).title("Prescription 12");
/// assert!(view.html().contains("<a href=#r0 class=\"f0\" id=m0>Aspirin</a> 5 mg"));
/// # let path = std::env::temp_dir().join(format!("extract-view-{}.html", std::process::id()));
/// std::fs::write(&path, view)?;
/// # std::fs::remove_file(path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// If the value cannot be serialized to JSON, such as a map with a struct as key, the page says so
/// instead of showing the values. [`View::of`] and [`View::value`] return the error instead.
pub fn view<T: Serialize + ?Sized>(document: &Document, found: &T) -> View {
    let value = serde_json::to_value(found).map_err(|error| error.to_string());
    View { value, ..View::of(document) }.typed::<T>()
}

impl View {
    /// Creates a page with a document and no value yet.
    ///
    /// ```
    /// use extract::document::Document;
    /// use extract_documents::View;
    ///
    /// let document = Document::from_text("Two apples.");
    /// let view = View::of(&document).value(&2)?.title("Apples");
    /// assert!(view.html().contains("<title>Apples</title>"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn of(document: &Document) -> Self {
        Self {
            document: document.clone(),
            title: "Values and their places".to_owned(),
            facts: Vec::new(),
            value: Ok(Value::Array(Vec::new())),
            mentions: Vec::new(),
            conflicts: Vec::new(),
            gaps: Vec::new(),
            changes: Vec::new(),
            left_out: Vec::new(),
            violations: Vec::new(),
            warnings: Vec::new(),
            confidences: Confidences::default(),
            summary: None,
            html: OnceLock::new(),
        }
    }

    fn change(mut self, change: impl FnOnce(&mut Self)) -> Self {
        self.html = OnceLock::new();
        change(&mut self);
        self
    }

    /// Sets the extracted value. Each [`Quote`](extract::document::Quote) in it is marked in the
    /// text, with one colour per field.
    ///
    /// # Errors
    ///
    /// If the value cannot be serialized to JSON.
    pub fn value<T: Serialize + ?Sized>(self, found: &T) -> Result<Self, serde_json::Error> {
        let value = serde_json::to_value(found)?;
        Ok(self.change(|view| view.value = Ok(value)).typed::<T>())
    }

    /// Says in the header what type the value has, unless it is JSON.
    fn typed<T: ?Sized>(self) -> Self {
        match type_name(any::type_name::<T>()) {
            Some(name) => self.about("type", name),
            None => self,
        }
    }

    /// Sets the title, such as the name of the document.
    pub fn title(self, title: impl Into<String>) -> Self {
        self.change(|view| view.title = title.into())
    }

    /// Adds a fact to the header, such as the date of the extraction, or replaces the fact of the
    /// same name. The `type` of the value and the `agent` are always there, if known.
    ///
    /// ```
    /// use extract::document::Document;
    ///
    /// let view = extract_documents::view(&Document::from_text("Two apples."), &2).about("date", "2026-03-05");
    /// assert!(view.html().contains("<dt>date<dd><bdi>2026-03-05</bdi>"));
    /// ```
    pub fn about(self, name: impl Into<String>, text: impl Into<String>) -> Self {
        let (name, text) = (name.into(), text.into());
        self.change(|view| match view.facts.iter_mut().find(|(known, _)| *known == name) {
            Some(fact) => fact.1 = text,
            None => view.facts.push((name, text)),
        })
    }

    /// Adds reasons why the value is not acceptable, such as the violations of the last attempt of
    /// a failed extraction.
    pub fn violations<'v>(self, violations: impl IntoIterator<Item = &'v Violation>) -> Self {
        self.change(|view| view.violations.extend(violations.into_iter().cloned()))
    }

    /// Adds the metrics of the extraction: conflicts, further locations, gaps, omitted items,
    /// warnings, repairs, and usage. The header names the agents that replied, with their models. If
    /// the [confidence](extract::Extraction::confidence) was measured, each value has it, the less
    /// sure ones are shaded, and a list has the least sure first.
    pub fn metrics(self, metrics: &ExtractionMetrics) -> Self {
        let agents = agents(metrics);
        let view = if agents.is_empty() { self } else { self.about("agent", agents) };
        view.change(|view| {
            let stated = |one: &Statement| (one.value.clone(), one.spans.clone());
            view.conflicts.extend(metrics.conflicts.iter().map(|conflict| {
                let statements = iter::once(&conflict.kept).chain(&conflict.others).map(stated);
                (conflict.path.clone(), statements.collect())
            }));
            let mentions = metrics.mentions.iter();
            view.mentions.extend(mentions.map(|mentions| (mentions.path.clone(), mentions.spans.clone())));
            view.gaps.extend(metrics.gaps.iter().map(|gap| (gap.range.clone(), gap.message.clone())));
            view.changes.clone_from(&metrics.changes);
            view.left_out.clone_from(&metrics.left_out);
            view.warnings.clone_from(&metrics.warnings);
            view.confidences.clone_from(&metrics.confidences);
            view.summary = Some(metrics.to_string());
        })
    }

    /// Adds locations of the value at `path`, for example if it was found several times.
    ///
    /// ```
    /// use extract::{Path, document::Document};
    ///
    /// let document = Document::from_text("Ann met Bob. Ann left.");
    /// let spans = document.find("Ann").unwrap().iter().map(|found| found.span()).collect::<Vec<_>>();
    /// let view = extract_documents::view(&document, &["Ann"]).places(Path::root().index(0), spans);
    /// assert!(view.html().contains(">1:1</a> <a href=#m1>1:14</a>"));
    /// ```
    pub fn places(self, path: Path, spans: impl IntoIterator<Item = Span>) -> Self {
        self.change(|view| view.mentions.push((path, spans.into_iter().collect())))
    }

    /// Adds a value for which the document has several statements, each with its locations. The
    /// first statement is the one that was kept.
    ///
    /// ```
    /// use extract::{Path, document::Document};
    /// use serde_json::json;
    ///
    /// let document = Document::from_text("5 mg at first. Then 10 mg.");
    /// let statement = |value, words| (json!(value), vec![document.find(words).unwrap()[0].span()]);
    /// let statements = [statement(10, "10 mg"), statement(5, "5 mg")];
    /// let view = extract_documents::view(&document, &json!({"dose": 10})).conflict(Path::root().key("dose"), statements);
    /// assert!(view.html().contains("<small>not kept</small>"));
    /// ```
    pub fn conflict(self, path: Path, statements: impl IntoIterator<Item = (Value, Vec<Span>)>) -> Self {
        self.change(|view| view.conflicts.push((path, statements.into_iter().collect())))
    }

    /// Adds bytes of the text that were not covered, in addition to those of the
    /// [metrics](Self::metrics).
    pub fn gaps(self, gaps: impl IntoIterator<Item = Range<usize>>) -> Self {
        self.change(|view| view.gaps.extend(gaps.into_iter().map(|gap| (gap, String::new()))))
    }

    /// Returns the rendered page.
    pub fn html(&self) -> &str {
        self.html.get_or_init(|| page::page(self))
    }
}

/// The name of a type without the paths of modules; `None` for JSON values and types without a name
/// of their own.
fn type_name(path: &str) -> Option<String> {
    let mut name = String::new();
    for part in path.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
        name.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    let is_named = name.contains(char::is_uppercase) && !path.contains("serde_json::") && !path.contains('{');
    is_named.then_some(name)
}

/// The agents that replied, each with its model.
fn agents(metrics: &ExtractionMetrics) -> String {
    let mut all: Vec<String> = Vec::new();
    for used in &metrics.per_model {
        let name = match used.model.as_deref().filter(|model| !used.agent.contains(model)) {
            Some(model) if used.agent.is_empty() => model.to_owned(),
            Some(model) => format!("{} ({model})", used.agent),
            None => used.agent.clone(),
        };
        if !name.is_empty() && !all.contains(&name) {
            all.push(name);
        }
    }
    all.join(", ")
}

impl AsRef<str> for View {
    fn as_ref(&self) -> &str {
        self.html()
    }
}

impl AsRef<[u8]> for View {
    fn as_ref(&self) -> &[u8] {
        self.html().as_bytes()
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.html())
    }
}

impl fmt::Debug for View {
    /// Omits the text and the values, which may be long or secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("title", &self.title)
            .field("document", &self.document)
            .finish_non_exhaustive()
    }
}
