//! Looks up names in the content of a page.

use lopdf::{Dictionary, Document as Pdf, Object, ObjectId, Stream};

/// Maximum levels of the page tree in which a name is looked up.
const MAX_LEVELS: usize = 64;

/// The resources of a page or form, the nearest ones first.
pub(super) struct Resources<'p> {
    dictionaries: Vec<&'p Dictionary>,
}

impl<'p> Resources<'p> {
    /// The resources of a page, including inherited ones.
    pub(super) fn of_page(pdf: &'p Pdf, page: ObjectId) -> Self {
        let (own, inherited) = pdf.get_page_resources(page).unwrap_or_default();
        let inherited = inherited.into_iter().filter_map(|id| pdf.get_dictionary(id).ok());
        Self { dictionaries: own.into_iter().chain(inherited).collect() }
    }

    /// Returns the resources of a form; `None` if it has none and uses the page's resources (ISO
    /// 32000-1, 7.8.3).
    pub(super) fn of_form(pdf: &'p Pdf, form: &'p Stream) -> Option<Self> {
        let own = form.dict.get_deref(b"Resources", pdf).and_then(Object::as_dict).ok()?;
        Some(Self { dictionaries: vec![own] })
    }

    pub(super) fn font(&self, pdf: &'p Pdf, name: &[u8]) -> Option<&'p Dictionary> {
        self.find(pdf, b"Font", name)?.as_dict().ok()
    }

    pub(super) fn form_or_image(&self, pdf: &'p Pdf, name: &[u8]) -> Option<&'p Stream> {
        self.find(pdf, b"XObject", name)?.as_stream().ok()
    }

    fn find(&self, pdf: &'p Pdf, kind: &[u8], name: &[u8]) -> Option<&'p Object> {
        let mut all = self.dictionaries.iter().take(MAX_LEVELS);
        all.find_map(|resources| {
            resources.get_deref(kind, pdf).and_then(Object::as_dict).ok()?.get_deref(name, pdf).ok()
        })
    }
}
