//! The questions about a chunk.

use extract::{
    Event,
    testing::{ScriptedAgent, block_on},
};

use super::*;

#[test]
fn a_chunk_is_asked_about_with_its_own_text_and_the_context_before_it() {
    let agent = ScriptedAgent::new(ANSWERS);
    let (document, chunks) = document();
    let extraction =
        Report::extract(&agent, "All medications.").document(&document).chunks(chunks.context(12));
    block_on(extraction).unwrap();
    let questions: Vec<String> = agent
        .requests()
        .iter()
        .map(|request| request.conversation.turns().last().unwrap().text().to_owned())
        .collect();
    assert!(
        questions[0].starts_with("All medications.\n\nThe text is part 1 of 3 of a document."),
        "{}",
        questions[0]
    );
    let expected = "All medications.\n\n\
        What stands before the text, only to understand it. Take nothing from it:\n\
        ```\n for pain.\n\n\n```\n\n\
        The text is part 2 of 3 of a document. Answer with what this part states; leave out keys that it says nothing about, \
        and leave lists empty where it has nothing for them.\n\n\
        The text:\n```\nAspirin was stopped.\n\n\n```";
    assert_eq!(questions[1], expected);
    assert!(!questions[2].contains("Ann"), "{}", questions[2]);
}

#[test]
fn a_quote_from_the_context_or_another_chunk_is_rejected() {
    let agent = ScriptedAgent::new([r#"["Ann"]"#, r#"["Ann", "stopped"]"#, r#"["stopped"]"#, "[]"]);
    let (document, chunks) = document();
    let extraction = Vec::<Quote>::extract(&agent, "").document(&document).chunks(chunks.context(60));
    let (quotes, metrics) = block_on(extraction).unwrap();
    let words: Vec<_> = quotes.iter().map(Quote::words).collect();
    assert_eq!((words, metrics.attempts), (vec!["Ann", "stopped"], 4));
    assert_eq!(metrics.chunks[1].attempts, 2);
}

#[test]
fn checks_of_the_parts_run_for_each_chunk_and_rules_of_the_whole_do_not() {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature of a check")]
    fn is_even(value: &u32) -> Result<(), &'static str> {
        if value.is_multiple_of(2) { Ok(()) } else { Err("is odd") }
    }
    fn has_three(list: &Numbers) -> Result<(), &'static str> {
        if list.all.len() == 3 { Ok(()) } else { Err("there are three") }
    }
    #[derive(Debug, Deserialize, Extractable)]
    #[extract(rule = has_three)]
    struct Numbers {
        all: Vec<Number>,
    }
    #[derive(Debug, Deserialize, Extractable)]
    struct Number {
        #[extract(key, check = is_even)]
        value: u32,
    }
    let agent = ScriptedAgent::new([
        r#"{"all": [{"value": 2}]}"#,
        r#"{"all": [{"value": 3}]}"#,
        r#"{"all": [{"value": 4}]}"#,
        r#"{"all": [{"value": 6}]}"#,
    ]);
    let (document, chunks) = document();
    let mut judged = Vec::new();
    let extraction =
        Numbers::extract(&agent, "").document(&document).chunks(chunks).observe(|event| match event {
            Event::InChunk { chunk, chunks, pass, event: Event::Judged { record, .. }, .. } => {
                let violations: Vec<_> = record.violations.iter().map(ToString::to_string).collect();
                judged.push(format!("{chunk}/{chunks} {pass} {} {}", record.number, violations.join("; ")));
            }
            Event::ChunkDone { chunk, is_success, .. } => judged.push(format!("{chunk} {is_success}")),
            Event::Judged { record, is_accepted, .. } => {
                judged.push(format!("whole {} {is_accepted}", record.number));
            }
            Event::Done { is_success, metrics, .. } => {
                judged.push(format!("done {is_success} {}", metrics.attempts));
            }
            _ => {}
        });
    let (numbers, _) = block_on(extraction).unwrap();
    assert_eq!(numbers.all.iter().map(|number| number.value).collect::<Vec<_>>(), [2, 4, 6]);
    assert_eq!(
        judged,
        [
            "0/3 1 1 ",
            "0 true",
            "1/3 1 1 [RULE] $.all[0].value: is odd",
            "1/3 1 2 ",
            "1 true",
            "2/3 1 1 ",
            "2 true",
            "whole 0 true",
            "done true 4",
        ]
    );
}

#[test]
fn a_document_of_one_chunk_is_one_question() {
    let agent = ScriptedAgent::new([r#"["Ann"]"#]);
    let (document, _) = document();
    let chunks = Chunks::chars(1_000);
    let (quotes, metrics) =
        block_on(Vec::<Quote>::extract(&agent, "").document(&document).chunks(chunks)).unwrap();
    assert_eq!((quotes.len(), metrics.chunks.len()), (1, 1));
    assert_eq!((metrics.chunks[0].range.clone(), metrics.chunks[0].passes), (0..TEXT.len(), 1));
    assert!(!agent.requests()[0].conversation.to_text().contains("part 1 of 1"));
}
