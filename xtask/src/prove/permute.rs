//! The text of a shader whose workgroups take other ids: a permutation of those that are dispatched, the same in each
//! dispatch of so many.

use crate::shell::{Error, Result};

/// An order of workgroups; 0 is that of the dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    pub number: u32,
}

/// The functions of a permuted shader. All values are uniform, as an id is.
///
/// An index that a permutation of 2^k indices maps beyond the workgroups is mapped again, so the others are permuted
/// among themselves.
const PERMUTED: &str = "
fn permuted_group(group: vec3<u32>, groups: vec3<u32>) -> vec3<u32> {
    let all = groups.x * groups.y * groups.z;
    let unused = countLeadingZeros(max(all - 1u, 1u));
    var index = (group.z * groups.y + group.y) * groups.x + group.x;
    loop {
        index = permuted_index(index, unused, all);
        if (index < all) {
            break;
        }
    }
    index = delayed_index(index);
    return vec3<u32>(index % groups.x, index / groups.x % groups.y, index / (groups.x * groups.y));
}
";

const AS_DISPATCHED: &str = "
fn permuted_index(index: u32, unused: u32, all: u32) -> u32 { return index; }
";

const REVERSED: &str = "
fn permuted_index(index: u32, unused: u32, all: u32) -> u32 { return all - 1u - index; }
";

const BITS_REVERSED: &str = "
fn permuted_index(index: u32, unused: u32, all: u32) -> u32 { return reverseBits(index) >> unused; }
";

/// Each line permutes the indices of so many bits.
const RANDOM: &str = "
fn permuted_index(index: u32, unused: u32, all: u32) -> u32 {
    let mask = 0xffffffffu >> unused;
    let half = max((32u - unused) / 2u, 1u);
    var mixed = ((index ^ SEED) * 0x85ebca6bu) & mask;
    mixed ^= mixed >> half;
    mixed = ((mixed ^ (SEED >> half)) * 0xc2b2ae35u) & mask;
    return mixed ^ (mixed >> half);
}
";

const AT_ONCE: &str = "
fn delayed_index(index: u32) -> u32 { return index; }
";

/// A quarter of the workgroups wait, some up to 16,000 rounds. A xorshift never reaches 0, but no compiler knows that, so it
/// keeps the loop.
const DELAYED: &str = "
fn delayed_index(index: u32) -> u32 {
    var noise = (((index + 1u) * 0x9e3779b9u) ^ SEED) | 1u;
    var rounds = 3u;
    for (var k = 0u; k < rounds; k++) {
        noise ^= noise << 13u;
        noise ^= noise >> 17u;
        noise ^= noise << 5u;
        if (k == 2u && (noise & 3u) == 0u) {
            rounds += 64u * (noise >> 24u);
        }
    }
    return select(index, 0u, noise == 0u);
}
";

impl Order {
    /// The number, and the order in words.
    pub fn name(self) -> String {
        let order = match self.number {
            1 => "reversed",
            2 => "bits reversed",
            3 => "as dispatched",
            _ => "random",
        };
        let delayed = if self.delays() { ", a quarter delayed" } else { "" };
        let exchanged = if self.exchanges() { ", halves of workgroups exchanged" } else { "" };
        format!("{:3} {order}{delayed}{exchanged}", self.number)
    }

    fn delays(self) -> bool {
        self.number == 3 || self.number > 3 && self.number.is_multiple_of(2)
    }

    /// The lanes of a subgroup stay consecutive.
    fn exchanges(self) -> bool {
        !self.number.is_multiple_of(2)
    }

    /// The value of the variable that selects the order in a copy, beside the number of something planted.
    pub fn switch(self, planted: usize) -> String {
        format!("order-{}-{planted}", self.number)
    }

    fn functions(self) -> String {
        let permutation = match self.number {
            3 => AS_DISPATCHED,
            1 => REVERSED,
            2 => BITS_REVERSED,
            _ => RANDOM,
        };
        let delay = if self.delays() { DELAYED } else { AT_ONCE };
        let seed = self.number.wrapping_mul(0x9e37_79b9);
        format!("{PERMUTED}{permutation}{delay}").replace("SEED", &format!("{seed}u"))
    }

