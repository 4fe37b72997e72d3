//! A logarithmic axis.

/// Maps values to pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    least: f64,
    most: f64,
    /// The pixels of the ends.
    pub from: f64,
    pub to: f64,
}

/// A line across a panel at a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tick {
    pub value: f64,
    /// Whether it is labelled.
    pub named: bool,
}

impl Axis {
    /// An axis over all values greater than 0, with a margin.
    pub fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let ends = |(least, most): (f64, f64), value: f64| (least.min(value), most.max(value));
        let good = values.filter(|value| value.is_finite() && *value > 0.0);
        let (least, most) = good.fold((f64::INFINITY, 0.0), ends);
        let (least, most) = if least <= most { (least, most) } else { (1.0, 1.0) };
        // A single value is centred.
        let room = if most < 2.0 * least { 2.0 } else { (most / least).powf(0.04) };
        Axis { least: least / room, most: most * room, from, to }
    }

    /// The pixel of a value.
    pub fn place(&self, value: f64) -> f64 {
        let share = (value / self.least).ln() / (self.most / self.least).ln();
        self.from + share * (self.to - self.from)
    }

    /// Ticks at all digits of every decade. Powers of ten are labelled, and where there are fewer than three of them also
    /// their multiples by 2 and 5.
    pub fn ticks(&self) -> Vec<Tick> {
        let decades = self.least.log10().floor() as i32..=self.most.log10().ceil() as i32;
        let inside = |value: &f64| (self.least..=self.most).contains(value);
        let powers = decades.clone().filter(|power| inside(&10_f64.powi(*power))).count();
        let value = |(power, digit): (i32, u32)| {
            let named = digit == 1 || (powers < 3 && (digit == 2 || digit == 5));
            Tick { value: f64::from(digit) * 10_f64.powi(power), named }
        };
        let all = decades.flat_map(|power| (1..=9).map(move |digit| (power, digit)));
        all.map(value).filter(|tick| inside(&tick.value)).collect()
    }
}

/// A number in a few characters: 0.02, 5, 20k, 1M.
pub(super) fn short(value: f64) -> String {
    let units = [(1e9, "G"), (1e6, "M"), (1e4, "k")];
    let unit = units.into_iter().find(|(least, _)| value >= least * (1.0 - 1e-9));
    let (value, unit) = match unit {
        Some((_, "k")) => (value / 1e3, "k"),
        Some((size, unit)) => (value / size, unit),
        None => (value, ""),
    };
    let decimals = (-value.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.decimals$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_evenly_by_their_logarithm() {
        let axis = Axis::new([10.0, 1000.0, -3.0, f64::NAN, 0.0].into_iter(), 100.0, 300.0);
        assert!((axis.place(100.0) - 200.0).abs() < 1e-9);
        assert!(axis.place(10.0) > 100.0 && axis.place(1000.0) < 300.0);
        let alone = Axis::new([7.0].into_iter(), 0.0, 10.0);
        assert!((alone.place(7.0) - 5.0).abs() < 1e-9);
        assert!(Axis::new(std::iter::empty(), 0.0, 10.0).place(1.0).is_finite());
    }

    #[test]
    fn ticks_are_named_at_powers_and_between_them_where_there_are_few() {
        let named = |least: f64, most: f64| {
            let axis = Axis::new([least, most].into_iter(), 0.0, 1.0);
            let ticks = axis.ticks().into_iter().filter(|tick| tick.named);
            ticks.map(|tick| short(tick.value)).collect::<Vec<_>>()
        };
        assert_eq!(named(0.001, 30.0), ["0.001", "0.01", "0.1", "1", "10"]);
        assert_eq!(named(1000.0, 1e6), ["1000", "10k", "100k", "1M"]);
        assert_eq!(named(3.0, 40.0), ["5", "10", "20"]);
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.02, 1.0, 2000.0, 5e4, 1e6, 3e9].map(short);
        assert_eq!(shown, ["0.02", "1", "2000", "50k", "1M", "3G"]);
    }
}
