//! Converts `Q5_0` blocks to `Q8_0` blocks, and pads their rows.
//!
//! candle multiplies `Q8_0` with vector instructions on every platform, but `Q5_0` one value at a
//! time, and the 0.5B model is mostly `Q5_0`. (Its rows are not a multiple of the 256 values of the
//! K-formats.) Both formats consist of a scale and 32 small integers, from -16 to 15 in `Q5_0` and
//! from -128 to 127 in `Q8_0`. The integers and the scale carry over, so nothing is rounded.

/// A half-precision scale, 32 high bits, 32 low nibbles (ggml, `block_q5_0`).
const Q5_0_BYTES: usize = 2 + 4 + 16;
/// A half-precision scale, 32 signed bytes (ggml, `block_q8_0`).
const Q8_0_BYTES: usize = 2 + 32;

/// Converts the values to the other format.
pub(super) fn q5_0_to_q8_0(blocks: &[u8]) -> Vec<u8> {
    let mut recoded = Vec::with_capacity(blocks.len() / Q5_0_BYTES * Q8_0_BYTES);
    for block in blocks.chunks_exact(Q5_0_BYTES) {
        let (scale, rest) = block.split_at(2);
        let (high, low) = rest.split_at(4);
        recoded.extend_from_slice(scale);
        // The low nibbles are values 0 to 15, the high nibbles values 16 to 31.
        for value in 0..32 {
            let nibble = if value < 16 { low[value] & 0xf } else { low[value - 16] >> 4 };
            let fifth = high[value / 8] >> (value % 8) & 1;
            recoded.push((nibble | fifth << 4).wrapping_sub(16));
        }
    }
    recoded
}

/// Pads rows of `Q8_0` with zeros from `from` to `to` values.
pub(super) fn widen_q8_0(blocks: &[u8], from: usize, to: usize) -> Vec<u8> {
    let row = |values: usize| values / 32 * Q8_0_BYTES;
    let mut wide = Vec::with_capacity(blocks.len() / row(from) * row(to));
    for blocks in blocks.chunks_exact(row(from)) {
        wide.extend_from_slice(blocks);
        // A block of zero bytes is 32 zeros of scale zero.
        wide.resize(wide.len() + row(to) - row(from), 0);
    }
    wide
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use candle_core::{
        Device, Tensor,
        quantized::{GgmlDType, QStorage, QTensor},
    };

    use super::*;

    fn values(bytes: &[u8], format: GgmlDType, count: usize) -> Vec<f32> {
        let storage = QStorage::from_data(Cow::Borrowed(bytes), &Device::Cpu, format).unwrap();
        QTensor::new(storage, count).unwrap().dequantize(&Device::Cpu).unwrap().to_vec1().unwrap()
    }

    #[test]
    fn recoding_loses_nothing() {
        let mut rng = fastrand::Rng::with_seed(1);
        let floats: Vec<f32> = (0..32 * 100).map(|_| rng.f32() * 4.0 - 2.0).collect();
        let tensor = Tensor::new(floats.as_slice(), &Device::Cpu).unwrap();
        let coarse = QTensor::quantize(&tensor, GgmlDType::Q5_0).unwrap();
        let bytes = coarse.data().unwrap();
        let before = values(&bytes, GgmlDType::Q5_0, floats.len());
        assert_eq!(before, values(&q5_0_to_q8_0(&bytes), GgmlDType::Q8_0, floats.len()));
    }
    #[test]
    fn wider_rows_end_in_zeros() {
        let rows = Tensor::new(&[[1f32; 32], [-2f32; 32]], &Device::Cpu).unwrap();
        let blocks = QTensor::quantize(&rows, GgmlDType::Q8_0).unwrap();
        let wide = widen_q8_0(&blocks.data().unwrap(), 32, 64);
        let wide = values(&wide, GgmlDType::Q8_0, 128);
        let narrow =
            blocks.dequantize(&Device::Cpu).unwrap().flatten_all().unwrap().to_vec1::<f32>().unwrap();
        assert_eq!((&wide[..32], &wide[64..96]), narrow.split_at(32));
        assert!(wide[32..64].iter().chain(&wide[96..]).all(|value| *value == 0.0));
    }
}
