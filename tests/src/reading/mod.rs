//! Reading replies: what is mended, what is told, what is refused.

mod fixtures;
