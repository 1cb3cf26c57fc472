//! Quotes in scripts other than Latin.

use extract::document::{Document, QuoteError};

#[test]
fn quotes_in_every_script_are_found_at_their_bytes() {
    for (text, quote) in [
        ("患者は胸痛を訴えた。投与量は５ｍｇ。", "投与量は5mg"),
        ("病人主诉胸痛，每天五毫克。", "每天五毫克"),
        ("환자는 가슴 통증을 호소했다.", "가슴 통증을"),
        ("\u{1112}\u{1161}\u{11ab}국어 문장", "한국어 문장"),
        ("החולה התלונן על כאבים בחזה.", "כאבים בחזה"),
        ("اشتكى المريض من ألم في الصدر\u{200f}.", "ألم في الصدر"),
        ("ผู้ป่วยมีอาการเจ็บหน้าอก", "เจ็บหน้าอก"),
        ("रोगी को सीने में दर्द है", "सीने में दर्द"),
        ("Жалобы на БОЛЬ в груди", "боль в груди"),
        ("Ağrı İSTANBUL'da", "İSTANBUL"),
        ("a 👩\u{200d}👩\u{200d}👧 family 👍🏽", "👩\u{200d}👩\u{200d}👧 family 👍🏽"),
        ("ｶﾞｷﾞ", "ガギ"),
    ] {
        let document = Document::from_text(text);
        let found = document.find(quote).unwrap_or_else(|error| panic!("{quote} {error}: {text}"));
        assert_eq!(found.len(), 1, "{quote} in {text}");
        let span = found[0].span();
        let chars = text[..span.start()].chars().count()..text[..span.end()].chars().count();
        assert_eq!(span.chars(), chars);
    }
}

#[test]
fn half_of_what_is_seen_as_one_character_is_not_found() {
    for (text, quote) in [
        ("résume\u{301}", "résume"),
        ("👩\u{200d}👩\u{200d}👧", "👩"),
        ("👍🏽", "👍"),
        ("कि", "क"),
        ("한", "\u{1112}"),
        ("\u{1112}\u{1161}\u{11ab}", "하"),
        ("ﬁve", "ive"),
        ("שָׁ", "ש"),
    ] {
        assert_eq!(Document::from_text(text).find(quote), Err(QuoteError::NotInText), "{quote} in {text}");
    }
}

#[test]
fn the_nearest_passage_is_found_in_texts_without_spaces() {
    let document = Document::from_text("患者は昨日から発熱がある。患者は胸痛を訴えた。投与量は五mg。");
    let nearest = document.nearest("患者は腹痛を訴えた").unwrap();
    assert_eq!(&document.text()[nearest.span().range()], "患者は胸痛を訴えた");
}
