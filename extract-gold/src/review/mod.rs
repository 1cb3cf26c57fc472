//! Which documents a person looks at, what they decided, and what that says about the rest.

mod estimate;
mod file;
mod queue;

pub use self::{
    estimate::{ReviewEstimate, ReviewResult},
    file::{ReviewError, ReviewFile},
    queue::{ReviewCandidate, ReviewItem, ReviewQueue, ReviewReason},
};
