#![cfg_attr(feature = "datafusion", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "datafusion"),
    doc = "Columns, rows and jobs of typed extraction, for an engine on Arrow."
)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "datafusion")]
mod function;
mod job;
#[cfg(feature = "shared")]
mod segments;

#[cfg(feature = "datafusion")]
pub use self::function::ExtractFunction;
pub use extract_arrow::{Misfit, Row, array, arrow_field, is_json};

pub use self::job::{Job, JobAnswer, JobStatus};
