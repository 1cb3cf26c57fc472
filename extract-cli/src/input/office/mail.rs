//! E-mails: the header lines that people see, the text, and the names of the attachments.

use std::fmt::Write as _;

use extract::document::Document;
use mail_parser::{
    Address, Header, HeaderName, HeaderValue, Message, MessageParser, MessagePart, MimeHeaders as _, PartType,
};

use super::reading::Read;
use crate::input::size::{MAX_BYTES, too_long};

/// Maximum levels of e-mails that are attached to each other.
const MAX_DEPTH: usize = 8;

/// Maximum parts of an e-mail. Several thousand fit into a small file.
const MAX_PARTS: usize = 1_000;

/// The header lines, the text and the names of the attachments of an e-mail.
pub(super) fn read(bytes: &[u8]) -> Result<Read, String> {
    let is_known = |header: &Header<'_>| !matches!(header.name, HeaderName::Other(_));
    let mail = MessageParser::default().parse(bytes).filter(|mail| mail.headers().iter().any(is_known));
    let mail = mail.ok_or("there are no header lines, as an e-mail has them")?;
    let mut text = String::new();
    write(&mail, 0, &mut text)?;
    Ok(Read { document: Document::from_text(text), remark: None })
}

/// Adds an e-mail that is in `depth` others.
fn write(mail: &Message<'_>, depth: usize, to: &mut String) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!(
            "more than {MAX_DEPTH} e-mails are attached to each other, the most that is read"
        ));
    }
    if mail.parts.len() > MAX_PARTS {
        return Err(format!("it has more than {MAX_PARTS} parts, the most that is read"));
    }
    headers(mail, to)?;
    let body = body(mail)?;
    let _ = write!(to, "\n{}\n", body.trim_end());
    if to.len() as u64 > MAX_BYTES {
        return Err(too_long());
    }
    for part in attachments(mail) {
        let _ = writeln!(to, "\n{}", attachment(part));
        if let PartType::Message(mail) = &part.body {
            to.push('\n');
            write(mail, depth + 1, to)?;
        }
    }
    Ok(())
}

/// The lines that a program for e-mail shows above the text.
fn headers(mail: &Message<'_>, to: &mut String) -> Result<(), String> {
    for (name, is_shown) in [
        ("From", "From"),
        ("To", "To"),
        ("Cc", "Cc"),
        ("Reply-To", "Reply-To"),
        ("Date", "Date"),
        ("Subject", "Subject"),
    ] {
        let value = match mail.header(name) {
            None => continue,
            Some(HeaderValue::Address(address)) => addresses(address),
            // As written: with its own time zone, and even if it is not a date.
            Some(_) if name == "Date" => mail.header_raw(name).unwrap_or_default().to_owned(),
            Some(HeaderValue::Text(text)) => text.to_string(),
            Some(HeaderValue::TextList(texts)) => texts.join(" "),
            Some(HeaderValue::Empty) => String::new(),
            Some(_) => mail.header_raw(name).unwrap_or_default().to_owned(),
        };
        // One line each, so nothing in a value can pass for another line.
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(to, "{is_shown}: {value}");
        if to.len() as u64 > MAX_BYTES {
            return Err(too_long());
        }
    }
    Ok(())
}

fn addresses(address: &Address<'_>) -> String {
    let shown: Vec<_> = address
        .iter()
        .map(|one| match (one.name(), one.address()) {
            (Some(name), Some(address)) => format!("{name} <{address}>"),
            (Some(one), None) | (None, Some(one)) => one.to_owned(),
            (None, None) => String::new(),
        })
        .collect();
    shown.join(", ")
}

/// Returns the text; without one, the text of the HTML.
fn body(mail: &Message<'_>) -> Result<String, String> {
    let text = texts(mail, &mail.text_body)?;
    if text.trim().is_empty() { texts(mail, &mail.html_body) } else { Ok(text) }
}

fn texts(mail: &Message<'_>, parts: &[u32]) -> Result<String, String> {
    let mut all = String::new();
    for part in parts.iter().filter_map(|part| mail.part(*part)) {
        if part.is_encoding_problem {
            return Err("its text is damaged, or in a character set that is not known".to_owned());
        }
        if !all.is_empty() {
            all.push('\n');
        }
        match &part.body {
            PartType::Text(text) => all.push_str(text),
            PartType::Html(html) => {
                let document = extract_documents::html(&**html).map_err(|error| error.to_string())?;
                all.push_str(document.text());
            }
            _ => {}
        }
    }
    Ok(all.replace("\r\n", "\n"))
}

