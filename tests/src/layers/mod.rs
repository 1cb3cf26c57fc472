//! The layers of the library: each room uses only rooms below it, and no room contains a cycle.
//!
//! They are read from the source, so a wrong arrow is found when it is written.

mod arrows;
mod derive;
mod source;

use std::{path::Path, sync::LazyLock};

use self::{
    arrows::{Arrow, arrows, in_circles},
    source::modules,
};

/// The rooms from the ground up. Rooms on one line may not use each other.
const LAYERS: [&[&str]; 21] = [
    // Vocabulary.
    &["vocabulary"],
    &[
        "vocabulary::text",
        "vocabulary::context",
        "vocabulary::time_limit",
        "vocabulary::digits",
        "vocabulary::base64",
        "vocabulary::tokens",
    ],
    &["vocabulary::path", "vocabulary::suggest"],
    &["vocabulary::redaction", "vocabulary::violation", "vocabulary::usage", "vocabulary::repetition"],
    &["vocabulary::rejection", "vocabulary::change", "vocabulary::attempt_status"],
    // A text with its spans, which metrics refer to.
    &["document"],
    &["metrics"],
    // From a type or a schema to the judgement of a value.
    &["schema"],
    &["reading"],
    &["validation"],
    &["derive_support", "merging"],
    // An agent knows no contract.
    &["contract", "agent"],
    // From a question to its outcome.
    &["attempt", "prompt"],
    &["feedback"],
    &["error"],
    &["settings"],
    &["judging"],
    &["extraction", "toolkit"],
    // The interface of users.
    &["extractable"],
    &["testing"],
    &["__private"],
];

static ARROWS: LazyLock<Vec<Arrow>> = LazyLock::new(|| {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../extract/src");
    arrows(&modules(&source))
});

/// The room of a module, and its layer: the longest name counts.
fn room(module: &[String]) -> Option<(&'static str, usize)> {
    let name = module.join("::");
    let rooms =
        LAYERS.iter().enumerate().flat_map(|(layer, rooms)| rooms.iter().map(move |room| (*room, layer)));
    rooms
        .filter(|(room, _)| {
            name.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        })
        .max_by_key(|(room, _)| room.len())
}

fn assert_none<'a>(what: &str, arrows: impl Iterator<Item = &'a Arrow>) {
    let all: Vec<String> = arrows.map(ToString::to_string).collect();
    assert!(all.is_empty(), "{} arrows {what}:\n{}", all.len(), all.join("\n"));
}

#[test]
fn every_module_has_a_layer() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../extract/src");
    let without: Vec<_> =
        modules(&source).into_keys().filter(|name| !name.is_empty() && room(name).is_none()).collect();
    assert_eq!(without, [] as [Vec<String>; 0]);
}

#[test]
fn imports_and_paths_are_seen() {
    let sees = |from: &str, to: &str| {
        ARROWS.iter().any(|arrow| arrow.from.join("::") == from && arrow.to.join("::") == to)
    };
    // By `use`, and through a re-export.
    for (from, to) in [("extraction::run", "contract"), ("extraction::run", "judging::log")] {
        assert!(sees(from, to), "{from} → {to}");
    }
}

#[test]
fn modules_name_each_other_by_their_own_path() {
    assert_none("lead through the crate's root", ARROWS.iter().filter(|arrow| arrow.is_by_root));
}

#[test]
fn no_arrow_runs_upward() {
    assert_none(
        "run upward",
        ARROWS.iter().filter(|arrow| match (room(&arrow.from), room(&arrow.to)) {
            (Some((from, lower)), Some((to, upper))) => from != to && lower <= upper,
            _ => false,
        }),
    );
}

#[test]
fn no_room_has_a_circle() {
    let mut circles = Vec::new();
    for name in LAYERS.into_iter().flatten() {
        let is_inside = |arrow: &&Arrow| {
            [&arrow.from, &arrow.to].map(|end| room(end).map(|room| room.0)) == [Some(*name); 2]
        };
        circles.extend(in_circles(&ARROWS.iter().filter(is_inside).collect::<Vec<_>>()));
    }
    assert_none("are part of a circle inside a room", circles.into_iter());
}

/// They are separate crates, so the compiler keeps them out of the rooms.
#[test]
fn the_local_model_has_no_circle() {
    assert_no_circle("../extract-local/src");
}

#[test]
fn the_readers_of_documents_have_no_circle() {
    assert_no_circle("../extract-documents/src");
}

#[test]
fn the_jobs_have_no_circle() {
    assert_no_circle("../extract-bulk/src");
}

#[test]
fn the_adapter_of_rig_has_no_circle() {
    assert_no_circle("../extract-rig/src");
}

#[test]
fn the_mcp_server_has_no_circle() {
    assert_no_circle("../extract-mcp/src");
}

#[test]
fn the_agents_of_providers_have_no_circle() {
    assert_no_circle("../extract-agents/src");
}

#[test]
fn the_command_line_has_no_circle() {
    assert_no_circle("../extract-cli/src");
}

fn assert_no_circle(source: &str) {
    let arrows = arrows(&modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join(source)));
    assert!(arrows.len() > 15, "{}", arrows.len());
    assert_none("lead through the crate's root", arrows.iter().filter(|arrow| arrow.is_by_root));
    assert_none("are part of a circle", in_circles(&arrows.iter().collect::<Vec<_>>()).into_iter());
}
