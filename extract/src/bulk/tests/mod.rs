//! Tests with simulated time and failing disks.

mod clock;
mod crashes;
mod disk;
mod outage;
mod simulated;
