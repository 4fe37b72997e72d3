//! An axis, linear or logarithmic.

/// Maps values to pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlotAxis {
    least: f64,
    most: f64,
    log: bool,
    /// The distance between two ticks of a linear axis.
    pub step: f64,
    /// The pixels of the ends.
    pub from: f64,
    pub to: f64,
}

/// The margin on each side, as a fraction of the range of the values.
const MARGIN: f64 = 0.04;

impl PlotAxis {
    /// An axis over all values that it can show, with a margin; `ends` are in pixels. A linear axis begins at 0 if the
    /// values come near 0.
    pub fn new(log: bool, values: impl Iterator<Item = f64>, ends: [f64; 2]) -> Self {
        let good = values.filter(|value| value.is_finite() && (*value > 0.0 || !log));
        let [least, most] = range(good).unwrap_or([1.0; 2]);
        if log {
            // A single value is centred.
            let room = if most < 2.0 * least { 2.0 } else { (most / least).powf(MARGIN) };
            return Self::exact(log, [least / room, most * room], ends);
        }
        let room = match most - least {
            0.0 if most == 0.0 => 1.0,
            0.0 => 0.5 * most.abs(),
            range => MARGIN * range,
        };
        let floor = if least >= 0.0 && least < 0.3 * most { 0.0 } else { least - room };
        Self::exact(log, [floor, most + room], ends)
    }

    /// An axis from one value to another, without a margin. A linear one has 4 to 9 ticks.
    pub fn exact(log: bool, [least, most]: [f64; 2], [from, to]: [f64; 2]) -> Self {
        PlotAxis { least, most, log, step: round_step((most - least) / 8.0), from, to }
    }

    /// True if the axis can show a value.
    pub fn holds(&self, value: f64) -> bool {
        value.is_finite() && (value > 0.0 || !self.log)
    }

    /// The pixel of a value.
    pub fn place(&self, value: f64) -> f64 {
        let share = match self.log {
            true => (value / self.least).ln() / (self.most / self.least).ln(),
            false => (value - self.least) / (self.most - self.least),
        };
        self.from + share * (self.to - self.from)
    }

    /// The pixel of a value, clamped to the ends of the axis.
    pub fn within(&self, value: f64) -> f64 {
        if self.log && value <= 0.0 { self.from } else { self.place(value.clamp(self.least, self.most)) }
    }

    /// Ticks, with optional labels. Logarithmic: at all digits of every decade; powers of ten are labelled and, if
    /// there are fewer than three of them, also their multiples by 2 and 5. Linear: at round steps, all labelled.
    pub fn ticks(&self) -> Vec<(f64, Option<String>)> {
        let PlotAxis { least, most, step, .. } = *self;
        if !self.log {
            let slack = 1e-9 * step;
            let steps = ((least - slack) / step).ceil() as i64..=((most + slack) / step).floor() as i64;
            let ticks = steps.map(|k| k as f64 * step);
            return ticks.map(|value| (value, Some(rounded(value, step)))).collect();
        }
        let decades = least.log10().floor() as i32..=most.log10().ceil() as i32;
        let inside = |value: &f64| (least..=most).contains(value);
        let powers = decades.clone().filter(|power| inside(&10_f64.powi(*power))).count();
        let all = decades.flat_map(|power| (1..=9).map(move |digit| (power, digit)));
        let tick = |(power, digit): (i32, u32)| {
            let value = f64::from(digit) * 10_f64.powi(power);
            let named = digit == 1 || (powers < 3 && (digit == 2 || digit == 5));
            (value, named.then(|| short(value)))
        };
        all.map(tick).filter(|(value, _)| inside(value)).collect()
    }
}

