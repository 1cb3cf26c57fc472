//! Tests with a simulated time and failing disks.

mod disk;
mod outage;
mod simulated;
