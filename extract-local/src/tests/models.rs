//! Temporary folders, and a model that is small enough to generate.

use std::{
    fs,
    path::{Path, PathBuf},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread,
};

use candle_core::{
    Device, Tensor,
    quantized::{
        GgmlDType, QTensor,
        gguf_file::{self, Value},
    },
};

/// A new folder; dropping this removes it with its content.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("extract-test-{}-{number}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Polls a future on this thread until it is complete.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

const WIDTH: usize = 64;
const HEADS: u32 = 2;
const KEY_WIDTH: usize = 32;
const LAYERS: u32 = 2;
/// The context length of the made-up model.
pub(crate) const CONTEXT: u32 = 1000;

/// Writes a Qwen2 model with random weights and a token for each byte.
pub(crate) fn made_up_model(folder: &Path) -> PathBuf {
    write_model(folder, "qwen2")
}

/// The same with the name of any architecture.
pub(crate) fn write_model(folder: &Path, architecture: &str) -> PathBuf {
    let path = folder.join("made-up.gguf");
    let metadata = metadata(architecture);
    let metadata: Vec<(&str, &Value)> = metadata.iter().map(|(key, value)| (*key, value)).collect();
    let tensors = tensors();
    let tensors: Vec<(&str, &QTensor)> =
        tensors.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
    gguf_file::write(&mut fs::File::create(&path).unwrap(), &metadata, &tensors).unwrap();
    path
}

const CONTROL: [&str; 3] = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];

fn metadata(architecture: &str) -> Vec<(&'static str, Value)> {
    let texts = |texts: Vec<String>| Value::Array(texts.into_iter().map(Value::String).collect());
    let bytes: Vec<String> = (0..0x200)
        .filter_map(char::from_u32)
        .filter(|c| crate::gguf::is_byte(*c))
        .map(String::from)
        .collect();
    let kinds = [1].repeat(bytes.len()).into_iter().chain([3; CONTROL.len()]);
    let names = bytes.iter().cloned().chain(CONTROL.map(String::from)).collect();
    vec![
        ("general.architecture", Value::String(architecture.to_owned())),
        ("qwen2.context_length", Value::U32(CONTEXT)),
        ("qwen2.embedding_length", Value::U32(64)),
        ("qwen2.block_count", Value::U32(LAYERS)),
        ("qwen2.attention.head_count", Value::U32(HEADS)),
        ("qwen2.attention.head_count_kv", Value::U32(1)),
        ("qwen2.attention.layer_norm_rms_epsilon", Value::F32(1e-6)),
        ("tokenizer.ggml.model", Value::String("gpt2".to_owned())),
        ("tokenizer.ggml.pre", Value::String("qwen2".to_owned())),
        ("tokenizer.ggml.tokens", texts(names)),
        ("tokenizer.ggml.token_type", Value::Array(kinds.map(Value::I32).collect())),
        ("tokenizer.ggml.merges", texts(Vec::new())),
        ("tokenizer.ggml.eos_token_id", Value::U32(258)),
    ]
}

fn tensors() -> Vec<(String, QTensor)> {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut tensor = |name: &str, rows: usize, columns: usize| {
        let values: Vec<f32> = (0..rows * columns).map(|_| rng.f32() - 0.5).collect();
        let tensor = Tensor::from_vec(values, (rows, columns), &Device::Cpu).unwrap();
        // A vector is kept as it is; the matrices are in the format that is recoded.
        let (tensor, format) =
            if rows == 1 { (tensor.squeeze(0).unwrap(), GgmlDType::F32) } else { (tensor, GgmlDType::Q5_0) };
        (name.to_owned(), QTensor::quantize(&tensor, format).unwrap())
    };
    let mut tensors =
        vec![tensor("token_embd.weight", 256 + CONTROL.len(), WIDTH), tensor("output_norm.weight", 1, WIDTH)];
    for layer in 0..LAYERS {
        let shapes = [
            ("attn_norm.weight", 1, WIDTH),
            ("attn_q.weight", WIDTH, WIDTH),
            ("attn_q.bias", 1, WIDTH),
            ("attn_k.weight", KEY_WIDTH, WIDTH),
            ("attn_k.bias", 1, KEY_WIDTH),
            ("attn_v.weight", KEY_WIDTH, WIDTH),
            ("attn_v.bias", 1, KEY_WIDTH),
            ("attn_output.weight", WIDTH, WIDTH),
            ("ffn_norm.weight", 1, WIDTH),
            ("ffn_gate.weight", 96, WIDTH),
            ("ffn_up.weight", 96, WIDTH),
            ("ffn_down.weight", WIDTH, 96),
        ];
        tensors.extend(
            shapes.map(|(name, rows, columns)| tensor(&format!("blk.{layer}.{name}"), rows, columns)),
        );
    }
    tensors
}
