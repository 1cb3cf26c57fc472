//! Types with `#[extract(partial)]`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use extract::partials::{HasPartial, PartState, Partial, PartialStep, Progress};
use extract::schema::{Schema, SchemaGenerator, json_schema};
use extract::testing::{ScriptedAgent, block_on};
use extract::{Extractable, WithContext};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// The partials of `reply`, which arrives in `deltas`, and whether it was a value in the end.
pub(super) fn partials<T: Extractable + WithContext + Send>(
    reply: &str,
    deltas: &[&str],
) -> (Vec<Partial<T>>, Option<T>) {
    let agent = ScriptedAgent::new([reply]).streaming(deltas.iter().copied());
    let mut stream = T::extract(&agent, "…").max_attempts(1).partials();
    block_on(async {
        let mut partials = Vec::new();
        while let Some(step) = stream.next().await {
            match step {
                Ok(PartialStep::Partial(partial)) => partials.push(partial),
                Ok(PartialStep::Restarted { .. }) => partials.clear(),
                Ok(PartialStep::Finished(value, _)) => return (partials, Some(value)),
                _ => break,
            }
        }
        (partials, None)
    })
}

/// The known part of `reply` before its rest is written.
fn at<T: HasPartial + Extractable + WithContext + Send>(reply: &str, cut: &str) -> T::Partial {
    let (partials, _) = partials::<T>(reply, &[cut]);
    partials.first().map(Partial::fields).unwrap_or_default()
}

/// One delta for each character, of at most `size` bytes if that is more.
pub(super) fn chunks(text: &str, size: usize) -> Vec<&str> {
    let mut cuts: Vec<usize> =
        (0..text.len()).step_by(size.max(1)).map(|at| text.floor_char_boundary(at)).collect();
    cuts.push(text.len());
    cuts.dedup();
    cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

/// An order.
#[derive(Debug, Clone, PartialEq, Deserialize, Extractable)]
#[extract(partial)]
struct Order {
    /// As printed.
    number: String,
    #[extract(pattern = "^[A-Z]{2}$")]
    country: String,
    #[serde(rename = "kind", alias = "type")]
    #[allow(clippy::struct_field_names, reason = "it is renamed")]
    kind_of_order: Kind,
    lines: Vec<Line>,
    supplier: Option<Company>,
    #[serde(default)]
    is_urgent: bool,
    total: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Extractable)]
enum Kind {
    New,
    Again,
}

#[derive(Debug, Clone, PartialEq, Deserialize, Extractable)]
#[extract(partial(name = Row))]
#[serde(rename_all = "camelCase")]
struct Line {
    what_it_is: String,
    qty: u8,
}

/// Without a partial.
#[derive(Debug, Clone, PartialEq, Deserialize, Extractable)]
struct Company {
    name: String,
}

const ORDER: &str = concat!(
    r#"{"number": "INV-7 \u00e9\ud83d\ude00", "country": "DE", "type": "Again", "#,
    r#""lines": [{"whatItIs": "bolts", "qty": 12}, {"qty": 1, "whatItIs": "nuts"}], "#,
    r#""supplier": {"name": "Smith"}, "total": 1200}"#,
);

/// Returns the value, if every field is known.
fn whole(fields: OrderPartial) -> Option<Order> {
    let OrderPartial { number, country, kind_of_order, lines, supplier, is_urgent, total } = fields;
    Some(Order {
        number: number.into_done()?,
        country: country.into_done()?,
        kind_of_order: kind_of_order.into_done()?,
        lines: lines.into_done()?,
        supplier: supplier.into_done()?,
        is_urgent: is_urgent.into_done()?,
        total: total.into_done()?,
    })
}

