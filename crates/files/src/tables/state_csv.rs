//! States as CSV: of one step, from which a run can be continued, or of many, a trajectory.
//!
//! ```text
//! step,id,kind,x,y,z,vx,vy,vz,group,bias,rest     a row per boid and per predator, in the order of step, kind and id
//! ```
//!
//! The kind is `boid` or `predator`. A predator has position and velocity only: its last three cells are empty.
//!
//! Earlier versions wrote states without `step` and `kind`, with the predators and the step in `FILE.predators.csv`
//! beside them, and trajectories without predators. They are read, too.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use flock::parameters::MAX_GROUPS;
use flock::{Boid, Predator};

use super::csv_input::{BIAS, GROUP, ID, Input, KIND, POSITION, REST, STEP, VELOCITY};
use crate::rows::{BOID, PREDATOR, write_state_csv};
use crate::{AtomicFile, Existing, Failure, Result, check_ending, extension, is_part};
use engine::{Numeric, State};

/// The longest rest that a perch allows (`perching.steps`).
const LONGEST_REST: i32 = 65_535;

/// The fault of a file without a whole state.
pub const NO_STATE: &str = "the file has no complete state";

/// The path with a word before its `.csv`, which is added if missing.
pub fn path_with(path: &Path, word: impl Display) -> PathBuf {
    let stem = if extension(path) == "csv" { path.with_extension("") } else { path.to_owned() };
    let mut name = stem.into_os_string();
    name.push(format!(".{word}.csv"));
    name.into()
}

/// Writes `state` to `path`, with the digits that `numeric` needs.
///
/// # Errors
/// See [`StateFile::create`] and [`StateFile::fill`].
pub fn write_state(path: &Path, state: &State, numeric: Numeric, existing: Existing) -> Result<()> {
    StateFile::create(path, existing)?.fill(state, numeric)
}

/// The file of a state, created before the first step: if it cannot be written, no steps are lost.
#[derive(Debug)]
pub struct StateFile(AtomicFile);

impl StateFile {
    /// Starts the file of a state that will be called `path`, or stdout for `-`.
    ///
    /// # Errors
    /// When the file cannot be written, or its extension belongs to another format.
    pub fn create(path: &Path, existing: Existing) -> Result<Self> {
        check_ending(path, &["csv"])?;
        AtomicFile::create_or_stdout(path, existing).map(StateFile)
    }

    /// Writes a state, and gives the file its name.
    ///
    /// # Errors
    /// When the file cannot be written, or has got another name.
    pub fn fill(mut self, state: &State, numeric: Numeric) -> Result<()> {
        write_state_csv(&mut self.0, state, numeric).map_err(|source| self.0.failed(source))?;
        self.0.commit()
    }
}

/// A state from a file, and whether the file has more than boids.
#[derive(Debug)]
pub struct SavedState {
    pub state: State,
    /// True if the file has the state's step, which is 0 else.
    pub has_step: bool,
    /// True if the file has the state's predators, of which there may be none.
    pub has_predators: bool,
}

/// Reads the state in a file, or the last one of a trajectory, each number rounded to the nearest of `numeric`. Missing
/// columns mean step 0, boids, group 0, bias 0 and no rest.
///
/// # Errors
/// When the file cannot be read, or does not hold states.
pub fn read_state(path: &Path, numeric: Numeric) -> Result<SavedState> {
    let mut recording = Recording::open(path, numeric)?;
    let is_empty = recording.next.is_none();
    let last = recording.last()?;
    // Only a flock of none has a file without rows.
    if last.is_none() && (!is_empty || is_part(path)) {
        return Err(Failure::file(path, NO_STATE));
    }
    let has_step = recording.input.has(STEP) && !is_empty;
    let has_predators = recording.has_predators();
    let mut saved = SavedState { state: last.unwrap_or_default(), has_step, has_predators };
    let beside = path_with(path, "predators");
    if !recording.input.has(STEP) && !has_predators && beside.exists() {
        read_predators(&beside, numeric, &mut saved)?;
    }
    Ok(saved)
}

