//! Checks violations and replies with any text in them: neither escapes its place in a question.

use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use extract::{
    Code, Contract, Feedback, Path, Violation,
    feedback::build_repair_prompt,
    testing::{ScriptedAgent, block_on},
};
use serde_json::json;

static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
    let schema = json!({
        "type": "object",
        "properties": {"name": {"enum": ["a", "b"]}, "items": {"type": "array", "items": {"type": "integer"}}},
        "required": ["name", "items"],
        "additionalProperties": false,
    });
    Contract::from_schema(schema).expect("the schema compiles")
});

/// Maximum characters of one list of violations: its limit, plus the first violation and the count
/// of the rest.
const MAX_LIST: usize = 20_000;

/// Maximum characters of a question besides its list of violations and the submission, of which
/// 24,000 are shown.
const MAX_AROUND: usize = 4_000;

/// Panics if a property does not hold.
pub fn check(data: &[u8]) {
    let u = &mut Unstructured::new(data);
    let _ = if u.arbitrary().unwrap_or(true) { check_list(u) } else { check_question(u) };
}

/// Whatever violations say, each of their lines starts with one of our names.
fn check_list(u: &mut Unstructured<'_>) -> Result<()> {
    let violations: Vec<_> = (0..u.int_in_range(1..=80)?).map(|_| violation(u)).collect::<Result<_>>()?;
    let prompt = build_repair_prompt(&violations);
    assert!(prompt.chars().count() <= MAX_LIST, "{} characters", prompt.chars().count());
    for (number, line) in prompt.lines().enumerate() {
        assert!(is_ours(number, line), "line {number}: {line:?}");
        assert!(!line.contains(is_invisible), "line {number}: {line:?}");
    }
    Ok(())
}

fn is_ours(number: usize, line: &str) -> bool {
    const NAMES: [&str; 4] = ["   code: ", "   error: ", "   expected: ", "   got: "];
    let is_numbered = || {
        line.split_once(". path: $")
            .is_some_and(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_known = line.is_empty() || line.starts_with("… and ") || line.starts_with("Fix all of them ");
    (number == 0 && line.starts_with("Your answer was not accepted: "))
        || is_known
        || is_numbered()
        || NAMES.iter().any(|name| line.starts_with(name))
}

/// Whether `c` is a control character, or a mark that changes the direction of text.
fn is_invisible(c: char) -> bool {
    (c.is_control() && c != '\t')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

fn violation(u: &mut Unstructured<'_>) -> Result<Violation> {
    let mut path = Path::root();
    for _ in 0..u.int_in_range(0..=3)? {
        path = if u.arbitrary()? { path.index(u.arbitrary::<u16>()?.into()) } else { path.key(text(u)?) };
    }
    let mut violation = Violation::new(path, Code::from(text(u)?), text(u)?);
    if u.arbitrary()? {
        violation = violation.expected(text(u)?).actual(text(u)?).hint(text(u)?);
    }
    Ok(violation)
}

/// A text, sometimes a long one.
fn text(u: &mut Unstructured<'_>) -> Result<String> {
    let text: &str = u.arbitrary()?;
    Ok(text.repeat(if u.ratio(1, 8)? { 400 } else { 1 }))
}

/// The failed reply is shown in a fence that it cannot close, and the text behind it is ours.
fn check_question(u: &mut Unstructured<'_>) -> Result<()> {
    let feedback = *u.choose(&[Feedback::Fresh, Feedback::Continue, Feedback::Patch, Feedback::Auto])?;
    let reply = u.arbitrary::<&str>()?;
    let agent = ScriptedAgent::new([reply, reply]);
    let _ = block_on(CONTRACT.extract(&agent, "…").feedback(feedback).max_attempts(2).max_continuations(0));
    let requests = agent.requests();
    let Some(again) = requests.get(1).map(|request| request.conversation.to_text()) else { return Ok(()) };
    let opening = requests[0].conversation.to_text();
    let rest = again.strip_prefix(&opening).expect("it begins as the first question did");
    assert!(rest.chars().count() <= MAX_AROUND + MAX_LIST + 24_000, "{} characters", rest.chars().count());
    let (head, fenced) = rest.trim_start().split_once('\n').expect("the submission is announced");
    assert!(matches!(head, "You answered:" | "An earlier answer to this was not accepted:"), "{head:?}");
    let (fence, body) = fenced.split_once('\n').expect("a fence is a line");
    assert!(fence.len() >= 3 && fence.bytes().all(|byte| byte == b'`'), "{fence:?}");
    let closing = format!("\n{fence}\n");
    let (submission, ours) = body.split_once(&closing).expect("the fence is closed");
    assert!(!submission.lines().any(|line| line.trim().starts_with(fence)), "{submission:?}");
    let ours = ours.trim_start();
    assert!(ours.starts_with("Attempt 2 of 2.") || ours.starts_with("Your answer "), "{ours:?}");
    Ok(())
}
