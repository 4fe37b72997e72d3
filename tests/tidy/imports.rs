//! Imports between the files of a crate, and the cycles among them.
//!
//! An import is a name that code takes from another file: by a `use` or by a path, followed through re-exports to the
//! file that defines it. A `mod` declaration is no import, nor is a parent's re-export of its child. A child is a part
//! of its parent, so names taken from the parent are no imports either. Tests are left out.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemUse, UseTree, Visibility};

use crate::source::{File, is_test, parse};

/// The names that one file takes from another, by the paths of both.
pub type Imports = BTreeMap<(String, String), BTreeSet<String>>;

/// The roots of the crates whose modules must form no circle.
pub const ROOTS: [&str; 21] = [
    "crates/board/src/lib.rs",
    "crates/config/src/lib.rs",
    "crates/conform/src/lib.rs",
    "crates/cpu/src/lib.rs",
    "crates/engine/src/lib.rs",
    "crates/engines/src/lib.rs",
    "crates/files/src/lib.rs",
    "crates/formula/src/lib.rs",
    "crates/gpu/src/lib.rs",
    "crates/profile/src/lib.rs",
    "crates/python/src/lib.rs",
    "crates/ranks/src/lib.rs",
    "crates/scene/src/lib.rs",
    "crates/study/src/lib.rs",
    "crates/window/src/lib.rs",
    "src/lib.rs",
    "src/main.rs",
    "flock/src/lib.rs",
    "xtask/src/main.rs",
    "embedded/src/lib.rs",
    "embedded/src/main.rs",
];

/// The segments of a path.
type Segments = Vec<String>;

/// The names of a module and their definitions.
#[derive(Default)]
struct Module {
    file: String,
    items: Vec<Item>,
    defined: BTreeSet<String>,
    /// The names that `use` brings in, each with its path.
    used: HashMap<String, Segments>,
    /// The modules all of whose names `use` brings in.
    globs: Vec<Segments>,
}

/// The modules of a crate by their paths; the root's is empty.
#[derive(Default)]
struct Crate(BTreeMap<Segments, Module>);

/// The imports between the files of the crate with this root.
pub fn imports(files: &[File], root: &str) -> Imports {
    let mut krate = Crate::default();
    krate.load(files, root.to_owned(), &[]);
    let mut imports = Imports::new();
    for path in krate.0.keys() {
        let mut reader = Reader { krate: &krate, path, imports: &mut imports };
        krate.0[path].items.iter().for_each(|item| reader.visit_item(item));
    }
    imports
}

/// The circles: for each, the imports between its files, one a line.
pub fn circles(imports: &Imports) -> Vec<String> {
    let mut direct: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in imports.keys() {
        direct.entry(from).or_default().push(to);
    }
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        direct.keys().map(|from| (*from, reachable(&direct, from))).collect();
    let reaches = |from: &str, to: &str| reach.get(from).is_some_and(|files| files.contains(to));
    let mut found: Vec<Vec<&str>> = Vec::new();
    for file in reach.keys().filter(|file| reaches(file, file)) {
        if !found.iter().any(|circle| circle.contains(file)) {
            let circle = reach[file].iter().copied().filter(|other| reaches(other, file));
            found.push(circle.collect());
        }
    }
    let describe = |circle: &Vec<&str>| {
        let inside =
            imports.iter().filter(|((from, to), _)| circle.contains(&&**from) && circle.contains(&&**to));
        let lines = inside.map(|((from, to), names)| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            format!("\n  {from} -> {to}: {}", names.join(", "))
        });
        format!("a circle of {} files:{}", circle.len(), lines.collect::<String>())
    };
    found.iter().map(describe).collect()
}

/// The files that a file imports, directly or by others.
fn reachable<'a>(direct: &BTreeMap<&'a str, Vec<&'a str>>, from: &'a str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        open.extend(direct.get(file).into_iter().flatten().filter(|to| found.insert(**to)));
    }
    found
}

impl Crate {
    fn load(&mut self, files: &[File], file: String, path: &[String]) {
        let Some(source) = files.iter().find(|source| source.path == file) else { return };
        let items = parse(source).items;
        let (folder, name) = file.rsplit_once('/').unwrap_or(("", &file));
        let stem = name.trim_end_matches(".rs");
        let own = path.is_empty() || stem == "mod";
        let folder = if own { folder.to_owned() } else { format!("{folder}/{stem}") };
        self.declare(files, &file, &folder, path, items);
    }

    /// Takes in a module, in a file of its own or in the file of its parent.
    fn declare(&mut self, files: &[File], file: &str, folder: &str, path: &[String], mut items: Vec<Item>) {
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        for item in &mut items {
            module.define(item);
            module.visit_item(item);
            let Item::Mod(child) = item else { continue };
            if is_test(&child.attrs) {
                continue;
            }
            let name = child.ident.to_string();
            let below = [path, std::slice::from_ref(&name)].concat();
            match child.content.take() {
                Some((_, items)) => {
                    self.declare(files, file, &format!("{folder}/{name}"), &below, items);
                }
                None => {
                    let places = [format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")];
                    let there = |place: &String| files.iter().any(|file| file.path == *place);
                    if let Some(place) = places.into_iter().find(there) {
                        self.load(files, place, &below);
                    }
                }
            }
        }
        module.items = items;
        self.0.insert(path.to_vec(), module);
    }

    /// The module that defines what a path in a module names, and its name there, if it is not a module itself.
    /// Nothing for what comes from another crate, or has no path.
    fn find(&self, from: &[String], path: &[String], depth: usize) -> Option<(Segments, Option<String>)> {
        // A name that is imported under its own name leads back to itself.
        if depth > 32 {
            return None;
        }
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.below(Vec::new(), rest, depth),
            "self" => self.below(from.to_vec(), rest, depth),
            "super" => self.find(from.split_last()?.1, &[&["self".to_owned()], rest].concat(), depth + 1),
            _ => self.known(from, path, depth),
        }
    }

