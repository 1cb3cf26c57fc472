//! The list of the profiles.

use super::{
    anthropic, azure, bedrock, cerebras, cohere, deepseek, definition::Profile, fireworks, gemini, github,
    groq, huggingface, kimi, litellm, llama_cpp, lmstudio, mistral, nvidia, ollama, openai, openrouter,
    perplexity, qwen, sglang, together, vertex, vllm, xai, zai,
};

impl Profile {
    /// All profiles, in the order of their names.
    pub const ALL: [Self; 30] = [
        anthropic::ANTHROPIC,
        azure::AZURE,
        bedrock::BEDROCK,
        bedrock::BEDROCK_CONVERSE,
        cerebras::CEREBRAS,
        cohere::COHERE,
        deepseek::DEEPSEEK,
        fireworks::FIREWORKS,
        gemini::GEMINI,
        github::GITHUB,
        groq::GROQ,
        huggingface::HUGGINGFACE,
        kimi::KIMI,
        litellm::LITELLM,
        llama_cpp::LLAMA_CPP,
        lmstudio::LMSTUDIO,
        mistral::MISTRAL,
        nvidia::NVIDIA,
        ollama::OLLAMA,
        openai::OPENAI,
        openai::OPENAI_RESPONSES,
        openrouter::OPENROUTER,
        perplexity::PERPLEXITY,
        qwen::QWEN,
        sglang::SGLANG,
        together::TOGETHER,
        vertex::VERTEX,
        vllm::VLLM,
        xai::XAI,
        zai::ZAI,
    ];

    /// The profile called `name`. Case, dots, hyphens and underscores do not matter.
    ///
    /// ```
    /// use extract_agents::Profile;
    ///
    /// assert_eq!(Profile::find("Llama_cpp").unwrap().name, "llama.cpp");
    /// assert!(Profile::find("llama").is_none());
    /// ```
    pub fn find(name: &str) -> Option<Self> {
        let exact = Self::ALL.into_iter().find(|profile| profile.name == name);
        exact.or_else(|| Self::ALL.into_iter().find(|profile| plain(profile.name) == plain(name)))
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|char| !matches!(char, '.' | '-' | '_')).flat_map(char::to_lowercase).collect()
}
