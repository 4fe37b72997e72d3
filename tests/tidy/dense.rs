//! How dense the code is: four kinds of places at which readers stumble, counted by machine. Each has a ceiling, which only
//! falls.

use std::collections::{HashMap, HashSet};

use syn::visit::{self, Visit};

use crate::{File, repository};

/// The most places of each kind in the product.
const MOST: Counts = Counts { chains: 1, tuples: 5, rebound: 27, closures: 26 };

#[derive(Debug, Default, PartialEq)]
struct Counts {
    /// Functions with a chain of calls that takes more than three closures, counting those within closures.
    chains: usize,
    /// Tuples of more than three in a signature or a `let`.
    tuples: usize,
    /// Functions that bind a name again, to something that is not made of what it named.
    rebound: usize,
    /// Closures with a name that are called once.
    closures: usize,
}

#[test]
fn code_does_not_become_denser() {
    let mut all = Counts::default();
    let mut rows = Vec::new();
    for file in repository().iter().filter(|file| file.is_product() && file.path.ends_with(".rs")) {
        let counts = count(file);
        if counts != Counts::default() {
            rows.push(format!("{} {counts:?}", file.path));
        }
        all.chains += counts.chains;
        all.tuples += counts.tuples;
        all.rebound += counts.rebound;
        all.closures += counts.closures;
    }
    let within = all.chains <= MOST.chains
        && all.tuples <= MOST.tuples
        && all.rebound <= MOST.rebound
        && all.closures <= MOST.closures;
    assert!(within, "{all:?}, at most {MOST:?}:\n{}", rows.join("\n"));
}

#[test]
fn dense_places_are_found() {
    let found = |text: &str| count(&File::new("src/a.rs", text));
    let none = Counts::default();
    assert_eq!(
        found("fn f() { a.map(|x| x).filter(|x| y).map(|x| x).min_by(|a, b| c); }"),
        Counts { chains: 1, ..none }
    );
    assert_eq!(found("fn f(a: (u8, u8, u8, u8)) {}"), Counts { tuples: 1, ..Counts::default() });
    assert_eq!(found("fn f() { let (a, b, c, d) = g(); }"), Counts { tuples: 1, ..Counts::default() });
    assert_eq!(found("fn f() { let a = g(); let a = h(); }"), Counts { rebound: 1, ..Counts::default() });
    assert_eq!(found("fn f() { let a = g(); let a = a.trim(); }"), Counts::default());
    assert_eq!(found("fn f() { let a = |x| x + 1; a(2) }"), Counts { closures: 1, ..Counts::default() });
    assert_eq!(found("fn f() { let a = |x| x + 1; a(a(2)) }"), Counts::default());
    assert_eq!(found("#[test]\nfn f() { let a = g(); let a = h(); }"), Counts::default());
}

fn count(file: &File) -> Counts {
    let parsed = syn::parse_file(&file.text).unwrap_or_else(|error| panic!("{}: {error}", file.path));
    let mut functions = Functions::default();
    functions.visit_file(&parsed);
    functions.counts
}

/// Visits the functions of a file that are no tests.
#[derive(Default)]
struct Functions {
    counts: Counts,
}

impl Functions {
    fn function(&mut self, attributes: &[syn::Attribute], signature: &syn::Signature, block: &syn::Block) {
        if is_test(attributes) {
            return;
        }
        let mut body = Body::default();
        body.visit_signature(signature);
        let mut parameters = Names::default();
        parameters.visit_signature(signature);
        body.scopes.push(parameters.0.into_iter().collect());
        body.visit_block(block);
        self.counts.chains += usize::from(body.has_chain);
        self.counts.tuples += body.tuples;
        self.counts.rebound += usize::from(body.rebinds);
        for name in &body.closures {
            let once = body.calls.get(name) == Some(&1) && body.uses.get(name) == Some(&1);
            self.counts.closures += usize::from(once);
        }
        for statement in &block.stmts {
            self.visit_stmt(statement);
        }
    }
}

impl<'a> Visit<'a> for Functions {
    fn visit_item_fn(&mut self, function: &'a syn::ItemFn) {
        self.function(&function.attrs, &function.sig, &function.block);
    }

    fn visit_impl_item_fn(&mut self, function: &'a syn::ImplItemFn) {
        self.function(&function.attrs, &function.sig, &function.block);
    }

