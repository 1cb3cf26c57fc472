//! Types of the standard library.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque},
    marker::PhantomData,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    num::{NonZeroI8, NonZeroI128, NonZeroU8, NonZeroU128},
    path::PathBuf,
    rc::Rc,
    sync::Arc,
    time::{Duration, SystemTime},
};

use extract::Extractable;
use serde_json::{Value, json};

use super::oracle::{Stricter, check, check_but_for};

/// Numbers at all bounds.
fn numbers() -> impl Iterator<Item = Value> {
    let integers = [i64::MIN, -129, -128, -1, 0, 1, 127, 128, 255, 256, 65535, 65536, i64::MAX];
    integers.into_iter().map(Value::from).chain([json!(u64::MAX), json!(0.5), json!(1e300), json!(-1e300)])
}

macro_rules! check_numbers {
    ($($type:ty),*) => {$(
        assert!(check::<$type>(numbers()) > 0, stringify!($type));
    )*};
}

#[derive(PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, Extractable)]
struct Key<T>(T);

#[test]
fn numbers_have_the_bounds_of_their_type() {
    check_numbers!(i8, i16, i32, i64, isize, i128, u8, u16, u32, u64, usize, u128, NonZeroI8, NonZeroU8);
    check_numbers!(NonZeroI128, NonZeroU128);
    assert!(check::<f64>(numbers()) > 0);
    let ends = [3.402_823_567_797_336_2e38, 3.402_823_567_797_336_6e38, f64::from(f32::MAX)];
    let ends = ends.into_iter().flat_map(|end| [json!(end), json!(-end)]);
    assert!(check_but_for::<f32>(&[Stricter::Infinite], numbers().chain(ends)) > 4);
}

#[test]
fn texts_and_their_kin() {
    let texts = || ["", "a", "ä", "ab", "127.0.0.1", "::1", "256.0.0.1"].map(|text| json!(text));
    assert!(check::<String>(texts()) > 0);
    assert!(check::<Box<str>>(texts()) > 0);
    assert!(check::<Rc<str>>(texts()) > 0);
    assert!(check::<Arc<str>>(texts()) > 0);
    assert!(check::<Cow<'static, str>>(texts()) > 0);
    assert!(check::<PathBuf>(texts()) > 0);
    assert!(check::<char>(texts()) > 0);
    assert!(check::<IpAddr>(texts()) > 0);
    assert!(check::<Ipv4Addr>(texts()) > 0);
    assert!(check::<Ipv6Addr>(texts()) > 0);
    assert!(check::<bool>([json!(true), json!("true")]) > 0);
    assert!(check::<()>([json!(null)]) > 0);
    assert!(check::<PhantomData<String>>([json!(null)]) > 0);
    assert!(check::<Value>(texts()) > 0);
}

#[test]
fn sequences_and_tuples() {
    let lists = || [json!([]), json!([1]), json!([1, 2, 3]), json!([300])];
    assert!(check::<Vec<u8>>(lists()) > 0);
    assert!(check::<VecDeque<u8>>(lists()) > 0);
    assert!(check::<LinkedList<u8>>(lists()) > 0);
    assert!(check::<BinaryHeap<u8>>(lists()) > 0);
    assert!(check::<Box<[u8]>>(lists()) > 0);
    assert!(check::<Arc<[u8]>>(lists()) > 0 && check::<Rc<[u8]>>(lists()) > 0);
    assert!(check::<Cow<'static, [u8]>>(lists()) > 0);
    assert!(check::<[u8; 3]>(lists()) > 0);
    assert!(check::<[u8; 0]>(lists()) > 0);
    assert!(check_but_for::<BTreeSet<u8>>(&[Stricter::Equal], lists()) > 0);
    assert!(check_but_for::<HashSet<u8>>(&[Stricter::Equal], lists()) > 0);
    assert!(check::<(u8,)>(lists()) > 0);
    assert!(check::<(u8, Option<bool>, String)>([json!([1, true, "a"])]) > 0);
    assert!(check::<Rc<Arc<Box<Vec<Option<u8>>>>>>([json!([1, null])]) > 0);
}

/// An extraction may run on any thread; reading a reply stays on one.
#[test]
fn types_of_one_thread_are_read_from_replies() {
    #[derive(Debug, serde::Deserialize, Extractable)]
    struct Note {
        #[extract(check = is_short)]
        text: Rc<str>,
        tags: Vec<Rc<str>>,
    }

    fn is_short(text: &Rc<str>) -> Result<(), &'static str> {
        if text.len() < 5 { Ok(()) } else { Err("too long") }
    }

    let (note, metrics) = Note::from_reply(r#"{"text": "Hi", "tags": ["a"]}"#).unwrap();
    assert_eq!((&*note.text, &*note.tags[0], metrics.attempts), ("Hi", "a", 1));
    let error = Note::from_reply(r#"{"text": "Hello", "tags": []}"#).unwrap_err();
    assert_eq!(error.violations()[0].path.to_string(), "$.text");
    let (text, _) = Rc::<str>::from_reply("\"Hi\"").unwrap();
    assert_eq!(&*text, "Hi");
}

#[test]
fn maps_with_keys_of_every_kind() {
    let map = |key: &str| json!({ key: 1 });
    assert!(check::<HashMap<String, u8>>([map("a"), map("")]) > 0);
    assert!(check::<BTreeMap<Box<str>, u8>>([map("a"), map("")]) > 0);
    assert!(check::<BTreeMap<char, u8>>([map("a"), map("ab")]) > 0);
    assert!(check::<BTreeMap<bool, u8>>([map("true"), map("1")]) > 0);
    assert!(check::<BTreeMap<i32, u8>>([map("-1"), map("01"), map("1.5"), map("")]) > 0);
    assert!(check::<BTreeMap<Key<u32>, u8>>([map("1"), map("a")]) > 0);
    assert!(check::<BTreeMap<Ipv4Addr, u8>>([map("127.0.0.1"), map("a")]) > 0);
    // No string is a list, so no such map has an entry.
    assert!(check::<BTreeMap<Vec<u8>, u8>>([map("a"), json!({})]) > 0);
}

#[test]
fn moments_and_spans() {
    let span = json!({ "secs": 1, "nanos": 5 });
    assert!(check_but_for::<Duration>(&[Stricter::Nanos], [span]) > 0);
    let moment = json!({ "secs_since_epoch": 1, "nanos_since_epoch": 5 });
    assert!(check_but_for::<SystemTime>(&[Stricter::Nanos], [moment]) > 0);
}
