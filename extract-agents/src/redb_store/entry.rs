//! One stored reply: a checksum, and its JSON.

use extract::agent::{Reply, StoreError};
use serde_json::from_str;

/// Digits of a checksum.
const DIGITS: usize = 16;

/// The entry that is stored for `key`.
pub(super) fn of(key: &str, reply: &str) -> String {
    format!("{:0DIGITS$x}{reply}", checksum(key, reply))
}

/// The reply in `entry`, which was stored for `key`.
pub(super) fn read(key: &str, entry: &str) -> Result<Reply, StoreError> {
    let whole = entry
        .split_at_checked(DIGITS)
        .filter(|(sum, reply)| u64::from_str_radix(sum, 16).is_ok_and(|sum| sum == checksum(key, reply)));
    let (_, reply) = whole.ok_or("a reply in the cache is damaged; the agent is asked again")?;
    Ok(from_str(reply)?)
}

/// FNV-1a, 64 bits, over both, separated by a byte that is in neither. It stays the same in every
/// release.
fn checksum(key: &str, reply: &str) -> u64 {
    let bytes = key.bytes().chain([0xff]).chain(reply.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_that_of_its_key_and_whole() {
        let reply = Reply::new("8");
        let entry = of("legs", &serde_json::to_string(&reply).unwrap());
        assert_eq!(read("legs", &entry).unwrap(), reply);
        assert!(read("arms", &entry).is_err());
        for damaged in [entry.replace('8', "9"), entry[1..].to_owned(), String::new(), "ü".repeat(20)] {
            let error = read("legs", &damaged).unwrap_err().to_string();
            assert!(error.contains("is damaged"), "{error}");
        }
    }
}
