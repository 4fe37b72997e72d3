//! The colour of each pass: the same in the window and in plots.

/// Red, green and blue.
pub type Hue = [u8; 3];

/// Every pass that is known, in the order in which a stack of them is built up. What costs most lies lowest: little
/// moves beneath it. `sort` is the CPU's, which needs no more for it.
pub const PASSES: [(&str, Hue); 19] = [
    ("step", [232, 166, 112]),
    ("clustered_step", [236, 138, 84]),
    ("clusters", [196, 134, 96]),
    ("reduce_partials", [224, 206, 120]),
    ("reduce_totals", [176, 150, 84]),
    ("move_predators", [226, 120, 140]),
    ("count", [116, 176, 214]),
    ("scan_reduce", [94, 122, 196]),
    ("scan_blocks", [160, 160, 226]),
    ("scan_starts", [122, 104, 190]),
    ("scatter", [104, 192, 182]),
    ("morton_keys", [126, 160, 92]),
    ("merge", [168, 214, 160]),
    ("order", [146, 198, 124]),
    ("sort", [104, 192, 182]),
    ("measure", [200, 144, 200]),
    ("measure_spread", [156, 104, 160]),
    ("measure_totals", [214, 180, 220]),
    ("convert_for_drawing", [170, 186, 206]),
];

/// Colours of passes that are not, in the order in which they come up.
const UNKNOWN: [Hue; 3] = [[190, 214, 96], [96, 148, 128], [214, 160, 170]];

/// These passes in the order of a stack, each once, with their colours; those that are not known come last.
#[must_use]
pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<(&'a str, Hue)> {
    let mut found: Vec<&str> = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    let rank = |name: &str| PASSES.iter().position(|(known, _)| *known == name);
    let mut known: Vec<_> = found.iter().filter_map(|name| Some((rank(name)?, *name))).collect();
    known.sort_unstable();
    let known = known.into_iter().map(|(rank, name)| (name, PASSES[rank].1));
    let unknown = found.iter().copied().filter(|name| rank(name).is_none());
    known.chain(unknown.zip(UNKNOWN.into_iter().cycle())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::passes::Stage;

    #[test]
    fn every_pass_of_the_gpu_has_a_place_and_a_colour_of_its_own() {
        let of = |stage: Stage| PASSES.iter().find(|(name, _)| *name == stage.label());
        let hues: Vec<_> = Stage::ALL.iter().copied().filter_map(of).map(|(_, hue)| hue).collect();
        assert_eq!(hues.len(), Stage::ALL.len());
        for (place, hue) in hues.iter().enumerate() {
            assert!(!hues[..place].contains(hue) && !UNKNOWN.contains(hue), "{hue:?}");
        }
    }

    #[test]
    fn unknown_passes_come_last_and_each_comes_once() {
        let names: Vec<_> =
            of(["new", "order", "step", "order", "newer"]).iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["step", "order", "new", "newer"]);
    }
}
