//! The matrices of a model, in the form that candle multiplies fastest.

use std::{
    borrow::Cow,
    io::{Read as _, Seek as _, SeekFrom},
};

use candle_core::{
    D, Device, Module as _, Result, Tensor,
    quantized::{GgmlDType, QMatMul, QStorage, QTensor},
};

use super::requantize::{q5_0_to_q8_0, widen_q8_0};
use crate::gguf::Gguf;

/// On x86, candle's packed `Q8_0` kernels need rows of a multiple of this many values; elsewhere
/// whole blocks suffice.
const COLUMNS: usize = if cfg!(target_arch = "x86_64") { 256 } else { 32 };

/// A matrix of a model.
pub(super) struct Matrix {
    weight: QMatMul,
    /// Values per row.
    columns: usize,
    /// Zeros after them.
    padding: usize,
}

impl Matrix {
    /// Reads a matrix as it is in the file, with two exceptions: `Q5_0` becomes `Q8_0`, and rows of
    /// `Q8_0` are padded with zeros to a length with fast kernels. Neither changes a value.
    pub(super) fn read(gguf: &mut Gguf, name: &str) -> Result<Self> {
        let Some(info) = gguf.content.tensor_infos.get(name) else {
            candle_core::bail!("it has no tensor `{name}`");
        };
        let (rows, columns) = info.shape.dims2()?;
        if columns == 0 || !columns.is_multiple_of(info.ggml_dtype.block_size()) {
            candle_core::bail!("tensor `{name}` has rows of {columns} values, which are no whole blocks");
        }
        let whole = columns.next_multiple_of(COLUMNS);
        let q8_0 = match info.ggml_dtype {
            GgmlDType::Q5_0 => q5_0_to_q8_0(&bytes(gguf, name)?),
            GgmlDType::Q8_0 if whole != columns => bytes(gguf, name)?,
            _ => {
                let tensor = gguf.content.tensor(&mut gguf.reader, name, &Device::Cpu)?;
                return Ok(Self { weight: QMatMul::from_qtensor(tensor)?, columns, padding: 0 });
            }
        };
        let wide = widen_q8_0(&q8_0, columns, whole);
        drop(q8_0);
        let storage = QStorage::from_data(Cow::Owned(wide), &Device::Cpu, GgmlDType::Q8_0)?;
        let weight = QMatMul::from_qtensor(QTensor::new(storage, (rows, whole))?)?;
        Ok(Self { weight, columns, padding: whole - columns })
    }

    /// The product with each row of `input`.
    pub(super) fn forward(&self, input: &Tensor) -> Result<Tensor> {
        if self.padding == 0 {
            return self.weight.forward(input);
        }
        self.weight.forward(&input.pad_with_zeros(D::Minus1, 0, self.padding)?)
    }

    /// The rows with these numbers.
    pub(super) fn rows(&self, numbers: &Tensor) -> Result<Tensor> {
        self.weight.embedding(numbers)?.narrow(D::Minus1, 0, self.columns)?.contiguous()
    }
}

/// The bytes of a tensor.
fn bytes(gguf: &mut Gguf, name: &str) -> Result<Vec<u8>> {
    let info = &gguf.content.tensor_infos[name];
    let blocks = info.shape.elem_count() / info.ggml_dtype.block_size();
    let start = gguf.content.tensor_data_offset.saturating_add(info.offset);
    let length = (blocks * info.ggml_dtype.type_size()) as u64;
    gguf.reader.seek(SeekFrom::Start(start))?;
    // Reads to the end of the file: its header may promise more than there is.
    let mut bytes = Vec::new();
    (&mut gguf.reader).take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        candle_core::bail!(
            "tensor `{name}` needs {length} bytes from {start} on, the file has {}",
            bytes.len()
        );
    }
    Ok(bytes)
}