/// Adds the predators and the step that an earlier version wrote beside a state.
fn read_predators(path: &Path, numeric: Numeric, saved: &mut SavedState) -> Result<()> {
    let mut recording = Recording::open(path, numeric)?;
    saved.has_predators = true;
    // A flock without predators has a file without rows.
    let Some(beside) = recording.last()? else { return Ok(()) };
    saved.state.step = beside.step;
    saved.has_step = recording.input.has(STEP);
    saved.state.predators = beside.boids.into_iter().map(predator).collect();
    Ok(())
}

/// Reads the states of a file in order: the rows of a step are adjacent, in any order, and steps ascend. Each state has
/// the same number of boids and of predators. A file that a killed run has left is read up to its last whole state.
#[derive(Debug)]
pub struct Recording {
    input: Input,
    /// The first row of the next state.
    next: Option<StateRow>,
    first: Option<Counts>,
}

/// The numbers of rows of the first state.
#[derive(Clone, Copy, Debug)]
struct Counts {
    step: u64,
    boids: usize,
    predators: usize,
}

/// A boid, or a predator in the shape of one.
#[derive(Debug)]
struct StateRow {
    step: u64,
    id: u32,
    line: u64,
    is_predator: bool,
    boid: Boid<f64>,
}

impl Recording {
    /// Opens a file whose numbers are rounded to the nearest of `numeric`.
    ///
    /// # Errors
    /// When the file cannot be read, or has other columns.
    pub fn open(path: &Path, numeric: Numeric) -> Result<Self> {
        if extension(path) == "gsd" {
            return Err(Failure::file(path, "a trajectory can only be read from CSV, not from GSD"));
        }
        let mut recording = Recording { input: Input::open(path, numeric)?, next: None, first: None };
        recording.next = recording.row()?;
        Ok(recording)
    }

    /// True if the states have their predators, of which there may be none.
    pub fn has_predators(&self) -> bool {
        self.input.has(KIND)
    }

    /// The next state; `None` at the end.
    ///
    /// # Errors
    /// When the file cannot be read, or the rows are not a state.
    pub fn state(&mut self) -> Result<Option<State>> {
        let Some(mut row) = self.next.take() else { return Ok(None) };
        let StateRow { step, line: first_line, .. } = row;
        let (mut boids, mut predators) = (Vec::new(), Vec::new());
        loop {
            let rows = if row.is_predator { &mut predators } else { &mut boids };
            rows.push(row);
            match self.row()? {
                Some(next) if next.step < step => {
                    return Err(self.input.wrong(STEP, &format!("at least {step}, as in the row before")));
                }
                Some(next) if next.step == step => row = next,
                next => {
                    self.next = next;
                    break;
                }
            }
        }
        let found = Counts { step, boids: boids.len(), predators: predators.len() };
        // The last state of a killed run is whole if it has as many rows as the first; of the first nothing says so.
        let is_whole =
            self.first.is_some_and(|first| found.boids >= first.boids && found.predators >= first.predators);
        if !is_whole && self.next.is_none() && is_part(self.input.path()) {
            return Ok(None);
        }
        let first = *self.first.get_or_insert(found);
        let boids = self.in_order(boids, BOID)?;
        let predators = self.in_order(predators, PREDATOR)?.into_iter().map(predator).collect();
        if (found.boids, found.predators) != (first.boids, first.predators) {
            let problem = format!(
                "line {first_line}: step {step} has {} boids and {} predators, but must have {} and {} like step {}",
                found.boids, found.predators, first.boids, first.predators, first.step
            );
            return Err(self.fault(problem));
        }
        Ok(Some(State { step, boids, predators }))
    }

    /// The last state; `None` of a file without rows.
    fn last(&mut self) -> Result<Option<State>> {
        let mut last = None;
        while let Some(state) = self.state()? {
            last = Some(state);
        }
        Ok(last)
    }

    fn row(&mut self) -> Result<Option<StateRow>> {
        if !self.input.next()? {
            return Ok(None);
        }
        let input = &self.input;
        // Random draws use 32 bits of a step.
        let step = if input.has(STEP) { input.whole(STEP, 0..=u64::from(u32::MAX))? } else { 0 };
        let (id, line) = (input.whole(ID, 0..=u32::MAX)?, input.line());
        let is_predator = match input.cell(KIND) {
            PREDATOR => true,
            BOID => false,
            _ if !input.has(KIND) => false,
            _ => return Err(input.wrong(KIND, "boid or predator")),
        };
        let boid = if is_predator { predator_row(input)? } else { boid_row(input)? };
        Ok(Some(StateRow { step, id, line, is_predator, boid }))
    }

