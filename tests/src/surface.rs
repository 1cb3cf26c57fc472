//! The public surface, in files that are committed, so that a review sees each change.
//!
//! Users can reach everything that is `pub`: the lint `unreachable_pub` says so. So a list of it
//! needs no nightly compiler. It contains derived implementations of traits, but no others.
//! `UPDATE_SNAPSHOTS=1 cargo test -p extractable-tests surface` rewrites `../surface/`.

use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{Attribute, Block, Expr, Fields, File, ImplItem, Item, Visibility, visit_mut::VisitMut};

const PACKAGES: [&str; 10] = [
    "extract",
    "extract-agents",
    "extract-arrow",
    "extract-bulk",
    "extract-disk",
    "extract-documents",
    "extract-gold",
    "extract-local",
    "extract-mcp",
    "extract-rig",
];

#[test]
fn every_change_of_the_public_surface_is_in_the_list() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut changed = Vec::new();
    for package in PACKAGES {
        let source = root.join(package).join("src");
        let mut files = Vec::new();
        collect(&source, &mut files);
        files.sort();
        let mut list = String::new();
        for file in files {
            let name = file.strip_prefix(&source).unwrap().to_str().unwrap().replace('\\', "/");
            let text = fs::read_to_string(&file).unwrap();
            let items = surface(syn::parse_file(&text).unwrap_or_else(|error| panic!("{name}: {error}")));
            if !items.is_empty() {
                writeln!(list, "// {name}\n{items}").unwrap();
            }
        }
        let listed = root.join("tests/surface").join(format!("{package}.rs"));
        if env::var_os("UPDATE_SNAPSHOTS").is_some() {
            fs::create_dir_all(listed.parent().unwrap()).unwrap();
            fs::write(&listed, &list).unwrap();
        } else if fs::read_to_string(&listed).unwrap_or_default() != list {
            changed.push(package);
        }
    }
    assert!(
        changed.is_empty(),
        "the public surface of {changed:?} is not what `tests/surface/` says; \
         `UPDATE_SNAPSHOTS=1 cargo test -p extractable-tests surface` rewrites it, and its diff is for the review"
    );
}

#[test]
fn what_is_private_or_hidden_is_not_in_the_list() {
    let file = syn::parse_str(
        r"
        /// Words.
        #[derive(Debug)]
        #[must_use]
        pub struct Size { pub width: u8, height: u8 }
        pub(crate) struct Inner;
        #[doc(hidden)]
        pub fn hidden() {}
        impl Size {
            pub const ZERO: u8 = 0;
            pub fn area(&self) -> u16 { 7 }
            fn secret(&self) {}
        }
        impl Inner { fn new() -> Self { Inner } }
        #[cfg(test)]
        mod tests { pub fn test() {} }
        macro_rules! setters { () => { pub fn set(mut self, to: u8) -> Self { self } }; }
        ",
    );
    let listed = surface(file.unwrap());
    let expected = "#[derive(Debug)]\n#[must_use]\npub struct Size {\n    pub width: u8,\n}\nimpl Size {\n    pub const ZERO: u8 = 0;\n    pub fn area(&self) -> u16 {}\n}\n// setters!: pub fn set (mut self , to : u8) -> Self\n";
    assert_eq!(listed, expected);
}

/// Collects the files of a folder, except tests and code that only generated code may use.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if matches!(name, "tests" | "__private") {
            continue;
        }
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn surface(mut file: File) -> String {
    file.attrs.clear();
    let mut macros = String::new();
    file.items = file.items.into_iter().filter_map(|item| public(item, &mut macros)).collect();
    let items = if file.items.is_empty() { String::new() } else { prettyplease::unparse(&file) };
    items + &macros
}

