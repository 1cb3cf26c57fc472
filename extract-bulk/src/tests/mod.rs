//! Tests with simulated time and failing disks.

mod clock;
mod copied;
mod crashes;
mod disk;
mod last;
mod outage;
mod simulated;
