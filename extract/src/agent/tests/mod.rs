//! What the tests of several agents share.

#[cfg(any(feature = "genai", feature = "rig"))]
pub(crate) mod faults;
