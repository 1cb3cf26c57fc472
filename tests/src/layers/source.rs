//! The modules of a crate, and the paths in each module.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::{
    Attribute, Item, ItemMod, ItemUse, Macro, UseTree,
    visit::{self, Visit},
};

/// A module, by its path in the crate: `["agent", "reply"]`.
pub(super) type Name = Vec<String>;

/// A path in a module, from the crate's root.
#[derive(Debug, Clone)]
pub(super) struct Mention {
    pub(super) path: Name,
    pub(super) line: usize,
}

/// An import or re-export of a module.
#[derive(Debug, Clone)]
pub(super) struct Import {
    pub(super) path: Name,
    /// `None` for a glob.
    pub(super) name: Option<String>,
}

#[derive(Debug)]
pub(super) struct Module {
    pub(super) file: PathBuf,
    pub(super) mentions: Vec<Mention>,
    pub(super) imports: Vec<Import>,
}

/// The modules of `lib.rs` or `main.rs`, without test modules.
pub(super) fn modules(source: &Path) -> BTreeMap<Name, Module> {
    let mut found = BTreeMap::new();
    let roots = ["lib.rs", "main.rs"].map(|name| source.join(name));
    let root = roots.iter().find(|root| root.exists()).expect("a crate has a root");
    read(root, &mut Vec::new(), &mut found);
    found
}

fn read(file: &Path, name: &mut Name, found: &mut BTreeMap<Name, Module>) {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let syntax = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut reader =
        Reader { name: name.clone(), mentions: Vec::new(), imports: Vec::new(), inner: Vec::new() };
    reader.visit_file(&syntax);
    let Reader { mentions, imports, inner, .. } = reader;
    found.insert(name.clone(), Module { file: file.to_owned(), mentions, imports });
    let folder = match file.file_name().and_then(|name| name.to_str()) {
        Some("lib.rs" | "main.rs" | "mod.rs") => file.with_file_name(""),
        _ => file.with_extension(""),
    };
    for module in inner {
        let own = folder.join(format!("{module}.rs"));
        let file = if own.exists() { own } else { folder.join(&module).join("mod.rs") };
        name.push(module);
        read(&file, name, found);
        name.pop();
    }
}

struct Reader {
    name: Name,
    mentions: Vec<Mention>,
    imports: Vec<Import>,
    inner: Vec<String>,
}

impl Reader {
    /// `path` from the crate's root; `None` if it is outside the crate.
    fn absolute(&self, path: &[Ident]) -> Option<Name> {
        let (first, rest) = path.split_first()?;
        let mut name = match first.to_string().as_str() {
            "crate" => Vec::new(),
            "self" => self.name.clone(),
            "super" => self.name[..self.name.len().checked_sub(1)?].to_vec(),
            _ => return None,
        };
        for ident in rest {
            match ident.to_string().as_str() {
                "super" => drop(name.pop()),
                word => name.push(word.trim_start_matches("r#").to_owned()),
            }
        }
        Some(name)
    }

    fn mention(&mut self, path: &[Ident]) {
        if let Some(absolute) = self.absolute(path) {
            let line = path.first().map_or_else(Span::call_site, Ident::span).start().line;
            self.mentions.push(Mention { path: absolute, line });
        }
    }

    fn import(&mut self, tree: &UseTree, path: &mut Vec<Ident>, is_public: bool) {
        match tree {
            UseTree::Path(inner) => {
                path.push(inner.ident.clone());
                self.import(&inner.tree, path, is_public);
                path.pop();
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|item| self.import(item, path, is_public));
            }
            UseTree::Glob(_) => self.imported(path, None, is_public),
            UseTree::Name(name) if name.ident == "self" => {
                let own = path.last().map(ToString::to_string);
                self.imported(path, own, is_public);
            }
            UseTree::Name(name) => {
                path.push(name.ident.clone());
                self.imported(path, Some(name.ident.to_string()), is_public);
                path.pop();
            }
            UseTree::Rename(name) => {
                path.push(name.ident.clone());
                self.imported(path, Some(name.rename.to_string()), is_public);
                path.pop();
            }
        }
    }

    /// A re-export alone is not a use.
    fn imported(&mut self, path: &[Ident], name: Option<String>, is_public: bool) {
        if let Some(absolute) = self.absolute(path) {
            self.imports.push(Import { path: absolute, name });
        }
        if !is_public {
            self.mention(path);
        }
    }

    /// Paths in the tokens of a macro, which are not parsed.
    fn tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut goes_on): (Vec<Ident>, bool) = (Vec::new(), false);
        for token in tokens {
            match token {
                TokenTree::Ident(ident) if goes_on => path.push(ident),
                TokenTree::Punct(mark) if mark.as_char() == ':' && !path.is_empty() => {
                    goes_on = true;
                    continue;
                }
                other => {
                    self.mention(&std::mem::take(&mut path));
                    match other {
                        TokenTree::Ident(ident) => path.push(ident),
                        TokenTree::Group(group) => self.tokens(group.stream()),
                        _ => {}
                    }
                }
            }
            goes_on = false;
        }
        self.mention(&path);
    }
}

/// Returns whether the item with these attributes is only compiled for tests.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string().contains("test"))
    })
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Mod(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            // A macro that is expanded elsewhere does not use anything here.
            Item::Macro(item) if item.attrs.iter().any(|a| a.path().is_ident("macro_export")) => return,
            _ => return visit::visit_item(self, item),
        };
        if !is_for_tests(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        match &item.content {
            Some(_) => visit::visit_item_mod(self, item),
            None => self.inner.push(item.ident.to_string()),
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let is_public = !matches!(item.vis, syn::Visibility::Inherited);
        self.import(&item.tree, &mut Vec::new(), is_public);
    }

    /// `pub(super)` is visibility, not a use.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let idents: Vec<Ident> = path.segments.iter().map(|segment| segment.ident.clone()).collect();
        self.mention(&idents);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, found: &'ast Macro) {
        self.tokens(found.tokens.clone());
    }
}
