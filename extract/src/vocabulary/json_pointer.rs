//! Steps of JSON Pointers (RFC 6901).

use std::borrow::Cow;

/// Appends the step to the member `key` to `pointer`.
pub(crate) fn push(pointer: &mut String, key: &str) {
    pointer.push('/');
    if key.contains(['~', '/']) {
        pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
    } else {
        pointer.push_str(key);
    }
}

/// The key that `step` names in an object.
pub(crate) fn key(step: &str) -> Cow<'_, str> {
    if step.contains('~') {
        Cow::Owned(step.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(step)
    }
}

/// The index that `step` names in a list: digits, and no zero before them.
pub(crate) fn index(step: &str) -> Option<usize> {
    let is_index = step == "0" || !step.starts_with('0') && step.bytes().all(|byte| byte.is_ascii_digit());
    step.parse().ok().filter(|_| is_index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_names_the_key_that_was_pushed() {
        for name in ["", "a", "a/b", "m~n", "~1", "~01", "/~/"] {
            let mut pointer = String::new();
            push(&mut pointer, name);
            assert_eq!(key(&pointer[1..]), name);
        }
    }

    #[test]
    fn an_index_has_one_spelling() {
        assert_eq!(["0", "12", "01", "+1", "-", ""].map(index), [Some(0), Some(12), None, None, None, None]);
    }
}
