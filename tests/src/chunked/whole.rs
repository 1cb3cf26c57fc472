//! The merged value as a whole.

use extract::{
    Code, ExtractionError,
    testing::{ScriptedAgent, block_on},
};

use super::*;

/// Answers without the second medication, so that the whole is too short.
const TOO_SHORT: [&str; 3] = [ANSWERS[0], ANSWERS[1], r#"{"medications": []}"#];

#[test]
fn what_the_whole_rejects_is_asked_about_again() {
    let whole = r#"{"patient": "Ann", "medications": [{"name": {"value": "aspirin", "quote": "aspirin"}},
        {"name": {"value": "zinc", "quote": "zinc"}}]}"#;
    let agent = ScriptedAgent::new(TOO_SHORT).then(whole);
    let (document, chunks) = document();
    let extraction = Report::extract(&agent, "All medications.").document(&document).chunks(chunks);
    let (report, metrics) = block_on(extraction).unwrap();
    assert_eq!(report.medications.len(), 2);
    assert_eq!(metrics.attempts, 4);
    let last = &metrics.per_attempt[3];
    assert_eq!((last.number, last.chunk), (1, None));
    let question = agent.requests()[3].conversation.to_text();
    assert!(question.contains("path: $.medications\n"), "{question}");
    assert!(question.contains("Attempt 1 of 3."), "{question}");
    assert!(question.contains(TEXT), "the document is short: {question}");
}

