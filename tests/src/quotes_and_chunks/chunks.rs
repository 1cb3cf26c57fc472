//! How documents are divided.

use extract::document::{Chunk, ChunkError, Chunks, Document, DocumentPart};

use super::litbank;
use crate::reading::random::Chance;

fn markdown(text: impl Into<String>) -> Document {
    extract_documents::markdown(text).unwrap()
}

fn texts(chunks: &[Chunk]) -> Vec<&str> {
    chunks.iter().map(Chunk::text).collect()
}

fn divided(document: &Document, chunks: &Chunks) -> Vec<Chunk> {
    document.chunks(chunks).unwrap()
}

#[test]
fn no_annotated_span_is_cut_at_4000_characters_and_few_at_1000() {
    let (mut spans_cut, mut all) = ([0, 0], 0);
    for (text, spans) in litbank() {
        let document = Document::from_text(text);
        for (cut, chars) in spans_cut.iter_mut().zip([4_000, 1_000]) {
            let chunks = divided(&document, &Chunks::chars(chars));
            assert!(chunks.len() > 2 && chunks.iter().all(|chunk| chunk.text().chars().count() <= chars));
            // Not by making small chunks.
            let mean = document.text().len() / chunks.len();
            assert!(mean * 2 > chars, "{mean}");
            let whole = |span: &std::ops::Range<usize>| {
                chunks.iter().any(|chunk| chunk.range().start <= span.start && span.end <= chunk.range().end)
            };
            *cut += spans.iter().filter(|span| !whole(span)).count();
        }
        all += spans.len();
    }
    println!("{spans_cut:?} of {all} spans cut at 4,000 and 1,000 characters");
    assert!(spans_cut[0] == 0 && spans_cut[1] <= 1, "{spans_cut:?}");
}

#[test]
fn what_fits_is_not_cut() {
    let paragraph = "One two. Three four. Five six.";
    let document = Document::from_text(format!("{paragraph}\n\n{paragraph}\n\n{paragraph}\n"));
    let chunks = divided(&document, &Chunks::chars(50));
    assert_eq!(
        texts(&chunks),
        [&format!("{paragraph}\n\n"), &format!("{paragraph}\n\n"), &format!("{paragraph}\n")]
    );
    let chunks = divided(&document, &Chunks::chars(22));
    assert_eq!(texts(&chunks)[..2], ["One two. Three four. ", "Five six.\n\nOne two. "]);
    let chunks = divided(&document, &Chunks::chars(5));
    assert_eq!(texts(&chunks)[..4], ["One ", "two. ", "Three", " four"]);
}

#[test]
fn rows_of_a_table_are_not_cut() {
    let rows =
        (0..40).map(|row| format!("| row {row}. | a. B c | {} |\n", row * row)).collect::<Vec<_>>().concat();
    let document = Document::from_text(rows.clone());
    for most in [40, 100, 333] {
        let chunks = divided(&document, &Chunks::chars(most));
        assert!(
            chunks.iter().all(|chunk| chunk.text().starts_with("| row") && chunk.text().ends_with("|\n"))
        );
    }
}

#[test]
fn a_heading_stays_with_its_text_and_may_begin_a_chunk() {
    let document = markdown("Intro.\n\n# One\n\nText of one.\n\n## Two\nText of two.\n\nMore.");
    assert_eq!(
        texts(&divided(&document, &Chunks::chars(24))),
        ["Intro.\n\n", "# One\n\nText of one.\n\n", "## Two\nText of two.\n\n", "More."]
    );
    // Not at the price of a paragraph.
    let fitting = markdown("# A heading\nOne. Two. Three.");
    assert_eq!(texts(&divided(&fitting, &Chunks::chars(16))), ["# A heading\n", "One. Two. Three."]);
    assert_eq!(divided(&document, &Chunks::chars(1_000)).len(), 1);
    assert_eq!(
        texts(&divided(&document, &Chunks::chars(1_000).by_section())),
        ["Intro.\n\n", "# One\n\nText of one.\n\n", "## Two\nText of two.\n\nMore."]
    );
    let parts = Document::from_parts([
        DocumentPart::section("A", "Of a."),
        DocumentPart::section("B", "Of b."),
        DocumentPart::page(2, "Goes on."),
    ]);
    let chunks = divided(&parts, &Chunks::chars(1_000).by_section());
    assert_eq!(texts(&chunks), ["Of a.\n", "Of b.\nGoes on."]);
    assert_eq!((chunks[1].index(), chunks[1].span().line_column().line), (1, 2));
}

