//! Running the program in a folder of its own.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

use serde_json::Value;

/// A folder of one test, and the program in it.
pub(crate) struct Place {
    folder: PathBuf,
}

/// What the program left.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit code; `None` after a signal.
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A schema of an invoice.
pub(crate) const INVOICE: &str = r#"{
    "title": "Invoice",
    "type": "object",
    "properties": {
        "number": {"type": "string", "pattern": "^INV-\\d{4}$", "description": "Printed at the top.", "examples": ["INV-2041"]},
        "currency": {"enum": ["EUR", "USD"]},
        "total": {"type": "number", "minimum": 0}
    },
    "required": ["number", "currency", "total"]
}"#;

/// A reply that conforms to it.
pub(crate) const GOOD: &str = r#"{"number": "INV-3107", "currency": "EUR", "total": 1064.4}"#;

impl Place {
    /// An empty folder with `invoice.json`.
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let place = Self { folder };
        place.write("invoice.json", INVOICE);
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// A command that has no agents or colours from the environment of whoever runs the tests.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_extractable"));
        command.args(args).current_dir(&self.folder);
        for name in [
            "EXTRACT_AGENT",
            "OPENAI_API_KEY",
            "OPENAI_BASE_URL",
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_BASE_URL",
            "GEMINI_API_KEY",
            "GOOGLE_GEMINI_BASE_URL",
            "OLLAMA_HOST",
        ] {
            command.env_remove(name);
        }
        // Scripts and servers of the tests are no real agents.
        command.env("EXTRACT_ALLOW_REAL_AGENTS", "1");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs to the end without input.
    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        Ended::of(self.command(args).spawn().unwrap())
    }

    /// Runs to the end with `input` on the standard input.
    pub(crate) fn pipe(&self, input: &str, args: &[&str]) -> Ended {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        // A program that ends without reading closes the pipe.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Ended::of(child)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

impl Ended {
    pub(crate) fn of(child: Child) -> Self {
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Asserts the exit code.
    #[track_caller]
    pub(crate) fn code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "out: {}\nerr: {}", self.out, self.err);
        self
    }

    /// The standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that the standard output says so.
    #[track_caller]
    pub(crate) fn prints(self, text: &str) -> Self {
        assert!(self.out.contains(text), "no `{text}` in: {}", self.out);
        self
    }

    /// Asserts that the standard error says so.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.err.contains(text), "no `{text}` in: {}", self.err);
        self
    }
}
