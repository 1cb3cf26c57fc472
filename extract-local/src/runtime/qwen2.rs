//! The Qwen2 architecture on candle's quantized tensors.
//!
//! candle-transformers has this architecture too, but its model keeps the keys and values private:
//! they can be neither cut back to a shared prefix nor kept for several prompts. Here they are a
//! separate value. There are two more differences. Token embeddings stay quantized until they are
//! looked up (as `f32` they take 930 MB for the 1.5B model). Grouped attention multiplies each key
//! head once with all its query heads.
//!
//! The architecture: "Qwen2 Technical Report" (arXiv:2407.10671), section 2.2.

use std::sync::Arc;

use candle_core::{D, Device, IndexOp as _, Result, Tensor, quantized::gguf_file::Value};
use candle_nn::{ops, rotary_emb};
use toktrie::TokenId;

use super::matrix::Matrix;
use crate::{
    error::LocalModelError,
    gguf::{Gguf, first_line},
};

/// The dimensions of a model.
#[derive(Clone, Copy)]
struct ModelShape {
    heads: usize,
    /// Heads of keys and values; each serves `heads / key_heads` heads of queries.
    key_heads: usize,
    head: usize,
    epsilon: f32,
}

/// The weights of a model.
pub(super) struct Qwen2 {
    shape: ModelShape,
    embeddings: Arc<Matrix>,
    layers: Vec<Layer>,
    norm: Tensor,
    output: Arc<Matrix>,
    rotation: Rotation,
}

struct Layer {
    attention_norm: Tensor,
    query: Biased,
    key: Biased,
    value: Biased,
    attention_output: Matrix,
    feed_forward_norm: Tensor,
    gate: Matrix,
    up: Matrix,
    down: Matrix,
}

struct Biased {
    weight: Matrix,
    bias: Tensor,
}

impl Biased {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        self.weight.forward(input)?.broadcast_add(&self.bias)
    }
}

impl Qwen2 {
    /// Reads the weights, for positions up to `context`.
    pub(super) fn load(gguf: &mut Gguf, context: usize) -> std::result::Result<Self, LocalModelError> {
        let heads = gguf.count("qwen2.attention.head_count")?;
        let width = gguf.count("qwen2.embedding_length")?;
        let layers = gguf.count("qwen2.block_count")?;
        let key_heads = gguf.count("qwen2.attention.head_count_kv")?;
        if heads == 0 || key_heads == 0 || heads % key_heads != 0 || width % heads != 0 {
            return Err(gguf.unsupported(format!(
                "its dimensions do not fit: width {width}, {heads} heads, {key_heads} key heads"
            )));
        }
        let path = gguf.path.clone();
        Self::read(gguf, ModelShape { heads, key_heads, head: width / heads, epsilon: 0.0 }, layers, context)
            .map_err(|error| LocalModelError::Load { path, reason: first_line(&error) })
    }

    fn read(gguf: &mut Gguf, shape: ModelShape, layers: usize, context: usize) -> Result<Self> {
        let number = |key: &str| gguf.content.metadata.get(key).map(Value::to_f32).transpose();
        let epsilon = number("qwen2.attention.layer_norm_rms_epsilon")?.unwrap_or(1e-6);
        let base = number("qwen2.rope.freq_base")?.unwrap_or(10_000.0);
        let embeddings = Arc::new(Matrix::read(gguf, "token_embd.weight")?);
        // Small models use the embeddings for the output as well.
        let output = if gguf.content.tensor_infos.contains_key("output.weight") {
            Arc::new(Matrix::read(gguf, "output.weight")?)
        } else {
            Arc::clone(&embeddings)
        };
        Ok(Self {
            embeddings,
            layers: (0..layers).map(|index| Layer::read(gguf, index)).collect::<Result<_>>()?,
            norm: plain(gguf, "output_norm.weight")?,
            output,
            rotation: Rotation::new(shape.head, base, context)?,
            shape: ModelShape { epsilon, ..shape },
        })
    }

    /// An empty memory for this model.
    pub(super) fn memory(&self) -> Memory {
        Memory { layers: vec![None; self.layers.len()], length: 0 }
    }

