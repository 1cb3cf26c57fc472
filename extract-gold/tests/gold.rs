//! Gold sets as files, evaluations of scripted agents, and shots.

use std::{
    fs,
    sync::atomic::{AtomicUsize, Ordering},
};

use extract::{
    Contract, Extractable,
    agent::{Agent, AgentError, Role},
    document::Document,
    metrics::{Price, Prices},
    settings::SettingsError,
    testing::{ScriptedAgent, block_on},
};
use extract_gold::{
    Candidate, Evaluation, GoldDocument, GoldError, GoldSet, GoldShots as _, LeafOutcome, ReviewFile,
    ShotChoice, Tolerance, ValueComparer,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Visit {
    city: Option<String>,
    #[extract(range(max = 20))]
    guests: Option<u32>,
}

/// A folder of this test that is empty.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("gold-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn gold(documents: &[(&str, Value)]) -> GoldSet {
    GoldSet::from_documents(documents.iter().map(|(text, value)| GoldDocument::new(*text, value.clone())))
}

fn visits() -> Contract {
    Contract::of::<Visit>().unwrap()
}

/// An agent that always replies the same.
fn always(reply: impl Into<String>) -> impl Agent {
    let reply = reply.into();
    move |_: String| {
        let reply = reply.clone();
        async move { Ok::<_, AgentError>(reply) }
    }
}

#[test]
fn what_is_appended_is_read_and_the_last_decision_counts() {
    let file = folder("append").join("gold.jsonl");
    fs::write(file.with_file_name("letter.txt"), "See you in Bari!").unwrap();
    let mut letter = GoldDocument::new("", json!({"city": "Bari"}));
    letter.path = Some("letter.txt".into());
    letter.checked_by = Some("ann".to_owned());
    GoldSet::append(&file, &GoldDocument::new("one", json!({"guests": 1}))).unwrap();
    GoldSet::append(&file, &letter).unwrap();
    GoldSet::append(&file, &GoldDocument::new("one", json!({"guests": 2}))).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 3);

    let gold = GoldSet::read(&file).unwrap();
    assert_eq!(gold.len(), 2);
    assert_eq!(gold.documents()[0].value, json!({"guests": 2}));
    assert_eq!(gold.documents()[1].text, "See you in Bari!");
    assert_eq!(gold.documents()[1].checked_by.as_deref(), Some("ann"));
}

#[test]
fn members_with_other_names_are_kept() {
    let line = r#"{"text":"a","value":1,"reviewed_in_ms":12}"#;
    let document: GoldDocument = serde_json::from_str(line).unwrap();
    assert_eq!(serde_json::to_string(&document).unwrap(), line);
}