#[test]
fn a_key_that_no_chunk_states_is_missing_in_the_whole() {
    let without = |answer: &str| answer.replace(r#""patient": "Ann", "#, "");
    let agent = ScriptedAgent::new(ANSWERS.map(without))
        .then(r#"[{"op": "add", "path": "/patient", "value": "Ann"}]"#);
    let (document, chunks) = document();
    let extraction = Report::extract(&agent, "").document(&document).chunks(chunks).max_attempts(1);
    let error = block_on(extraction).unwrap_err();
    // The agent was asked again, and gave a patch that was not asked for.
    let ExtractionError::MaxRetriesExceeded { history, attempts, max_attempts, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!((*attempts, *max_attempts, history.len()), (1, 1, 2));
    assert_eq!((history[0].number, history[0].chunk, &*history[0].agent), (0, None, ""));
    assert_eq!(
        history[0].violations[0].to_string(),
        "[MISSING_FIELD] $.patient: required, but absent (expected a string)"
    );
    assert_eq!(error.attempts(), 4);
    assert_eq!(error.metrics().conflicts.len(), 2);
}

#[test]
fn callbacks_and_async_checks_see_the_merged_value_only() {
    #[expect(clippy::unused_async, reason = "the signature is the library's")]
    async fn is_known(value: &String) -> Result<(), String> {
        if value == "no" { Err("is not known".to_owned()) } else { Ok(()) }
    }
    #[derive(Debug, Deserialize, Extractable)]
    struct Name {
        #[extract(async_check = is_known, key)]
        name: String,
    }
    let agent = ScriptedAgent::new([
        r#"[{"name": "a"}]"#,
        r#"[{"name": "no"}]"#,
        "[]",
        r#"[{"name": "a"}, {"name": "b"}]"#,
    ]);
    let (document, chunks) = document();
    let mut seen = Vec::new();
    let extraction = Vec::<Name>::extract(&agent, "").document(&document).chunks(chunks);
    let extraction = extraction.on_submit(|names: &Vec<Name>| {
        seen.push(names.len());
        Ok::<_, String>(())
    });
    let (names, metrics) = block_on(extraction).unwrap();
    assert_eq!((names.len(), &*names[1].name, metrics.attempts), (2, "b", 4));
    assert_eq!(seen, [2]);
}

#[test]
fn a_fatal_rejection_of_the_whole_ends_it() {
    let agent = ScriptedAgent::new(ANSWERS);
    let (document, chunks) = document();
    let extraction = Report::extract(&agent, "").document(&document).chunks(chunks);
    let error = block_on(extraction.on_submit(|_: &Report| Err(extract::Rejection::fatal("wrong patient"))))
        .unwrap_err();
    assert!(matches!(error, ExtractionError::Fatal { .. }), "{error}");
    assert_eq!((error.attempts(), error.violations()[0].code.clone()), (3, Code::Rejected));
    agent.assert_finished();
}

#[test]
fn sensitive_values_are_not_in_conflicts() {
    #[derive(Debug, Deserialize, Extractable)]
    struct Account {
        #[extract(sensitive)]
        pin: Option<String>,
        owner: Option<String>,
    }
    let agent = ScriptedAgent::new([
        r#"{"pin": "1234", "owner": "Ann"}"#,
        r#"{"pin": "9876", "owner": "Bob"}"#,
        "{}",
    ]);
    let (document, chunks) = document();
    let extraction = Account::extract(&agent, "").document(&document).chunks(chunks);
    let (account, metrics) = block_on(extraction).unwrap();
    assert_eq!((account.pin.as_deref(), account.owner.as_deref()), (Some("1234"), Some("Ann")));
    let told = serde_json::to_string(&metrics).unwrap();
    assert!(!told.contains("1234") && !told.contains("9876") && told.contains("Bob"), "{told}");
    assert_eq!(metrics.conflicts.len(), 2);
}

#[test]
fn of_a_long_document_the_passages_in_question_are_shown() {
    fn has_no_odd_one(names: &Names) -> Result<(), extract::Rejection> {
        match names.names.iter().position(|name| name.words() == "name7") {
            Some(index) => Err(extract::Rejection::new("is not a name").at(format!("names[{index}]"))),
            None => Ok(()),
        }
    }
    #[derive(Debug, Deserialize, Extractable)]
    #[extract(rule = has_no_odd_one)]
    struct Names {
        names: Vec<Quote>,
    }
    let text: Vec<String> = (0..20).map(|number| format!("Here is name{number} in the text.\n\n")).collect();
    let document = Document::from_text(text.concat());
    let answer = |number| format!(r#"{{"names": ["name{number}"]}}"#);
    let agent = ScriptedAgent::new((0..20).map(answer)).then(r#"{"names": []}"#);
    let extraction = Names::extract(&agent, "").document(&document).chunks(Chunks::chars(35));
    let (names, metrics) = block_on(extraction).unwrap();
    assert_eq!((names.names.len(), metrics.chunks.len(), metrics.attempts), (0, 20, 21));
    let question = agent.requests()[20].conversation.to_text();
    assert!(
        question.contains("The passages of the text that are in question:\n```\nHere is name7 in"),
        "{question}"
    );
    assert!(!question.contains("Here is name8"), "{question}");
}

#[derive(Debug, Deserialize, Extractable)]
#[extract(rule = has_no_odd_one)]
struct Quotes {
    quotes: Vec<Quote>,
}

fn has_no_odd_one(quotes: &Quotes) -> Result<(), extract::Rejection> {
    match quotes.quotes.iter().position(|quote| quote.words() == "odd") {
        Some(index) => Err(extract::Rejection::new("is not a dose").at(format!("quotes[{index}]"))),
        None => Ok(()),
    }
}

/// Returns the ranges of the quotes from these `answers`, the last of which corrects the whole.
fn places<const N: usize>(text: &str, chars: usize, answers: [&[&str]; N]) -> Vec<std::ops::Range<usize>> {
    let agent = ScriptedAgent::new(answers.map(|quotes| serde_json::json!({"quotes": quotes}).to_string()));
    let document = Document::from_text(text);
    let extraction = Quotes::extract(&agent, "").document(&document).chunks(Chunks::chars(chars));
    let quotes = block_on(extraction).unwrap().0.quotes;
    agent.assert_finished();
    quotes.iter().map(|quote| quote.span().unwrap().range()).collect()
}

#[test]
fn a_quote_that_is_given_again_stays_where_it_was() {
    let text = "Zinc: 5 mg daily.\n\nAn odd part of it.\n\nIron: 5 mg and so on.\n\n";
    // Its neighbour alone would put it on the first line.
    let places = places(text, 25, [&[], &["odd"], &["5 mg"], &["Zinc", "5 mg"]]);
    assert_eq!(places, [0..4, text.rfind("5 mg").unwrap()..text.rfind("5 mg").unwrap() + 4]);
}

#[test]
fn a_new_quote_is_from_the_passages_that_were_shown() {
    let lines: Vec<_> = (0..20)
        .map(|number| format!("Here is {} of it: 5 mg.\n\n", if number == 7 { "odd" } else { "one" }))
        .collect();
    let text = lines.concat();
    let mut answers: [&[&str]; 21] = [&[]; 21];
    answers[7] = &["odd"];
    answers[20] = &["5 mg"];
    let start = lines[..7].concat().len();
    let [place] = places(&text, 30, answers).try_into().unwrap();
    assert_eq!(place, start + lines[7].find('5').unwrap()..start + lines[7].find("mg").unwrap() + 2);
}
