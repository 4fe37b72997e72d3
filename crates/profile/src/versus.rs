//! Times two configurations in turns within one run. The speed of a machine drifts, but little between two adjacent
//! measurements: their ratio is more reliable than the ratio of two medians.

use serde::Serialize;
use serde_json::{Value, json};

use super::{
    Condition, Configuration, LONG, Method, PassName, ReportColumn, Runner, Sample, Sizes, Spread,
    at_both_ages, clock, in_turns, milliseconds, table, without_passes,
};
use engine::Result;
use files::{Failure, ProgressBar, interrupt};

/// The results.
#[derive(Clone, Debug)]
pub struct Versus {
    names: [String; 2],
    method: Method,
    rows: Vec<VersusRow>,
    /// Lines that say what was not timed and why.
    missing: Vec<String>,
    stopped: bool,
}

/// The times of whole steps, or of one pass, in nanoseconds per step.
#[derive(Clone, Debug, Serialize)]
struct VersusRow {
    boids: u32,
    #[serde(rename = "state")]
    condition: Condition,
    /// The pass; none for whole steps. Only passes of both sides are compared.
    pass: PassName,
    a_ns: Spread,
    b_ns: Spread,
    /// The second time over the first, turn by turn.
    ratio: Spread,
}

const COLUMNS: [ReportColumn<VersusRow>; 8] = [
    ("boids", |row| row.boids.to_string()),
    ("state", |row| row.condition.name().to_owned()),
    ("pass", |row| row.pass.unwrap_or("(whole step)").to_owned()),
    ("A ms", |row| milliseconds(&row.a_ns)),
    ("B ms", |row| milliseconds(&row.b_ns)),
    ("B/A", |row| format!("{:.3}", row.ratio.median)),
    ("least", |row| format!("{:.3}", row.ratio.least)),
    ("most", |row| format!("{:.3}", row.ratio.most)),
];

/// Measures two sides in turns.
///
/// # Errors
/// When a flock does not fit, or a device fails.
pub fn run(
    sides: &[Configuration; 2],
    sizes: &Sizes,
    method: &Method,
    bar: &ProgressBar,
) -> Result<Versus, Failure> {
    let names = [0, 1].map(|k| format!("{}; {}", sides[k].name, sides[k].device.describe()));
    let mut versus = Versus { names, method: *method, rows: Vec::new(), missing: Vec::new(), stopped: false };
    for boids in sizes.all() {
        at_both_ages(sides, boids, method.settle, bar, |both| Ok(versus.time(both)?))?;
        if interrupt::asked() {
            versus.stopped = true;
            break;
        }
        let slow = |row: &VersusRow| row.a_ns.least > LONG || row.b_ns.least > LONG;
        if *sizes == Sizes::Ladder && versus.rows.iter().any(slow) {
            break;
        }
    }
    Ok(versus)
}

impl Versus {
    /// Times both sides in turns.
    fn time(&mut self, both: &mut [Runner]) -> Result {
        let (boids, condition) = (both[0].state.boids.len() as u32, both[0].condition());
        let turns = in_turns(both, &self.method)?;
        for (k, side) in ["A", "B"].into_iter().enumerate() {
            let untimed = turns.iter().map(|turn| turn[k].untimed).sum();
            let whose = format!("{side}, {boids} boids, {}", condition.name());
            self.missing.extend(without_passes(&whose, untimed, clock(&both[k].opened)));
        }
        let passes = turns.first().into_iter().flat_map(|turn| turn[0].times.iter().map(|(pass, _)| *pass));
        self.rows.extend(passes.filter_map(|pass| row(boids, condition, pass, &turns)));
        Ok(())
    }

    /// The ratios as a table.
    pub fn text(&self) -> String {
        let table = table(&COLUMNS, &self.rows);
        let [a, b] = &self.names;
        let Method { steps, repeats, warm_up, .. } = self.method;
        let stopped =
            if self.stopped { "\nstopped: interrupted; these are the results so far\n" } else { "" };
        let missing: String = self.missing.iter().map(|line| format!("{line}\n")).collect();
        format!(
            "A  {a}\nB  {b}\nin turns, {repeats} times: {steps} steps after {warm_up} warm-up steps; the ratio is the \
             median over the turns\n\n{table}{missing}{stopped}"
        )
    }

    /// The results as JSON.
    pub fn json(&self) -> Value {
        json!({
            "a": self.names[0],
            "b": self.names[1],
            "steps": self.method.steps,
            "repeats": self.method.repeats,
            "warm_up": self.method.warm_up,
            "rows": self.rows,
            "missing": self.missing,
            "interrupted": self.stopped,
        })
    }
}

/// The row of a pass, or of whole steps; none if a side does not have the pass.
fn row(boids: u32, condition: Condition, pass: PassName, turns: &[Vec<Sample>]) -> Option<VersusRow> {
    let pairs: Vec<[f64; 2]> =
        turns.iter().filter_map(|turn| Some([turn[0].of(pass)?, turn[1].of(pass)?])).collect();
    let side = |k: usize| Spread::of(&pairs.iter().map(|pair| pair[k]).collect::<Vec<_>>());
    let ratios: Vec<f64> = pairs.iter().filter(|[a, _]| *a > 0.0).map(|[a, b]| b / a).collect();
    Some(VersusRow { boids, condition, pass, a_ns: side(0)?, b_ns: side(1)?, ratio: Spread::of(&ratios)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(step: f64, pass: f64, other: &'static str) -> Sample {
        let times = vec![(None, step), (Some("step"), pass), (Some(other), 1.0)];
        Sample { times, ..Sample::default() }
    }

    #[test]
    fn ratios_are_taken_turn_by_turn() {
        // The machine slows down threefold: the ratio of each turn is still two.
        let turns = [1.0, 2.0, 3.0]
            .map(|slow| vec![turn(10.0 * slow, 4.0 * slow, "order"), turn(20.0 * slow, 2.0 * slow, "sort")]);
        let whole = row(5, Condition::Start, None, &turns).expect("both step");
        assert_eq!((whole.ratio.median, whole.ratio.width()), (2.0, 0.0));
        assert_eq!(row(5, Condition::Start, Some("step"), &turns).expect("both have it").ratio.most, 0.5);
        assert!(row(5, Condition::Start, Some("order"), &turns).is_none());
        assert!(row(5, Condition::Start, None, &[]).is_none());
    }
}
