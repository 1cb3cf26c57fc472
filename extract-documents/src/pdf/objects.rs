//! Limits on the objects of a file, which the reader holds all at once.
//!
//! Object streams are decompressed while the file is loaded, and a stream of a few kilobytes may
//! hold millions of objects. A cross-reference table may also list the same object thousands of
//! times. The reader's filter sees each object before it is kept, and each object stream before
//! its objects are parsed.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

use lopdf::{Document as Pdf, LoadOptions, Object, ObjectId, Stream};

use super::{
    budget::{MAX_STREAM, too_large},
    error::{PdfError, unreadable},
};

/// Maximum bytes of the decompressed object streams of a whole file: `LEAST_COMPRESSED` and
/// `COMPRESSED_PER_BYTE` times the bytes of the file, but never more than `MAX_COMPRESSED`. An object
/// takes up to sixty times its text in memory.
const LEAST_COMPRESSED: usize = 2 << 20;
const COMPRESSED_PER_BYTE: usize = 16;
const MAX_COMPRESSED: usize = 128 << 20;

/// The least text of an object: a digit and a space.
const OBJECT: usize = 2;

thread_local! {
    /// How far the file that this thread loads is from its limits. The filter is a plain function, so
    /// it cannot hold them.
    static LOADING: Cell<Loading> = const { Cell::new(Loading::Nothing) };
}

#[derive(Clone, Copy, Default)]
enum Loading {
    #[default]
    Nothing,
    Within(RemainingLimits),
    Beyond,
}

/// The remaining limits of one file, in bytes.
#[derive(Clone, Copy)]
struct RemainingLimits {
    /// Of decompressed object streams.
    compressed: usize,
    /// Of the text of all objects.
    objects: usize,
}

/// Loads a file, with limits on its objects.
pub(super) fn load(bytes: &[u8]) -> Result<Pdf, PdfError> {
    let pdf = load_with(bytes, ObjectTable::Stored)?;
    if has_page_tree(&pdf) {
        return Ok(pdf);
    }
    // The reader itself tries this only without a filter.
    match load_with(bytes, ObjectTable::Rebuilt) {
        Ok(rebuilt) if has_page_tree(&rebuilt) => Ok(rebuilt),
        _ => Ok(pdf),
    }
}

/// Where the positions of a file's objects are from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ObjectTable {
    Stored,
    /// From a search of the file.
    Rebuilt,
}

fn load_with(bytes: &[u8], table: ObjectTable) -> Result<Pdf, PdfError> {
    let compressed =
        bytes.len().saturating_mul(COMPRESSED_PER_BYTE).saturating_add(LEAST_COMPRESSED).min(MAX_COMPRESSED);
    // An object may be in the file twice, in its first and in its last version.
    let objects = bytes.len().saturating_mul(2).saturating_add(compressed);
    let options = LoadOptions {
        filter: Some(counted),
        max_decompressed_size: Some(compressed.min(MAX_STREAM)),
        force_reconstruct: table == ObjectTable::Rebuilt,
        ..LoadOptions::default()
    };
    LOADING.set(Loading::Within(RemainingLimits { compressed, objects }));
    let loaded = catch_unwind(AssertUnwindSafe(|| Pdf::load_mem_with_options(bytes, options)));
    let is_beyond = matches!(LOADING.take(), Loading::Beyond);
    match loaded {
        _ if is_beyond => Err(too_large(&format!("its objects take more than {} MiB", compressed >> 20))),
        Ok(pdf) => pdf.map_err(unreadable),
        Err(panic) => resume_unwind(panic),
    }
}

/// The reader's filter: counts an object, and keeps it.
fn counted(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    let loading = match LOADING.get() {
        Loading::Within(left) => left.after(object).map_or(Loading::Beyond, Loading::Within),
        loading => loading,
    };
    LOADING.set(loading);
    if matches!(loading, Loading::Beyond) {
        return beyond_limits();
    }
    // The reader uses what is returned only for the objects of object streams, which are no streams.
    Some((id, if object.as_stream().is_ok() { Object::Null } else { object.clone() }))
}

/// Ends the loading, by a panic that nobody is told of. Where panics abort, the reader goes on without
/// the objects.
fn beyond_limits() -> Option<(ObjectId, Object)> {
    if cfg!(panic = "unwind") { resume_unwind(Box::new("beyond the limits")) } else { None }
}

impl RemainingLimits {
    /// What is left after `object`; `None` if it exceeds a limit.
    fn after(mut self, object: &Object) -> Option<Self> {
        self.objects = self.objects.checked_sub(size(object))?;
        if let Some(stream) = object.as_stream().ok().filter(|stream| stream.dict.has_type(b"ObjStm")) {
            self.compressed = self.compressed.checked_sub(decompressed(stream, self.compressed)?)?;
        }
        Some(self)
    }
}

/// The bytes that an object stream decompresses to; `None` if they are more than `most`. A broken one
/// is the reader's matter.
fn decompressed(stream: &Stream, most: usize) -> Option<usize> {
    match stream.get_plain_content_with_limit(most) {
        Ok(content) => Some(content.len()),
        Err(lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { .. })) => None,
        Err(_) => Some(0),
    }
}

/// The least number of bytes that the text of an object has.
fn size(object: &Object) -> usize {
    let inside = match object {
        Object::Name(bytes) | Object::String(bytes, _) => bytes.len(),
        Object::Array(items) => items.iter().map(size).sum(),
        Object::Dictionary(entries) => entries.iter().map(|(_, value)| size(value)).sum(),
        Object::Stream(stream) => {
            stream.content.len() + stream.dict.iter().map(|(_, value)| size(value)).sum::<usize>()
        }
        _ => 0,
    };
    OBJECT + inside
}

/// Returns whether the pages of the file can be found.
fn has_page_tree(pdf: &Pdf) -> bool {
    let tree = pdf.catalog().and_then(|catalog| catalog.get_deref(b"Pages", pdf)).and_then(Object::as_dict);
    tree.and_then(|tree| tree.get_deref(b"Kids", pdf)).and_then(Object::as_array).is_ok()
}