/// The least and the greatest of some values.
pub(super) fn range(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values.map(|value| [value; 2]).reduce(|[a, b], [c, d]| [a.min(c), b.max(d)])
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least `rough`.
pub fn round_step(rough: f64) -> f64 {
    let rough = rough.max(f64::MIN_POSITIVE);
    let power = 10_f64.powi(rough.log10().floor() as i32);
    let digit = [1.0, 2.0, 5.0].into_iter().find(|digit| digit * power >= rough * (1.0 - 1e-9));
    digit.unwrap_or(10.0) * power
}

/// Formats a multiple of a step with just enough digits to differ from the next multiple: 0.25, −3, 20k, 2e−7.
fn rounded(value: f64, step: f64) -> String {
    // Zero, up to rounding.
    if value.abs() < 0.5 * step {
        return "0".to_owned();
    }
    if step < 1e-4 && value.abs() < 1e-3 || step >= 1e9 {
        let power = |number: f64| (number.log10() + 1e-9).floor();
        let digits = (power(value.abs()) - power(step)).clamp(0.0, 15.0) as usize;
        return format!("{value:.digits$e}").replace('-', "−");
    }
    let (size, unit) = match step {
        step if step >= 1e6 * (1.0 - 1e-9) => (1e6, "M"),
        step if step >= 1e3 * (1.0 - 1e-9) && value.abs() >= 1e3 => (1e3, "k"),
        _ => (1.0, ""),
    };
    let decimals = (-(step / size).log10().floor()).clamp(0.0, 15.0) as usize;
    format!("{:.decimals$}{unit}", value / size).replace('-', "−")
}

/// A number in a few characters: 0.02, 5, 20k, 1M.
fn short(value: f64) -> String {
    let units = [(1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")];
    let unit = units.into_iter().find(|(least, ..)| value >= least * (1.0 - 1e-9));
    let (value, unit) = unit.map_or((value, ""), |(_, size, unit)| (value / size, unit));
    let decimals = (-value.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.decimals$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_evenly_by_their_logarithm() {
        let axis = PlotAxis::new(true, [10.0, 1000.0, -3.0, f64::NAN, 0.0].into_iter(), [100.0, 300.0]);
        assert!((axis.place(100.0) - 200.0).abs() < 1e-9);
        assert!(axis.place(10.0) > 100.0 && axis.place(1000.0) < 300.0);
        assert_eq!((axis.within(0.0), axis.within(1e9)), (100.0, 300.0));
        let alone = PlotAxis::new(true, [7.0].into_iter(), [0.0, 10.0]);
        assert!((alone.place(7.0) - 5.0).abs() < 1e-9);
        for log in [true, false] {
            assert!(PlotAxis::new(log, std::iter::empty(), [0.0, 10.0]).place(1.0).is_finite());
        }
    }

    #[test]
    fn values_lie_evenly_and_begin_at_zero_where_they_come_near() {
        let axis = PlotAxis::new(false, [0.1, 1.0, f64::NAN].into_iter(), [0.0, 104.0]);
        assert!((axis.place(0.0)).abs() < 1e-9 && (axis.place(0.518) - 52.0).abs() < 1e-9, "{axis:?}");
        let away = PlotAxis::new(false, [90.0, 100.0].into_iter(), [0.0, 108.0]);
        assert!((away.place(90.0) - 4.0).abs() < 1e-9 && (away.place(100.0) - 104.0).abs() < 1e-9);
        let alone = PlotAxis::new(false, [-7.0].into_iter(), [0.0, 10.0]);
        assert!((alone.place(-7.0) - 5.0).abs() < 1e-9);
    }

    #[test]
    fn ticks_are_named_at_powers_and_between_them_where_there_are_few() {
        let named = |log: bool, least: f64, most: f64| {
            let ticks = PlotAxis::exact(log, [least, most], [0.0, 1.0]).ticks();
            ticks.into_iter().filter_map(|(_, name)| name).collect::<Vec<_>>()
        };
        assert_eq!(named(true, 0.0008, 31.0), ["0.001", "0.01", "0.1", "1", "10"]);
        assert_eq!(named(true, 999.0, 1.1e6), ["1000", "10k", "100k", "1M"]);
        assert_eq!(named(true, 2.5, 41.0), ["5", "10", "20"]);
        assert_eq!(named(false, 0.0, 1.04), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(named(false, -3.1, 2.9), ["−3", "−2", "−1", "0", "1", "2"]);
        assert_eq!(
            named(false, 0.0, 4000.0),
            ["0", "500", "1000", "1500", "2000", "2500", "3000", "3500", "4000"]
        );
        assert_eq!(named(false, 0.0, 9800.0), ["0", "2k", "4k", "6k", "8k"]);
        assert_eq!(named(false, 0.96, 0.985)[..3], ["0.960", "0.965", "0.970"]);
        assert_eq!(named(false, 0.0, 5e-6)[..2], ["0", "1e−6"]);
        assert_eq!(named(false, -1.2e-5, 0.0)[..2], ["−1.2e−5", "−1.0e−5"]);
        assert_eq!(named(false, 0.99996, 0.99999)[..2], ["0.999960", "0.999965"]);
        assert_eq!(named(false, 0.0, 4e149)[1..3], ["5e148", "1.0e149"]);
    }
}
