//! Sensitive values that would leave, in every notation that a rule, a provider or a model may
//! choose.

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use extract::{
    Contract, Extractable, ExtractionError, Feedback,
    agent::{Agent, AgentError, AgentExt as _, MemoryStore, Reply, Role, ToolCall},
    feedback::FailedAttempt,
    settings::TransportOptions,
    testing::{ScriptedAgent, block_on},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{measured, mib};

/// The rule prints everything, in the way of `style`.
#[derive(Debug, Clone, Serialize, Deserialize, Extractable)]
#[extract(rule = tells_everything)]
struct Person {
    style: String,
    #[extract(sensitive)]
    #[serde(default)]
    salary: f64,
    #[extract(sensitive)]
    #[serde(default)]
    name: String,
    #[extract(sensitive)]
    #[serde(default)]
    is_ill: Option<bool>,
    #[extract(sensitive)]
    #[serde(default)]
    tags: BTreeMap<String, u32>,
    #[serde(default)]
    home: Option<Home>,
    #[serde(default)]
    note: String,
    #[serde(default)]
    number: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, Extractable)]
struct Home {
    #[extract(sensitive)]
    street: String,
    rooms: u8,
}

/// What a rule may print: `Display` and `Debug`, in other cases, spread, escaped and encoded.
const STYLES: [&str; 12] = [
    "debug",
    "pretty",
    "json",
    "json in debug",
    "upper",
    "lower",
    "glued",
    "spaced",
    "percent",
    "hex",
    "base64",
    "numbers",
];

fn tells_everything(person: &Person) -> Result<(), String> {
    let json = serde_json::to_string(&Told(person)).unwrap();
    let strings = || {
        let home = person.home.as_ref().map_or("", |home| &home.street);
        person
            .tags
            .keys()
            .map(String::as_str)
            .chain([&*person.name, home])
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let each = |write: &dyn Fn(&str) -> String| {
        strings().iter().map(|text| write(text)).collect::<Vec<_>>().join(" | ")
    };
    let bytes = |write: &dyn Fn(u8) -> String| each(&|text| text.bytes().map(write).collect());
    Err(match &*person.style {
        "debug" => {
            format!("wrong: {:?} {:?} {:?} {:?}", person.salary, person.name, person.is_ill, person.tags)
        }
        "pretty" => format!("wrong: {:#?} {:#?} {:#?}", person.name, person.tags, person.home),
        "json" => json,
        "json in debug" => format!("{json:?}"),
        "upper" => format!("wrong: {} {:?}", json.to_uppercase(), each(&str::to_uppercase)),
        "lower" => each(&str::to_lowercase),
        "glued" => format!("no{}or{}or{}", person.salary, each(&|text| format!("x{text}x")), person.salary),
        "spaced" => each(&|text| text.chars().flat_map(|char| [char, ' ']).collect()),
        "percent" => bytes(&|byte| format!("%{byte:02X}")),
        "hex" => bytes(&|byte| format!("{byte:02x}")),
        "base64" => each(&base64),
        _ => {
            let (whole, cents) = (person.salary.trunc(), person.salary);
            let numbers: Vec<_> = person.tags.values().collect();
            format!("{cents} {cents:?} {cents:.2} {cents:e} {whole} {} {numbers:?}", grouped(person.salary))
        }
    })
}

/// The sensitive parts of a person.
struct Told<'p>(&'p Person);

impl Serialize for Told<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Person { salary, name, is_ill, tags, home, .. } = self.0;
        (salary, name, is_ill, tags, home).serialize(serializer)
    }
}

fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let parts: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|part| std::str::from_utf8(part).unwrap()).collect();
    parts.join(",")
}

fn base64(text: &str) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |bytes: &[u8]| {
        let bits = (0..3).fold(0_usize, |bits, at| bits << 8 | usize::from(*bytes.get(at).unwrap_or(&0)));
        let chars =
            (0..4).map(|at| if at <= bytes.len() { ALPHABET[bits >> (18 - 6 * at) & 63] } else { b'=' });
        chars.map(char::from).collect::<String>()
    };
    text.as_bytes().chunks(3).map(group).collect()
}