    fn below(&self, at: Segments, rest: &[String], depth: usize) -> Option<(Segments, Option<String>)> {
        match rest.first().map(String::as_str) {
            None => Some((at, None)),
            Some("super") => self.find(&at, rest, depth + 1),
            // A name that no item defines is a macro's.
            Some(name) => self.known(&at, rest, depth).or_else(|| Some((at, Some(name.to_owned())))),
        }
    }

    /// Resolves a path that begins with one of the module's own names.
    fn known(&self, at: &[String], path: &[String], depth: usize) -> Option<(Segments, Option<String>)> {
        let module = self.0.get(at)?;
        let (first, rest) = path.split_first()?;
        let child = [at, std::slice::from_ref(first)].concat();
        if module.defined.contains(first) {
            return Some((at.to_vec(), Some(first.clone())));
        }
        if self.0.contains_key(&child) {
            return self.below(child, rest, depth);
        }
        if let Some(used) = module.used.get(first) {
            // A path that begins with its own name begins with a crate's.
            let foreign = used.first() == Some(first);
            return if foreign { None } else { self.find(at, &[used, rest].concat(), depth + 1) };
        }
        module.globs.iter().find_map(|glob| {
            // The path of a glob from another crate is looked for in the other globs, and theirs in it: not for long.
            let (target, None) = self.find(at, glob, depth + 16)? else { return None };
            self.known(&target, path, depth + 1).filter(|_| target != at)
        })
    }
}

impl Module {
    fn define(&mut self, item: &Item) {
        let name = match item {
            Item::Const(item) => &item.ident,
            Item::Enum(item) => &item.ident,
            Item::Fn(item) => &item.sig.ident,
            Item::Static(item) => &item.ident,
            Item::Struct(item) => &item.ident,
            Item::Trait(item) => &item.ident,
            Item::Type(item) => &item.ident,
            Item::Union(item) => &item.ident,
            _ => return,
        };
        self.defined.insert(name.to_string());
    }
}

/// Takes in every `use` of a module, those in bodies among them.
impl<'ast> Visit<'ast> for Module {
    /// A module within is read by itself.
    fn visit_item_mod(&mut self, _: &'ast syn::ItemMod) {}

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if is_test(&item.attrs) {
            return;
        }
        for (path, name) in flat(&item.tree) {
            match name {
                Some(name) => _ = self.used.insert(name, path),
                None => self.globs.push(path),
            }
        }
    }
}

/// The paths of a `use`, each with the name it has here; those of globs have none.
fn flat(tree: &UseTree) -> Vec<(Segments, Option<String>)> {
    match tree {
        UseTree::Path(path) => {
            let mut all = flat(&path.tree);
            all.iter_mut().for_each(|(segments, _)| segments.insert(0, path.ident.to_string()));
            // `use a::{self}` and `use a::{self as b}` name `a`.
            for (segments, name) in all.iter_mut().filter(|(segments, _)| segments[1..] == ["self"]) {
                segments.truncate(1);
                if name.as_deref() == Some("self") {
                    *name = Some(path.ident.to_string());
                }
            }
            all
        }
        UseTree::Name(name) => vec![(vec![name.ident.to_string()], Some(name.ident.to_string()))],
        UseTree::Rename(name) => vec![(vec![name.ident.to_string()], Some(name.rename.to_string()))],
        UseTree::Glob(_) => vec![(vec![], None)],
        UseTree::Group(group) => group.items.iter().flat_map(flat).collect(),
    }
}

/// Reads the code of a module, and notes what it takes from other files.
struct Reader<'a> {
    krate: &'a Crate,
    path: &'a [String],
    imports: &'a mut Imports,
}

impl Reader<'_> {
    fn note(&mut self, path: &[String], reexport: bool) {
        let Some((target, Some(name))) = self.krate.find(self.path, path, 0) else { return };
        if self.path.starts_with(&target) || reexport && target.starts_with(self.path) {
            return;
        }
        let [from, to] = [self.path, &target].map(|path| self.krate.0[path].file.clone());
        if from != to {
            self.imports.entry((from, to)).or_default().insert(name);
        }
    }

    /// Notes the paths that stand in a macro's arguments or body.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Segments = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.note(&std::mem::take(&mut path), false);
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' && !path.is_empty() => colons += 1,
                other => {
                    self.note(&std::mem::take(&mut path), false);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.note(&path, false);
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Const(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Static(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            Item::Trait(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            // A module is read by itself.
            Item::Mod(_) => return,
            _ => return visit::visit_item(self, item),
        };
        if !is_test(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let reexport = !matches!(item.vis, Visibility::Inherited);
        for (path, _) in flat(&item.tree).into_iter().filter(|(_, name)| name.is_some()) {
            self.note(&path, reexport);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let segments: Segments = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.note(&segments, false);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    /// Attributes name nothing that is imported; comments are among them.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}
