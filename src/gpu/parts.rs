//! Shaders for arrays that are cut into parts.
//!
//! A shader says `positions[i]`, however large the flock. Where an array is in several parts, the text is changed before
//! it is compiled:
//!
//! ```text
//! positions[j]              positions_at(j)          read
//! positions[k] = v;         positions_put(k, v);     written
//! atomicAdd(&counts[c], n)  counts_add(c, n)         counted up
//! arrayLength(&counts)      counts_length()
//! tags[i]                   tags[within_part(i, s)]  an array that an invocation meets at its own entry alone
//! ```
//!
//! The functions find the part by a shift and the place in it by a mask. Arrays of the last kind are bound one part a
//! dispatch, and dispatches are cut where parts end: so they take one binding however many parts there are.

mod uses;

use std::fmt::Write;
use std::ops::Range;

use self::uses::{Kind, Use, code_of, uses};
use super::split::{Split, Splits};

/// What makes `i` the invocation's own entry, or the last one of its dispatch.
const OWN: [&str; 2] =
    ["let i = moment.first + linear(group, groups, local);", "let i = min(k, moment.end - 1u);"];
/// Between an array's name and the number of a part.
const PART: &str = "_part_";

/// What is wrong with a shader's text, and at which byte.
pub type Fault = (usize, String);

/// A storage buffer as a shader declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    pub name: String,
    /// From its first attribute to its semicolon.
    text: Range<usize>,
    number: u32,
    access: String,
    /// The type of an entry, where it is an array.
    entry: Option<String>,
    /// Met at the invocation's own entry alone.
    pub own: bool,
}

/// The array, and the part of it, that a binding is called after.
#[must_use]
pub fn part_of(binding: &str) -> (&str, Option<usize>) {
    let cut = binding.rsplit_once(PART).and_then(|(name, part)| Some((name, part.parse().ok()?)));
    cut.map_or((binding, None), |(name, part)| (name, Some(part)))
}

/// The storage buffers that a shader declares.
///
/// # Errors
/// When an array is met in a way that is not known here.
pub fn declarations(source: &str) -> Result<Vec<Declaration>, Fault> {
    let code = code_of(source);
    let mut found = Vec::new();
    for (from, _) in code.match_indices("@group(0) @binding(") {
        let to = from + code[from..].find(';').ok_or_else(|| (from, "no end of a declaration".to_owned()))?;
        let Some(mut declaration) = declaration(&code[from..to], from..to + 1) else { continue };
        if declaration.entry.is_some() {
            let uses = uses(&code, &declaration)?;
            let at_own =
                |a: &Use| matches!(a.kind, Kind::At | Kind::Put) && code[a.index.clone()].trim() == "i";
            let one = OWN.iter().any(|own| code.contains(own))
                && code.matches("let i = ").count() == 1
                && !code.contains("var i ");
            declaration.own = one && uses.iter().all(at_own);
        }
        found.push(declaration);
    }
    Ok(found)
}

/// The text for arrays in parts; nothing where none of them is cut. Each line stays the line it was; what is new
/// follows after the last.
///
/// # Errors
/// When an array is met in a way that is not known here.
pub fn split(source: &str, splits: &Splits) -> Result<Option<String>, Fault> {
    let declared = declarations(source)?;
    let mut free = numbers(&code_of(source)).max().map_or(0, |most| most + 1);
    let mut text = source.to_owned();
    let mut functions = String::new();
    for Declaration { name, .. } in declared.iter().filter(|known| splits.get(&known.name).parts > 1) {
        let split = splits.get(name);
        let code = code_of(&text);
        let Some(known) = declarations(&text)?.into_iter().find(|known| known.name == *name) else {
            continue;
        };
        let found = uses(&code, &known)?;
        let rewriter = Rewriter { text: &text, known: &known, shift: split.shift, uses: &found };
        let mut changed = String::with_capacity(text.len());
        rewriter.write(0..known.text.start, &mut changed);
        if known.own {
            changed.push_str(&text[known.text.clone()]);
        } else {
            rewriter.declare(split, &mut free, &mut changed);
            for kind in [Kind::At, Kind::Put, Kind::Add, Kind::Length] {
                if found.iter().any(|use_of| use_of.kind == kind) {
                    rewriter.define(kind, split, &mut functions);
                }
            }
        }
        rewriter.write(known.text.end..text.len(), &mut changed);
        text = changed;
    }
    Ok((text != source).then(|| text + &functions))
}

/// Changes one array's uses.
struct Rewriter<'a> {
    text: &'a str,
    known: &'a Declaration,
    shift: u32,
    /// By where they begin.
    uses: &'a [Use],
}

