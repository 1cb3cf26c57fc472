//! What tests of several rooms share about schemas.

pub(crate) mod constraints;
