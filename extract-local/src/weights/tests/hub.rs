//! An honest hub on bad networks.

use super::*;

/// The head of a complete reply.
fn all() -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close", CONTENT.len())
}

#[test]
fn the_hub_delivers_and_the_cache_keeps() {
    let cache = Folder::new();
    let (hub, requests) = hub(|_| Reply::Honest);
    let path = get(cache.path(), &hub, &no_pip()).unwrap();
    assert_eq!(fs::read(&path).unwrap(), CONTENT);
    assert_eq!(left(cache.path()), WHOLE);
    get(cache.path(), &no_hub(), &no_pip()).unwrap();
    assert_eq!(requests.count(), 1);
}

#[test]
fn the_hub_is_asked_for_the_pinned_revision_and_gets_no_token() {
    let cache = Folder::new();
    let (hub, requests) = hub(|_| Reply::Honest);
    get(cache.path(), &hub, &no_pip()).unwrap();
    let request = requests.all().remove(0);
    assert!(request.starts_with("GET /someone/tiny/resolve/c0ffee/tiny.gguf HTTP/1.1\n"), "{request}");
    assert!(!request.to_lowercase().contains("authorization"), "{request}");
}

#[test]
fn a_transfer_that_breaks_off_goes_on_where_it_broke() {
    let cache = Folder::new();
    let (hub, requests) = hub(|number| match number {
        0 => Reply::Bytes(all(), CONTENT[..10].to_vec()),
        _ => Reply::Honest,
    });
    let path = get(cache.path(), &hub, &no_pip()).unwrap();
    assert_eq!(fs::read(path).unwrap(), CONTENT);
    assert!(requests.all()[1].to_lowercase().contains("range: bytes=10-"), "{:?}", requests.all());
}

#[test]
fn a_hub_that_knows_no_ranges_is_read_from_the_start_again() {
    let cache = Folder::new();
    let (hub, requests) =
        hub(|number| Reply::Bytes(all(), CONTENT[..if number == 0 { 10 } else { 38 }].to_vec()));
    let path = get(cache.path(), &hub, &no_pip()).unwrap();
    assert_eq!((fs::read(path).unwrap(), requests.count()), (CONTENT.to_vec(), 2));
}

#[test]
fn a_transfer_that_breaks_off_every_time_leaves_nothing() {
    let cache = Folder::new();
    let (hub, requests) = hub(|_| Reply::Bytes(all(), CONTENT[..10].to_vec()));
    let error = get(cache.path(), &hub, &no_pip()).unwrap_err();
    assert!(matches!(error, LocalModelError::NotFetched { .. }), "{error}");
    assert!(error.to_string().contains("broke off after 10 of 38 bytes"), "{error}");
    assert_eq!((left(cache.path()).len(), requests.count()), (0, 4));
}

#[test]
fn a_hub_that_promises_and_sends_nothing_is_asked_once() {
    let cache = Folder::new();
    let (hub, requests) = hub(|_| Reply::Bytes(all(), Vec::new()));
    let error = get(cache.path(), &hub, &no_pip()).unwrap_err();
    assert!(matches!(error, LocalModelError::NotFetched { .. }), "{error}");
    assert_eq!((left(cache.path()).len(), requests.count()), (0, 1));
}

#[test]
fn a_redirect_leads_to_the_file() {
    let cache = Folder::new();
    let (store, _) = hub(|_| Reply::Honest);
    let location = store.url(published());
    let (hub, _) = hub(move |number| {
        let location = if number == 0 { "/elsewhere" } else { &location };
        Reply::Bytes(format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0"), Vec::new())
    });
    assert_eq!(fs::read(get(cache.path(), &hub, &no_pip()).unwrap()).unwrap(), CONTENT);
}

#[test]
fn neither_source_is_an_error_that_names_both() {
    let cache = Folder::new();
    let error = get(cache.path(), &no_hub(), &no_pip()).unwrap_err().to_string();
    assert!(error.contains("Connection refused") || error.contains("refused"), "{error}");
    assert!(error.contains("no Python with pip"), "{error}");
    assert!(error.contains(cache.path().to_str().unwrap()), "{error}");
    assert!(left(cache.path()).is_empty());
}

#[test]
fn an_endpoint_that_is_no_url_is_said() {
    let cache = Folder::new();
    for endpoint in ["hub.example", "not a url", "ftp://hub.example"] {
        let error = get(cache.path(), &Hub::at(endpoint.to_owned()), &no_pip()).unwrap_err();
        assert!(matches!(error, LocalModelError::NotFetched { .. }), "{error}");
    }
}
