//! Files in the cache.

use super::{super::verify::note, *};

#[test]
fn a_partial_file_in_the_cache_is_refused_with_both_sums() {
    let cache = Folder::new();
    fs::write(cache.path().join("tiny.gguf"), &CONTENT[..7]).unwrap();
    let error = get(cache.path(), &hub(|_| Reply::Honest).0, &no_pip()).unwrap_err().to_string();
    assert!(error.contains(&sum(&CONTENT[..7])) && error.contains(&sum(CONTENT)), "{error}");
}

#[test]
fn a_verified_file_that_changes_is_looked_at_again() {
    let cache = Folder::new();
    let path = get(cache.path(), &hub(|_| Reply::Honest).0, &no_pip()).unwrap();
    fs::write(&path, OTHER).unwrap();
    let error = get(cache.path(), &no_hub(), &no_pip()).unwrap_err();
    assert!(matches!(error, LocalModelError::WrongFile { .. }), "{error}");
}

#[test]
fn a_note_about_another_content_vouches_for_nothing() {
    let cache = Folder::new();
    let path = cache.path().join("tiny.gguf");
    fs::write(&path, OTHER).unwrap();
    note(&path, &path, &sum(OTHER)).unwrap();
    let error = get(cache.path(), &no_hub(), &no_pip()).unwrap_err();
    let LocalModelError::WrongFile { expected_sha256, actual_sha256, discarded: false, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!((expected_sha256, actual_sha256), (&sum(CONTENT), &sum(OTHER)));
}

#[test]
fn the_published_file_is_good_whatever_a_note_says() {
    for noted in ["", "{", "[]", r#"{"bytes":1,"modified":2,"sha256":"../../evil"}"#] {
        let cache = Folder::new();
        fs::write(cache.path().join("tiny.gguf"), CONTENT).unwrap();
        fs::write(cache.path().join("tiny.gguf.verified"), noted).unwrap();
        get(cache.path(), &no_hub(), &no_pip()).unwrap();
    }
}

#[test]
fn what_a_killed_process_left_is_cleared_away() {
    let cache = Folder::new();
    fs::create_dir(cache.path().join("tiny.gguf.partial")).unwrap();
    fs::write(cache.path().join("tiny.gguf.partial/half"), b"half").unwrap();
    get(cache.path(), &hub(|_| Reply::Honest).0, &no_pip()).unwrap();
    assert_eq!(left(cache.path()), WHOLE);
}

#[test]
fn fetches_at_the_same_time_download_once() {
    let cache = Folder::new();
    let (hub, requests) = hub(|_| Reply::Honest);
    let published = published();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| fetch_published(published, cache.path(), &hub, &no_pip()).unwrap());
        }
    });
    assert_eq!(requests.count(), 1);
    assert_eq!(left(cache.path()), WHOLE);
}
