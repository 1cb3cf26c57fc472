//! Qwen on Alibaba Cloud, in Singapore; `DASHSCOPE_BASE_URL` names another region.

use super::{Caching, Prefill, Profile};
use crate::format::ThinkingForm;

pub(super) const QWEN: Profile = Profile {
    name: "qwen",
    title: "Qwen",
    address: "{DASHSCOPE_BASE_URL:https://dashscope-intl.aliyuncs.com/compatible-mode/v1}",
    key_variables: &["DASHSCOPE_API_KEY"],
    needs_key: true,
    thinking: ThinkingForm::EnableThinking,
    caching: Caching::Automatic,
    prefill: Prefill::Partial,
    sources: &[
        "https://www.alibabacloud.com/help/en/model-studio/qwen-api-reference",
        "https://www.alibabacloud.com/help/en/model-studio/qwen-structured-output",
    ],
    ..Profile::CHAT_COMPLETIONS
};
