//! Reads the text of one page by running its content, a small program, without drawing anything.

use std::{collections::HashMap, ptr, rc::Rc};

use lopdf::{
    Dictionary, Document as Pdf, Object, ObjectId, Stream,
    content::{Content, Operation},
};

use super::{
    PdfError,
    budget::Budget,
    characters,
    error::unreadable,
    font::{Font, number},
    lines::{PageLines, Piece},
    matrix::PageMatrix,
    operations,
    resources::Resources,
};

/// Maximum nesting of forms. Files that programs write have two or three levels.
const MAX_FORMS: usize = 16;

/// Maximum number of saved states. Readers are required to support 28 (ISO 32000-1, annex C).
const MAX_SAVED: usize = 1_024;

/// Reads one page after another.
pub(super) struct Pages<'p> {
    pdf: &'p Pdf,
    budget: Budget,
    /// Fonts by the address of their dictionaries, because pages share fonts.
    fonts: HashMap<usize, Rc<Font<'p>>>,
}

/// The contents of a page.
pub(super) struct Page {
    pub(super) text: String,
    /// Whether it shows an image, or text with unknown characters.
    pub(super) shows_more: bool,
}

impl Page {
    /// Returns whether it shows something but has no readable text.
    pub(super) fn lacks_text(&self) -> bool {
        let is_known = |letter: char| !letter.is_whitespace() && letter != char::REPLACEMENT_CHARACTER;
        self.shows_more && !self.text.contains(is_known)
    }
}

impl<'p> Pages<'p> {
    /// `budget` is the budget of the file.
    pub(super) fn new(pdf: &'p Pdf, budget: Budget) -> Self {
        Self { pdf, budget, fonts: HashMap::new() }
    }

    pub(super) fn read(&mut self, page: ObjectId) -> Result<Page, PdfError> {
        let content = self.pdf.get_page_content_with_limit(page, self.budget.max_stream());
        let content = content.map_err(|error| self.budget.unreadable(error))?;
        self.budget.content(content.len())?;
        let mut run = TextRun {
            resources: Rc::new(Resources::of_page(self.pdf, page)),
            pages: self,
            state: GraphicsState::default(),
            saved: Vec::new(),
            unsaved: 0,
            lines: PageLines::default(),
            shows_more: false,
            forms: 0,
        };
        run.content(&content)?;
        Ok(Page { shows_more: run.shows_more, text: run.lines.finish() })
    }

    fn font(&mut self, dictionary: &'p Dictionary) -> Result<Rc<Font<'p>>, PdfError> {
        let address = ptr::from_ref(dictionary).addr();
        if let Some(font) = self.fonts.get(&address) {
            return Ok(Rc::clone(font));
        }
        characters::check(self.pdf, dictionary, &mut self.budget)?;
        let font = Rc::new(Font::new(self.pdf, dictionary, &mut self.budget)?);
        self.fonts.insert(address, Rc::clone(&font));
        Ok(font)
    }
}

/// The part of the graphics state that positions text (ISO 32000-1, 8.4 and 9.3).
#[derive(Clone)]
struct GraphicsState<'p> {
    page: PageMatrix,
    text: PageMatrix,
    line: PageMatrix,
    font: Option<Rc<Font<'p>>>,
    size: f32,
    letter_space: f32,
    word_space: f32,
    /// Horizontal scaling, 1 for none.
    stretch: f32,
    leading: f32,
    rise: f32,
}

impl Default for GraphicsState<'_> {
    fn default() -> Self {
        Self {
            page: PageMatrix::IDENTITY,
            text: PageMatrix::IDENTITY,
            line: PageMatrix::IDENTITY,
            font: None,
            size: 0.0,
            letter_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        }
    }
}

struct TextRun<'r, 'p> {
    pages: &'r mut Pages<'p>,
    resources: Rc<Resources<'p>>,
    state: GraphicsState<'p>,
    saved: Vec<GraphicsState<'p>>,
    /// The number of states beyond the limit, which were not saved.
    unsaved: usize,
    lines: PageLines,
    shows_more: bool,
    forms: usize,
}

