//! `extract` under another name, re-exported, and both inside a function.

extern crate extract as renamed_extract;

mod reexport {
    pub mod deeper {
        pub use extract as lib;
    }
}

mod renamed {
    use renamed_extract::Extractable;
    use serde::Deserialize;

    #[derive(Deserialize, Extractable)]
    #[extract(crate = renamed_extract)]
    pub struct Order {
        #[extract(length(min = 1))]
        pub name: String,
    }
}

#[derive(serde::Deserialize, reexport::deeper::lib::Extractable)]
#[extract(crate = crate::reexport::deeper::lib)]
struct Order {
    inner: renamed::Order,
}

#[derive(serde::Deserialize, reexport::deeper::lib::Extractable)]
#[extract(crate = "crate::reexport::deeper::lib")]
struct Quoted(Order);

fn main() {
    use extract::Extractable;

    #[derive(serde::Deserialize, Extractable)]
    struct Local {
        order: Quoted,
    }

    assert!(Local::schema().is_object());
    let _ = |local: Local| local.order.0.inner.name;
}