#[test]
fn a_form_fills_itself_field_by_field() {
    let (partials, order) = partials::<Order>(ORDER, &chunks(ORDER, 1));
    let mut shown: Vec<String> = partials
        .iter()
        .map(|partial| {
            let OrderPartial { number, country, kind_of_order, lines, supplier, total, .. } =
                partial.fields();
            let rows = lines.known().unwrap_or_default().into_iter().map(|row| {
                let Row { what_it_is, qty } = row.known().unwrap();
                format!("{} {:?}", what_it_is.known().unwrap_or_default(), qty.done())
            });
            let rows: Vec<String> = rows.collect();
            let number = number.known().unwrap_or_default();
            format!(
                "{number}, {country:?}, {:?}, {}, {:?}, {total:?}",
                kind_of_order.done(),
                rows.join(" + "),
                supplier.state()
            )
        })
        .collect();
    shown.dedup();
    assert_eq!(order.unwrap().total.to_string(), "1200");
    // One for each letter of a growing string, and for each other part that starts or ends.
    let expected = [
        ", Pending, None, , Pending, Pending",
        "I, Pending, None, , Pending, Pending",
        "IN, Pending, None, , Pending, Pending",
        "INV, Pending, None, , Pending, Pending",
        "INV-, Pending, None, , Pending, Pending",
        "INV-7, Pending, None, , Pending, Pending",
        "INV-7 , Pending, None, , Pending, Pending",
        "INV-7 é, Pending, None, , Pending, Pending",
        "INV-7 é😀, Pending, None, , Pending, Pending",
        "INV-7 é😀, Writing(\"\"), None, , Pending, Pending",
        "INV-7 é😀, Done(\"DE\"), None, , Pending, Pending",
        "INV-7 é😀, Done(\"DE\"), Some(Again), , Pending, Pending",
        "INV-7 é😀, Done(\"DE\"), Some(Again),  None, Pending, Pending",
        "INV-7 é😀, Done(\"DE\"), Some(Again), b None, Pending, Pending",
    ];
    assert_eq!(shown[..expected.len()], expected);
    let known = "INV-7 é😀, Done(\"DE\"), Some(Again), ";
    let last = [
        format!("{known}bolts Some(12) +  Some(1), Pending, Pending"),
        format!("{known}bolts Some(12) + n Some(1), Pending, Pending"),
        format!("{known}bolts Some(12) + nu Some(1), Pending, Pending"),
        format!("{known}bolts Some(12) + nut Some(1), Pending, Pending"),
        format!("{known}bolts Some(12) + nuts Some(1), Pending, Pending"),
        format!("{known}bolts Some(12) + nuts Some(1), Writing, Pending"),
        format!("{known}bolts Some(12) + nuts Some(1), Done, Pending"),
        format!("{known}bolts Some(12) + nuts Some(1), Done, Writing(())"),
        format!("{known}bolts Some(12) + nuts Some(1), Done, Done(1200.0)"),
    ];
    assert_eq!(shown[shown.len() - last.len()..], last);
}

/// Asserts that finished fields equal the final ones, and that the known part of a string is its
/// start.
fn assert_agrees(fields: OrderPartial, order: &Order) {
    fn agrees<T: PartialEq + std::fmt::Debug, W>(progress: &Progress<T, W>, value: &T) {
        assert!(progress.done().is_none_or(|done| done == value), "{:?} is not {value:?}", progress.done());
    }
    let OrderPartial { number, country, kind_of_order, lines, supplier, is_urgent, total } = fields;
    agrees(&number, &order.number);
    agrees(&country, &order.country);
    agrees(&kind_of_order, &order.kind_of_order);
    agrees(&lines, &order.lines);
    agrees(&supplier, &order.supplier);
    agrees(&is_urgent, &order.is_urgent);
    agrees(&total, &order.total);
    assert!(order.number.starts_with(&number.known().unwrap_or_default()));
    assert!(country.writing().is_none_or(String::is_empty));
    for (row, line) in lines.known().into_iter().flatten().zip(&order.lines) {
        agrees(&row, line);
        let Row { what_it_is, qty } = row.known().unwrap();
        agrees(&what_it_is, &line.what_it_is);
        agrees(&qty, &line.qty);
        assert!(line.what_it_is.starts_with(&what_it_is.known().unwrap_or_default()));
    }
}

#[test]
fn the_last_fields_are_the_value_and_what_is_done_never_changes() {
    let pretty = "Sure:\n```json\n".to_owned() + &ORDER.replace(", ", ",\n  ") + "\n```\n";
    let loose = ORDER.replace("\"total\"", "'total'");
    for reply in [ORDER, &pretty, &loose] {
        for size in [1, 2, 3, 7, 16, 64, 1000] {
            let (partials, order) = partials::<Order>(reply, &chunks(reply, size));
            let order = order.expect("it is a value");
            let mut known: Vec<PartState> = Vec::new();
            for partial in &partials {
                assert_agrees(partial.fields(), &order);
                let OrderPartial { number, lines, supplier, total, .. } = partial.fields();
                let now = vec![number.state(), lines.state(), supplier.state(), total.state()];
                let went_back = known.iter().zip(&now).any(|(before, now)| *before as u8 > *now as u8);
                assert!(!went_back, "{known:?} and then {now:?}");
                known = now;
            }
            assert_eq!(partials.last().and_then(|last| whole(last.fields())), Some(order), "by {size}");
        }
    }
}