/// Returns the public part of an item. The parts that macros write into the surface go to `macros`.
fn public(mut item: Item, macros: &mut String) -> Option<Item> {
    if attributes(&mut item).is_some_and(|attributes| is_left_out(attributes)) {
        return None;
    }
    match &mut item {
        Item::Const(item) => is_public(&item.vis),
        Item::Enum(item) => is_public(&item.vis),
        Item::Fn(item) => is_public(&item.vis),
        Item::Static(item) => is_public(&item.vis),
        Item::Trait(item) => is_public(&item.vis),
        Item::Type(item) => is_public(&item.vis),
        Item::Use(item) => is_public(&item.vis),
        Item::Struct(item) => {
            let is_listed = is_public(&item.vis);
            match &mut item.fields {
                Fields::Named(fields) => {
                    let named = std::mem::take(&mut fields.named);
                    fields.named = named.into_iter().filter(|field| is_public(&field.vis)).collect();
                }
                Fields::Unnamed(_) | Fields::Unit => {}
            }
            is_listed
        }
        Item::Impl(item) => {
            if item.trait_.is_none() {
                item.items.retain(|item| match item {
                    ImplItem::Fn(item) => is_public(&item.vis) && !is_left_out(&item.attrs),
                    ImplItem::Const(item) => is_public(&item.vis) && !is_left_out(&item.attrs),
                    ImplItem::Macro(_) => true,
                    _ => false,
                });
            }
            item.trait_.is_none() && !item.items.is_empty()
        }
        Item::Mod(item) => {
            if let Some((_, items)) = &mut item.content {
                *items = std::mem::take(items).into_iter().filter_map(|item| public(item, macros)).collect();
            }
            is_public(&item.vis) || item.content.as_ref().is_some_and(|(_, items)| !items.is_empty())
        }
        Item::Macro(item) => {
            let name = item.ident.as_ref().map(ToString::to_string).unwrap_or_default();
            written(&name, item.mac.tokens.clone(), macros);
            false
        }
        _ => false,
    }
    .then(|| {
        Bare.visit_item_mut(&mut item);
        item
    })
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn attributes(item: &mut Item) -> Option<&mut Vec<Attribute>> {
    Some(match item {
        Item::Const(item) => &mut item.attrs,
        Item::Enum(item) => &mut item.attrs,
        Item::Fn(item) => &mut item.attrs,
        Item::Impl(item) => &mut item.attrs,
        Item::Macro(item) => &mut item.attrs,
        Item::Mod(item) => &mut item.attrs,
        Item::Static(item) => &mut item.attrs,
        Item::Struct(item) => &mut item.attrs,
        Item::Trait(item) => &mut item.attrs,
        Item::Type(item) => &mut item.attrs,
        Item::Use(item) => &mut item.attrs,
        _ => return None,
    })
}

/// Hidden from the documentation, or for tests.
fn is_left_out(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = attribute.meta.path().get_ident().map(ToString::to_string).unwrap_or_default();
        let arguments = attribute.meta.require_list().map(|list| list.tokens.to_string()).unwrap_or_default();
        matches!((text.as_str(), arguments.as_str()), ("doc", "hidden") | ("cfg", "test" | "doctest"))
    })
}

/// Signatures that a macro writes.
fn written(name: &str, tokens: TokenStream, macros: &mut String) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => written(name, group.stream(), macros),
            TokenTree::Ident(ident) if ident == "pub" => {
                let is_group = |token: &TokenTree, delimiter| matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter);
                if tokens.peek().is_some_and(|token| is_group(token, Delimiter::Parenthesis)) {
                    continue;
                }
                let mut signature = vec![TokenTree::Ident(ident)];
                for token in tokens.by_ref() {
                    let is_end = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ';');
                    if is_end || is_group(&token, Delimiter::Brace) {
                        break;
                    }
                    signature.push(token);
                }
                writeln!(macros, "// {name}!: {}", TokenStream::from_iter(signature)).unwrap();
            }
            _ => {}
        }
    }
}

/// Leaves bodies and words out.
struct Bare;

impl VisitMut for Bare {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.retain(|attribute| {
            let kept = ["cfg", "deprecated", "derive", "must_use", "non_exhaustive"];
            kept.iter().any(|name| attribute.path().is_ident(name))
        });
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        block.stmts.clear();
    }

    fn visit_expr_mut(&mut self, _: &mut Expr) {}
}
