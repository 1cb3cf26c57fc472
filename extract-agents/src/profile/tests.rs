//! The profiles as a whole.

use std::{collections::BTreeSet, env, fs, path::Path};

use super::{Profile, markdown};
use crate::format::WireFormat;

#[test]
fn each_profile_is_complete() {
    let names: BTreeSet<_> = Profile::ALL.iter().map(|profile| profile.name).collect();
    assert_eq!(names.len(), Profile::ALL.len(), "a name is there twice");
    for profile in Profile::ALL {
        let name = profile.name;
        assert!(!profile.sources.is_empty(), "{name} has no source");
        assert!(profile.sources.iter().all(|source| source.starts_with("https://")), "{name}");
        assert!(profile.address.starts_with("https://") || profile.address.starts_with('{'), "{name}");
        assert!(!profile.needs_key || !profile.key_variables.is_empty(), "{name}");
        assert!(!name.contains('/') && name == name.to_lowercase(), "{name}");
        assert_eq!(Profile::find(name).unwrap().title, profile.title);
    }
    for format in WireFormat::ALL {
        assert!(Profile::ALL.iter().any(|profile| profile.wire == format), "nobody speaks {format}");
    }
}

#[test]
fn the_book_prints_the_table() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/providers.md");
    let text = fs::read_to_string(&page).unwrap();
    let mark = "profile`. -->\n";
    let end = text.find(mark).expect("the page has a place for the tables") + mark.len();
    let expected = format!("{}\n{}", &text[..end], markdown());
    if env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(page, expected).unwrap();
    } else {
        let hint = "run `UPDATE_SNAPSHOTS=1 cargo test -p extractable-agents profile`";
        assert!(text == expected, "docs/providers.md differs from the profiles: {hint}");
    }
}
