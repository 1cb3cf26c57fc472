//! Bytes with several fields, one after the other.

/// Appends a field, after its length.
pub(super) fn push_field(bytes: &mut Vec<u8>, field: &[u8]) {
    bytes.extend_from_slice(&(field.len() as u64).to_le_bytes());
    bytes.extend_from_slice(field);
}

/// Reads fields in the order in which they were written. Each is `None` if the bytes end before it.
pub(super) struct PackedFields<'b>(&'b [u8]);

impl<'b> PackedFields<'b> {
    pub(super) fn of(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A field of [`push_field`].
    pub(super) fn field(&mut self) -> Option<&'b [u8]> {
        let length = usize::try_from(self.u64()?).ok()?;
        let (field, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(field)
    }

    pub(super) fn text(&mut self) -> Option<&'b str> {
        str::from_utf8(self.field()?).ok()
    }

    /// A field of a known length.
    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
}