#[test]
fn a_value_that_serde_rejects_stays_what_was_written() {
    let reply = r#"{"number": "a", "lines": [{"whatItIs": "bolts", "qty": 300}], "total": 1}"#;
    let (partials, order) = partials::<Order>(reply, &[reply]);
    assert_eq!(order, None);
    let OrderPartial { number, lines, total, country, .. } = partials.last().unwrap().fields();
    assert_eq!((number.done().map(String::as_str), total.done()), (Some("a"), Some(&1.0)));
    assert_eq!(country, Progress::Pending);
    let Progress::Writing(rows) = lines else { panic!("a line is wrong") };
    let [Progress::Writing(Row { what_it_is, qty })] = &rows[..] else { panic!("a line is wrong") };
    assert_eq!((what_it_is.done().map(String::as_str), qty), (Some("bolts"), &Progress::Writing(())));
}

#[test]
fn debug_prints_no_value() {
    let (partials, _) = partials::<Order>(ORDER, &[&ORDER[..ORDER.len() - 4]]);
    let expected = "OrderPartial { number: Done, country: Done, kind_of_order: Done, lines: Done, supplier: Done, \
                    is_urgent: Pending, total: Writing }";
    assert_eq!(format!("{:?}", partials[0].fields()), expected);
    let pair = PairPartial::from(Pair("a".into(), 1, 2));
    assert_eq!(
        format!("{pair:?} {:?}", PairPartial::default()),
        "PairPartial(Done, Done) PairPartial(Pending, Pending)"
    );
}

#[derive(Debug, Deserialize, Extractable)]
#[extract(partial)]
struct Pair(
    String,
    u8,
    #[allow(dead_code, reason = "only that it has no partial matters")]
    #[serde(skip)]
    u8,
);

#[derive(Debug, Deserialize, Extractable)]
#[extract(partial)]
struct Name(String);

#[derive(Debug, Deserialize, Extractable)]
#[extract(partial)]
#[serde(transparent)]
struct Clear {
    inside: String,
    #[serde(skip)]
    _cache: u8,
}