impl Rewriter<'_> {
    /// Writes a range of the text with the uses in it changed.
    fn write(&self, range: Range<usize>, out: &mut String) {
        let name = &self.known.name;
        let mut at = range.start;
        for found in self.uses.iter().filter(|found| found.text.end <= range.end) {
            // Those inside of one that was changed already were changed with it.
            if found.text.start < at {
                continue;
            }
            out.push_str(&self.text[at..found.text.start]);
            at = found.text.end;
            if self.known.own {
                let _ = write!(out, "{name}[within_part(");
                self.write(found.index.clone(), out);
                let _ = write!(out, ", {}u)]", self.shift);
                if found.kind == Kind::Put {
                    out.push_str(" = ");
                    self.write(found.value.clone(), out);
                    out.push(';');
                }
                continue;
            }
            let _ = write!(out, "{name}_{}(", found.kind.suffix());
            self.write(found.index.clone(), out);
            if matches!(found.kind, Kind::Put | Kind::Add) {
                out.push_str(", ");
                self.write(found.value.clone(), out);
            }
            out.push_str(if found.kind == Kind::Put { ");" } else { ")" });
        }
        out.push_str(&self.text[at..range.end]);
    }

    /// Declares the parts, the first under the number of the whole.
    fn declare(&self, split: Split, free: &mut u32, out: &mut String) {
        let Declaration { name, access, number, .. } = self.known;
        for part in 0..split.parts {
            let number = if part == 0 { *number } else { *free };
            *free += u32::from(part > 0);
            let entry = self.known.entry.as_deref().unwrap_or_default();
            let _ = write!(
                out,
                "@group(0) @binding({number}) var<{access}> {name}{PART}{part}: array<{entry}>; "
            );
        }
    }

    /// Defines the function that stands for one kind of use.
    fn define(&self, kind: Kind, split: Split, out: &mut String) {
        let Declaration { name, entry, .. } = self.known;
        let entry = entry.as_deref().unwrap_or_default();
        let (shift, last) = (split.shift, split.parts - 1);
        let (takes, gives, does) = match kind {
            Kind::Length => {
                let before = u64::from(last) << shift;
                let _ = writeln!(
                    out,
                    "fn {name}_length() -> u32 {{ return {before}u + arrayLength(&{name}{PART}{last}); }}"
                );
                return;
            }
            Kind::At => (String::new(), format!(" -> {entry}"), ["return ", "; }"]),
            Kind::Put => (format!(", value: {entry}"), String::new(), ["", " = value; }"]),
            Kind::Add => {
                (", value: u32".to_owned(), " -> u32".to_owned(), ["return atomicAdd(&", ", value); }"])
            }
        };
        let suffix = kind.suffix();
        let _ = writeln!(out, "fn {name}_{suffix}(entry: u32{takes}){gives} {{");
        let _ = writeln!(out, "    let at = within_part(entry, {shift}u);");
        let _ = writeln!(out, "    switch part_of(entry, {shift}u) {{");
        for part in 0..split.parts {
            let case = if part == last { "default".to_owned() } else { format!("case {part}u") };
            let [before, after] = does;
            let _ = writeln!(out, "        {case}: {{ {before}{name}{PART}{part}[at]{after}");
        }
        out.push_str("    }\n}\n");
    }
}

/// The numbers of all bindings.
fn numbers(code: &str) -> impl Iterator<Item = u32> + '_ {
    code.split("@binding(").skip(1).filter_map(|rest| rest.split_once(')')?.0.trim().parse().ok())
}

/// A declaration `@group(0) @binding(N) var<storage…> name: type`; nothing for one of another kind.
fn declaration(code: &str, text: Range<usize>) -> Option<Declaration> {
    let (number, rest) = code.strip_prefix("@group(0) @binding(")?.split_once(')')?;
    let (access, rest) = rest.trim_start().strip_prefix("var<")?.split_once('>')?;
    let (name, kind) = rest.split_once(':')?;
    if !access.starts_with("storage") {
        return None;
    }
    let entry = kind.trim().strip_prefix("array<").and_then(|kind| kind.strip_suffix('>'));
    Some(Declaration {
        name: name.trim().to_owned(),
        text,
        number: number.trim().parse().ok()?,
        access: access.to_owned(),
        entry: entry.map(|entry| entry.trim().to_owned()),
        own: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::split::Sizes;

    /// Three parts of 64 boids, two of 256 cells.
    fn splits() -> Splits {
        let limits = wgpu::Limits { max_storage_buffer_binding_size: 1024, ..wgpu::Limits::default() };
        Splits::new::<f32>(&limits, &Sizes { boids: 150, cells: 300, rows: 1, predators: 0 })
    }

    fn changed(body: &str) -> String {
        let declared = "@group(0) @binding(0) var<storage, read_write> positions: array<vec4<f32>>;\n\
            @group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;\n";
        let text = split(&format!("{declared}{body}\n"), &splits()).expect("known").expect("changed");
        text.lines().nth(2).unwrap_or_default().to_owned()
    }

    #[test]
    fn reads_writes_and_counts_find_their_part() {
        assert_eq!(changed("let p = positions[a[b] + 1u].xyz;"), "let p = positions_at(a[b] + 1u).xyz;");
        assert_eq!(changed("positions[positions[k].x] = v;"), "positions_put(positions_at(k).x, v);");
        assert_eq!(
            changed("if (positions[i].w == positions[j].w) {"),
            "if (positions_at(i).w == positions_at(j).w) {"
        );
        assert_eq!(changed("let n = atomicAdd(&counts[f(x, y)], 2u);"), "let n = counts_add(f(x, y), 2u);");
        assert_eq!(
            changed("let n = arrayLength(&counts); // counts[n]"),
            "let n = counts_length(); // counts[n]"
        );
        assert_eq!(changed("let new_positions = positions_of(x);"), "let new_positions = positions_of(x);");
    }

    #[test]
    fn an_array_met_at_the_own_entry_alone_is_one_binding() {
        for own in OWN {
            let body = |index: &str| format!("{own} positions[{index}] = v;");
            assert_eq!(changed(&body("i")), format!("{own} positions[within_part(i, 6u)] = v;"));
            assert_eq!(changed(&body("i + 1u")), format!("{own} positions_put(i + 1u, v);"));
        }
    }

    #[test]
    fn what_cannot_be_split_is_said() {
        for body in ["positions[i].x = 1.0;", "positions[i] += v;", "let p = &positions[i];", "f(positions);"]
        {
            let text = format!(
                "@group(0) @binding(0) var<storage, read_write> positions: array<vec4<f32>>;\n{body}"
            );
            let fault = split(&text, &splits()).expect_err(body);
            assert!(fault.1.contains("`positions`"), "{fault:?}");
        }
    }
}
