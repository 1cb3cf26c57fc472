//! Addresses of what a server has.

use std::fmt::Write as _;

/// Puts `path` between the path and the query of an address.
pub(crate) fn joined(address: &str, path: &str) -> String {
    let address = address.split('#').next().unwrap_or(address);
    let (address, query) = address.split_once('?').unwrap_or((address, ""));
    let mut url = format!("{}{path}", address.trim_end_matches('/'));
    if !query.is_empty() {
        url.push(if path.contains('?') { '&' } else { '?' });
        url.push_str(query);
    }
    url
}

/// A name as a part of a URL, which must not end it. Letters, digits, `-`, `_` and the bytes in
/// `allowed` stay as they are.
pub(crate) fn escaped(name: &str, allowed: &[u8]) -> String {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte) || allowed.contains(&byte);
    name.bytes().fold(String::with_capacity(name.len()), |mut path, byte| {
        if is_plain(byte) {
            path.push(char::from(byte));
        } else {
            let _ = write!(path, "%{byte:02X}");
        }
        path
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_put_before_the_query() {
        assert_eq!(joined("http://a/v1/", "/b"), "http://a/v1/b");
        assert_eq!(joined("http://a/v1?version=7", "/b?c=d"), "http://a/v1/b?c=d&version=7");
        assert_eq!(joined("http://a?version=7", "/b"), "http://a/b?version=7");
        assert_eq!(joined("http://a/v1#top", "/b"), "http://a/v1/b");
    }

    #[test]
    fn a_name_cannot_end_its_part() {
        assert_eq!(escaped("a/b?c#d-_.%", b""), "a%2Fb%3Fc%23d-_%2E%25");
        assert_eq!(escaped("models/a.b", b"./"), "models/a.b");
    }
}