    /// Sorts the rows of a kind by id; the ids must be 0…N−1, each once.
    fn in_order(&self, mut rows: Vec<StateRow>, kind: &str) -> Result<Vec<Boid<f64>>> {
        let count = rows.len();
        if let Some(StateRow { id, line, .. }) = rows.iter().find(|row| row.id as usize >= count) {
            let last = count - 1;
            let problem = format!("line {line}: column id must be 0 to {last} for {count} {kind}s, not {id}");
            return Err(self.fault(problem));
        }
        rows.sort_by_key(|row| row.id);
        for [one, other] in rows.array_windows() {
            if one.id == other.id {
                let problem =
                    format!("line {}: duplicate {kind} {}, already in line {}", other.line, one.id, one.line);
                return Err(self.fault(problem));
            }
        }
        Ok(rows.into_iter().map(|row| row.boid).collect())
    }

    fn fault(&self, problem: String) -> Failure {
        Failure::file(self.input.path(), problem)
    }
}

fn boid_row(row: &Input) -> Result<Boid<f64>> {
    let mut boid =
        Boid { position: row.vector(POSITION)?, velocity: row.vector(VELOCITY)?, ..Boid::default() };
    if row.has(GROUP) {
        boid.group = row.whole(GROUP, 0..=MAX_GROUPS as u32 - 1)?;
    }
    if row.has(BIAS) {
        boid.bias = row.number(BIAS)?;
        if !(0.0..=1.0).contains(&boid.bias) {
            return Err(row.wrong(BIAS, "0 to 1"));
        }
    }
    if row.has(REST) {
        boid.rest = row.whole(REST, flock::state::TAKEN_OFF..=LONGEST_REST)?;
    }
    Ok(boid)
}

fn predator_row(row: &Input) -> Result<Boid<f64>> {
    if let Some(column) = [GROUP, BIAS, REST].into_iter().find(|column| !row.cell(*column).is_empty()) {
        return Err(row.wrong(column, "empty for a predator"));
    }
    Ok(Boid { position: row.vector(POSITION)?, velocity: row.vector(VELOCITY)?, ..Boid::default() })
}

