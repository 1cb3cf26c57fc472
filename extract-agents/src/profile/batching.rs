//! The interfaces for batches: files of requests that a server answers within hours.
//!
//! The forms were checked against the types of the official SDKs. Azure, Groq and Mistral get
//! OpenAI's limits: their pages name others, which were not read when this was written.

use extract::agent::BatchLimits;

/// The interface for batches of a server: its form, its limits, and how a batch is found whose id
/// was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchInterface {
    /// The form of requests and answers.
    pub form: BatchForm,
    /// The limits of one batch.
    pub limits: BatchLimits,
    /// Where a batch carries its mark.
    pub mark: BatchMark,
    /// The page of the provider that describes its batches.
    pub source: &'static str,
}

/// The form of requests and answers of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BatchForm {
    /// A file by `/files`, then `/batches`; each line has a method and a path. Source: OpenAI's
    /// API reference, and the types of the Python packages `openai` 3.57.0 and `groq` 1.7.0.
    Files {
        /// The path of Chat Completions in each line and in the batch.
        endpoint: BatchEndpoint,
    },
    /// The same with shorter lines and another way of uploading. Source: the types of the Python
    /// package `together` 3.1.1.
    TogetherFiles,
    /// A file by `/files`, then `/batch/jobs`, which names the model. Source: the types of the
    /// Python package `mistralai` 3.7.0.
    Jobs,
    /// All requests in one body, to `/messages/batches`. Source: the types of the Python package
    /// `anthropic` 2.14.0.
    Messages,
    /// All requests in one body, to the method `batchGenerateContent` of the model. Source: the
    /// types of the Python package `google-genai` 3.6.1.
    Generate,
}

/// How the batch names the path of its requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BatchEndpoint {
    /// As the lines do, such as `/v1/chat/completions`.
    Versioned,
    /// Without the version, such as `/chat/completions`.
    Plain,
}

/// Where a batch carries the mark by which it is found when its id was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BatchMark {
    /// In its metadata.
    Metadata,
    /// In its display name.
    DisplayName,
    /// In the name of its file of requests: a batch has no metadata, but names its file.
    FileName,
    /// In the ids of its requests, which are only shown with the answers. While another batch with
    /// as many requests is open, it is not known whether that is the one.
    RequestIds,
}

impl BatchMark {
    /// The words for people.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Metadata => "metadata of the batch",
            Self::DisplayName => "display name of the batch",
            Self::FileName => "name of the file",
            Self::RequestIds => "ids of the requests",
        }
    }
}

const MB: usize = 1_000_000;

/// 50,000 requests and 200 MB in a file. Several files are smaller than one that takes the memory
/// of all its requests.
pub(super) const OPENAI: BatchInterface = BatchInterface {
    form: BatchForm::Files { endpoint: BatchEndpoint::Versioned },
    limits: BatchLimits { requests: 50_000, bytes: 100 * MB },
    mark: BatchMark::Metadata,
    source: "https://platform.openai.com/docs/guides/batch",
};

/// 50,000 requests and 100 MB (the type `BatchCreateParams` of the SDK).
pub(super) const GROQ: BatchInterface =
    BatchInterface { source: "https://console.groq.com/docs/batch", ..OPENAI };

/// 100,000 requests and 200 MB. The model is a deployment of the kind Global Batch.
pub(super) const AZURE: BatchInterface = BatchInterface {
    form: BatchForm::Files { endpoint: BatchEndpoint::Plain },
    source: "https://learn.microsoft.com/azure/ai-foundry/openai/how-to/batch",
    ..OPENAI
};

/// 50,000 requests and 100 MB.
pub(super) const TOGETHER: BatchInterface = BatchInterface {
    form: BatchForm::TogetherFiles,
    mark: BatchMark::FileName,
    source: "https://docs.together.ai/docs/inference/batch/overview",
    ..OPENAI
};

/// A million requests, and 512 MB in a file.
pub(super) const MISTRAL: BatchInterface =
    BatchInterface { form: BatchForm::Jobs, source: "https://docs.mistral.ai/capabilities/batch", ..OPENAI };

/// 100,000 requests and 256 MB.
pub(super) const ANTHROPIC: BatchInterface = BatchInterface {
    form: BatchForm::Messages,
    limits: BatchLimits { requests: 100_000, bytes: 200 * MB },
    mark: BatchMark::RequestIds,
    source: "https://platform.claude.com/docs/en/build-with-claude/batch-processing",
};

/// 20 MB for requests in the body. Their answers come in one body too.
pub(super) const GEMINI: BatchInterface = BatchInterface {
    form: BatchForm::Generate,
    limits: BatchLimits { requests: 10_000, bytes: 18 * MB },
    mark: BatchMark::DisplayName,
    source: "https://ai.google.dev/gemini-api/docs/batch-api",
};
