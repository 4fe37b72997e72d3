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
