//! Several passes over a document.

use extract::{
    Passes,
    testing::{ScriptedAgent, block_on},
};

use super::*;

fn names(replies: &[&str], passes: Passes) -> (Vec<String>, Vec<u32>, Vec<String>) {
    let agent = ScriptedAgent::new(replies.iter().copied());
    let (document, chunks) = document();
    let extraction = Vec::<Quote>::extract(&agent, "").document(&document).chunks(chunks).passes(passes);
    let (quotes, metrics) = block_on(extraction).unwrap();
    agent.assert_finished();
    let asked = agent.requests().iter().map(|request| request.conversation.to_text()).collect();
    let passes = metrics.chunks.iter().map(|chunk| chunk.passes).collect();
    (quotes.iter().map(|quote| quote.words().to_owned()).collect(), passes, asked)
}

#[test]
fn later_passes_are_shown_what_was_found_and_end_when_nothing_is_new() {
    let replies =
        [r#"["Ann"]"#, r#"["pain"]"#, r#"["Ann"]"#, "[]", r#"["zinc"]"#, r#"["mg"]"#, r#"["fever"]"#];
    let (words, passes, asked) = names(&replies, Passes::until_nothing_new(3));
    // In the order of the document by chunk, and then of the passes.
    assert_eq!(words, ["Ann", "pain", "zinc", "mg", "fever"]);
    assert_eq!(passes, [3, 1, 3]);
    assert!(!asked[0].contains("Found in it already"));
    assert!(asked[1].contains("Found in it already:\n```json\n[\"Ann\"]\n```"), "{}", asked[1]);
    assert!(asked[2].contains("[\"Ann\",\"pain\"]"), "{}", asked[2]);
}

#[test]
fn a_first_pass_that_finds_nothing_is_the_only_one() {
    #[derive(Deserialize, Extractable)]
    struct Found {
        words: Vec<Quote>,
        first: Option<Quote>,
    }

    let agent = ScriptedAgent::new([r#"{"words": [], "first": null}"#; 3]);
    let (document, chunks) = document();
    let extraction = Found::extract(&agent, "").document(&document).chunks(chunks);
    let (found, metrics) = block_on(extraction.passes(Passes::until_nothing_new(3))).unwrap();
    agent.assert_finished();
    assert!(found.words.is_empty() && found.first.is_none());
    assert_eq!(metrics.chunks.iter().map(|chunk| chunk.passes).collect::<Vec<_>>(), [1, 1, 1]);
}

#[test]
fn so_many_passes_are_made_even_if_nothing_is_new() {
    let replies = ["[]", "[]", "[]", "[]", r#"["zinc"]"#, "[]"];
    let (words, passes, _) = names(&replies, Passes::exactly(2));
    assert_eq!((words, passes), (vec!["zinc".to_owned()], vec![2, 2, 2]));
}

#[test]
fn a_pass_that_fails_leaves_what_was_found_before() {
    let agent = ScriptedAgent::new([r#"["Ann"]"#, "no", "[]", "[]", "[]", "[]"]);
    let (document, chunks) = document();
    let extraction = Vec::<Quote>::extract(&agent, "").document(&document).chunks(chunks).max_attempts(1);
    let extraction = extraction.passes(Passes::exactly(2)).accept_gaps(true);
    let (quotes, metrics) = block_on(extraction).unwrap();
    assert_eq!(quotes[0].words(), "Ann");
    assert_eq!((metrics.gaps.len(), metrics.gaps[0].chunk, metrics.gaps[0].pass), (1, 0, 2));
    assert_eq!((metrics.chunks[0].passes, metrics.chunks[0].attempts), (1, 2));
}
