//! The forms of a thinking level.

/// How a server is told how much a model should think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ThinkingForm {
    /// It is not.
    None,
    /// `reasoning_effort`, a level: Chat Completions.
    Effort,
    /// `reasoning.effort`, a level: Responses.
    ReasoningEffort,
    /// `reasoning`, with a level or a number of tokens: OpenRouter.
    Reasoning,
    /// `thinking.type`, on or off: Z.ai, Kimi, DeepSeek.
    Toggle,
    /// `enable_thinking` and `thinking_budget`: Qwen on Alibaba Cloud.
    EnableThinking,
    /// `chat_template_kwargs.enable_thinking`, on or off: vLLM, SGLang, llama.cpp.
    TemplateArguments,
    /// `thinking` and `output_config.effort`: Messages.
    Messages,
    /// The same members in `additionalModelRequestFields`, for models of Anthropic: Converse.
    ConverseMessages,
    /// `generationConfig.thinkingConfig`: `generateContent`.
    ThinkingConfig,
    /// `think`, on, off or a level: Ollama.
    Think,
}
