//! The interfaces for batches: files of requests that a server answers within hours.
//!
//! The forms were checked against the types of the official SDKs, and the limits read, on 2026-11-26.
//! Where two pages of a provider name different limits, the lower one counts. Files are kept smaller
//! than some providers allow, because each is in memory while it is sent.

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
    /// The provider's own limits: requests and MB of a file, and tokens of all open batches.
    pub provider_limits: &'static str,
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

/// Source of the tokens: <https://help.openai.com/en/articles/9197833-batch-api-faq>.
pub(super) const OPENAI: BatchInterface = BatchInterface {
    form: BatchForm::Files { endpoint: BatchEndpoint::Versioned },
    limits: BatchLimits { requests: 50_000, bytes: 100 * MB },
    mark: BatchMark::Metadata,
    provider_limits: "50,000; 200 MB; tokens by tier and model",
    source: "https://platform.openai.com/docs/guides/batch",
};

/// Source of the bytes: the type `BatchCreateParams` of the Python package `groq` 1.7.0.
pub(super) const GROQ: BatchInterface = BatchInterface {
    provider_limits: "100 MB; no source found for requests and tokens",
    source: "https://console.groq.com/docs/batch",
    ..OPENAI
};

/// The model is a deployment of the kind Global Batch. Sources: the file
/// `articles/ai-foundry/openai/includes/global-batch-limits.md` of `MicrosoftDocs/azure-ai-docs`
/// names 100,000 requests, the reference of `POST /openai/v1/batches` 50,000.
pub(super) const AZURE: BatchInterface = BatchInterface {
    form: BatchForm::Files { endpoint: BatchEndpoint::Plain },
    provider_limits: "50,000 or 100,000, by page; 200 MB; tokens by subscription and model, such as 200 million",
    source: "https://learn.microsoft.com/azure/ai-foundry/openai/how-to/batch",
    ..OPENAI
};

pub(super) const TOGETHER: BatchInterface = BatchInterface {
    form: BatchForm::TogetherFiles,
    mark: BatchMark::FileName,
    provider_limits: "50,000; 100 MB; 30 billion tokens of a model",
    source: "https://docs.together.ai/docs/inference/batch/overview",
    ..OPENAI
};

/// The guide to batches names a million requests.
pub(super) const MISTRAL: BatchInterface = BatchInterface {
    form: BatchForm::Jobs,
    limits: BatchLimits { requests: 100_000, bytes: 100 * MB },
    provider_limits: "100,000 or a million, by page; 512 MB; no source found for tokens",
    source: "https://docs.mistral.ai/resources/known-limitations",
    ..OPENAI
};

pub(super) const ANTHROPIC: BatchInterface = BatchInterface {
    form: BatchForm::Messages,
    limits: BatchLimits { requests: 100_000, bytes: 200 * MB },
    mark: BatchMark::RequestIds,
    provider_limits: "100,000; 256 MB; no source found for tokens",
    source: "https://platform.claude.com/docs/en/build-with-claude/batch-processing",
};

/// The answers of requests in the body come in one body too.
pub(super) const GEMINI: BatchInterface = BatchInterface {
    form: BatchForm::Generate,
    limits: BatchLimits { requests: 10_000, bytes: 18 * MB },
    mark: BatchMark::DisplayName,
    provider_limits: "20 MB in the body; no source found for tokens",
    source: "https://ai.google.dev/gemini-api/docs/batch-api",
};