#[test]
fn the_context_is_the_text_before_from_a_word_on() {
    let document = Document::from_text("Alpha beta gamma. Delta epsilon. Zeta.");
    let chunks = divided(&document, &Chunks::chars(18).context(9));
    let contexts: Vec<_> = chunks.iter().map(|chunk| (chunk.context(), chunk.text())).collect();
    assert_eq!(
        contexts,
        [("", "Alpha beta gamma. "), (" gamma. ", "Delta epsilon. "), ("epsilon. ", "Zeta.")]
    );
    let chunks = divided(&document, &Chunks::chars(18).context(1_000));
    assert_eq!(chunks[2].context(), "Alpha beta gamma. Delta epsilon. ");
    assert_eq!(chunks[2].context_range(), 0..chunks[2].range().start);
}

#[test]
fn chunks_cover_every_text_at_every_size() {
    const PIECES: [&str; 22] = [
        "word",
        " ",
        "\n",
        "\n\n",
        ". ",
        "Mr. ",
        "# H\n",
        "| a | b |\n",
        "日本語。",
        "e\u{301}",
        "👩\u{200d}👩",
        "\u{301}",
        "- x\n",
        "ä",
        "!",
        "\r\n",
        "\t",
        "   ",
        "12",
        "ภาษา",
        "한국",
        "\u{2028}",
    ];
    for nothing in [Chunks::chars(0), Chunks::tokens(0, str::len)] {
        assert_eq!(Document::from_text("a").chunks(&nothing).unwrap_err(), ChunkError::NoRoom);
    }
    let mut chance = Chance::new(5);
    for _ in 0..3_000 {
        let text: String = (0..chance.below(40)).map(|_| chance.one_of(&PIECES)).collect();
        let document = markdown(text.clone());
        let most = 1 + chance.below(30);
        let mut by_chars = Chunks::chars(most).context(chance.below(8));
        if chance.below(2) == 0 {
            by_chars = by_chars.by_section();
        }
        let by_bytes = Chunks::tokens(most, str::len);
        for chunks in [divided(&document, &by_chars), divided(&document, &by_bytes)] {
            assert_eq!(texts(&chunks).concat(), text);
            let mut end = 0;
            for chunk in &chunks {
                assert_eq!(chunk.range().start, end, "{text:?}");
                assert!(!chunk.range().is_empty());
                end = chunk.range().end;
                assert!(!chunk.text().starts_with('\u{301}') || chunk.index() == 0, "{most}: {text:?}");
                assert_eq!(chunk.context_range().end, chunk.range().start);
            }
        }
        let too_long = divided(&document, &by_chars)
            .into_iter()
            .filter(|chunk| chunk.text().chars().count() > most.max(6));
        // Only marks on marks, and emoji.
        assert!(
            too_long
                .map(|chunk| chunk.text().replace(['\u{301}', '👩', '\u{200d}'], ""))
                .all(|rest| rest.chars().count() <= 1)
        );
    }
}

#[test]
fn chunks_of_others_are_kept_and_have_to_have_all_of_the_text() {
    let document = Document::from_text(" Größe. Two. ");
    let fine = Chunks::from_indices([(1, "Größe."), (10, "Two.")]);
    assert_eq!(texts(&divided(&document, &fine)), ["Größe.", "Two."]);
    for (ranges, expected) in [
        (&[(1, 4)][..], ChunkError::NotInText { range: 1..4, bytes: 15 }),
        (&[(0, 16)], ChunkError::NotInText { range: 0..16, bytes: 15 }),
        (&[(1, 9), (8, 15)], ChunkError::OutOfOrder { range: 8..15 }),
        (&[(1, 9)], ChunkError::Uncovered { range: 9..15 }),
        (&[(10, 15)], ChunkError::Uncovered { range: 0..10 }),
        (&[], ChunkError::Uncovered { range: 0..15 }),
    ] {
        let ranges = ranges.iter().map(|(start, end)| *start..*end);
        assert_eq!(document.chunks(&Chunks::from_ranges(ranges)).unwrap_err(), expected);
    }
    assert!(divided(&Document::from_text(""), &Chunks::chars(10)).is_empty());
}

#[test]
fn dividing_takes_linear_time() {
    // Quadratic work would take minutes for each.
    for piece in ["a", "a ", ".", "\n", "a. ", "# a\n", "|\n", "\u{301}", "日", "U.S.", "-\n", "\u{200d}"] {
        let document = markdown(piece.repeat(20_000));
        for most in [1, 1_000] {
            assert!(!divided(&document, &Chunks::chars(most)).is_empty());
        }
    }
}
