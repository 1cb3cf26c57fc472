//! Tests with simulated time and failing disks.

mod clock;
mod disk;
mod outage;
mod simulated;
