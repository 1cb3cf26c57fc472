//! The characters and widths of a font.

use std::collections::HashMap;

use lopdf::{Dictionary, Document as Pdf, Encoding, Object};

use super::{
    PdfError,
    budget::{Budget, MAX_STREAM},
};

/// Default width of letters in thousandths of the size: the width of most letters in Helvetica and
/// Times, whose widths a file need not list (ISO 32000-1, 9.6.2.2).
const USUAL_WIDTH: f32 = 500.0;

/// Maximum widths that are read for one font. A font has at most 65,536 codes, but a file may list
/// each repeatedly.
const MAX_WIDTHS: usize = 65_536;

/// Bytes of memory for a width.
const WIDTH: usize = 16;

pub(super) struct Font<'p> {
    encoding: Option<Encoding<'p>>,
    /// Whether a code has two bytes.
    is_wide: bool,
    widths: HashMap<u16, f32>,
    other_width: f32,
}

impl<'p> Font<'p> {
    /// Reads the font in `dictionary`, whose table of characters has been counted.
    pub(super) fn new(
        pdf: &'p Pdf,
        dictionary: &'p Dictionary,
        budget: &mut Budget,
    ) -> Result<Self, PdfError> {
        let encoding = dictionary.get_font_encoding_with_limit(pdf, MAX_STREAM).ok();
        let is_wide = dictionary.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Type0");
        let described = if is_wide { wide_widths(pdf, dictionary) } else { widths(pdf, dictionary) };
        let (widths, other_width) = described.unwrap_or((HashMap::new(), USUAL_WIDTH));
        budget.memory(widths.capacity(), WIDTH)?;
        Ok(Self { encoding, is_wide, widths, other_width })
    }

    /// The characters of `codes`. A code without one is U+FFFD.
    pub(super) fn text(&self, codes: &[u8]) -> String {
        let unknown = || char::REPLACEMENT_CHARACTER.to_string();
        let decode = |encoding: &Encoding<'_>, codes: &[u8]| encoding.bytes_to_string(codes).ok();
        match &self.encoding {
            // Byte by byte, because the reader ignores unknown bytes.
            Some(encoding @ (Encoding::OneByteEncoding(_) | Encoding::Differences(_))) => codes
                .iter()
                .map(|code| {
                    decode(encoding, &[*code]).filter(|text| !text.is_empty()).unwrap_or_else(unknown)
                })
                .collect(),
            Some(encoding) => decode(encoding, codes).unwrap_or_else(unknown),
            None => unknown(),
        }
    }

    /// The width of `codes` at size 1.
    pub(super) fn width(&self, codes: &[u8]) -> f32 {
        self.codes(codes).map(|code| self.widths.get(&code).unwrap_or(&self.other_width)).sum::<f32>()
            / 1_000.0
    }

    /// The spacing added to `codes`: `of_each` for each code, and `of_space` for each one-byte
    /// space, the only one that word spacing applies to (ISO 32000-1, 9.3.3).
    pub(super) fn spacing(&self, codes: &[u8], of_each: f32, of_space: f32) -> f32 {
        let is_space = |code: u16| !self.is_wide && code == u16::from(b' ');
        self.codes(codes).map(|code| of_each + if is_space(code) { of_space } else { 0.0 }).sum()
    }

    fn codes(&self, bytes: &[u8]) -> impl Iterator<Item = u16> {
        bytes.chunks(if self.is_wide { 2 } else { 1 }).map(|code| match code {
            [high, low] => u16::from_be_bytes([*high, *low]),
            code => u16::from(code[0]),
        })
    }
}

type Widths = (HashMap<u16, f32>, f32);

/// The widths of a font with one-byte codes (ISO 32000-1, 9.6.2.1).
fn widths(pdf: &Pdf, font: &Dictionary) -> Option<Widths> {
    let first = u16::try_from(font.get_deref(b"FirstChar", pdf).ok()?.as_i64().ok()?).ok()?;
    let listed = font.get_deref(b"Widths", pdf).ok()?.as_array().ok()?;
    let codes = (first..=u16::MAX).take(256);
    let widths = codes.zip(listed).map(|(code, width)| (code, number(pdf, width).unwrap_or(USUAL_WIDTH)));
    let descriptor = font.get_deref(b"FontDescriptor", pdf).and_then(Object::as_dict);
    let missing = descriptor.and_then(|it| it.get_deref(b"MissingWidth", pdf)?.as_float());
    Some((widths.collect(), missing.unwrap_or(USUAL_WIDTH)))
}

/// The widths of a composite font (ISO 32000-1, 9.7.4.3).
fn wide_widths(pdf: &Pdf, font: &Dictionary) -> Option<Widths> {
    let descendants = font.get_deref(b"DescendantFonts", pdf).ok()?.as_array().ok()?;
    let (_, descendant) = pdf.dereference(descendants.first()?).ok()?;
    let descendant = descendant.as_dict().ok()?;
    let other = descendant.get_deref(b"DW", pdf).and_then(Object::as_float).unwrap_or(1_000.0);
    let (mut widths, mut left) = (HashMap::new(), MAX_WIDTHS);
    let listed = descendant.get_deref(b"W", pdf).and_then(Object::as_array);
    let mut listed = listed.map_or([].iter(), |list| list.iter());
    while let (Some(first), Some(next)) = (listed.next(), listed.next()) {
        let Some(first) = code(pdf, first) else { break };
        let (_, next) = pdf.dereference(next).ok()?;
        let read = if let Ok(each) = next.as_array() {
            let each = each.iter().map(|width| number(pdf, width).unwrap_or(other));
            add(&mut widths, (first..=u16::MAX).zip(each).take(left))
        } else {
            let (Some(last), Some(width)) =
                (code(pdf, next), listed.next().and_then(|width| number(pdf, width)))
            else {
                break;
            };
            add(&mut widths, (first..=last).map(|code| (code, width)).take(left))
        };
        left -= read;
        if left == 0 {
            break;
        }
    }
    Some((widths, other))
}

/// Adds widths, and returns their number.
fn add(widths: &mut HashMap<u16, f32>, more: impl Iterator<Item = (u16, f32)>) -> usize {
    more.map(|(code, width)| widths.insert(code, width)).count()
}

fn code(pdf: &Pdf, object: &Object) -> Option<u16> {
    let (_, object) = pdf.dereference(object).ok()?;
    u16::try_from(object.as_i64().ok()?).ok()
}

pub(super) fn number(pdf: &Pdf, object: &Object) -> Option<f32> {
    let (_, object) = pdf.dereference(object).ok()?;
    object.as_float().ok().filter(|number| number.is_finite())
}
