#![allow(non_camel_case_types)]

mod orders {
    use extract::Extractable;
    use serde::Deserialize;

    /// The partial is as visible as its type.
    #[derive(Deserialize, Extractable)]
    #[extract(partial)]
    pub(crate) struct Order {
        pub(crate) number: String,
        #[extract(sensitive)]
        pub(super) iban: String,
        total: f64,
    }

    #[derive(Deserialize, Extractable)]
    #[extract(partial(name = Draft))]
    pub struct r#type {
        pub r#fn: r#Inner,
    }

    #[derive(Deserialize, Extractable)]
    #[extract(partial)]
    pub struct Inner(pub Option<Vec<u8>>, #[serde(skip)] pub Hidden);

    #[derive(Default)]
    pub struct Hidden;

    impl OrderPartial {
        pub(crate) fn has_total(&self) -> bool {
            self.total.done().is_some()
        }
    }
}

macro_rules! order {
    ($name:ident, $field:ident: $type:ty) => {
        #[derive(serde::Deserialize, extract::Extractable)]
        #[extract(partial)]
        struct $name {
            $field: $type,
        }
    };
}

order!(Macro, number: Option<u8>);

fn main() {
    use extract::partials::{HasPartial, Partial, Progress};
    use orders::{Draft, InnerPartial, Order, OrderPartial, r#type};

    fn show(partial: &Partial<Order>) -> (Progress<String>, Progress<String>, bool) {
        let fields = partial.fields();
        let has_total = fields.has_total();
        let OrderPartial { number, iban, .. } = fields;
        (number, iban, has_total)
    }

    fn named<T: HasPartial<Partial = Draft>>(draft: T::Partial) -> Option<InnerPartial> {
        draft.r#fn.known()
    }

    let _ = (show, named::<r#type>, MacroPartial::default().number.known() == None::<()>);

    fn local() -> impl Sized {
        #[derive(serde::Deserialize, extract::Extractable)]
        #[extract(partial)]
        struct Local {
            inside: u8,
        }
        LocalPartial::from(Local { inside: 1 }).inside
    }
    let _ = local();
}