/// Parts that are in neither body, with the images in an HTML body.
fn attachments<'m>(mail: &'m Message<'m>) -> impl Iterator<Item = &'m MessagePart<'m>> {
    let inline = mail
        .parts
        .iter()
        .enumerate()
        .filter(|(_, part)| matches!(part.body, PartType::InlineBinary(_)))
        .filter_map(|(index, _)| u32::try_from(index).ok())
        .filter(|index| !mail.attachments.contains(index));
    let all: Vec<_> = mail.attachments.iter().copied().chain(inline).collect();
    all.into_iter().filter_map(|index| mail.part(index))
}

/// `[attachment: invoice.pdf, application/pdf, 1234 bytes, not read]`
fn attachment(part: &MessagePart<'_>) -> String {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown = "[attachment:".to_owned();
    if let Some(name) = part.attachment_name() {
        let _ = write!(shown, " {},", one_line(name));
    }
    if let Some(kind) = part.content_type() {
        let slash = kind.subtype().map(|subtype| format!("/{subtype}")).unwrap_or_default();
        let _ = write!(shown, " {}{slash},", one_line(kind.ctype()));
    }
    match &part.body {
        PartType::Message(_) => shown.push_str(" which follows]"),
        _ => {
            let _ = write!(shown, " {} bytes, not read]", part.len());
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(mail: &str) -> Result<String, String> {
        read(mail.replace('\n', "\r\n").as_bytes()).map(|read| read.document.text().to_owned())
    }

    #[test]
    fn headers_are_lines_before_the_text() {
        let mail = "Received: by mx\nFrom: =?utf-8?q?Ann_M=C3=BCller?= <ann@example.org>\nTo: b@example.org,\n \"C, D\" \
                    <c@example.org>\nDate: Thu, 1 Jan 2026 10:00:00 +0100\nSubject: Invoice\n INV-3107\n\nHello\n\nBob\n";
        assert_eq!(
            text(mail).unwrap(),
            "From: Ann Müller <ann@example.org>\nTo: b@example.org, C, D <c@example.org>\nDate: Thu, 1 Jan 2026 \
             10:00:00 +0100\nSubject: Invoice INV-3107\n\nHello\n\nBob\n"
        );
    }

    const MIXED: &str = "Subject: a\nContent-Type: multipart/mixed; boundary=m\n\n--m\nContent-Type: multipart/alternative; \
                         boundary=a\n\n--a\nContent-Type: text/plain\n\nPlain.\n--a\nContent-Type: text/html\n\n<p>Rich.\n\
                         --a--\n--m\nContent-Type: application/pdf; name=\"in voice.pdf\"\nContent-Transfer-Encoding: base64\n\
                         Content-Disposition: attachment\n\nJVBERi0x\n--m--\n";

    #[test]
    fn attachments_are_named() {
        assert_eq!(
            text(MIXED).unwrap(),
            "Subject: a\n\nPlain.\n\n[attachment: in voice.pdf, application/pdf, 6 bytes, not read]\n"
        );
    }

    #[test]
    fn html_is_read_if_there_is_no_text() {
        let html = "Subject: a\nContent-Type: text/html; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\n\
                    <style>no</style><p>Total:=20<b>9,50=A3</b><p>Bye";
        let shown = text(html).unwrap();
        assert!(shown.contains("Total: 9,50£") && !shown.contains("no") && !shown.contains('<'), "{shown}");
        let empty = MIXED.replace("Plain.", " ");
        assert!(text(&empty).unwrap().contains("\n\nRich.\n"), "{}", text(&empty).unwrap());
    }

    #[test]
    fn an_attached_mail_is_read_up_to_a_depth() {
        let nested = |depth| {
            let mut mail = "Subject: innermost\n\nDeep.\n".to_owned();
            for _ in 0..depth {
                mail = format!("Subject: outer\nContent-Type: message/rfc822\n\n{mail}");
            }
            mail
        };
        let shown = text(&nested(1)).unwrap();
        assert!(shown.contains("Subject: innermost\n\nDeep."), "{shown}");
        // The text is read in full, or it is an error.
        for depth in [2, 8, 9, 100, 5_000] {
            match text(&nested(depth)) {
                Ok(shown) => assert!(shown.contains("Deep."), "{depth}: {shown}"),
                Err(error) => assert!(error.contains("more than 8 e-mails"), "{error}"),
            }
        }
    }

    #[test]
    fn what_is_no_mail_or_damaged_is_an_error() {
        assert!(text("").is_err());
        assert!(text("\u{0}\u{1}").is_err());
        let unknown = "Subject: a\nContent-Type: text/plain; charset=x-none\n\n\u{fe}\n";
        assert!(text(unknown).is_err() || text(unknown).unwrap().contains('\u{fe}'));
        let parts = format!(
            "Subject: a\nContent-Type: multipart/mixed; boundary=m\n{}",
            "\n--m\nContent-Type: a/b\n\nx".repeat(MAX_PARTS + 1)
        );
        assert!(text(&parts).unwrap_err().contains("1000 parts"));
    }
}
