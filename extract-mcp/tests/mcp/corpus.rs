//! Every input that is committed for the fuzz target `requests`. What a fuzzer found stays fixed.

use std::{fs, path::Path};

use extractable_fuzz::requests;

#[test]
fn requests_that_were_found_end_with_their_client() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus/requests");
    let mut inputs = 0;
    for entry in fs::read_dir(&folder).expect("the target has a folder") {
        let file = entry.expect("the folder can be read").path();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Others are those of somebody who fuzzes here.
        if !name.starts_with("seed_") && !name.starts_with("found_") {
            continue;
        }
        // A panic is below the name of its file.
        eprintln!("{}", file.display());
        requests::check(&fs::read(&file).expect("the file can be read"));
        inputs += 1;
    }
    assert!(inputs >= 4, "{inputs} inputs");
}