    /// Reads `tokens` at the end of `memory`, and returns the scores for the next token.
    pub(super) fn forward(&self, tokens: &[TokenId], memory: &mut Memory) -> Result<Vec<f32>> {
        let start = memory.length;
        let step = LayerStep {
            start,
            mask: mask(start, tokens.len())?,
            cos: &self.rotation.cos,
            sin: &self.rotation.sin,
        };
        let mut hidden = self.embeddings.rows(&Tensor::new(tokens, &Device::Cpu)?)?;
        for (layer, kept) in self.layers.iter().zip(&mut memory.layers) {
            hidden = layer.forward(&hidden, kept, &step, &self.shape)?;
        }
        memory.length += tokens.len();
        let last = hidden.narrow(0, tokens.len() - 1, 1)?;
        let last = ops::rms_norm(&last.contiguous()?, &self.norm, self.shape.epsilon)?;
        self.output.forward(&last)?.i(0)?.to_vec1()
    }
}

impl Layer {
    fn read(gguf: &mut Gguf, index: usize) -> Result<Self> {
        let name = |part: &str| format!("blk.{index}.{part}");
        let mut matrix = |part: &str| Matrix::read(gguf, &name(&format!("{part}.weight")));
        let (query, key, value) = (matrix("attn_q")?, matrix("attn_k")?, matrix("attn_v")?);
        let attention_output = matrix("attn_output")?;
        let (gate, up, down) = (matrix("ffn_gate")?, matrix("ffn_up")?, matrix("ffn_down")?);
        let mut biased = |weight, part: &str| plain(gguf, &name(part)).map(|bias| Biased { weight, bias });
        Ok(Self {
            query: biased(query, "attn_q.bias")?,
            key: biased(key, "attn_k.bias")?,
            value: biased(value, "attn_v.bias")?,
            attention_output,
            gate,
            up,
            down,
            attention_norm: plain(gguf, &name("attn_norm.weight"))?,
            feed_forward_norm: plain(gguf, &name("ffn_norm.weight"))?,
        })
    }

    fn forward(
        &self,
        input: &Tensor,
        kept: &mut Option<LayerCache>,
        step: &LayerStep<'_>,
        shape: &ModelShape,
    ) -> Result<Tensor> {
        let normed = ops::rms_norm(input, &self.attention_norm, shape.epsilon)?;
        let hidden = (input + self.attend(&normed, kept, step, shape)?)?;
        let normed = ops::rms_norm(&hidden, &self.feed_forward_norm, shape.epsilon)?;
        let gated = (self.gate.forward(&normed)?.silu()? * self.up.forward(&normed)?)?;
        hidden + self.down.forward(&gated)?
    }

    fn attend(
        &self,
        input: &Tensor,
        kept: &mut Option<LayerCache>,
        step: &LayerStep<'_>,
        shape: &ModelShape,
    ) -> Result<Tensor> {
        let (tokens, _) = input.dims2()?;
        let split = |projected: Tensor, heads| -> Result<Tensor> {
            projected.reshape((tokens, heads, shape.head))?.transpose(0, 1)?.contiguous()
        };
        let query = step.rotate(&split(self.query.forward(input)?, shape.heads)?)?;
        let key = step.rotate(&split(self.key.forward(input)?, shape.key_heads)?)?;
        let value = split(self.value.forward(input)?, shape.key_heads)?;
        let (keys, values) = LayerCache::append(kept, step.start, &key, &value)?;

        // All query heads of a key head become rows of one matrix.
        let group = shape.heads / shape.key_heads;
        let rows = (shape.key_heads, group * tokens, shape.head);
        #[allow(clippy::cast_precision_loss)] // 128 or so
        let query = (query.reshape(rows)? * (shape.head as f64).sqrt().recip())?;
        let length = step.start + tokens;
        let mut scores = query.matmul(&keys.t()?)?;
        if let Some(mask) = &step.mask {
            let by_token = scores.reshape((shape.key_heads, group, tokens, length))?;
            scores = by_token.broadcast_add(mask)?.reshape((shape.key_heads, group * tokens, length))?;
        }
        let attended = ops::softmax_last_dim(&scores)?.matmul(&values)?;
        let attended = attended.reshape((shape.heads, tokens, shape.head))?.transpose(0, 1)?.contiguous()?;
        self.attention_output.forward(&attended.flatten_from(D::Minus2)?)
    }
}

