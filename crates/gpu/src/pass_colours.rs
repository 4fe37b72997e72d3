//! The colour of each pass, in the window and in plots.

use super::passes::Pass;
pub use super::passes::Rgb;

/// The passes that the CPU engine alone has.
const OF_CPU: [(&str, Rgb); 2] = [("sort", [104, 192, 182]), ("own_terms", [190, 214, 96])];

/// These passes with their colours, each once, in the order of a stacked chart.
pub fn of(names: impl IntoIterator<Item = &'static str>) -> Vec<(&'static str, Rgb)> {
    let names: Vec<_> = names.into_iter().collect();
    Pass::TABLE.iter().chain(&OF_CPU).copied().filter(|(name, _)| names.contains(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pass_has_a_colour_of_its_own() {
        let colours: Vec<_> = Pass::TABLE.iter().map(|(_, colour)| *colour).collect();
        let own_terms = OF_CPU[1].1;
        for (place, colour) in colours.iter().enumerate() {
            assert!(!colours[..place].contains(colour) && *colour != own_terms, "{colour:?}");
        }
    }

    #[test]
    fn passes_of_the_cpu_come_last_and_each_comes_once() {
        let names: Vec<_> =
            of(["own_terms", "order", "step", "order", "sort"]).iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["step", "order", "sort", "own_terms"]);
    }
}
