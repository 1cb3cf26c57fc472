//! Tests with simulated time and failing disks.

mod batches;
mod clock;
mod copied;
mod crashes;
mod disk;
mod last;
mod outage;
mod simulated;
mod waiting_answers;
