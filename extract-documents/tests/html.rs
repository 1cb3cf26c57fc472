//! The readable text of HTML.

use extract::document::{Chunk, Chunks, Document};

/// A generator of numbers (splitmix64), so that a failure can be repeated.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((x ^ (x >> 31)) % bound as u64).unwrap()
    }

    fn one_of<T: Copy>(&mut self, options: &[T]) -> T {
        options[self.below(options.len())]
    }
}

fn html(html: impl Into<String>) -> Document {
    extract_documents::html(html).unwrap()
}

#[test]
fn blocks_are_lines_and_what_is_not_read_is_left_out() {
    for (html, expected) in [
        ("", ""),
        ("a < b && c > d", "a < b && c > d"),
        ("  <p> one\n two </p>\n<p>three</p> ", "one two\n\nthree"),
        ("a<br>b<br/><br />c", "a\nb\n\nc"),
        ("<ul><li>x</li><li>y</li></ul>z", "x\ny\n\nz"),
        ("<table><tr><th>a<th>b<tr><td>1</td><td>2</td></table>", "a\tb\n1\t2"),
        ("un<b>believ</b>able", "unbelievable"),
        ("a<!-- b -- > --> c", "a c"),
        ("<style>p{}</style>a<script>if (a</script b) '</p>'</script>b", "a'b"),
        ("<SCRIPT>x</sCript>y", "y"),
        ("<script>x", ""),
        ("<pre>a\n  b\r\n</pre>c", "a\n  b\n\n\nc"),
        ("<!DOCTYPE html><?xml ?>a", "a"),
        ("<a title=\"x > y\" href='<p>'>b</a>", "b"),
        ("a<b", "a"),
        ("&lt;script&gt; &amp;amp; &unknown; &#128512;", "<script> &amp; &unknown; 😀"),
        ("日<i>本</i>語", "日本語"),
    ] {
        assert_eq!(self::html(html).text(), expected, "{html}");
    }
}

#[test]
fn headings_divide_the_text() {
    let html = "<h1>One</h1>a<h2>Two <i>b</i></h2><div>c</div><h3></h3>";
    let document = self::html(html);
    assert_eq!(document.text(), "One\n\na\n\nTwo b\n\nc");
    let headings: Vec<_> = document.headings().iter().map(|one| &document.text()[one.clone()]).collect();
    assert_eq!(headings, ["One", "Two b"]);
    let chunks = document.chunks(&Chunks::chars(100).by_section()).unwrap();
    assert_eq!(chunks.iter().map(Chunk::text).collect::<Vec<_>>(), ["One\n\na\n\n", "Two b\n\nc"]);
}

#[test]
fn a_quote_over_tags_leads_back_to_the_source() {
    let html = "<p>The <b>ten&shy;ant</b> shall&nbsp;pay &euro;5.</p>";
    let document = self::html(html);
    let source = |quote: &str| {
        let span = document.find(quote).unwrap()[0].span();
        &html[document.source_range(span.range()).unwrap()]
    };
    assert_eq!(source("the tenant shall"), "The <b>ten&shy;ant</b> shall");
    assert_eq!(source("shall pay €5"), "shall&nbsp;pay &euro;5");
    assert_eq!(document.source(), Some(html));
    assert_eq!(Document::from_text(html).source_range(0..3), None);
}

#[test]
fn every_character_comes_from_the_source_in_order() {
    const PIECES: [&str; 26] = [
        "a",
        "bc ",
        " ",
        "\n",
        "<p>",
        "</p>",
        "<br>",
        "&amp;",
        "&#228;",
        "&",
        "<",
        ">",
        "日",
        "<h1>",
        "</h1>",
        "<td>",
        "<tr>",
        "<pre>",
        "</pre>",
        "<!--",
        "-->",
        "<script>",
        "</script>",
        "\"",
        "=",
        "/",
    ];
    let mut chance = Chance(3);
    for _ in 0..3_000 {
        let html: String = (0..chance.below(30)).map(|_| chance.one_of(&PIECES)).collect();
        let document = self::html(html.clone());
        let mut end = 0;
        for (at, c) in document.text().char_indices() {
            let source = document.source_range(at..at + c.len_utf8()).unwrap();
            assert!(source.start >= end || c.is_whitespace(), "{html:?}");
            let written = html.get(source.clone()).unwrap_or_else(|| panic!("{source:?} of {html:?}"));
            let is_reference = written.starts_with('&');
            assert!(
                is_reference || c.is_whitespace() || written == c.to_string(),
                "{c:?} is {written:?} in {html:?}"
            );
            end = source.end;
        }
        assert!(
            document
                .headings()
                .iter()
                .all(|one| document.span(one.clone()).is_some_and(|span| !span.is_empty()))
        );
        assert!(document.headings().is_sorted_by_key(|one| one.start));
        let chunks = document.chunks(&Chunks::chars(5)).unwrap();
        assert_eq!(chunks.iter().map(Chunk::text).collect::<String>(), document.text());
    }
}

#[test]
fn hostile_html_is_read_in_linear_time() {
    for piece in [
        "<",
        "<a ",
        "<!--",
        "<!",
        "&",
        "&#",
        "<script>",
        "</",
        "<p",
        "<a b='",
        "<pre>",
        "<h1>",
        "<script></script",
        "<svg></",
    ] {
        let _ = html(piece.repeat(20_000));
    }
}
