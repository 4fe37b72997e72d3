//! The passes of a step, one shader per pass.

use engine::PreparedRule;

use super::Gpu;
use super::device::Constants;
use super::kernel::Kernel;
use super::number::OnGpu;
use super::shaders::{Shader, Shaders};
use super::{formulas, rule};

/// Red, green and blue, in sRGB.
pub type Rgb = [u8; 3];

macro_rules! passes {
    ($($pass:ident $name:literal $colour:expr),* $(,)?) => {
        /// A pass.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Pass {
            $($pass),*
        }

        impl Pass {
            /// All passes; each pass is the index of its entry.
            pub const ALL: &[Pass] = &[$(Pass::$pass),*];

            /// Name in timings and debuggers, which is the stem of the shader's file, and colour in charts.
            pub(crate) const TABLE: &[(&str, Rgb)] = &[$(($name, $colour)),*];
        }
    };
}

// In the order of a stacked chart, from the bottom: the most expensive passes are lowest, so little moves below.
// The last pass is not built for number types drawn without conversion.
passes! {
    Step "step" [232, 166, 112],
    ReducePartials "reduce_partials" [224, 206, 120],
    ReduceTotals "reduce_totals" [176, 150, 84],
    MovePredators "move_predators" [226, 120, 140],
    PlaceRequests "place_requests" [238, 184, 168],
    Count "count" [116, 176, 214],
    ScanReduce "scan_reduce" [94, 122, 196],
    ScanBlocks "scan_blocks" [160, 160, 226],
    ScanStarts "scan_starts" [122, 104, 190],
    Scatter "scatter" [104, 192, 182],
    Order "order" [146, 198, 124],
    Measure "measure" [200, 144, 200],
    MeasureSpread "measure_spread" [156, 104, 160],
    MeasureTotals "measure_totals" [214, 180, 220],
    Hash "hash" [150, 122, 84],
    ConvertForDrawing "convert_for_drawing" [170, 186, 206],
}

/// A pass specialised for a rule.
#[derive(Debug, Default)]
pub(crate) struct Variant {
    /// Values of the pipeline's override constants.
    pub constants: Constants,
    /// Text of the custom terms in its shader, if it has any: see [`formulas::text`].
    pub formulas: Option<String>,
}

impl Pass {
    /// The passes of a number type.
    pub fn of<T: OnGpu>() -> &'static [Pass] {
        if T::DIRECT_DRAW { &Pass::ALL[..Pass::ConvertForDrawing as usize] } else { Pass::ALL }
    }

    /// Name in timings and debuggers.
    pub fn name(self) -> &'static str {
        Pass::TABLE[self as usize].0
    }

    /// Loads the shader for a number type; the step has one per kernel.
    ///
    /// # Errors
    /// When one of the shader's files is missing.
    pub fn shader<T: OnGpu>(self, shaders: &Shaders, kernel: Kernel) -> Result<Shader, String> {
        let file = match self {
            Pass::Step => format!("{}_{}.wgsl", self.name(), kernel.name()),
            _ => format!("{}.wgsl", self.name()),
        };
        shaders.load(&file, T::NUMERIC.name())
    }

    /// True if the pass is compiled only when first needed: few flocks are hashed or take requests from outside.
    pub(crate) fn late(self) -> bool {
        matches!(self, Pass::Hash | Pass::PlaceRequests)
    }

    /// Specialises the pass for a rule on a device; with `outside`, boids take requests from outside the rule.
    pub(crate) fn variant<T: OnGpu>(self, gpu: &Gpu, prepared: &PreparedRule<T>, outside: bool) -> Variant {
        let PreparedRule { rule, formulas } = prepared;
        match self {
            Pass::Step => {
                let lanes = gpu.lanes().filter(|_| gpu.settings.kernel == Kernel::Shared);
                let lanes = lanes.map(|lanes| ("LANES", f64::from(lanes)));
                let mut constants: Constants = rule::constants(rule).into_iter().chain(lanes).collect();
                let uses_formulas = constants.iter_mut().find(|(name, _)| *name == rule::USES_FORMULAS);
                if let (Some((_, value)), true) = (uses_formulas, outside) {
                    *value = 1.0;
                }
                let has_formulas = outside || formulas.is_some();
                Variant {
                    constants,
                    formulas: has_formulas.then(|| formulas::text(formulas.as_deref(), outside)),
                }
            }
            Pass::Order => {
                let non_interacting = f64::from(u8::from(rule::non_interacting(rule)));
                Variant { constants: vec![(rule::NON_INTERACTING, non_interacting)], formulas: None }
            }
            _ => Variant::default(),
        }
    }
}

/// The passes that only the CPU engine has.
const ON_CPU: [(&str, Rgb); 2] = [("sort", [104, 192, 182]), ("formula_terms", [190, 214, 96])];

/// The passes of these names, of either engine, with their colours, each once, in the order of a stacked chart.
pub fn colours(names: impl IntoIterator<Item = &'static str>) -> Vec<(&'static str, Rgb)> {
    let names: Vec<_> = names.into_iter().collect();
    Pass::TABLE.iter().chain(&ON_CPU).copied().filter(|(name, _)| names.contains(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pass_has_a_colour_of_its_own_and_comes_once() {
        let all: Vec<_> = Pass::TABLE.iter().map(|(_, colour)| *colour).chain([ON_CPU[1].1]).collect();
        for (place, colour) in all.iter().enumerate() {
            assert!(!all[..place].contains(colour), "{colour:?}");
        }
        let named = colours(["formula_terms", "order", "step", "order", "sort"]);
        let names: Vec<_> = named.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["step", "order", "sort", "formula_terms"]);
    }
}
