//! The rule on the GPU: the WGSL text of its struct and switches, and the words of its uniform, all from the table of
//! the rule (`flock::rule`). A test compares the structs written by hand on both sides, such as `layout::View`.

use std::fmt::Write;

use bytemuck::{bytes_of, pod_collect_to_vec};
use flock::formula::Prepared;
use flock::rule::{Switch, Value};
use flock::{Parameters, Rule, Vec3};

use super::formulas;
use super::layout::Word;
use super::number::OnGpu;

/// The generated WGSL files: name and text.
pub(crate) fn files() -> [(&'static str, String); 3] {
    [
        ("written/Rule.wgsl", table()),
        ("written/switches.wgsl", switches()),
        (formulas::FILE, formulas::text::<f32>(None, false)),
    ]
}

/// A field of the uniform.
struct Field {
    name: &'static str,
    /// Its WGSL type.
    wgsl: &'static str,
    words: Vec<Word>,
}

impl Field {
    fn new<T: OnGpu>(name: &'static str, value: &Value<T>) -> Self {
        let (wgsl, words) = match value {
            Value::Number(number) => ("Number", vec![number.word()]),
            Value::Word(word) => ("u32", vec![*word]),
            Value::Vector(v) => ("vec4<Number>", vector(*v, 0).to_vec()),
            // In the order of the fields of layout::View and layout::Shape.
            Value::View(v) => {
                let [acute, all_round] = [v.acute, v.all_round].map(u32::from);
                ("View", vec![v.radius_square.word(), v.cosine_square.word(), acute, all_round])
            }
            Value::Shape(s) => {
                let [include_self, whole_flock] = [s.include_self, s.whole_flock].map(u32::from);
                let (weight, max_force, response) = (s.weight.word(), s.max_force.word(), s.response as u32);
                ("Shape", vec![weight, max_force, response, include_self, whole_flock, 0, 0, 0])
            }
            Value::Spheres(spheres) => {
                let sphere = spheres.iter().flat_map(|s| vector(s.position, s.radius.word()));
                ("array<vec4<Number>, MAX_SPHERES>", sphere.collect())
            }
        };
        Field { name, wgsl, words }
    }
}

/// The fields in the uniform's order: aligned fields first, so that there is no padding between fields.
fn fields<T: OnGpu>(rule: &Rule<T>, terms: Option<&Prepared<T>>, boids: u32) -> Vec<Field> {
    let format = pod_collect_to_vec(bytes_of(&T::format_words(&rule.format)));
    let format = Field { name: "format", wgsl: "Format", words: format };
    let formula_values = Field {
        name: "formula_values",
        wgsl: "array<vec4<Number>, FORMULA_VALUES>",
        words: formulas::words(terms),
    };
    let boids = Field { name: "boids", wgsl: "u32", words: vec![boids] };
    let mut fields: Vec<Field> = std::iter::once(format)
        .chain(rule.uniform().map(|(name, value)| Field::new(name, &value)))
        .chain([formula_values, boids])
        .collect();
    // All but single words begin at a multiple of 16 bytes.
    fields.sort_by_key(|field| field.words.len() == 1);
    fields
}

/// The words of the uniform for a number of boids.
pub fn uniform<T: OnGpu>(rule: &Rule<T>, terms: Option<&Prepared<T>>, boids: u32) -> Vec<Word> {
    words_of(fields(rule, terms, boids))
}

fn words_of(fields: Vec<Field>) -> Vec<Word> {
    let mut words: Vec<Word> = fields.into_iter().flat_map(|field| field.words).collect();
    words.resize(words.len().next_multiple_of(4), 0);
    words
}

/// Size of the uniform in bytes.
pub fn size() -> usize {
    size_of::<Word>() * words_of(fields(&sample(), None, 0)).len()
}

/// Name, type, offset and size in bytes of each field, for the test against the shader's struct.
pub fn layout() -> Vec<(&'static str, &'static str, usize, usize)> {
    let mut end = 0;
    let place = |field: Field| {
        let size = size_of::<Word>() * field.words.len();
        end += size;
        (field.name, field.wgsl, end - size, size)
    };
    fields(&sample(), None, 0).into_iter().map(place).collect()
}

/// The WGSL struct `Rule`.
fn table() -> String {
    let mut text = String::from("struct Rule {\n");
    for Field { name, wgsl, words } in fields(&sample(), None, 0) {
        // WGSL aligns vectors by itself.
        let align = if words.len() > 1 { "@align(16) " } else { "" };
        let _ = writeln!(text, "    {align}{name}: {wgsl},");
    }
    text + "}\n"
}

/// An override constant for each switch: an unused term costs nothing, where a uniform would make many devices compute
/// it. A pass that is compiled for any rule takes the defaults, which use everything.
fn switches() -> String {
    let mut text = String::new();
    for (name, switch) in all_switches(&sample()) {
        let _ = match (name, switch) {
            (NON_INTERACTING, _) => writeln!(text, "override {name}: bool = false;"),
            (_, Switch::Flag(_)) => writeln!(text, "override {name}: bool = true;"),
            (_, Switch::Choice(_)) => writeln!(text, "override {name}: u32 = 0u;"),
        };
    }
    text
}

/// Switch of flocks in which no boid perceives another.
pub const NON_INTERACTING: &str = "NON_INTERACTING";

/// Switch of flocks with custom terms or requests from outside.
pub const USES_FORMULAS: &str = "USES_FORMULAS";

/// The switches of the rule, its number type and the sort.
fn all_switches<T: OnGpu>(rule: &Rule<T>) -> impl Iterator<Item = (&'static str, Switch)> {
    let flags = T::flags(rule).map(|(name, on)| (name, Switch::Flag(on)));
    rule.switches().chain(flags).chain([(NON_INTERACTING, Switch::Flag(non_interacting(rule)))])
}

/// The override constants of a pipeline that is compiled for a rule.
pub fn constants<T: OnGpu>(rule: &Rule<T>) -> Vec<(&'static str, f64)> {
    let mut constants = Vec::new();
    for (name, switch) in all_switches(rule) {
        let value = match switch {
            Switch::Flag(on) => f64::from(u8::from(on)),
            Switch::Choice(number) => f64::from(number),
        };
        constants.push((name, value));
    }
    constants
}

/// True if no term perceives neighbours, so that the boids need no sorting.
pub fn non_interacting<T: OnGpu>(rule: &Rule<T>) -> bool {
    rule.reach_square <= T::ZERO
}

/// Any rule: names and types of the fields are the same for all.
fn sample() -> Rule<f32> {
    Rule::new(&Parameters::default())
}

fn vector<T: OnGpu>(v: Vec3<T>, w: Word) -> [Word; 4] {
    super::number::words(v.to_array(), w)
}
