//! Converts between text and tokens, from the data in the GGUF.

use std::sync::Arc;

use candle_core::quantized::gguf_file::Value;
use tokenizers::{
    SplitDelimiterBehavior,
    models::bpe::{BPE, Vocab},
    pre_tokenizers::{
        byte_level::ByteLevel,
        sequence::Sequence,
        split::{Split, SplitPattern},
    },
};
use toktrie::{TokEnv, TokRxInfo, TokTrie, TokenId, TokenizerEnv};

use super::{Gguf, byte_level};
use crate::error::LocalModelError;

/// How Qwen2 splits text into words before it merges bytes: `pretokenize_regex` of the model's own
/// `tokenizer_config.json`. The GGUF has only its name, `qwen2`.
const WORDS: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// `LLAMA_TOKEN_TYPE_NORMAL` of the GGUF specification; the others are control tokens and padding.
const NORMAL: i64 = 1;

/// The tokenizer of a model.
///
/// It has no control tokens: text that looks like one is encoded as ordinary text, so a document
/// cannot end its own turn. Control tokens are looked up by name, and only for the chat format.
/// Text is not normalized: decoding gives the encoded bytes back.
pub(crate) struct Tokenizer {
    bpe: tokenizers::Tokenizer,
    /// Bytes of all tokens; control tokens start with [`TokTrie::SPECIAL_TOKEN_MARKER`].
    trie: TokTrie,
}

impl Tokenizer {
    /// Builds the tokenizer of a file.
    pub(crate) fn new(gguf: &Gguf) -> Result<Arc<Self>, LocalModelError> {
        let (kind, words) = (gguf.text("tokenizer.ggml.model")?, gguf.text("tokenizer.ggml.pre")?);
        if (kind, words) != ("gpt2", "qwen2") {
            return Err(gguf.unsupported(format!(
                "its tokenizer is `{kind}` with word rules `{words}`; supported is `gpt2` with `qwen2`"
            )));
        }
        let names = names(gguf)?;
        let bpe = bpe(gguf, &names)?;
        let end = gguf.count("tokenizer.ggml.eos_token_id")?;
        let trie = trie(gguf, &names, end)?;
        Ok(Arc::new(Self { bpe, trie }))
    }

    /// The tokens of a text without control tokens.
    pub(crate) fn encode(&self, text: &str) -> Vec<TokenId> {
        match self.bpe.encode_fast(text, false) {
            Ok(encoding) => encoding.get_ids().to_vec(),
            // Byte-level BPE has a token for every byte, so this is not reached. If it were, the
            // longest tokens from the left would be a valid encoding too.
            Err(_) => self.trie.greedy_tokenize(text.as_bytes()),
        }
    }

    /// The control token with this name.
    pub(crate) fn control(&self, name: &str) -> Option<TokenId> {
        self.trie.get_special_token(name)
    }

    /// The bytes of tokens. Control tokens, which only an unconstrained reply can have, are written
    /// by name.
    pub(crate) fn bytes(&self, tokens: &[TokenId]) -> Vec<u8> {
        self.trie.decode(tokens)
    }

    /// Returns whether a reply ends with this token.
    pub(crate) fn is_end(&self, token: TokenId) -> bool {
        self.trie.eos_tokens().contains(&token)
    }

    /// The same for llguidance.
    pub(crate) fn environment(self: &Arc<Self>) -> TokEnv {
        Arc::<Self>::clone(self)
    }
}

impl TokenizerEnv for Tokenizer {
    fn tok_trie(&self) -> &TokTrie {
        &self.trie
    }

    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<TokenId> {
        self.trie.tokenize_with_greedy_fallback(bytes, |text| self.encode(text))
    }
}

fn names(gguf: &Gguf) -> Result<Vec<&str>, LocalModelError> {
    strings(gguf, "tokenizer.ggml.tokens")
}

fn strings<'a>(gguf: &'a Gguf, key: &str) -> Result<Vec<&'a str>, LocalModelError> {
    let text = |value: &'a Value| match value {
        Value::String(text) => Ok(text.as_str()),
        _ => Err(gguf.unsupported(format!("`{key}` in its metadata is not a list of texts"))),
    };
    gguf.list(key)?.iter().map(text).collect()
}

fn bpe(gguf: &Gguf, names: &[&str]) -> Result<tokenizers::Tokenizer, LocalModelError> {
    let failed =
        |error: tokenizers::Error| gguf.unsupported(format!("its tokenizer is inconsistent: {error}"));
    let vocabulary: Vocab = (0..).zip(names).map(|(id, name)| ((*name).to_owned(), id)).collect();
    let merges = strings(gguf, "tokenizer.ggml.merges")?
        .into_iter()
        .map(|merge| merge.split_once(' ').map(|(left, right)| (left.to_owned(), right.to_owned())))
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| gguf.unsupported("a merge of its tokenizer is not a pair"))?;
    let model = BPE::builder().vocab_and_merges(vocabulary, merges).build().map_err(failed)?;
    let words = SplitPattern::Regex(WORDS.to_owned());
    let words = Split::new(words, SplitDelimiterBehavior::Isolated, false).map_err(failed)?;
    let mut tokenizer = tokenizers::Tokenizer::new(model);
    tokenizer.with_pre_tokenizer(Some(Sequence::new(vec![
        words.into(),
        ByteLevel::new(false, false, false).into(),
    ])));
    Ok(tokenizer)
}

fn trie(gguf: &Gguf, names: &[&str], end: usize) -> Result<TokTrie, LocalModelError> {
    let types = gguf.list("tokenizer.ggml.token_type")?;
    let bytes: Vec<Vec<u8>> = names
        .iter()
        .enumerate()
        .map(|(id, name)| {
            match types.get(id).and_then(|kind| kind.to_i64().or(kind.to_i32().map(i64::from)).ok()) {
                Some(NORMAL) => normal(name),
                _ => marked_schema(name),
            }
        })
        .collect();
    let (Ok(size), Ok(end)) = (u32::try_from(bytes.len()), u32::try_from(end)) else {
        return Err(gguf.unsupported("its vocabulary has more than 2^32 tokens"));
    };
    if end >= size {
        return Err(gguf.unsupported("its end token is not in its vocabulary"));
    }
    let trie = TokTrie::from(&TokRxInfo::new(size, end), &bytes);
    // Chat models end a turn with one token and a text with the other; either ends a reply.
    let ends: Vec<TokenId> =
        [Some(end), trie.get_special_token("<|im_end|>"), trie.get_special_token("<|endoftext|>")]
            .into_iter()
            .flatten()
            .collect();
    Ok(trie.with_eos_tokens(&ends))
}

/// The bytes of a token in the vocabulary. A name that is not byte-level is taken as a control
/// token, which the grammar never allows.
fn normal(name: &str) -> Vec<u8> {
    name.chars().map(byte_level::byte).collect::<Option<_>>().unwrap_or_else(|| marked_schema(name))
}

fn marked_schema(name: &str) -> Vec<u8> {
    [&[TokTrie::SPECIAL_TOKEN_MARKER], name.as_bytes()].concat()
}
