//! The functions of a file: how long they are, and how many arguments they take.

use syn::visit::{self, Visit};
use syn::{Block, ImplItemFn, ItemFn, ItemMod, Signature, TraitItemFn};

use crate::source::{File, is_test, parse};

/// A function that is no test's.
#[derive(Debug)]
pub struct Function {
    pub name: String,
    /// The first line.
    pub line: usize,
    /// Number of lines from `fn` to the closing brace.
    pub lines: usize,
    /// `self` among them.
    pub arguments: usize,
}

/// The functions of a file, those within others too.
pub fn of(file: &File) -> impl Iterator<Item = Function> {
    let mut functions = Functions(Vec::new());
    functions.visit_file(&parse(file));
    functions.0.into_iter()
}

struct Functions(Vec<Function>);

impl Functions {
    fn add(&mut self, signature: &Signature, body: &Block) {
        let line = signature.fn_token.span.start().line;
        let lines = body.brace_token.span.close().end().line - line + 1;
        let arguments = signature.inputs.len();
        self.0.push(Function { name: signature.ident.to_string(), line, lines, arguments });
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if !is_test(&item.attrs) {
            self.add(&item.sig, &item.block);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if !is_test(&item.attrs) {
            self.add(&item.sig, &item.block);
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        if let Some(body) = &item.default {
            self.add(&item.sig, body);
        }
        visit::visit_trait_item_fn(self, item);
    }
}