/// All output of a failing extraction: errors, events, violations, and the prompts of another
/// agent.
fn told_of(replies: &[String]) -> String {
    let (first, other) = (ScriptedAgent::new(replies.to_vec()), ScriptedAgent::new(replies[..1].to_vec()));
    let mut told = String::new();
    let extraction =
        Person::extract(&first, "…").max_attempts(3).feedback(Feedback::Continue).escalate_to(&other);
    let extraction = extraction.observe(|event| writeln!(told, "{event:?}").unwrap());
    let error = block_on(extraction).unwrap_err();
    write!(told, "{}", told_by(&error)).unwrap();
    other.requests().iter().for_each(|request| told.push_str(&request.conversation.to_text()));
    without_times(&told)
}

/// Wall times have any digits, and all end with the unit.
fn without_times(told: &str) -> String {
    let is_time = |word: &&str| {
        let word = word.trim_end().trim_end_matches([',', '.', ')', '}', ';']);
        let number = word.trim_end_matches(['s', 'm', 'µ', 'n']);
        number.len() < word.len() && number.parse::<f64>().is_ok()
    };
    told.split_inclusive(char::is_whitespace).filter(|word| !is_time(word)).collect()
}

fn told_by(error: &ExtractionError) -> String {
    let mut told = format!("{error} {error:?} {error:#?}");
    for attempt in error.history() {
        write!(told, "{:?} {:?} {:?}", attempt.violations, attempt.changes, attempt.regressions).unwrap();
    }
    told
}

/// A small random number generator (xorshift), so that the cases are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % bound
    }

    fn small(&mut self, bound: usize) -> u32 {
        u32::try_from(self.below(bound)).unwrap()
    }

    /// Letters that no message of this library contains, so that they are found only if they
    /// leaked, with signs between them.
    fn string(&mut self) -> String {
        const LETTERS: [char; 12] = ['q', 'Q', 'z', 'Ж', 'ß', '字', 'é', 'ﬁ', 'İ', 'Ω', '7', 'q'];
        const SIGNS: [char; 14] =
            ['"', '\\', '\n', '\u{202e}', '\u{0}', '\u{7f}', '\'', '%', '&', ' ', '-', '\u{2028}', '🙂', '+'];
        let length = 4 + self.below(40);
        let text = (0..length).map(|at| {
            let is_sign = at % 3 == 2 && self.below(2) == 0;
            if is_sign { SIGNS[self.below(SIGNS.len())] } else { LETTERS[self.below(LETTERS.len())] }
        });
        format!("qz{}zq", text.collect::<String>())
    }

    fn person(&mut self, style: &str) -> Person {
        let salary =
            [52_000.0, 1_234.5, 987_654.25, 7_777_777.0][self.below(4)] + 9.0 * f64::from(self.small(1_000));
        Person {
            style: style.to_owned(),
            salary,
            name: self.string(),
            is_ill: [None, Some(true), Some(false)][self.below(3)],
            tags: (0..self.below(3)).map(|_| (self.string(), 70_000 + self.small(9_000))).collect(),
            home: (self.below(2) == 0).then(|| Home { street: self.string(), rooms: 3 }),
            note: String::new(),
            number: 0,
        }
    }
}

/// The strings and numbers that must not appear, in their possible forms.
fn secrets(person: &Person) -> Vec<String> {
    let mut strings: Vec<&str> = person.tags.keys().map(String::as_str).collect();
    strings.push(&person.name);
    strings.extend(person.home.as_ref().map(|home| &*home.street));
    let mut secrets = Vec::new();
    for text in strings {
        let hex = text.bytes().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        secrets.extend([text.to_owned(), text.to_uppercase(), text.to_lowercase(), hex]);
        secrets.extend(
            [format!("{text:?}"), json!(text).to_string()].map(|text| text[1..text.len() - 1].to_owned()),
        );
        // Six letters in a row are sufficient.
        let letters: Vec<char> = text.chars().filter(|char| char.is_alphanumeric()).collect();
        secrets.extend(letters.windows(6).map(|part| part.iter().collect::<String>()));
    }
    secrets.extend(person.tags.values().map(u32::to_string));
    secrets.extend([
        format!("{:.0}", person.salary.trunc()),
        grouped(person.salary.trunc()),
        format!("{:e}", person.salary),
    ]);
    secrets
}