#[test]
fn a_withdrawn_line_only_names_its_document() {
    let file = folder("withdrawn").join("gold.jsonl");
    let kept = r#"{"text": "doc a", "value": null}"#;
    for (line, withdrawn) in [
        (r#"{"text": "doc b", "value": 1}"#, r#"{"text": "doc b", "withdrawn": true}"#),
        (r#"{"key": "7", "text": "doc b", "value": 1}"#, r#"{"key": "7", "withdrawn": true}"#),
        // Its file is gone.
        (r#"{"path": "b.txt", "value": 1}"#, r#"{"path": "b.txt", "withdrawn": true}"#),
    ] {
        fs::write(file.with_file_name("b.txt"), "doc b").unwrap();
        fs::write(&file, [kept, line, ""].join("\n")).unwrap();
        assert_eq!(GoldSet::read(&file).unwrap().len(), 2, "{line}");
        fs::write(&file, [kept, withdrawn, ""].join("\n")).unwrap();
        fs::remove_file(file.with_file_name("b.txt")).unwrap();
        assert_eq!(GoldSet::read(&file).unwrap().len(), 1, "{withdrawn}");
        let review = ReviewFile::open(&file).unwrap();
        assert_eq!((review.decisions().count(), review.line("doc a")), (1, Some(1)), "{withdrawn}");
    }
}

#[test]
fn a_line_that_is_not_a_document_is_named() {
    let file = folder("wrong").join("gold.jsonl");
    for (line, cause) in [
        (r#"{"text": "a"}"#, "missing field `value`"),
        (r#"{"text": "a", "text": "b", "value": 1}"#, "duplicate field `text`"),
        ("[1]", "expected an object"),
        (r#"{"value": 1}"#, "neither a text nor a path"),
        (r#"{"withdrawn": true}"#, "neither a text nor a path"),
        (r#"{"text": "a", "path": "b", "value": 1}"#, "both a text and a path"),
        (r#"{"text": "a", "val"#, "EOF"),
    ] {
        fs::write(&file, format!("{{\"text\":\"fine\",\"value\":1}}\n\n{line}\n")).unwrap();
        let error = GoldSet::read(&file).unwrap_err();
        assert!(matches!(&error, GoldError::Lines { lines, more: 0, .. } if lines[0].line == 3), "{error}");
        assert!(error.to_string().contains(cause), "{error}");
    }
}

#[test]
fn all_wrong_lines_are_named_at_once() {
    let folder = folder("several");
    let file = folder.join("gold.jsonl");
    fs::write(folder.join("b.txt"), "a letter").unwrap();
    let line = |name: &str| format!("{{\"path\": \"{name}.txt\", \"value\": 1}}\n");
    fs::write(&file, [line("a"), line("b"), "[1]\n".to_owned(), line("c")].concat()).unwrap();
    let error = GoldSet::read(&file).unwrap_err();
    assert!(
        matches!(&error, GoldError::Lines { lines, more: 0, .. } if lines.iter().map(|line| line.line).eq([1, 3, 4])),
        "{error}"
    );
    let error = error.to_string();
    for says in ["3 lines cannot be used", "a.txt`: ", "line 3: ", "expected an object", "c.txt`"] {
        assert!(error.contains(says), "{error}");
    }
    // As an editor indents it.
    fs::write(&file, "[\n  {\n    \"text\": \"a\",\n    \"value\": 1\n  }\n]\n").unwrap();
    let array = GoldSet::read(&file).unwrap_err().to_string();
    assert!(array.contains("line 1: a JSON array, and not a document on each line"), "{array}");
    fs::write(&file, (0..30).map(|number| line(&number.to_string())).collect::<String>()).unwrap();
    let error = GoldSet::read(&file).unwrap_err().to_string();
    assert!(error.contains("30 lines cannot be used") && error.ends_with("\n  and 20 more"), "{error}");
    assert_eq!(error.lines().count(), 12);
}

/// A gold set of somebody else must not choose which files of this machine an agent is sent.
#[test]
fn a_path_out_of_the_folder_is_refused_and_named() {
    let folder = folder("inside");
    let outside = folder.join("private.txt");
    fs::write(&outside, "a secret").unwrap();
    fs::create_dir_all(folder.join("set/letters")).unwrap();
    fs::write(folder.join("set/letters/a.txt"), "a letter").unwrap();
    let file = folder.join("set/gold.jsonl");
    let line = |path: &str| format!("{}\n", json!({"path": path, "value": 1}));
    for path in [outside.to_str().unwrap(), "../private.txt", "letters/../../private.txt"] {
        fs::write(&file, [line("./letters/a.txt"), line(path)].concat()).unwrap();
        let error = GoldSet::read(&file).unwrap_err();
        assert!(matches!(&error, GoldError::Lines { lines, more: 0, .. } if lines[0].line == 2), "{error}");
        assert!(error.to_string().contains(&format!("`{path}`")), "{error}");
    }
    fs::write(&file, line("./letters/a.txt")).unwrap();
    assert_eq!(GoldSet::read(&file).unwrap().documents()[0].text, "a letter");
}

/// A run that was killed while it appended leaves half a line, which is no document.
#[test]
fn half_a_line_is_removed_before_the_next_one() {
    let file = folder("half").join("gold.jsonl");
    fs::write(&file, "{\"text\": \"one\", \"value\": 1}\n{\"text\": \"ha").unwrap();
    assert_eq!(GoldSet::read(&file).unwrap().len(), 1);
    GoldSet::append(&file, &GoldDocument::new("whole", json!(1))).unwrap();
    assert_eq!(GoldSet::read(&file).unwrap().len(), 2);
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 2);
    fs::write(&file, "{\"text\": \"unended\", \"value\": 1}").unwrap();
    GoldSet::append(&file, &GoldDocument::new("whole", json!(1))).unwrap();
    assert_eq!(GoldSet::read(&file).unwrap().len(), 2);
}

/// One wrong value of four, and one document of which there is none.
#[test]
fn an_evaluation_counts_each_leaf_once() {
    let gold = gold(&[
        ("Two of us come to Lyon.", json!({"city": "Lyon", "guests": 2})),
        ("See you in Bari!", json!({"city": "Bari", "guests": null})),
        ("Three in Rome", json!({"city": "Rome", "guests": 3})),
    ]);
    let agent = ScriptedAgent::new([
        r#"{"city": "Lyon", "guests": 2}"#,
        r#"{"city": "Bari", "guests": 1}"#,
        r#"{"city": "Rome", "guests": 99}"#,
    ]);
    let contract = visits();
    let once = Candidate::new("once", &agent).configure(|extraction, _| extraction.max_attempts(1));
    let evaluation = block_on(Evaluation::of(&contract, &gold).candidate(once).concurrent(1).run());

    let result = &evaluation.candidates[0];
    assert_eq!((result.score.right, result.score.total(), result.failures), (3, 6, 1));
    assert_eq!((result.score.invented, result.score.missing), (1, 2));
    assert_eq!(
        result.fields.iter().map(|field| field.field.as_str()).collect::<Vec<_>>(),
        ["city", "guests"]
    );
    assert!((result.exact_documents.value - 1.0 / 3.0).abs() < 1e-12);
    assert!(result.documents[2].error.is_some() && result.documents[2].attempts == 1);
    assert!(result.usage.total() > 0, "the failed one's too");
}

/// Also where the right value is nothing, which nobody found.
#[test]
fn without_an_answer_nothing_is_right() {
    let nothing = json!({"city": null, "guests": null});
    let gold = gold(&[("Dear Ann,", nothing.clone()), ("Hello", nothing.clone()), ("Bye", json!({}))]);
    let (silent, right) = (always("sorry"), always(nothing.to_string()));
    let contract = visits();
    let evaluation = Evaluation::of(&contract, &gold).agent("right", &right).agent("silent", &silent);
    let evaluation = block_on(evaluation.run());
    let [right, silent] = &evaluation.candidates[..] else { panic!("two") };
    assert!((right.exact.value - 1.0).abs() < 1e-12 && right.score.precision().is_none());
    assert_eq!((silent.failures, silent.score.right, silent.score.missing), (3, 0, 5));
    assert!(silent.exact.value < 1e-12 && silent.exact_documents.value < 1e-12, "{evaluation}");
    assert_eq!((silent.score.precision(), silent.score.recall()), (None, Some(0.0)));
    assert_eq!((evaluation.differences[0].better, evaluation.differences[0].worse), (0, 3));
    assert!(evaluation.to_string().contains("        -   0.000"), "{evaluation}");
}

#[test]
fn two_candidates_are_compared_document_by_document() {
    let documents: Vec<_> =
        (0..30).map(|n| (format!("{n} guests"), json!({"city": null, "guests": n % 20}))).collect();
    let gold =
        GoldSet::from_documents(documents.iter().map(|(text, value)| GoldDocument::new(text, value.clone())));
    let right: Vec<_> = documents.iter().map(|(_, value)| value.to_string()).collect();
    let better = ScriptedAgent::new(right.iter().map(String::as_str));
    let same = ScriptedAgent::new(right.iter().map(String::as_str));
    let poor =
        ScriptedAgent::new((0..30).map(|n| if n % 2 == 0 { r#"{"guests": 19}"# } else { right[n].as_str() }));
    let contract = visits();
    let evaluation = block_on(
        Evaluation::of(&contract, &gold)
            .agent("poor", &poor)
            .agent("good", &better)
            .agent("same", &same)
            .concurrent(1)
            .run(),
    );
    assert!(!evaluation.differences[0].is_noise(), "{evaluation}");
    assert_eq!((evaluation.differences[0].better, evaluation.differences[0].worse), (15, 0));
    let again = Evaluation::of(&contract, &gold);
    let other = ScriptedAgent::new(right.iter().map(String::as_str));
    let again = block_on(again.agent("good", &other).agent("same", &good_again(&right)).concurrent(1).run());
    assert!(again.differences[0].is_noise(), "{again}");
}

fn good_again(right: &[String]) -> ScriptedAgent {
    ScriptedAgent::new(right.iter().map(String::as_str))
}

#[test]
fn settings_that_make_no_sense_are_not_scored() {
    let contract = visits();
    let gold = GoldSet::from_documents((0..30).map(|n| GoldDocument::new(n.to_string(), json!({}))));
    let agent = ScriptedAgent::default();
    let wrong = Candidate::new("wrong", &agent).configure(|extraction, _| extraction.keep_valid_items(true));
    let evaluation = block_on(Evaluation::of(&contract, &gold).candidate(wrong).run());
    let [wrong] = &evaluation.candidates[..] else { panic!("one") };
    assert_eq!(wrong.settings_error, Some(SettingsError::NoItemsToKeep));
    assert!(evaluation.to_string().starts_with("wrong: could not be asked: "), "{evaluation}");
}

#[test]
fn an_agent_that_cannot_be_asked_is_not_scored() {
    let contract = visits();
    let gold = GoldSet::from_documents((0..30).map(|n| GoldDocument::new(n.to_string(), json!({}))));
    let asked = AtomicUsize::new(0);
    // Replies from the request with this number on.
    let from = |first: usize| {
        let asked = &asked;
        move |_: String| {
            let number = asked.fetch_add(1, Ordering::Relaxed);
            async move { if number < first { Err(AgentError::refused("401")) } else { Ok("{}".to_owned()) } }
        }
    };
    let (none, late) = (from(usize::MAX), from(19));
    let evaluation = Evaluation::of(&contract, &gold).agent("none", &none).agent("late", &late);
    let evaluation = block_on(evaluation.concurrent(1).run());
    let [none, late] = &evaluation.candidates[..] else { panic!("two") };
    assert!(none.agent_error.as_ref().is_some_and(|error| error.contains("401")), "{none}");
    assert_eq!((none.documents.len(), none.failures, none.score.right), (30, 30, 0));
    assert_eq!((late.failures, late.agent_error.as_ref(), late.documents.len()), (9, None, 30));
    assert_eq!(asked.load(Ordering::Relaxed), 10 + 30);
    assert!(evaluation.differences.is_empty(), "with what is no measurement");
    assert!(evaluation.to_string().starts_with("none: could not be asked: "), "{evaluation}");
    assert!(evaluation.to_html().contains("could not be asked: "));
}

#[test]
fn a_few_documents_that_differ_are_no_verdict() {
    let contract = visits();
    let compared = |documents: usize| {
        let right = json!({"city": "Lyon", "guests": 2});
        let documents: Vec<_> =
            (0..documents).map(|n| GoldDocument::new(n.to_string(), right.clone())).collect();
        let (right_agent, poor) = (always(right.to_string()), always(r#"{"city": "Lyon", "guests": 1}"#));
        let gold = GoldSet::from_documents(documents);
        block_on(Evaluation::of(&contract, &gold).agent("good", &right_agent).agent("poor", &poor).run())
    };
    for (documents, is_noise) in [(1, true), (5, true), (6, false)] {
        let evaluation = compared(documents);
        let difference = &evaluation.differences[0];
        assert_eq!((difference.worse, difference.is_noise()), (documents, is_noise), "{evaluation}");
        assert!(difference.difference.low < difference.difference.high);
        assert!(!difference.is_better() && evaluation.candidates[0].exact.low < 0.7);
    }
}

#[test]
fn the_answers_keep_the_order_of_the_documents_whichever_comes_first() {
    let texts: Vec<_> = (0..40).map(|n| n.to_string()).collect();
    let gold = GoldSet::from_documents(
        texts.iter().map(|text| GoldDocument::new(text, json!({"city": text, "guests": null}))),
    );
    // Later documents are answered sooner.
    let echo = |prompt: String| async move {
        let number: u32 = prompt.lines().last().unwrap_or_default().trim().parse().unwrap_or_default();
        for _ in 0..(40 - number) {
            yield_once().await;
        }
        Ok::<_, std::io::Error>(format!(r#"{{"city": "{number}"}}"#))
    };
    let contract = visits();
    let evaluation = block_on(Evaluation::of(&contract, &gold).agent("echo", &echo).concurrent(16).run());
    assert_eq!(evaluation.candidates[0].score.right, evaluation.candidates[0].score.total(), "{evaluation}");
}

async fn yield_once() {
    let mut is_polled = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut is_polled, true) {
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

#[test]
fn a_comparer_of_ones_own_and_prices_are_used() {
    let gold = gold(&[("lyon", json!({"city": "Lyon", "guests": null}))]);
    let agent = ScriptedAgent::new([r#"{"city": "LYON"}"#]);
    let contract = visits();
    let evaluation = block_on(
        Evaluation::of(&contract, &gold)
            .agent("loud", &agent)
            .comparer(ValueComparer::new().field("city", Tolerance::default().case()))
            .prices(Prices::new().model("scripted", Price::per_million(1.0, 1.0)).unwrap())
            .run(),
    );
    assert_eq!(evaluation.candidates[0].score.right, evaluation.candidates[0].score.total());
    assert!(evaluation.candidates[0].cost.as_ref().is_some_and(|cost| cost.amount > 0.0));
}

#[test]
fn the_page_shows_every_wrong_value_and_runs_nothing() {
    let gold =
        gold(&[("<script>alert(1)</script>\u{202e}", json!({"city": "<b>\"Lyon\"</b>", "guests": 2}))]);
    let agent = ScriptedAgent::new([r#"{"city": "<img src=x onerror=alert(1)>", "guests": 2}"#]);
    let contract = visits();
    let page = block_on(Evaluation::of(&contract, &gold).agent("<i>", &agent).run()).to_html();
    for hostile in ["<script", "<img", "<b>", "<i>", "\u{202e}"] {
        assert!(!page.contains(hostile), "{hostile}");
    }
    assert!(page.contains("&lt;b&gt;") && page.contains("&lt;img") && page.contains("$.city"));
    assert!(!page.contains("$.guests"), "it is right");
}

#[test]
fn an_evaluation_is_json_for_programs() {
    let gold = gold(&[("lyon", json!({"city": "Lyon", "guests": null}))]);
    let agent = ScriptedAgent::new([r#"{"city": "Bari"}"#]);
    let contract = visits();
    let evaluation =
        serde_json::to_value(block_on(Evaluation::of(&contract, &gold).agent("a", &agent).run())).unwrap();
    let leaf = &evaluation["candidates"][0]["documents"][0]["leaves"][0];
    assert_eq!(leaf["outcome"], json!(LeafOutcome::OtherValue));
    assert_eq!((&leaf["gold"], &leaf["extracted"]), (&json!("Lyon"), &json!("Bari")));
}

#[test]
fn shots_are_the_nearest_within_the_tokens_and_never_the_text_itself() {
    let gold = gold(&[
        ("A table for two in Lyon", json!({"city": "Lyon", "guests": 2})),
        ("A taxi to the airport", json!({"city": null, "guests": null})),
        ("A table for nine in Bari", json!({"city": "Bari", "guests": 9})),
    ]);
    let texts = |choice: ShotChoice| {
        gold.shots_for("a table  for NINE in Bari", choice)
            .iter()
            .map(|shot| &shot.text[..7])
            .collect::<Vec<_>>()
    };
    assert_eq!(texts(ShotChoice::nearest(3)), ["A taxi ", "A table"], "the nearest is last");
    assert_eq!(texts(ShotChoice::nearest(3).nearest_first()), ["A table", "A taxi "]);
    assert_eq!(texts(ShotChoice::nearest(1)), ["A table"]);
    assert!(texts(ShotChoice::nearest(3).within_tokens(5)).is_empty());
}

#[test]
fn shots_reach_the_agent_of_a_typed_extraction() {
    let gold = gold(&[
        ("A table for two in Lyon", json!({"city": "Lyon", "guests": 2})),
        ("A table for nine", json!({"city": null, "guests": 9})),
    ]);
    let agent = ScriptedAgent::new([r#"{"guests": 9}"#]);
    let asked = "A table for nine";
    let (visit, _) = block_on(Visit::extract(&agent, asked).shots_from(&gold, 3)).unwrap();
    assert_eq!(visit.guests, Some(9));
    let conversation = agent.requests()[0].conversation.clone();
    let turns: Vec<_> = conversation.turns().iter().map(|turn| turn.text().to_owned()).collect();
    assert_eq!(turns.iter().filter(|turn| turn.contains("nine")).count(), 1, "{turns:?}");
    assert!(turns.contains(&r#"{"city":"Lyon","guests":2}"#.to_owned()), "{turns:?}");
}

#[test]
fn a_quote_is_compared_by_its_words() {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string", "x-quote": true}}});
    let contract = Contract::from_schema(schema).unwrap();
    let gold = gold(&[("To Lyon", json!({"city": "Lyon"})), ("To Bari", json!({"city": "Bari"}))]);
    let agent = ScriptedAgent::new([r#"{"city": "Lyon"}"#, r#"{"city": "To"}"#]);
    let evaluation = Evaluation::of(&contract, &gold);
    let candidate = Candidate::new("scripted", &agent).question("Where?");
    let evaluation = block_on(evaluation.candidate(candidate).concurrent(1).run());
    let documents = &evaluation.candidates[0].documents;
    let right: Vec<_> = documents.iter().map(|document| document.leaves[0].outcome.is_right()).collect();
    assert_eq!(right, [true, false]);
    assert!(documents.iter().all(|document| document.leaves.len() == 1));
}

#[test]
fn a_reviewed_image_is_no_document_of_the_set() {
    let folder = folder("image");
    let path = folder.join("gold.jsonl");
    let mut image = GoldDocument::new("", json!({"guests": 3})).with_key("scan.png");
    image.media_type = Some("image/png".to_owned());
    GoldSet::append(&path, &image).unwrap();
    GoldSet::append(&path, &GoldDocument::new("A table for two", json!({"guests": 2}))).unwrap();
    let gold = GoldSet::read(&path).unwrap();
    assert_eq!((gold.len(), gold.without_text()), (1, 1));
    assert_eq!(gold.documents()[0].text, "A table for two");
    image.withdrawn = true;
    GoldSet::append(&path, &image).unwrap();
    assert_eq!(GoldSet::read(&path).unwrap().without_text(), 0);
}

#[test]
fn a_document_is_not_its_own_shot_however_its_text_was_copied() {
    let gold = gold(&[
        ("A table for “nine” in Orléans – tonight", json!({"city": "Orléans", "guests": 9})),
        ("A table for two in Lyon", json!({"city": "Lyon", "guests": 2})),
    ]);
    for copy in [
        "\u{feff}A table for  \"nine\"\r\nin Orle\u{301}ans - tonight\n",
        "A TABLE FOR «NINE» IN ORLÉ\u{ad}ANS\u{a0}— TONIGHT",
    ] {
        let agent = ScriptedAgent::new([r#"{"guests": 9}"#]);
        let extraction = Visit::extract(&agent, "Who comes?").document(&Document::from_text(copy));
        block_on(extraction.shots_from(&gold, 3)).unwrap();
        let conversation = agent.requests()[0].conversation.clone();
        let answers: Vec<_> =
            conversation.turns().iter().filter(|turn| turn.role() == Role::Assistant).collect();
        let answers: Vec<_> = answers.iter().map(|turn| turn.text()).collect();
        assert_eq!(answers, [r#"{"city":"Lyon","guests":2}"#], "{copy}");
    }
}

#[test]
fn a_gold_value_that_the_type_refuses_is_an_error_before_anything_is_asked() {
    let gold = gold(&[("A table for many", json!({"city": null, "guests": 99}))]);
    let agent = ScriptedAgent::new([r#"{"guests": 9}"#]);
    let error = block_on(Visit::extract(&agent, "A table for nine").shots_from(&gold, 3)).unwrap_err();
    assert!(error.to_string().starts_with("shot 1 is not a right answer"), "{error}");
    assert!(agent.requests().is_empty());
    assert!(!agent.name().is_empty());
}

#[test]
fn an_evaluation_reports_how_far_it_is() {
    let gold = gold(&[("one", json!({"guests": 1})), ("two", json!({"guests": 2}))]);
    let contract = Contract::of::<Visit>().unwrap();
    let (first, other) = (ScriptedAgent::new([r#"{"guests": 1}"#; 2]), ScriptedAgent::new(["no"; 2]));
    let mut told = Vec::new();
    let evaluation = Evaluation::of(&contract, &gold).agent("first", &first).concurrent(1);
    let other = Candidate::new("other", &other).configure(|extraction, _| extraction.max_attempts(1));
    let evaluation = evaluation.candidate(other).on_progress(|progress| told.push(progress.clone()));
    let evaluation = block_on(evaluation.run());
    let counts: Vec<_> =
        told.iter().map(|told| (&*told.name, told.number, told.done, told.failed, told.asked)).collect();
    assert_eq!(
        counts,
        [
            ("first", 1, 0, 0, 0),
            ("first", 1, 1, 0, 1),
            ("first", 1, 2, 0, 2),
            ("other", 2, 0, 0, 2),
            ("other", 2, 0, 1, 3),
            ("other", 2, 0, 2, 4)
        ]
    );
    assert!(told.iter().all(|told| (told.candidates, told.documents) == (Some(2), 2)));
    assert_eq!((told[0].left, told[5].left.map(|left| left.as_secs())), (None, Some(0)));
    let tokens: u64 = evaluation.candidates.iter().map(|candidate| candidate.usage.total()).sum();
    assert_eq!(told[5].usage.total(), tokens);
}