    fn visit_trait_item_fn(&mut self, function: &'a syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.function(&function.attrs, &function.sig, block);
        }
    }

    fn visit_item_mod(&mut self, module: &'a syn::ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string().starts_with("test"),
        syn::Meta::NameValue(_) => false,
    })
}

/// A function's own body, without the items in it.
#[derive(Default)]
struct Body {
    has_chain: bool,
    tuples: usize,
    rebinds: bool,
    /// The names that each block around the current place binds.
    scopes: Vec<HashSet<String>>,
    /// The names of closures.
    closures: Vec<String>,
    calls: HashMap<String, usize>,
    uses: HashMap<String, usize>,
}

impl Body {
    fn add_tokens(&mut self, tokens: proc_macro2::TokenStream) {
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Ident(name) => *self.uses.entry(name.to_string()).or_default() += 1,
                proc_macro2::TokenTree::Group(group) => self.add_tokens(group.stream()),
                _ => {}
            }
        }
    }
}

impl<'a> Visit<'a> for Body {
    fn visit_item(&mut self, _: &'a syn::Item) {}

    fn visit_block(&mut self, block: &'a syn::Block) {
        self.scopes.push(HashSet::new());
        visit::visit_block(self, block);
        self.scopes.pop();
    }

    fn visit_type_tuple(&mut self, tuple: &'a syn::TypeTuple) {
        self.tuples += usize::from(tuple.elems.len() > 3);
        visit::visit_type_tuple(self, tuple);
    }

    fn visit_local(&mut self, local: &'a syn::Local) {
        visit::visit_local(self, local);
        self.tuples += usize::from(is_wide(&local.pat));
        let mut used = Body::default();
        if let Some(init) = &local.init {
            used.visit_expr(&init.expr);
            if let (syn::Pat::Ident(name), syn::Expr::Closure(_)) = (&local.pat, &*init.expr) {
                self.closures.push(name.ident.to_string());
            }
        }
        let mut names = Names::default();
        names.visit_pat(&local.pat);
        for name in names.0 {
            let is_bound = self.scopes.iter().any(|scope| scope.contains(&name));
            self.rebinds |= is_bound && !used.uses.contains_key(&name);
            if let Some(scope) = self.scopes.last_mut() {
                scope.insert(name);
            }
        }
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        let mut closures = Closures(0);
        closures.visit_expr_method_call(call);
        self.has_chain |= closures.0 > 3 && closures_of_chain(call) > 1;
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
        if let syn::Expr::Path(path) = &*call.func
            && let Some(name) = path.path.get_ident()
        {
            *self.calls.entry(name.to_string()).or_default() += 1;
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_path(&mut self, path: &'a syn::ExprPath) {
        if let Some(name) = path.path.get_ident() {
            *self.uses.entry(name.to_string()).or_default() += 1;
        }
    }

    fn visit_macro(&mut self, called: &'a syn::Macro) {
        self.add_tokens(called.tokens.clone());
    }
}

/// The closures that a call and those before it in its chain take.
fn closures_of_chain(call: &syn::ExprMethodCall) -> usize {
    let own = call.args.iter().filter(|argument| matches!(argument, syn::Expr::Closure(_))).count();
    let mut receiver = &*call.receiver;
    while let syn::Expr::Try(syn::ExprTry { expr, .. }) = receiver {
        receiver = expr;
    }
    match receiver {
        syn::Expr::MethodCall(before) => own + closures_of_chain(before),
        _ => own,
    }
}

fn is_wide(pattern: &syn::Pat) -> bool {
    match pattern {
        syn::Pat::Tuple(tuple) => tuple.elems.len() > 3 || tuple.elems.iter().any(is_wide),
        syn::Pat::Type(typed) => is_wide(&typed.pat),
        _ => false,
    }
}

/// All closures in an expression.
struct Closures(usize);

impl<'a> Visit<'a> for Closures {
    fn visit_expr_closure(&mut self, closure: &'a syn::ExprClosure) {
        self.0 += 1;
        visit::visit_expr_closure(self, closure);
    }
}

/// The names that a pattern binds.
#[derive(Default)]
struct Names(Vec<String>);

impl<'a> Visit<'a> for Names {
    fn visit_pat_ident(&mut self, pattern: &'a syn::PatIdent) {
        let name = pattern.ident.to_string();
        if name.starts_with(char::is_lowercase) {
            self.0.push(name);
        }
    }
}