#[test]
fn messages_of_rules_are_redacted() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for round in 0..8 {
        for style in STYLES {
            let person = random.person(style);
            let told = told_of(&[json!(person).to_string(), json!(person).to_string()]);
            assert!(told.contains("[RULE]"), "{told}");
            for secret in secrets(&person) {
                assert!(
                    !told.contains(&secret),
                    "round {round}, {style}: {secret:?} of {person:?} is in {told}"
                );
            }
            for spread in
                [" ", ", "].map(|by| person.name.chars().map(String::from).collect::<Vec<_>>().join(by))
            {
                assert!(!told.contains(&spread), "round {round}, {style}: {told}");
            }
            if person.name.len() > 8 {
                assert!(!told.contains(&base64(&person.name)[..8]), "round {round}, {style}: {told}");
            }
        }
    }
}

#[test]
fn the_cases_of_the_report() {
    let said = |person: &Value| {
        let violations = Contract::of::<Person>().unwrap().validate(person);
        violations[0].message.clone()
    };
    assert_eq!(
        said(&json!({"style": "numbers", "salary": 52000.0})),
        "(hidden) (hidden) (hidden) (hidden) (hidden) (hidden) []"
    );
    assert_eq!(
        said(&json!({"style": "glued", "salary": 52000.0, "name": "078-05-1120"})),
        "no(hidden)orx(hidden)x | xxor(hidden)"
    );
    assert_eq!(
        said(&json!({"style": "debug", "salary": 52000.0, "name": "a\u{202e}\u{0}cdef"})),
        r#"wrong: (hidden) "(hidden)" None {}"#
    );
    assert_eq!(
        said(&json!({"style": "debug", "salary": 52000.0, "is_ill": true, "tags": {"diabetes": 12}})),
        r#"wrong: (hidden) "" Some((hidden)) {"(hidden)": (hidden)}"#
    );
}

#[test]
fn a_key_of_a_sensitive_map_is_in_no_path() {
    let person = json!({"style": "", "tags": {"hunter2-4711": "no number"}});
    let told = told_of(&[person.to_string(), person.to_string()]);
    assert!(told.contains("$.tags") && !told.contains("hunter2"), "{told}");
}

#[test]
fn the_same_value_in_another_field_is_not_sent_to_another_agent() {
    let person = json!({
        "style": "json", "name": "Ada Lovelace-King", "salary": 52000.5, "tags": {"diabetes": 1},
        "note": "ADA LOVELACE KING earns 52,000.50, has Diabetes", "number": 52000,
    });
    let told = told_of(&[person.to_string(), person.to_string()]).to_lowercase();
    for secret in ["ada", "lovelace", "52000", "52,000", "diabetes"] {
        assert!(!told.contains(secret), "{secret} is in {told}");
    }
    assert!(told.contains("(hidden) earns (hidden), has (hidden)"), "{told}");
}

fn person(salary: f64) -> String {
    json!({"style": "json", "name": "Ada Lovelace-King", "salary": salary}).to_string()
}

fn overloaded() -> AgentError {
    AgentError::transport("overloaded")
}

/// The last request of `agent`, which is asked until it fails.
fn last_request(agent: &ScriptedAgent) -> String {
    agent.requests().pop().unwrap().conversation.to_text()
}

fn fail(agent: &impl Agent) {
    let extraction = Person::extract(agent, "…")
        .max_attempts(2)
        .transport_options(TransportOptions::new().retries(0))
        .feedback(Feedback::Continue);
    block_on(extraction).unwrap_err();
}

#[test]
fn a_fallback_agent_does_not_see_the_other_agents_reply() {
    let first = Arc::new(ScriptedAgent::new([person(1234.5)]).then_fail(overloaded()));
    let second = Arc::new(ScriptedAgent::new([person(1234.5)]));
    fail(&Arc::clone(&first).or(Arc::clone(&second)));
    assert!(
        last_request(&first).contains("Lovelace"),
        "its own submission is shown to the agent that made it"
    );
    let told = last_request(&second);
    assert!(told.contains("not accepted") && told.contains("…"), "{told}");
    assert!(!told.contains("Lovelace") && !told.contains("1234"), "{told}");
}

#[test]
fn the_first_agent_does_not_see_the_second_agents_reply() {
    for is_cached in [false, true] {
        let first = Arc::new(ScriptedAgent::default().then_fail(overloaded()).then_fail(overloaded()));
        let second = Arc::new(ScriptedAgent::new([person(1234.5), person(1234.5)]));
        let agent = Arc::clone(&first).or(Arc::clone(&second));
        if is_cached {
            fail(&agent.cached(MemoryStore::new(9)));
        } else {
            fail(&agent);
        }
        let told = last_request(&first);
        assert!(told.contains("not accepted") && !told.contains("Lovelace"), "{told}");
        assert!(last_request(&second).contains("Lovelace"));
    }
}