#[test]
fn tuples_and_newtypes_are_shown_by_their_positions() {
    let PairPartial(first, second) = at::<Pair>(r#"["one", 2]"#, r#"["on"#);
    assert_eq!((first, second), (Progress::Writing("on".into()), Progress::Pending));
    let PairPartial(first, second) = at::<Pair>(r#"["one", 2]"#, r#"["one", 2"#);
    assert_eq!((first, second), (Progress::Done("one".into()), Progress::Writing(())));
    assert_eq!(at::<Name>(r#""one""#, r#""on"#).0, Progress::Writing("on".into()));
    assert_eq!(at::<Clear>(r#""one""#, r#""on"#).inside, Progress::Writing("on".into()));
}

#[derive(Debug, Deserialize, Extractable)]
#[extract(partial)]
struct Containers {
    boxed: Box<Name>,
    tree: Option<Box<Tree>>,
    map: HashMap<String, Line>,
    by_number: BTreeMap<u8, String>,
    set: BTreeSet<String>,
    array: [String; 2],
    tuple: (String, u8),
    any: serde_json::Value,
    shared: std::borrow::Cow<'static, str>,
}

/// Holds itself.
#[derive(Debug, Deserialize, Extractable)]
#[extract(partial)]
struct Tree {
    label: String,
    left: Option<Box<Self>>,
    children: Vec<Tree>,
}

#[test]
fn containers_are_known_by_their_parts() {
    let reply = concat!(
        r#"{"boxed": "one", "tree": {"label": "a", "left": null, "children": [{"label": "bc", "left": {"label": "d"#,
        r#"", "children": []}, "children": []}]}, "map": {"x": {"whatItIs": "y", "qty": 1}, "z": {"what"#,
        r#"ItIs": "v", "qty": 2}}, "by_number": {"7": "seven"}, "set": ["s", "t"], "array": ["a", "b"], "#,
        r#""tuple": ["t", 1], "any": {"a": [1, "bc"]}, "shared": "sh"}"#,
    );
    let until = |end: &str| at::<Containers>(reply, &reply[..reply.find(end).unwrap() + end.len()]);

    assert_eq!(until("\"on").boxed.known().unwrap().0, Progress::Writing("on".into()));
    let tree = until(r#""label": "d"#).tree.known().unwrap();
    assert!(matches!(tree.left, Progress::Done(None)));
    let child = tree.children.known().unwrap().remove(0).known().unwrap();
    assert_eq!(child.label, Progress::Done("bc".into()));
    let left = child.left.known().unwrap();
    assert_eq!((left.label.known().as_deref(), left.left.state()), (Some("d"), PartState::Pending));

    let mut map = until(r#""z": {"what"#).map.known().unwrap();
    assert_eq!((map[0].0.as_str(), map[1].0.as_str(), map.len()), ("x", "z", 2));
    assert_eq!((map[0].1.state(), map[1].1.state()), (PartState::Done, PartState::Writing));
    assert_eq!(map.remove(0).1.known().unwrap().qty, Progress::Done(1));
    let seven = |value: Progress<String>| vec![("7".to_owned(), value)];
    assert_eq!(until("\"sev").by_number.known(), Some(seven(Progress::Writing("sev".into()))));
    assert_eq!(until("seven\"}").by_number.known(), Some(seven(Progress::Done("seven".into()))));

    let done = |text: &str| Progress::Done(text.to_owned());
    assert_eq!(until(r#""set": ["s","#).set.known(), Some(vec![done("s")]));
    assert_eq!(
        until(r#""array": ["a", "b"#).array.known(),
        Some(vec![done("a"), Progress::Writing("b".into())])
    );
    assert_eq!(until(r#""tuple": ["t","#).tuple, Progress::Writing((done("t"), Progress::Pending)));
    assert_eq!(until(r#"[1, "b"#).any, Progress::Writing(serde_json::json!({"a": [1, "b"]})));
    assert_eq!(until(r#""shared": "s"#).shared.known().as_deref(), Some("s"));
}

#[derive(Debug, PartialEq, Deserialize, Extractable)]
#[extract(partial)]
#[serde(default)]
struct Attributes {
    #[serde(flatten)]
    line: Line,
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
    #[serde(deserialize_with = "from_percent")]
    #[extract(schema_with = percent)]
    level: f64,
    #[serde(with = "percents")]
    #[extract(schema_with = percent)]
    other: f64,
    #[extract(schema_with = percent)]
    raw: Raw,
    #[serde(skip)]
    cache: Cache,
    r#type: String,
}

/// Serde reads it, and nothing else is known of it.
#[derive(Debug, Default, PartialEq, Deserialize)]
struct Raw(String);

/// Not even that.
#[derive(Debug, Default, PartialEq)]
struct Cache;

impl Default for Attributes {
    fn default() -> Self {
        let line = Line { what_it_is: String::new(), qty: 0 };
        let [level, other] = [0.25, 0.75];
        Self {
            line,
            rest: BTreeMap::new(),
            level,
            other,
            raw: Raw::default(),
            cache: Cache,
            r#type: "t".into(),
        }
    }
}

fn percent(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string" })
}

fn from_percent<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let text = String::deserialize(deserializer)?;
    let number: f64 = text.trim_end_matches('%').parse().map_err(D::Error::custom)?;
    Ok(number / 100.0)
}

mod percents {
    pub(super) use super::from_percent as deserialize;
}

#[test]
fn the_attributes_of_serde_are_honoured() {
    let reply = r#"{"whatItIs": "bolts", "level": "50%", "other": "20%", "raw": "x", "more": 1, "qty": 2}"#;
    let fields = at::<Attributes>(reply, &reply[..reply.len() - 1]);
    assert_eq!((fields.level.done(), fields.other.done()), (Some(&0.5), Some(&0.2)));
    assert_eq!(fields.raw.done(), Some(&Raw("x".into())));
    assert_eq!((fields.rest.state(), fields.r#type), (PartState::Writing, Progress::Pending));
    let Progress::Writing(Row { what_it_is, qty }) = fields.line else { panic!("not before the end") };
    assert_eq!(what_it_is, Progress::Done("bolts".into()));
    assert_eq!(qty.state(), PartState::Writing, "12 may become 120");

    let (partials, value) = partials::<Attributes>(reply, &[reply]);
    let fields = partials.last().unwrap().fields();
    let value = value.unwrap();
    assert_eq!(fields.line.done(), Some(&value.line));
    assert_eq!(fields.rest.done().map(BTreeMap::len), Some(1));
    assert_eq!(fields.r#type.done(), Some(&"t".to_owned()), "the default");
}

#[test]
fn a_custom_function_that_fails_is_not_lost() {
    let reply = r#"{"level": "half", "raw": "x", "whatItIs": "bolts", "qty": 2}"#;
    let fields = at::<Attributes>(reply, &reply[..reply.len() - 1]);
    assert_eq!(fields.level, Progress::Writing(()));
    assert_eq!(fields.raw, Progress::Done(Raw("x".into())));
}

pub(crate) mod generic {
    use super::{Deserialize, Extractable};

    /// Generic over all that a type can be generic over.
    #[derive(Debug, Deserialize, Extractable)]
    #[extract(partial)]
    pub(crate) struct Page<T: Clone, K: HasKey, M = u8, const N: usize = 2>
    where
        K: Copy,
    {
        pub(crate) items: Vec<T>,
        pub(crate) key: K::Key,
        pub(crate) marker: std::marker::PhantomData<M>,
        pub(crate) next: Option<Box<Page<T, K, M, N>>>,
    }

    pub(crate) trait HasKey: 'static {
        type Key;
    }

    #[allow(dead_code, reason = "only its type is named")]
    #[derive(Clone, Copy, Debug, Deserialize, Extractable)]
    pub(crate) struct Numbered;

    impl HasKey for Numbered {
        type Key = u32;
    }
}

#[derive(Debug, Deserialize, Extractable)]
#[extract(partial)]
struct Wrapper<T> {
    inside: T,
    rest: Vec<Wrapper<T>>,
}

#[test]
fn generic_types_have_generic_partials() {
    let reply = r#"{"inside": {"whatItIs": "a", "qty": 1}, "rest": [{"inside": {"whatItIs": "bc", "qty": 2}, "rest": []}]}"#;
    let cut = &reply[..=reply.find("bc").unwrap()];
    let WrapperPartial { inside, rest } = at::<Wrapper<Line>>(reply, cut);
    assert_eq!(inside.done().map(|line| line.qty), Some(1));
    let inner: WrapperPartial<Line> = rest.known().unwrap().remove(0).known().unwrap();
    assert_eq!(inner.inside.known().unwrap().what_it_is, Progress::Writing("b".into()));
}

#[test]
fn a_list_has_progress_without_fields() {
    let reply = r#"[{"whatItIs": "a", "qty": 1}, {"whatItIs": "b", "qty": 2}]"#;
    let (partials, _) = partials::<Vec<Line>>(reply, &[&reply[..reply.len() - 12]]);
    let Progress::Writing(rows) = partials[0].progress() else { panic!("it is not complete") };
    assert_eq!(rows.iter().filter_map(Progress::done).map(|line| line.qty).collect::<Vec<_>>(), [1]);
    assert_eq!(rows.len(), 2);
}

#[test]
fn the_functions_of_others_may_use_the_partial_while_fields_are_made() {
    thread_local!(static SHOWN: std::cell::RefCell<Option<Partial<Asking>>> = const { std::cell::RefCell::new(None) });

    #[derive(Debug, Deserialize, Extractable)]
    #[extract(partial)]
    struct Asking {
        #[serde(deserialize_with = "asks")]
        #[extract(schema_with = percent)]
        text: String,
    }

    fn asks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        let text = String::deserialize(deserializer)?;
        let seen = SHOWN.with_borrow(|shown| shown.as_ref().and_then(|partial| partial.get("/text")));
        Ok(format!("{text} {seen:?}"))
    }

    let reply = r#"{"text": "a", "more": 1}"#;
    let (partials, _) = partials::<Asking>(reply, &[&reply[..13]]);
    SHOWN.set(Some(partials[0].clone()));
    assert_eq!(partials[0].fields().text, Progress::Done("a Some(String(\"a\"))".into()));
    SHOWN.set(None);
}

/// How something is paid.
#[derive(Debug, Clone, PartialEq, Deserialize, Extractable)]
#[serde(tag = "by")]
enum Payment {
    Card { number: String },
    Cash,
}

#[derive(Debug, Clone, PartialEq, Deserialize, Extractable)]
#[extract(partial)]
struct Sale {
    kind: Kind,
    payment: Payment,
    others: Vec<Payment>,
}

#[test]
fn an_enum_appears_when_it_is_complete() {
    let reply =
        r#"{"kind": "New", "payment": {"by": "Card", "number": "17"}, "others": [{"by": "Cash"}, {"by": "Ca"#;
    let at = |bytes: usize| at::<Sale>(&format!("{reply}sh\"}}]}}"), &reply[..bytes]);
    assert_eq!(at(12).kind, Progress::Writing(()), "not one of its letters");
    let SalePartial { kind, payment, others } = at(50);
    assert_eq!((kind, payment), (Progress::Done(Kind::New), Progress::Writing(())));
    assert_eq!(others, Progress::Pending);
    let SalePartial { payment, others, .. } = at(reply.len());
    assert_eq!(payment, Progress::Done(Payment::Card { number: "17".to_owned() }));
    assert_eq!(others, Progress::Writing(vec![Progress::Done(Payment::Cash), Progress::Writing(())]));
}
