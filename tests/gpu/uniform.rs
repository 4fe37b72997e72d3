//! No branch of a drawing shader depends on uniforms alone.
//!
//! Mesa's llvmpipe (lavapipe 22.3) replaces such uniforms by their values: it compiles the shader again for each picture
//! whose values differ, takes up to a second for it, and keeps the old ones until the pipeline is dropped.

use naga::{
    AddressSpace, Block, Expression, Function, GlobalVariable, Handle, LocalVariable, Module, Statement,
};
use scene::source;

/// The values that an expression depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Constants of the pipeline.
    Constant,
    /// Uniforms, and no invocation's own values.
    Uniform,
    /// Values that may differ between invocations.
    Varying,
}

/// A function of a module.
#[derive(Clone, Copy)]
struct Reader<'a> {
    module: &'a Module,
    function: &'a Function,
    /// The local variable whose stores are read: it adds nothing to its own kind.
    local: Option<Handle<LocalVariable>>,
}

impl<'a> Reader<'a> {
    fn new(module: &'a Module, function: &'a Function) -> Self {
        Reader { module, function, local: None }
    }

    fn kind(&self, expression: Handle<Expression>) -> Kind {
        use Expression as E;
        let all = |of: &[Handle<E>]| of.iter().map(|one| self.kind(*one)).max().unwrap_or(Kind::Constant);
        match &self.function.expressions[expression] {
            E::Literal(_) | E::Constant(_) | E::Override(_) | E::ZeroValue(_) => Kind::Constant,
            E::GlobalVariable(variable) => global_kind(&self.module.global_variables[*variable]),
            E::LocalVariable(variable) => self.kind_of_local(*variable),
            E::Load { pointer: one }
            | E::AccessIndex { base: one, .. }
            | E::Swizzle { vector: one, .. }
            | E::Splat { value: one, .. }
            | E::Unary { expr: one, .. }
            | E::Relational { argument: one, .. }
            | E::As { expr: one, .. } => self.kind(*one),
            E::Access { base, index } => all(&[*base, *index]),
            E::Binary { left, right, .. } => all(&[*left, *right]),
            E::Select { condition, accept, reject } => all(&[*condition, *accept, *reject]),
            E::Compose { components, .. } => all(components),
            E::Math { arg, arg1, arg2, arg3, .. } => {
                all(&[*arg, arg1.unwrap_or(*arg), arg2.unwrap_or(*arg), arg3.unwrap_or(*arg)])
            }
            E::CallResult(called) => kind_of_result(self.module, &self.module.functions[*called]),
            _ => Kind::Varying,
        }
    }

    /// The kind of a local variable's values: of all that is stored in it.
    fn kind_of_local(&self, variable: Handle<LocalVariable>) -> Kind {
        match self.local {
            Some(local) if local == variable => return Kind::Constant,
            Some(_) => return Kind::Varying,
            None => {}
        }
        let reader = Reader { local: Some(variable), ..*self };
        let mut kind = Kind::Constant;
        each_statement(&self.function.body, &mut |statement| {
            let Statement::Store { pointer, value } = statement else { return };
            if matches!(self.function.expressions[*pointer], Expression::LocalVariable(to) if to == variable)
            {
                kind = kind.max(reader.kind(*value));
            } else if self.is_part_of(*pointer, variable) {
                kind = Kind::Varying;
            }
        });
        kind
    }

    fn is_part_of(&self, pointer: Handle<Expression>, variable: Handle<LocalVariable>) -> bool {
        match self.function.expressions[pointer] {
            Expression::LocalVariable(to) => to == variable,
            Expression::AccessIndex { base, .. } | Expression::Access { base, .. } => {
                self.is_part_of(base, variable)
            }
            _ => false,
        }
    }

    /// Branches and loops whose condition depends on uniforms alone.
    fn faults(&self) -> usize {
        let mut faults = 0;
        each_statement(&self.function.body, &mut |statement| {
            let condition = match statement {
                Statement::If { condition, .. } => *condition,
                Statement::Switch { selector, .. } => *selector,
                Statement::Loop { break_if: Some(condition), .. } => *condition,
                _ => return,
            };
            faults += usize::from(self.kind(condition) == Kind::Uniform);
        });
        faults
    }
}

/// Each entry point copies the uniform `given_view` to the private `view`.
fn global_kind(variable: &GlobalVariable) -> Kind {
    let copied = variable.name.as_deref() == Some("view");
    if copied || variable.space == AddressSpace::Uniform { Kind::Uniform } else { Kind::Varying }
}

fn kind_of_result(module: &Module, function: &Function) -> Kind {
    let reader = Reader::new(module, function);
    let mut kind = Kind::Constant;
    each_statement(&function.body, &mut |statement| {
        if let Statement::Return { value: Some(value) } = statement {
            kind = kind.max(reader.kind(*value));
        }
    });
    kind
}

fn each_statement(block: &Block, visit: &mut impl FnMut(&Statement)) {
    for statement in block {
        visit(statement);
        match statement {
            Statement::Block(inner) => each_statement(inner, visit),
            Statement::If { accept, reject, .. } => {
                each_statement(accept, visit);
                each_statement(reject, visit);
            }
            Statement::Switch { cases, .. } => {
                for case in cases {
                    each_statement(&case.body, visit);
                }
            }
            Statement::Loop { body, continuing, .. } => {
                each_statement(body, visit);
                each_statement(continuing, visit);
            }
            _ => {}
        }
    }
}

/// Names of the functions with such a branch.
fn faulty_functions(source: &str) -> Vec<String> {
    let module = naga::front::wgsl::parse_str(source).expect("valid");
    let entry_points = module.entry_points.iter().map(|entry| &entry.function);
    let functions = module.functions.iter().map(|(_, function)| function).chain(entry_points);
    let faulty = functions.filter(|function| Reader::new(&module, function).faults() > 0);
    faulty.map(|function| function.name.clone().unwrap_or_else(|| "an entry point".to_owned())).collect()
}

#[test]
fn no_branch_of_a_picture_depends_on_uniforms_alone() {
    assert_eq!(faulty_functions(&source()), [""; 0]);
}

#[test]
fn a_branch_that_depends_on_uniforms_alone_is_seen() {
    for (function, before, after) in [
        (
            "to_target",
            "    return vec4<f32>(select(to_srgb",
            "    if view.mode.z == 1u { return vec4(linear, 1.0); }\n    return vec4<f32>(select(to_srgb",
        ),
        ("add_cone", "(view.scale.w > 0.0) & (pixels > 0.0)", "view.scale.w > 0.0"),
        ("hidden", "if sphere.w * far <= 0.0", "if sphere.w <= 0.0"),
        ("add_swept", "flat_world() | (dot(", "flat_world() || (dot("),
    ] {
        let source = source();
        assert!(source.contains(before), "{before}");
        assert_eq!(faulty_functions(&source.replace(before, after)), [function], "{after}");
    }
}
