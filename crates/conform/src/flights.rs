//! A recorded flight, repeated on every backend and compared with its hashes.

use serde_json::{Value, json};

use super::{Backend, Platform, Subject};
use engine::{Numeric, Result};
use files::{Table, interrupt};
use flight::{Comparison, Divergence, Flight};

/// The results on all backends of the flight's number type.
#[derive(Clone, Debug, Default)]
pub struct FlightReport {
    pub rows: Vec<FlightRow>,
}

/// The result on a backend.
#[derive(Clone, Debug)]
pub struct FlightRow {
    pub name: String,
    pub numeric: Numeric,
    pub place: Platform,
    pub outcome: Outcome,
}

/// How a flight was repeated.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// So many hashes are equal.
    Equal(usize),
    /// The first hash that differs.
    Differs(Divergence),
    Failed(String),
    /// The reason why the backend is absent, and how to get it.
    Missing(String),
}

/// Repeats a flight, or its first steps, on all backends of its number type; calls `done` after each.
pub fn repeat_on(backends: &[Backend], flight: &Flight, steps: u64, done: impl Fn()) -> FlightReport {
    let mut report = FlightReport::default();
    for backend in of_type(backends, flight) {
        if interrupt::asked() {
            break;
        }
        let outcome = match &backend.subject {
            Err(why) => Outcome::Missing(why.clone()),
            Ok(subject) => {
                repeat(subject, flight, steps).unwrap_or_else(|why| Outcome::Failed(why.to_string()))
            }
        };
        let (name, numeric, place) = (backend.name.clone(), backend.numeric, backend.place);
        report.rows.push(FlightRow { name, numeric, place, outcome });
        done();
    }
    report
}

/// The backends that compute in the number type of a flight.
pub fn of_type<'a>(backends: &'a [Backend], flight: &Flight) -> impl Iterator<Item = &'a Backend> {
    let numeric = flight.start.numeric;
    backends.iter().filter(move |backend| backend.numeric == numeric)
}

fn repeat(subject: &Subject, flight: &Flight, steps: u64) -> Result<Outcome> {
    let state = flight.start.state()?;
    let last = flight.end.min(state.step + steps);
    let mut session = subject.session();
    let engine = session.load(&flight.start.parameters, &state)?;
    let Comparison { equal, divergence } = flight.repeat(engine, last, interrupt::asked)?;
    Ok(divergence.map_or(Outcome::Equal(equal), Outcome::Differs))
}

impl FlightReport {
    /// The table.
    pub fn text(&self) -> String {
        let mut table = Table::new(&["backend", "type", "hashes", "result"]);
        for FlightRow { name, numeric, outcome, .. } in &self.rows {
            let (hashes, result) = match outcome {
                Outcome::Equal(0) => ("-".to_owned(), "not compared".to_owned()),
                Outcome::Equal(equal) => (equal.to_string(), "agrees".to_owned()),
                Outcome::Differs(divergence) => {
                    ("-".to_owned(), format!("differs at step {}", divergence.step))
                }
                Outcome::Failed(_) => ("-".to_owned(), "failed".to_owned()),
                Outcome::Missing(_) => ("-".to_owned(), "missing".to_owned()),
            };
            table.row([name.as_str(), numeric.name(), &hashes, &result]);
        }
        let mut text = table.to_string();
        for FlightRow { name, outcome, .. } in &self.rows {
            match outcome {
                Outcome::Missing(why) | Outcome::Failed(why) => text += &format!("{name}: {why}\n"),
                Outcome::Equal(_) | Outcome::Differs(_) => {}
            }
        }
        text
    }

    pub fn json(&self) -> Value {
        let row = |row: &FlightRow| {
            let mut fields = json!({ "backend": row.name, "numeric": row.numeric.name() });
            match &row.outcome {
                Outcome::Equal(equal) => fields["equal_hashes"] = json!(equal),
                Outcome::Differs(found) => {
                    fields["differs_at"] = json!(found.step);
                    fields["recorded"] = json!(format!("{:016x}", found.recorded));
                    fields["repeated"] = json!(format!("{:016x}", found.repeated));
                }
                Outcome::Failed(why) => fields["failed"] = json!(why),
                Outcome::Missing(why) => fields["missing"] = json!(why),
            }
            fields
        };
        json!({ "flight": self.rows.iter().map(row).collect::<Value>() })
    }

    /// True if a backend of this kind has repeated the flight.
    pub fn has(&self, place: Platform) -> bool {
        self.rows.iter().any(|row| row.place == place && !matches!(row.outcome, Outcome::Missing(_)))
    }

    /// The first engine that does not repeat the flight. In floating point each device may take a course of its own, so
    /// one that agrees is enough.
    pub fn shortfall(&self) -> Option<String> {
        let floats = self.rows.iter().any(|row| row.numeric != Numeric::Fixed);
        let agrees = self.rows.iter().any(|row| matches!(row.outcome, Outcome::Equal(1..)));
        for FlightRow { name, numeric, outcome, .. } in &self.rows {
            match outcome {
                Outcome::Failed(why) => return Some(format!("{name} {}: {why}", numeric.name())),
                Outcome::Differs(divergence) if !floats || !agrees => {
                    return Some(format!("{name} {}: {divergence}", numeric.name()));
                }
                Outcome::Equal(_) | Outcome::Differs(_) | Outcome::Missing(_) => {}
            }
        }
        (!agrees).then(|| "no engine has compared a hash of the flight".to_owned())
    }
}
