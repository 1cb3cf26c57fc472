//! How this program is installed.

/// The command that installs this program, with a feature if one is named: from the repository, because the package is
/// not yet on crates.io.
macro_rules! install {
    () => {
        concat!("cargo install --git ", env!("CARGO_PKG_REPOSITORY"), " extractable-cli")
    };
    ($feature:literal) => {
        concat!($crate::install::install!(), " --features ", $feature)
    };
}

pub(crate) use install;