impl<'p> TextRun<'_, 'p> {
    fn content(&mut self, content: &[u8]) -> Result<(), PdfError> {
        operations::check(content)?;
        for operation in Content::decode_iter(content) {
            self.operation(&operation.map_err(unreadable)?)?;
        }
        Ok(())
    }

    fn operation(&mut self, operation: &Operation) -> Result<(), PdfError> {
        let operands = &*operation.operands;
        let at = |index: usize| operands.get(index).and_then(|it| number(self.pages.pdf, it)).unwrap_or(0.0);
        let state = &mut self.state;
        match &*operation.operator {
            "q" => self.save(),
            "Q" => self.restore(),
            "cm" => state.page = matrix(at).then(state.page),
            "BT" => (state.text, state.line) = (PageMatrix::IDENTITY, PageMatrix::IDENTITY),
            "Tm" => (state.text, state.line) = (matrix(at), matrix(at)),
            "Td" => state.next_line(at(0), at(1)),
            "TD" => {
                state.leading = -at(1);
                state.next_line(at(0), at(1));
            }
            "T*" => state.next_line(0.0, -state.leading),
            "TL" => state.leading = at(0),
            "Tc" => state.letter_space = at(0),
            "Tw" => state.word_space = at(0),
            "Tz" => state.stretch = at(0) / 100.0,
            "Ts" => state.rise = at(0),
            "Tf" => {
                state.size = at(1);
                let font = operands.first().and_then(|name| name.as_name().ok());
                let font = font.and_then(|name| self.resources.font(self.pages.pdf, name));
                self.state.font = font.map(|font| self.pages.font(font)).transpose()?;
            }
            "Tj" | "TJ" => self.show(operands.first())?,
            "'" => {
                state.next_line(0.0, -state.leading);
                self.show(operands.first())?;
            }
            "\"" => {
                (state.word_space, state.letter_space) = (at(0), at(1));
                state.next_line(0.0, -state.leading);
                self.show(operands.get(2))?;
            }
            "Do" => self.form_or_image(operands.first())?,
            "BI" => self.shows_more = true,
            _ => {}
        }
        Ok(())
    }

    fn save(&mut self) {
        if self.saved.len() < MAX_SAVED {
            self.saved.push(self.state.clone());
        } else {
            self.unsaved += 1;
        }
    }

    fn restore(&mut self) {
        if self.unsaved > 0 {
            self.unsaved -= 1;
        } else if let Some(state) = self.saved.pop() {
            self.state = state;
        }
    }

    /// Shows a string, or strings with the gaps between them.
    fn show(&mut self, shown: Option<&Object>) -> Result<(), PdfError> {
        match shown {
            Some(Object::String(codes, _)) => self.string(codes),
            Some(Object::Array(parts)) => {
                for part in parts {
                    match part {
                        Object::String(codes, _) => self.string(codes)?,
                        gap => {
                            let gap = number(self.pages.pdf, gap).unwrap_or(0.0);
                            let state = &mut self.state;
                            state.advance(-gap / 1_000.0 * state.size * state.stretch);
                        }
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn string(&mut self, codes: &[u8]) -> Result<(), PdfError> {
        let state = &mut self.state;
        let (text, advance) = match &state.font {
            Some(font) => {
                // Spacing is not scaled by the size (ISO 32000-1, 9.4.4).
                let (letters, words) = (state.letter_space, state.word_space);
                let width = font.width(codes) * state.size + font.spacing(codes, letters, words);
                (font.text(codes), width * state.stretch)
            }
            None => (char::REPLACEMENT_CHARACTER.to_string(), 0.0),
        };
        self.shows_more |= text.contains(char::REPLACEMENT_CHARACTER);
        let placed = state.placed();
        let (_, direction) = placed.rightwards();
        let size = placed.height() * state.size.abs();
        let start = placed.origin();
        state.advance(advance);
        let end = state.placed().origin();
        let before = self.lines.len();
        self.lines.push(&Piece { text: &text, start, end, direction, size });
        self.pages.budget.text(self.lines.len() - before)
    }

    fn form_or_image(&mut self, name: Option<&Object>) -> Result<(), PdfError> {
        let pdf = self.pages.pdf;
        let named = name.and_then(|name| name.as_name().ok());
        let Some(drawn) = named.and_then(|name| self.resources.form_or_image(pdf, name)) else {
            return Ok(());
        };
        match drawn.dict.get_deref(b"Subtype", pdf).and_then(Object::as_name) {
            Ok(b"Form") => self.form(drawn),
            Ok(b"Image") => {
                self.shows_more = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn form(&mut self, form: &'p Stream) -> Result<(), PdfError> {
        if self.forms >= MAX_FORMS {
            let reason = format!("forms are nested more than {MAX_FORMS} levels deep");
            return Err(PdfError::Unreadable { reason });
        }
        let pdf = self.pages.pdf;
        let content = self.pages.budget.stream(form)?;
        let own = Resources::of_form(pdf, form).map_or_else(|| Rc::clone(&self.resources), Rc::new);
        let resources = std::mem::replace(&mut self.resources, own);
        let (state, saved, unsaved) =
            (self.state.clone(), std::mem::take(&mut self.saved), std::mem::take(&mut self.unsaved));
        if let Ok(moved) = form.dict.get_deref(b"Matrix", pdf).and_then(Object::as_array) {
            let at = |index: usize| moved.get(index).and_then(|it| number(pdf, it)).unwrap_or(0.0);
            self.state.page = matrix(at).then(self.state.page);
        }
        self.forms += 1;
        self.content(&content)?;
        self.forms -= 1;
        (self.state, self.saved, self.unsaved, self.resources) = (state, saved, unsaved, resources);
        Ok(())
    }
}

impl GraphicsState<'_> {
    fn next_line(&mut self, x: f32, y: f32) {
        self.line = PageMatrix::moved(x, y).then(self.line);
        self.text = self.line;
    }

    fn advance(&mut self, x: f32) {
        self.text = PageMatrix::moved(x, 0.0).then(self.text);
    }

    /// Where the next letter goes on the page.
    fn placed(&self) -> PageMatrix {
        PageMatrix::moved(0.0, self.rise).then(self.text).then(self.page)
    }
}

fn matrix(at: impl Fn(usize) -> f32) -> PageMatrix {
    PageMatrix(std::array::from_fn(at))
}