#[test]
fn of_three_agents_only_the_one_that_wrote_it_is_shown_it() {
    let first = Arc::new(ScriptedAgent::default().then_fail(overloaded()).then_fail(overloaded()));
    let second = Arc::new(ScriptedAgent::new([person(1234.5)]).then_fail(overloaded()));
    let third = Arc::new(ScriptedAgent::new([person(1234.5)]));
    fail(&Arc::clone(&first).or(Arc::clone(&second)).or(Arc::clone(&third)));
    assert!(last_request(&second).contains("Lovelace"));
    for other in [&first, &third] {
        assert!(!last_request(other).contains("Lovelace"), "{}", last_request(other));
    }
}

#[test]
fn a_way_of_asking_of_ones_own_is_asked_for_both() {
    let own = |failed: &FailedAttempt<'_>| failed.opening.clone().with(Role::User, failed.echo());
    let first = Arc::new(ScriptedAgent::new([person(1234.5)]).then_fail(overloaded()));
    let second = Arc::new(ScriptedAgent::new([person(1234.5)]));
    let agent = Arc::clone(&first).or(Arc::clone(&second));
    block_on(
        Person::extract(&agent, "…")
            .max_attempts(2)
            .transport_options(TransportOptions::new().retries(0))
            .feedback(own),
    )
    .unwrap_err();
    assert!(last_request(&first).contains("Lovelace") && !last_request(&second).contains("Lovelace"));
}

#[test]
fn a_value_that_a_tool_only_validated_is_not_shown_to_the_other_agent() {
    let contract = Contract::from_schema(json!({
        "type": "object",
        "properties": {"name": {"type": "string", "x-sensitive": true}},
        "required": ["name"],
    }));
    let call = |tool: &str| {
        Reply::new("").with_calls([ToolCall::new(tool, json!({"name": "Ada Lovelace"})).with_id(tool)])
    };
    let first = ScriptedAgent::new([call("validate")]).then_fail(overloaded()).calling_tools();
    let (first, second) = (Arc::new(first), Arc::new(ScriptedAgent::new([call("submit")]).calling_tools()));
    let agent = Arc::clone(&first).or(Arc::clone(&second));
    block_on(
        contract.unwrap().extract(&agent, "…").tools().transport_options(TransportOptions::new().retries(0)),
    )
    .unwrap();
    assert!(last_request(&first).contains("Lovelace"));
    assert!(!last_request(&second).contains("Lovelace"), "{}", last_request(&second));
}

#[test]
fn an_error_of_a_provider_does_not_repeat_the_question() {
    let refused = || {
        AgentError::refused("cannot answer: …\\\"name\\\":\\\"Ada Lovelace-King\\\"")
            .with_source("King, Ada LOVELACE King")
    };
    let agent = ScriptedAgent::new([person(1234.5)]).then_fail(refused());
    let error = block_on(Person::extract(&agent, "…")).unwrap_err();
    let told = told_by(&error);
    assert!(told.contains("cannot answer") && !told.to_lowercase().contains("lovelace"), "{told}");
}

#[test]
fn a_short_value_takes_the_words_of_a_rule_with_it_but_not_their_place() {
    let contract = Contract::of::<Person>().unwrap();
    let said = contract.validate(&json!({"style": "glued", "name": "B+"}))[0].to_string();
    assert_eq!(
        said,
        "[RULE] $: not accepted; the reason is redacted, because it may repeat a sensitive value"
    );
}

/// Work and memory are in proportion to the searched text, however many values there are.
#[test]
fn redacting_is_linear() {
    let cost = |size: usize| {
        let tags: BTreeMap<String, u32> =
            (0..size).map(|at| (format!("key number {at} of many"), 70_000)).collect();
        let person = json!({"style": "json", "tags": tags});
        let (violations, cost) = measured(|| Contract::of::<Person>().unwrap().validate(&person));
        assert!(!violations[0].message.contains("number 7"), "{}", violations[0].message);
        cost
    };
    cost(10);
    let (small, large) = (cost(250), cost(2_000));
    assert!(large.total < small.total * 10 && large.peak < mib(10), "{small:?} {large:?}");
}
