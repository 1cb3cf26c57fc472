//! The parts of a ZIP archive, with a limit on what they unpack to.

use std::{
    collections::HashMap,
    io::{Cursor, Read as _},
};

use zip::{ZipArchive, result::ZipError};

use super::xml::{Xml, XmlToken};

/// Maximum unpacked bytes of all parts that are read. A few kilobytes can unpack to gigabytes.
pub(super) const MAX_UNPACKED: u64 = 256 << 20;

/// An archive in memory.
pub(super) struct Archive {
    zip: ZipArchive<Cursor<Vec<u8>>>,
    /// Bytes that further parts may unpack to.
    left: u64,
    most: u64,
}

impl Archive {
    pub(super) fn open(bytes: Vec<u8>) -> Result<Self, String> {
        Self::with_limit(bytes, MAX_UNPACKED)
    }

    /// With another limit than the usual one.
    pub(super) fn with_limit(bytes: Vec<u8>, most: u64) -> Result<Self, String> {
        if bytes.starts_with(b"\xd0\xcf\x11\xe0") {
            return Err(
                "it has a password, or is in the old form of its program; save it without the password, in \
                        the present form"
                    .to_owned(),
            );
        }
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
        Ok(Self { zip, left: most, most })
    }

    /// Returns the unpacked bytes of a part; `None` if no part has that name.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>, String> {
        let too_large = format!("it unpacks to more than {} MiB, the most that is read", self.most >> 20);
        let file = match self.zip.by_name(name) {
            Ok(file) => file,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(damaged(&error)),
        };
        if file.size() > self.left {
            return Err(too_large);
        }
        let mut bytes = Vec::new();
        // The size in the archive may be wrong.
        let size = file.take(self.left + 1).read_to_end(&mut bytes).map_err(|error| damaged(&error))? as u64;
        self.left = self.left.checked_sub(size).ok_or(too_large)?;
        Ok(Some(bytes))
    }

    /// Returns a part as XML; `None` if no part has that name.
    pub(super) fn xml(&mut self, name: &str) -> Result<Option<Xml>, String> {
        self.part(name)?.map(|bytes| Xml::new(bytes).map_err(|error| format!("{name}: {error}"))).transpose()
    }

    /// Returns the parts that the part called `of` refers to, by their ids; if `of` is empty, the
    /// parts of the whole package.
    pub(super) fn relations(&mut self, of: &str) -> Result<HashMap<String, PartRelation>, String> {
        let (folder, file) = of.rsplit_once('/').unwrap_or(("", of));
        let slash = if folder.is_empty() { "" } else { "/" };
        let mut relations = HashMap::new();
        let Some(mut xml) = self.xml(&format!("{folder}{slash}_rels/{file}.rels"))? else {
            return Ok(relations);
        };
        loop {
            match xml.next()? {
                XmlToken::Start(tag) if tag.name() == "Relationship" => {
                    let attr = |name| tag.attr(name);
                    if let (Some(id), Some(kind), Some(target)) = (attr("Id"), attr("Type"), attr("Target")) {
                        let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                        relations.insert(id, PartRelation { kind, target: resolved(folder, &target) });
                    }
                }
                XmlToken::End if xml.depth() == 0 => return Ok(relations),
                _ => {}
            }
        }
    }

    /// The name of the main part of a document of Word or Excel.
    pub(super) fn main_part(&mut self) -> Result<Option<String>, String> {
        let relations = self.relations("")?;
        Ok(relations.into_values().find(|one| one.kind == "officeDocument").map(|one| one.target))
    }
}

/// A part that another one refers to.
#[derive(Debug)]
pub(super) struct PartRelation {
    /// `image`, `styles` and so on.
    pub(super) kind: String,
    /// The name of the part in the archive, or an external address.
    pub(super) target: String,
}

/// The name of a part that is given from a folder.
fn resolved(folder: &str, target: &str) -> String {
    let (mut names, rest) = match target.strip_prefix('/') {
        Some(rest) => (Vec::new(), rest),
        None => (folder.split('/').filter(|name| !name.is_empty()).collect(), target),
    };
    for name in rest.split('/') {
        match name {
            ".." => drop(names.pop()),
            "." | "" => {}
            name => names.push(name),
        }
    }
    names.join("/")
}

fn damaged(error: &impl std::fmt::Display) -> String {
    format!("the file is damaged, or has another form than its ending says: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(part: &[u8]) -> Vec<u8> {
        super::super::tests::archive(&[("part", str::from_utf8(part).unwrap())])
    }

    #[test]
    fn a_part_that_unpacks_to_too_much_is_an_error() {
        let zeros = vec![0; (1 << 20) + 1];
        let bytes = archive(&zeros);
        assert!(bytes.len() < 10_000);
        let read = |bytes: &[u8]| Archive::with_limit(bytes.to_vec(), 1 << 20)?.part("part");
        let limit = "it unpacks to more than 1 MiB, the most that is read";
        assert_eq!(read(&bytes), Err(limit.to_owned()));
        // Another size in both headers, so that only unpacking shows the true one.
        let mut lying = bytes.clone();
        let size = u32::try_from(zeros.len()).unwrap().to_le_bytes();
        let places: Vec<_> = (0..bytes.len() - 4).filter(|at| bytes[*at..*at + 4] == size).collect();
        assert_eq!(places.len(), 2);
        for at in places {
            lying[at..at + 4].copy_from_slice(&9_u32.to_le_bytes());
        }
        assert!(read(&lying).is_err());
        // The limit counts all parts together.
        let mut twice = Archive::with_limit(archive(&zeros[..600_000]), 1 << 20).unwrap();
        assert_eq!(twice.part("part").unwrap().unwrap().len(), 600_000);
        assert_eq!(twice.part("part"), Err(limit.to_owned()));
        assert_eq!(twice.part("none"), Ok(None));
    }

    #[test]
    fn targets_are_relative_to_the_folder_of_their_part() {
        for (folder, target, name) in [
            ("word", "media/a.png", "word/media/a.png"),
            ("xl/worksheets", "../sharedStrings.xml", "xl/sharedStrings.xml"),
            ("xl", "/xl/styles.xml", "xl/styles.xml"),
            ("", "xl/workbook.xml", "xl/workbook.xml"),
            ("a", "../../../b", "b"),
        ] {
            assert_eq!(resolved(folder, target), name);
        }
    }
}
