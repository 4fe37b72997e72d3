//! The colour of each pass, in the window and in plots.

use super::passes::Pass;
pub use super::passes::Rgb;

/// The CPU engine's pass beside the step.
const SORT: (&str, Rgb) = ("sort", [104, 192, 182]);

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
    let known: Vec<_> = Pass::TABLE.iter().copied().chain([SORT]).collect();
    let rank = |name: &str| known.iter().position(|(known, _)| *known == name);
    found.sort_by_key(|name| rank(name).unwrap_or(known.len()));
    let mut others = OTHERS.into_iter().cycle();
    let coloured = |name| Some((name, rank(name).map(|rank| known[rank].1).or_else(|| others.next())?));
    found.into_iter().filter_map(coloured).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pass_has_a_colour_of_its_own() {
        let colours: Vec<_> = Pass::TABLE.iter().map(|(_, colour)| *colour).collect();
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
