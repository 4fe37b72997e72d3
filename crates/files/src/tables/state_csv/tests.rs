use std::fs;

use proptest::prelude::*;

use super::*;
use crate::failure::FailureKind;
use crate::rows::write_state_rows;

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

/// Any finite number, of every size, with both zeros and the subnormal ones.
fn finite(numeric: Numeric) -> BoxedStrategy<f64> {
    match numeric {
        Numeric::F32 => any::<u32>()
            .prop_map(f32::from_bits)
            .prop_filter("finite", |x| x.is_finite())
            .prop_map(f64::from)
            .boxed(),
        Numeric::F64 | Numeric::Fixed => {
            any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite()).boxed()
        }
    }
}

fn any_state(numeric: Numeric) -> impl Strategy<Value = State> {
    let vector = || prop::array::uniform3(finite(numeric));
    let bias = (0.0_f32..=1.0).prop_map(f64::from);
    let boid = (vector(), vector(), bias, 0_u32..3, -1_i32..=65_535)
        .prop_map(|(position, velocity, bias, group, rest)| Boid { position, velocity, bias, group, rest });
    let predator = (vector(), vector()).prop_map(|(position, velocity)| Predator { position, velocity });
    let predators = prop::collection::vec(predator, 0..4);
    let steps = (0..=u32::MAX).prop_map(u64::from);
    (steps, prop::collection::vec(boid, 1..20), predators).prop_map(|(step, boids, predators)| State {
        step,
        boids,
        predators,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn f32_comes_back_with_the_same_bits(state in any_state(Numeric::F32)) {
        prop_assert_eq!(bits(&round_trip(&state, Numeric::F32)), bits(&state));
    }

    #[test]
    fn f64_comes_back_with_the_same_bits(state in any_state(Numeric::F64)) {
        prop_assert_eq!(bits(&round_trip(&state, Numeric::F64)), bits(&state));
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
fn f32_is_written_short() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flock.csv");
    let boid = Boid { position: [f64::from(0.1_f32), -0.0, 1e-30], ..Boid::default() };
    write_state(&path, &State { boids: vec![boid], ..State::default() }, Numeric::F32, Existing::Replace)
        .unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text, format!("{HEADER}\n0,0,boid,0.1,-0.0,1e-30,0.0,0.0,0.0,0,0.0,0\n"));
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
    assert!(message.ends_with("flock.predators.csv: line 2 has no end: the file is cut short"), "{message}");
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

#[test]
fn a_trajectory_is_read_state_by_state_and_its_last_is_a_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.csv");
    let states = trajectory(&[3, 10]);
    fs::write(&path, text_of(&states)).unwrap();
    assert_eq!(recorded(&path).unwrap(), states);
    let saved = read_state(&path, Numeric::F64).unwrap();
    assert!(saved.state == states[1] && saved.has_step && saved.has_predators);
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
    // The control: under another name, it is no more than a file with a fault.
    let path = folder.path().join("run.csv");
    let [whole, rows_less, bytes_less] = [text.len(), ends[7], text.len() - 1];
    for (length, problem) in [
        (whole, ""),
        (rows_less, "line 8: step 12 has 1 boids and 0 predators; it must have 2 and 1, as step 3"),
        (bytes_less, "line 10 has no end: the file is cut short"),
    ] {
        fs::write(&path, &text[..length]).unwrap();
        let message = recorded(&path).map_err(|error| error.message).err().unwrap_or_default();
        assert!(message.ends_with(problem) && message.is_empty() == problem.is_empty(), "{message}");
    }
}

#[test]
fn lines_of_a_file_from_windows_are_counted() {
    let text = format!("{BOIDS}\n0,0,0,0,0,0,0,0,0,0\n\n1,0,0,0,abc,0,0,0,0,0\n").replace('\n', "\r\n");
    assert_eq!(refusal(text.as_bytes()), "flock.csv: line 4, column vx: 'abc'; it must be a number");
    let message = refusal(HEADER.replace(',', ";").as_bytes());
    assert_eq!(message, "flock.csv: line 1 has no comma; columns must be separated by ',', not by ';'");
}

#[test]
fn a_word_stands_before_the_ending() {
    let named = |path: &str| path_with(Path::new(path), 100).to_str().unwrap().to_owned();
    assert_eq!(named("a/flock.csv"), "a/flock.100.csv");
    assert_eq!(named("flock"), "flock.100.csv");
    assert_eq!(named("v1.2"), "v1.2.100.csv");
}

/// The message for a file of these bytes, without the folder.
fn refusal(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flock.csv");
    fs::write(&path, bytes).unwrap();
    let error = read_state(&path, Numeric::F32).unwrap_err();
    assert_eq!(error.kind, FailureKind::Usage);
    let message = error.message;
    assert_eq!(message.lines().count(), 1);
    message.replace(&format!("{}/", folder.path().display()), "")
}

#[test]
fn names_line_column_value_and_what_is_allowed() {
    let rows = |rows: &str| refusal(format!("{BOIDS}\n{rows}").as_bytes());
    let good = "0,0,0,0,0,0,0,0,0,0";
    assert_eq!(
        rows(&format!("{good}\n1,0,0,0,abc,0,0,0,0,0\n")),
        "flock.csv: line 3, column vx: 'abc'; it must be a number"
    );
    assert_eq!(rows("0,NaN,0,0,0,0,0,0,0,0"), "flock.csv: line 2, column x: 'NaN'; it must be a finite f32");
    assert!(rows("0,0,-inf,0,0,0,0,0,0,0").contains("column y: '-inf'; it must be a finite f32"));
    assert!(rows("0,0,0,1e39,0,0,0,0,0,0").contains("column z: '1e39'; it must be a finite f32"));
    assert!(rows("0,,0,0,0,0,0,0,0,0").contains("column x: ''; it must be a number"));
    assert_eq!(rows("0,0,0"), "flock.csv: line 2 is short: 3 values, the header names 10");
    assert!(rows(&format!("{good},5")).contains("line 2 is long: 11 values, the header names 10"));
    assert_eq!(rows(&format!("{good}\n{good}")), "flock.csv: line 3: duplicate boid 0, first in line 2");
    assert_eq!(
        rows(&format!("{good}\n2,0,0,0,0,0,0,0,0,0")),
        "flock.csv: line 3, column id: 2; 2 boids must have the ids 0 to 1"
    );
    assert!(
        rows("-1,0,0,0,0,0,0,0,0,0")
            .contains("column id: '-1'; it must be a whole number from 0 to 4294967295")
    );
    assert!(rows("0,0,0,0,0,0,0,8,0,0").contains("column group: '8'; it must be a whole number from 0 to 7"));
    assert!(rows("0,0,0,0,0,0,0,0,1.5,0").contains("column bias: '1.5'; it must be a number from 0 to 1"));
    assert!(rows("0,0,0,0,0,0,0,0,0,-2").contains("column rest: '-2'; it must be a whole number from -1 to"));
    let long = rows(&format!("0,{}\n,0,0,0,0,0,0,0,0", "é\"\t".repeat(60)));
    assert!(long.len() < 300, "{long}");
}

#[test]
fn faults_of_steps_and_kinds_are_named_by_line() {
    let boid = "0,0,0,1,0,0,0,0,0";
    let predator = "0,0,0,1,0,0,,,";
    for (rows, message) in [
        (format!("5,0,boid,{boid}\n4,0,boid,{boid}\n"), "line 3, column step: '4'; it must be 5 or more"),
        (format!("-1,0,boid,{boid}\n"), "line 2, column step: '-1'; it must be a whole number from 0 to 42"),
        (format!("5,0,bird,{boid}\n"), "line 2, column kind: 'bird'; it must be boid or predator"),
        (format!("5,0,predator,{boid}\n"), "line 2, column group: '0'; it must be empty for a predator"),
        (format!("5,0,boid,{predator}\n"), "line 2, column group: ''; it must be a whole number from 0 to 7"),
        (
            format!("5,0,predator,{predator}\n5,2,predator,{predator}\n"),
            "line 3, column id: 2; 2 predators must have the ids 0 to 1",
        ),
        (
            format!("5,0,boid,{boid}\n5,0,predator,{predator}\n5,0,predator,{predator}\n"),
            "line 4: duplicate predator 0, first in line 3",
        ),
        (
            format!("5,0,boid,{boid}\n6,0,boid,{boid}\n6,0,predator,{predator}\n"),
            "line 3: step 6 has 1 boids and 1 predators; it must have 1 and 0, as step 5",
        ),
    ] {
        let found = refusal(format!("{HEADER}\n{rows}").as_bytes());
        assert!(found.starts_with(&format!("flock.csv: {message}")), "{found}");
    }
}

#[test]
fn refuses_other_headers_and_files() {
    assert_eq!(
        refusal(b"id,x,y,z,vx,vy,speed\n"),
        format!(
            "flock.csv: line 1: unknown column 'speed'; the header must be {HEADER} (step, kind, group, bias, rest may \
             be missing)"
        )
    );
    assert!(refusal(b"id,y,x,z,vx,vy,vz\n").contains("line 1: column 2 is 'y'; the header must be step,id"));
    assert!(refusal(b"id,x,y\n").contains("column 'z' is missing"));
    assert!(refusal(b"kind,id,x,y,z,vx,vy,vz\n").contains("line 1: column 1 is 'kind'"));
    assert!(refusal(format!("{HEADER},more\n").as_bytes()).contains("unknown column 'more'"));
    assert!(refusal(b"").starts_with("flock.csv: it is empty; the first line must be step,id,kind"));
    assert!(refusal(b"\n\n").contains("it is empty"));
    assert!(refusal(b"\x89PNG\r\n\x1a\n\0\0").contains("it is not UTF-8 text"));
    assert!(
        refusal(&[HEADER.as_bytes(), b"\n0,0,\xff,0,0,0,0,0,0,0,0,0\n"].concat())
            .contains("line 2: it is not UTF-8 text")
    );
    let folder = tempfile::tempdir().unwrap();
    let error = read_state(folder.path(), Numeric::F32).unwrap_err();
    assert!(error.message.ends_with(": it is a folder, a file is needed"), "{error}");
    let error = read_state(&folder.path().join("no.csv"), Numeric::F32).unwrap_err();
    assert!(error.message.ends_with("no.csv: no such file or folder"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named() {
    let error =
        write_state(Path::new("/dev/full"), &State::default(), Numeric::F32, Existing::Replace).unwrap_err();
    assert_eq!(
        (error.message.as_str(), error.kind),
        ("cannot write /dev/full: the disk is full", FailureKind::Work)
    );
}
