//! Damaged files are noticed, and not changed.
#![expect(clippy::result_large_err, reason = "the errors are those of `redb`")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
};

use extract_disk::{
    DiskError, FileStart, catch_damage, file_start, open, open_copy,
    redb::{Builder, Database, Error, ReadableTable as _, TableDefinition},
};

const LEGS: TableDefinition<'_, u64, &str> = TableDefinition::new("legs");

/// A database with a hundred entries that was closed.
fn file(name: &str) -> PathBuf {
    let path = env::temp_dir().join(format!("extract-disk-{name}-{}", process::id()));
    let _ = fs::remove_file(&path);
    let database = open(&path, &Builder::new()).unwrap();
    write(&database, "eight");
    path
}

fn write(database: &Database, legs: &str) {
    let writing = database.begin_write().unwrap();
    {
        let mut table = writing.open_table(LEGS).unwrap();
        for number in 0..100 {
            table.insert(number, legs).unwrap();
        }
    }
    writing.commit().unwrap();
}

fn read(database: &Database) -> Result<Vec<String>, DiskError> {
    catch_damage(|| -> Result<_, Error> {
        let table = database.begin_read()?.open_table(LEGS)?;
        table.iter()?.map(|entry| Ok(entry?.1.value().to_owned())).collect()
    })
}

fn assert_noticed(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
    match open(path, &Builder::new()) {
        Err(_) => assert!(fs::read(path).unwrap() == bytes, "a damaged file was changed"),
        Ok(database) => assert_eq!(read(&database).unwrap(), vec!["eight"; 100]),
    }
    if let Ok(copy) = open_copy(path) {
        assert_eq!(read(&copy).unwrap(), vec!["eight"; 100]);
    }
}

#[test]
fn a_changed_byte_never_gives_another_value() {
    let path = file("changed");
    let whole = fs::read(&path).unwrap();
    let used: Vec<usize> = (24..whole.len()).filter(|at| whole[*at] != 0).collect();
    for &at in used.iter().step_by(used.len() / 12) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        assert_noticed(&path, &bytes);
    }
    fs::remove_file(path).unwrap();
}

#[test]
fn a_cut_file_is_damaged() {
    let path = file("cut");
    let whole = fs::read(&path).unwrap();
    for len in [100, 4096, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..len]).unwrap();
        assert!(matches!(open(&path, &Builder::new()), Err(DiskError::Damaged(_))), "{len}");
        assert!(fs::read(&path).unwrap() == whole[..len]);
    }
    fs::remove_file(path).unwrap();
}

#[test]
fn a_header_that_would_take_all_memory_is_seen_before_it_is_opened() {
    let path = file("header");
    let mut bytes = fs::read(&path).unwrap();
    assert_eq!(file_start(&path).unwrap(), FileStart::Database);
    bytes[20..24].fill(0xff);
    fs::write(&path, &bytes).unwrap();
    assert_eq!(file_start(&path).unwrap(), FileStart::Damaged);
    fs::remove_file(path).unwrap();
}

#[test]
fn a_copy_reads_a_file_that_is_being_written() {
    let path = file("written");
    let database = open(&path, &Builder::new()).unwrap();
    let copy = open_copy(&path).unwrap();
    write(&database, "six");
    assert_eq!(read(&copy).unwrap(), vec!["eight"; 100]);
    assert_eq!(read(&open_copy(&path).unwrap()).unwrap(), vec!["six"; 100]);
    assert!(matches!(open(&path, &Builder::new()), Err(DiskError::Other(_))), "it is locked");
    drop(database);
    fs::remove_file(path).unwrap();
}
