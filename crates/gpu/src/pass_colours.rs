//! The colour of each pass, in the window and in plots.

/// Red, green and blue, in sRGB.
pub type Rgb = [u8; 3];

/// The passes in the order of a stacked chart, from the bottom. The most expensive passes are lowest, where little moves
/// beneath them. `sort` is the CPU engine's.
pub const PASSES: [(&str, Rgb); 19] = [
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

/// Colours of other passes, in the order in which they appear.
const OTHERS: [Rgb; 3] = [[190, 214, 96], [96, 148, 128], [214, 160, 170]];

/// These passes with their colours, each once, in the order of a stacked chart; other passes come last.
pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<(&'a str, Rgb)> {
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
    let others = found.iter().copied().filter(|name| rank(name).is_none());
    known.chain(others.zip(OTHERS.into_iter().cycle())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::Pass;

    #[test]
    fn every_pass_of_the_gpu_has_an_own_place_and_colour() {
        let of = |pass: Pass| PASSES.iter().find(|(name, _)| *name == pass.name());
        let colours: Vec<_> = Pass::ALL.iter().copied().filter_map(of).map(|(_, colour)| colour).collect();
        assert_eq!(colours.len(), Pass::ALL.len());
        for (place, colour) in colours.iter().enumerate() {
            assert!(!colours[..place].contains(colour) && !OTHERS.contains(colour), "{colour:?}");
        }
    }

    #[test]
    fn other_passes_come_last_and_each_comes_once() {
        let names: Vec<_> =
            of(["new", "order", "step", "order", "newer"]).iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["step", "order", "new", "newer"]);
    }
}