    /// The text of a shader in this order; the same text where nothing depends on the ids of workgroups.
    ///
    /// # Errors
    /// When an entry point has ids of a kind that this does not permute.
    pub fn permute(self, file: &str, text: &str) -> Result<String> {
        if self.number == 0 {
            return Ok(text.to_owned());
        }
        let mut permuted = String::new();
        let mut rest = text;
        while let Some(entry) = rest.find("@compute") {
            let (open, close) = parameters(&rest[entry..])
                .ok_or_else(|| Error::Failed(format!("{file}: an entry point is not understood")))?;
            permuted.push_str(&rest[..entry + open]);
            permuted.push_str(&self.entry(file, &rest[entry + open..entry + close])?);
            rest = &rest[entry + close + END.len()..];
        }
        permuted.push_str(rest);
        // All others that need the functions include this file.
        if text.contains(GROUP_ID) && !text.contains("//!include common/dispatch.wgsl") {
            permuted.push_str(&self.functions());
        }
        Ok(permuted)
    }

    /// The parameters of an entry point, and the first statement of its body.
    fn entry(self, file: &str, parameters: &str) -> Result<String> {
        const STRUCT: &str = "at: Invocation";
        const GROUP: &str = "@builtin(workgroup_id) group:";
        const GROUPS: &str = "@builtin(num_workgroups) groups:";
        let local = if self.exchanges() { "dispatched.local ^ (GROUP / 2u)" } else { "dispatched.local" };
        if parameters.contains(STRUCT) {
            let renamed = parameters.replace(STRUCT, "dispatched: Invocation");
            let group = "permuted_group(dispatched.group, dispatched.groups)";
            return Ok(format!("{renamed}{END} let at = Invocation({group}, dispatched.groups, {local});"));
        }
        if parameters.contains(GROUP) {
            let mut renamed = parameters.replace(GROUP, "@builtin(workgroup_id) dispatched:");
            if !parameters.contains(GROUPS) {
                renamed.insert_str(0, "@builtin(num_workgroups) groups: vec3<u32>, ");
            }
            return Ok(format!("{renamed}{END} let group = permuted_group(dispatched, groups);"));
        }
        if parameters.contains("workgroup") || parameters.contains("global") {
            return Err(Error::Failed(format!("{file}: an entry point has ids that are not permuted")));
        }
        Ok(format!("{parameters}{END}"))
    }
}

const GROUP_ID: &str = "@builtin(workgroup_id)";
/// The end of the parameters of a function without a value.
const END: &str = ") {";

/// The begin and the end of the first function's parameters.
fn parameters(text: &str) -> Option<(usize, usize)> {
    let name = text.find("\nfn ")?;
    let open = name + text[name..].find('(')? + 1;
    Some((open, open + text[open..].find(END)?))
}

#[cfg(test)]
mod tests {
    use super::{GROUP_ID, Order};

    const REVERSED: Order = Order { number: 1 };

    #[test]
    fn entry_points_take_permuted_ids() {
        let permute = |text: &str| REVERSED.permute("a.wgsl", text);
        let text = "@compute @workgroup_size(GROUP)\nfn main(at: Invocation) {\n    a();\n}\n";
        assert_eq!(
            permute(text).expect("understood"),
            "@compute @workgroup_size(GROUP)\nfn main(dispatched: Invocation) { \
             let at = Invocation(permuted_group(dispatched.group, dispatched.groups), dispatched.groups, \
             dispatched.local ^ (GROUP / 2u));\n    a();\n}\n"
        );
        let text = "@compute\nfn main(@builtin(workgroup_id) group: vec3<u32>) {\n}\n";
        let permuted = permute(text).expect("understood");
        let begin = "@compute\nfn main(@builtin(num_workgroups) groups: vec3<u32>, \
                     @builtin(workgroup_id) dispatched: vec3<u32>) { let group = permuted_group(dispatched, groups);";
        assert!(permuted.starts_with(begin) && permuted.contains("return all - 1u - index;"), "{permuted}");
        let alone = "@compute\nfn main(@builtin(local_invocation_index) local: u32) {\n}\n";
        assert_eq!(permute(alone).expect("understood"), alone);
        for wrong in ["@builtin(global_invocation_id) at: vec3<u32>", "@builtin(workgroup_id) g: vec3<u32>"] {
            assert!(permute(&format!("@compute\nfn main({wrong}) {{\n}}\n")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_id_of_a_workgroup_is_permuted() {
        let mut entries = 0;
        for (file, text) in super::super::order::shaders().expect("read") {
            let permuted = REVERSED.permute(&file, &text).expect("understood");
            entries += permuted.matches("= permuted_group(").count();
            entries += permuted.matches("Invocation(permuted_group(").count();
            let declared = text.contains(GROUP_ID) || text.contains("at: Invocation) {");
            assert!(!declared || permuted != text, "{file}");
        }
        assert_eq!(entries, 16);
    }
}
