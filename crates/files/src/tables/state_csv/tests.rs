use std::fs;

use proptest::prelude::*;

use super::*;
use crate::failure::FailureKind;

const HEADER: &str = "id,x,y,z,vx,vy,vz,group,bias,rest";

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
    read_state(&path, numeric).unwrap()
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
    let predators = prop::collection::vec(predator, 1..4);
    let steps = (0..=u32::MAX).prop_map(u64::from);
    (steps, prop::collection::vec(boid, 0..20), predators).prop_map(|(step, boids, predators)| State {
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
    assert_eq!(text, format!("{HEADER}\n0,0.1,-0.0,1e-30,0.0,0.0,0.0,0,0.0,0\n"));
    assert!(!predators_path(&path).exists());
}

#[test]
fn takes_any_order_and_fewer_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flock.csv");
    fs::write(&path, "\u{feff}id,x,y,z,vx,vy,vz\r\n1, 4,5,6,0,0,1\r\n0,1,2,3,0,0,1e0\r\n").unwrap();
    let state = read_state(&path, Numeric::F64).unwrap();
    assert_eq!(state.boids[0].position, [1.0, 2.0, 3.0]);
    assert_eq!(state.boids[1].position, [4.0, 5.0, 6.0]);
    fs::write(&path, "id,x,y,z,vx,vy,vz\n").unwrap();
    assert_eq!(read_state(&path, Numeric::F64).unwrap(), State::default());
}

#[test]
fn predators_of_an_older_run_do_not_stay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flock.csv");
    let hunted = State { step: 7, predators: vec![Predator::default(); 2], ..State::default() };
    write_state(&path, &hunted, Numeric::F32, Existing::Replace).unwrap();
    assert_eq!(read_state(&path, Numeric::F32).unwrap(), hunted);
    write_state(&path, &State::default(), Numeric::F32, Existing::Replace).unwrap();
    assert_eq!(read_state(&path, Numeric::F32).unwrap(), State::default());
}

#[test]
fn a_state_and_its_predators_get_other_names_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flock.csv");
    let hunted = State { step: 7, predators: vec![Predator::default(); 2], ..State::default() };
    for (taken, state, expected) in [
        ("flock.csv", &hunted, "flock-2.csv and flock-2.predators.csv"),
        ("flock.predators.csv", &hunted, "flock-3.csv and flock-3.predators.csv"),
        // It would be read with the state.
        ("flock.predators.csv", &State::default(), "flock-4.csv"),
    ] {
        let file = StateFile::create(&path, !state.predators.is_empty(), Existing::Keep).unwrap();
        fs::write(folder.path().join(taken), "of another program").unwrap();
        let message = file.fill(state, Numeric::F32).unwrap_err().message;
        let message = message.replace(&format!("{}/", folder.path().display()), "");
        assert_eq!(message, format!("cannot write {taken}: the file exists; the result is in {expected}"));
        let first = folder.path().join(expected.split(' ').next().unwrap());
        assert_eq!(&read_state(&first, Numeric::F32).unwrap(), state);
        assert_eq!(fs::read_to_string(folder.path().join(taken)).unwrap(), "of another program");
        fs::remove_file(folder.path().join(taken)).unwrap();
    }
}

#[test]
fn lines_of_a_file_from_windows_are_counted() {
    let text = format!("{HEADER}\n0,0,0,0,0,0,0,0,0,0\n\n1,0,0,0,abc,0,0,0,0,0\n").replace('\n', "\r\n");
    assert_eq!(refusal(text.as_bytes()), "flock.csv: line 4, column vx: 'abc'; it must be a number");
    let message = refusal(HEADER.replace(',', ";").as_bytes());
    assert_eq!(message, "flock.csv: line 1 has no comma; columns must be separated by ',', not by ';'");
}

#[test]
fn predators_stand_beside() {
    let beside = |path: &str| predators_path(Path::new(path)).to_str().unwrap().to_owned();
    assert_eq!(beside("a/flock.csv"), "a/flock.predators.csv");
    assert_eq!(beside("flock"), "flock.predators.csv");
    assert_eq!(beside("v1.2"), "v1.2.predators.csv");
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
    let rows = |rows: &str| refusal(format!("{HEADER}\n{rows}").as_bytes());
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
    assert_eq!(
        rows(&format!("{good}\n{good}")),
        "flock.csv: line 3, column id: 0 is there twice, first in line 2"
    );
    assert_eq!(
        rows(&format!("{good}\n2,0,0,0,0,0,0,0,0,0")),
        "flock.csv: line 3, column id: 2; 2 rows must have the ids 0 to 1"
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
fn refuses_other_headers_and_files() {
    assert_eq!(
        refusal(b"id,x,y,z,vx,vy,speed\n"),
        "flock.csv: line 1: unknown column 'speed'; the header must be id,x,y,z,vx,vy,vz,group,bias,rest (the last 3 may be missing)"
    );
    assert!(refusal(b"id,y,x,z,vx,vy,vz\n").contains("line 1: column 2 is 'y'; the header must be id,x"));
    assert!(refusal(b"id,x,y\n").contains("column 'z' is missing"));
    assert!(refusal(format!("{HEADER},more\n").as_bytes()).contains("unknown column 'more'"));
    assert!(refusal(b"").starts_with("flock.csv: it is empty; the first line must be id,x,y"));
    assert!(refusal(b"\n\n").contains("it is empty"));
    assert!(refusal(b"\x89PNG\r\n\x1a\n\0\0").contains("it is not UTF-8 text"));
    assert!(
        refusal(&[HEADER.as_bytes(), b"\n0,\xff,0,0,0,0,0,0,0,0"].concat())
            .contains("line 2: it is not UTF-8 text")
    );
    let folder = tempfile::tempdir().unwrap();
    let error = read_state(folder.path(), Numeric::F32).unwrap_err();
    assert!(error.message.ends_with(": it is a folder, a file is needed"), "{error}");
    let error = read_state(&folder.path().join("no.csv"), Numeric::F32).unwrap_err();
    assert!(error.message.ends_with("no.csv: no such file or folder"), "{error}");
}

#[test]
fn faults_of_the_predators_name_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flock.csv");
    fs::write(&path, format!("{HEADER}\n")).unwrap();
    fs::write(predators_path(&path), "step,id,x,y,z,vx,vy,vz\n4,0,0,0,0,0,0,0\n5,1,0,0,0,0,0,0\n").unwrap();
    let message = read_state(&path, Numeric::F32).unwrap_err().message;
    assert!(message.contains("flock.predators.csv: line 3, column step: '5'; it must be 4"), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_has_no_place_for_predators() {
    let hunted = State { predators: vec![Predator::default()], ..State::default() };
    let error = write_state(Path::new("/dev/null"), &hunted, Numeric::F32, Existing::Replace).unwrap_err();
    assert!(error.message.starts_with("/dev/null: the predators need a file beside it"), "{error}");
    write_state(Path::new("/dev/null"), &State::default(), Numeric::F32, Existing::Replace).unwrap();
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