fn predator(Boid { position, velocity, .. }: Boid<f64>) -> Predator<f64> {
    Predator { position, velocity }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;
    use crate::tables::write_state_rows;

    const HEADER: &str = "step,id,kind,x,y,z,vx,vy,vz,group,bias,rest";
    /// The header of a state without step and kind.
    const BOIDS: &str = "id,x,y,z,vx,vy,vz,group,bias,rest";

    fn bits(state: &State) -> Vec<u64> {
        let boids = state.boids.iter().flat_map(|boid| {
            let numbers = [boid.position, boid.velocity].concat();
            let whole = [u64::from(boid.group), boid.rest as u64, boid.bias.to_bits()];
            numbers.into_iter().map(f64::to_bits).chain(whole).collect::<Vec<_>>()
        });
        let predators = state.predators.iter();
        let predators = predators.flat_map(|predator| [predator.position, predator.velocity].concat());
        std::iter::once(state.step).chain(boids).chain(predators.map(f64::to_bits)).collect()
    }

    fn round_trip(state: &State, numeric: Numeric) -> State {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("flock.csv");
        write_state(&path, state, numeric, Existing::Replace).unwrap();
        read_state(&path, numeric).unwrap().state
    }

    /// The states of a trajectory.
    fn recorded(path: &Path) -> Result<Vec<State>> {
        let mut recording = Recording::open(path, Numeric::F64)?;
        let mut states = Vec::new();
        while let Some(state) = recording.state()? {
            states.push(state);
        }
        Ok(states)
    }

    /// A boid or a predator of any bits, and 0 in place of what is not finite.
    fn vectors(numeric: Numeric, bits: &[u64; 6]) -> [[f64; 3]; 2] {
        let number = |bits: u64| match numeric {
            Numeric::F32 => f64::from(f32::from_bits(bits as u32)),
            Numeric::F64 | Numeric::Fixed => f64::from_bits(bits),
        };
        let [a, b, c, d, e, f] = bits.map(|bits| Some(number(bits)).filter(|x| x.is_finite()).unwrap_or(0.0));
        [[a, b, c], [d, e, f]]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn numbers_come_back_with_the_same_bits(
            step: u32, all in prop::collection::vec(any::<[u64; 6]>(), 1..24), bias in 0.0_f32..=1.0, group in 0_u32..3
        ) {
            for numeric in [Numeric::F32, Numeric::F64] {
                let (predators, boids) = all.split_at(all.len() / 4);
                let boid = |bits| {
                    let [position, velocity] = vectors(numeric, bits);
                    Boid { position, velocity, bias: f64::from(bias), group, rest: (step % 9) as i32 - 1 }
                };
                let predator = |bits| {
                    let [position, velocity] = vectors(numeric, bits);
                    Predator { position, velocity }
                };
                let state = State {
                    step: u64::from(step),
                    boids: boids.iter().map(boid).collect(),
                    predators: predators.iter().map(predator).collect(),
                };
                prop_assert_eq!(bits(&round_trip(&state, numeric)), bits(&state));
            }
        }
    }

    #[test]
    fn f32_is_not_rounded_twice() {
        // The f32 next below is what this text means; by way of f64 it would become its neighbour.
        let number = f32::from_bits(0x15ae_43fd);
        assert_ne!(format!("{number:?}").parse::<f64>().unwrap() as f32, number);
        let boid = Boid { position: [f64::from(number); 3], ..Boid::default() };
        let state = State { boids: vec![boid], ..State::default() };
        assert_eq!(round_trip(&state, Numeric::F32), state);
    }

    #[test]
    fn takes_any_order_and_fewer_columns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("flock.csv");
        fs::write(&path, "\u{feff}id,x,y,z,vx,vy,vz\r\n1, 4,5,6,0,0,1\r\n0,1,2,3,0,0,1e0\r\n").unwrap();
        let saved = read_state(&path, Numeric::F64).unwrap();
        assert_eq!(saved.state.boids[0].position, [1.0, 2.0, 3.0]);
        assert_eq!(saved.state.boids[1].position, [4.0, 5.0, 6.0]);
        assert!(!saved.has_step && !saved.has_predators);
        fs::write(&path, "id,kind,x,y,z,vx,vy,vz,group\n0,predator,1,2,3,0,0,1,\n0,boid,4,5,6,0,0,1,7\n")
            .unwrap();
        let saved = read_state(&path, Numeric::F64).unwrap();
        assert_eq!((saved.state.boids[0].group, saved.state.predators[0].position), (7, [1.0, 2.0, 3.0]));
        assert!(!saved.has_step && saved.has_predators);
        fs::write(&path, "id,x,y,z,vx,vy,vz\n").unwrap();
        assert_eq!(read_state(&path, Numeric::F64).unwrap().state, State::default());
    }

    #[test]
    fn predators_beside_an_older_state_are_read_and_beside_a_newer_one_not() {
        let folder = tempfile::tempdir().unwrap();
        let (path, beside) = (folder.path().join("flock.csv"), folder.path().join("flock.predators.csv"));
        fs::write(&path, format!("{BOIDS}\n0,1,2,3,0,0,0,0,0,0\n")).unwrap();
        fs::write(&beside, "step,id,x,y,z,vx,vy,vz\n7,1,4,5,6,0,0,0\n7,0,1,2,3,0,0,1\n").unwrap();
        let saved = read_state(&path, Numeric::F64).unwrap();
        let predator = |position, velocity| Predator { position, velocity };
        let both = [predator([1.0, 2.0, 3.0], [0.0, 0.0, 1.0]), predator([4.0, 5.0, 6.0], [0.0; 3])];
        assert_eq!((saved.state.step, saved.state.boids.len()), (7, 1));
        assert!(saved.has_step && saved.has_predators && saved.state.predators == both);
        // A flock that lost its predators has a file without rows.
        fs::write(&beside, "step,id,x,y,z,vx,vy,vz\n").unwrap();
        let saved = read_state(&path, Numeric::F64).unwrap();
        assert!(!saved.has_step && saved.has_predators && saved.state.predators.is_empty());
        fs::write(&beside, "step,id,x,y,z,vx,vy,vz\n4,0,0,0,0,0,0,1").unwrap();
        let message = read_state(&path, Numeric::F64).unwrap_err().message;
        assert!(
            message.ends_with("flock.predators.csv: line 2 is incomplete: the file was cut off"),
            "{message}"
        );
        write_state(&path, &State { step: 9, ..saved.state }, Numeric::F64, Existing::Replace).unwrap();
        assert_eq!(read_state(&path, Numeric::F64).unwrap().state.step, 9);
        // An older trajectory has no predators, and none beside it.
        fs::write(&path, "step,id,x,y,z,vx,vy,vz\n3,0,1,2,3,0,0,0\n5,0,4,5,6,0,0,0\n").unwrap();
        let saved = read_state(&path, Numeric::F64).unwrap();
        assert_eq!((saved.state.step, saved.state.boids[0].position), (5, [4.0, 5.0, 6.0]));
        assert!(saved.has_step && !saved.has_predators);
    }

    /// Two boids and a predator at each of these steps.
    fn trajectory(steps: &[u64]) -> Vec<State> {
        let boid = |x: f64| Boid { position: [x, 0.1, -2.5], velocity: [1.0, 0.0, 1e-9], ..Boid::default() };
        let state = |step: &u64| State {
            step: *step,
            boids: vec![boid(*step as f64), boid(0.3)],
            predators: vec![Predator { position: [*step as f64; 3], velocity: [0.1; 3] }],
        };
        steps.iter().map(state).collect()
    }

    fn text_of(states: &[State]) -> String {
        let mut text = format!("{HEADER}\n").into_bytes();
        states.iter().for_each(|state| write_state_rows(&mut text, state, Numeric::F64).unwrap());
        String::from_utf8(text).unwrap()
    }

    /// A kill may come at any byte.
    #[test]
    fn a_killed_runs_file_is_read_up_to_its_last_whole_state() {
        let folder = tempfile::tempdir().unwrap();
        let states = trajectory(&[3, 10, 12]);
        let text = text_of(&states);
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        let part = folder.path().join(".run.x1Y2z3.murmuration-part.csv");
        for length in ends[0]..=text.len() {
            fs::write(&part, &text[..length]).unwrap();
            // Only a row of the second state tells that the first is whole.
            let whole = [4, 6, 9].iter().filter(|rows| ends[**rows] <= length).count();
            assert_eq!(recorded(&part).unwrap(), states[..whole], "{length} of {} bytes", text.len());
            match read_state(&part, Numeric::F64) {
                Ok(saved) => assert_eq!(Some(&saved.state), states[..whole].last()),
                Err(error) => assert!(whole == 0 && error.message.ends_with(NO_STATE), "{error}"),
            }
        }
        let saved = read_state(&part, Numeric::F64).unwrap();
        assert!(saved.has_step && saved.has_predators);
        // The control: under another name, it is no more than a file with a fault.
        let path = folder.path().join("run.csv");
        let [whole, rows_less, bytes_less] = [text.len(), ends[7], text.len() - 1];
        for (length, problem) in [
            (whole, ""),
            (rows_less, "line 8: step 12 has 1 boids and 0 predators, but must have 2 and 1 like step 3"),
            (bytes_less, "line 10 is incomplete: the file was cut off"),
        ] {
            fs::write(&path, &text[..length]).unwrap();
            let message = recorded(&path).err().map(|error| error.message).unwrap_or_default();
            assert!(message.ends_with(problem) && message.is_empty() == problem.is_empty(), "{message}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("flock.csv");
        let row = [HEADER.as_bytes(), b"\n0,0,\xff,0,0,0,0,0,0,0,0,0\n"].concat();
        for (bytes, why) in
            [(&b"\x89PNG\r\n\x1a\n\0\0"[..], "line 1 is not UTF-8 text"), (&row, "line 2 is not UTF-8 text")]
        {
            fs::write(&path, bytes).unwrap();
            let message = read_state(&path, Numeric::F32).unwrap_err().message;
            assert!(message.ends_with(&format!("flock.csv: {why}")), "{message}");
        }
    }
}