/// The data about the read tokens that all layers need.
struct LayerStep<'a> {
    start: usize,
    mask: Option<Tensor>,
    cos: &'a Tensor,
    sin: &'a Tensor,
}

impl LayerStep<'_> {
    /// Rotates queries or keys by their positions.
    fn rotate(&self, heads: &Tensor) -> Result<Tensor> {
        let (_, tokens, _) = heads.dims3()?;
        let (cos, sin) = (self.cos.narrow(0, self.start, tokens)?, self.sin.narrow(0, self.start, tokens)?);
        rotary_emb::rope(&heads.unsqueeze(0)?, &cos, &sin)?.squeeze(0)
    }
}

/// Masks later tokens; a single token has none.
fn mask(start: usize, tokens: usize) -> Result<Option<Tensor>> {
    if tokens == 1 {
        return Ok(None);
    }
    let length = start + tokens;
    let rows = (0..tokens).flat_map(|row| {
        (0..length).map(move |column| if column > start + row { f32::NEG_INFINITY } else { 0.0 })
    });
    Tensor::from_vec(rows.collect(), (tokens, length), &Device::Cpu).map(Some)
}

/// Cosines and sines for all positions (rotary embeddings, arXiv:2104.09864).
struct Rotation {
    cos: Tensor,
    sin: Tensor,
}

impl Rotation {
    #[allow(clippy::cast_precision_loss)] // positions and head sizes are far below 2^24
    fn new(head: usize, base: f32, context: usize) -> Result<Self> {
        let angles: Vec<f32> = (0..context)
            .flat_map(|position| {
                let frequency = move |i: usize| base.powf(-(i as f32) / head as f32);
                (0..head).step_by(2).map(move |i| position as f32 * frequency(i))
            })
            .collect();
        let angles = Tensor::from_vec(angles, (context, head / 2), &Device::Cpu)?;
        Ok(Self { cos: angles.cos()?, sin: angles.sin()? })
    }
}

/// Keys and values of the tokens read so far.
pub(super) struct Memory {
    layers: Vec<Option<LayerCache>>,
    length: usize,
}

impl Memory {
    /// Forgets everything from `position` on.
    pub(super) fn cut(&mut self, position: usize) {
        self.length = self.length.min(position);
    }

    /// How many tokens were read.
    pub(super) fn len(&self) -> usize {
        self.length
    }
}

/// Keys and values of one layer, with spare capacity.
#[derive(Clone)]
struct LayerCache {
    keys: Tensor,
    values: Tensor,
}

/// Minimum growth of the capacity, in tokens.
const ROOM: usize = 256;

impl LayerCache {
    /// Puts keys and values at `start`; returns all keys and values up to the new ones.
    fn append(
        kept: &mut Option<Self>,
        start: usize,
        key: &Tensor,
        value: &Tensor,
    ) -> Result<(Tensor, Tensor)> {
        let length = start + key.dim(1)?;
        let kept = match kept.take() {
            Some(enough) if enough.keys.dim(1)? >= length => kept.insert(enough),
            less => kept.insert(Self::with_room(less, length, key)?),
        };
        kept.keys.slice_set(key, 1, start)?;
        kept.values.slice_set(value, 1, start)?;
        Ok((kept.keys.narrow(1, 0, length)?, kept.values.narrow(1, 0, length)?))
    }

    /// Grows by half, so that the cost of growing stays proportional.
    fn with_room(less: Option<Self>, length: usize, like: &Tensor) -> Result<Self> {
        let (heads, _, head) = like.dims3()?;
        let room = (length + length / 2).next_multiple_of(ROOM);
        let empty = || Tensor::zeros((heads, room, head), like.dtype(), like.device());
        let more = Self { keys: empty()?, values: empty()? };
        if let Some(less) = less {
            more.keys.slice_set(&less.keys, 1, 0)?;
            more.values.slice_set(&less.values, 1, 0)?;
        }
        Ok(more)
    }
}

/// A vector as `f32`.
fn plain(gguf: &mut Gguf, name: &str) -> Result<Tensor> {
    gguf.content.tensor(&mut gguf.reader, name, &Device::Cpu)?.dequantize(&Device::Cpu)
}
