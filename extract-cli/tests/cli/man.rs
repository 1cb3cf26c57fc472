//! `extractable man`.

use std::fs;

use crate::program::Place;

#[test]
fn pages_replace_only_pages_of_this_program() {
    let place = Place::new();
    fs::create_dir(place.path("man")).unwrap();
    for _ in 0..2 {
        place.run(&["man", "--out", "man"]).code(0);
    }
    let page = place.text("man/extractable-run.1");
    assert!(page.contains(".TH extractable-run 1") && place.path("man/extractable-journal-merge.1").exists());
    // One of an earlier version.
    place.write("man/extractable-run.1", &page[..page.len() / 2]);
    place.run(&["man", "--out", "man"]).code(0);
    assert_eq!(place.text("man/extractable-run.1"), page);

    fs::remove_file(place.path("man/extractable-export.1")).unwrap();
    place.write("man/extractable-run.1", ".TH extractable-run 1 mine");
    let refused = place.run(&["man", "--out", "man"]).code(2);
    refused
        .says("`man/extractable-run.1` is there already, and this program did not write it")
        .says("--overwrite");
    assert_eq!(place.text("man/extractable-run.1"), ".TH extractable-run 1 mine");
    assert!(!place.path("man/extractable-export.1").exists(), "all or none");
    place.run(&["man", "--out", "man", "--overwrite"]).code(0);
    assert_eq!(place.text("man/extractable-run.1"), page);
    place.run(&["man", "--out", "none"]).code(5).says("the folder `none` cannot be written");
}
