//! The plots and traces that `profile` writes.

use serde_json::Value;

use super::Folder;

const CALL: &str =
    "profile --preset cornell -n 200,600 --engine cpu --no-drawing --settle 0 --repeats 1 --steps 3 --quiet";

#[test]
fn a_trace_has_every_pass_of_every_step_in_its_place() {
    let folder = Folder::new();
    folder.done(&format!("{CALL} --trace a.json"));
    let trace: Value = serde_json::from_str(&folder.read("a.json")).expect("JSON");
    assert!(trace["otherData"]["device"].as_str().is_some_and(|device| device.starts_with("cpu")));
    let events = trace["traceEvents"].as_array().expect("events");
    let names = |kind: &str| events.iter().filter(|event| event["name"] == kind).count();
    assert_eq!((names("process_name"), names("thread_name")), (2, 4));
    let complete: Vec<&Value> = events.iter().filter(|event| event["ph"] == "X").collect();
    let number = |event: &Value, key: &str| event[key].as_f64().expect("a number");
    for (process, boids) in [(1, 200), (2, 600)] {
        let track = |track: u64| {
            let track = 1000 * process + track;
            let here = |event: &&&Value| event["pid"] == process && event["tid"] == track;
            complete.iter().filter(here).copied().collect::<Vec<_>>()
        };
        let (steps, passes) = (track(1), track(2));
        assert_eq!(steps.len(), 3);
        for all in [&steps, &passes] {
            for pair in all.windows(2) {
                assert!(
                    number(pair[0], "ts") + number(pair[0], "dur") <= number(pair[1], "ts") + 1e-3,
                    "{pair:?}"
                );
            }
        }
        for step in steps {
            assert_eq!((&step["args"]["boids"], &step["args"]["state"]), (&boids.into(), &"start".into()));
            let of = passes.iter().filter(|pass| pass["args"]["step"] == step["args"]["step"]);
            let sum: f64 = of.map(|pass| number(pass, "dur")).sum();
            assert!(sum > 0.0 && (sum - number(step, "dur")).abs() < 1e-3 * sum, "{sum} of {step}");
        }
    }
}

#[test]
fn a_plot_is_a_picture_or_text_and_names_device_and_flock() {
    let folder = Folder::new();
    folder.done(&format!("{CALL} --plot a.svg"));
    let svg = folder.read("a.svg");
    for part in [
        "<svg ",
        "A step of cornell",
        ">whole step</text>",
        ">60 a second: ",
        ">cpu, ",
        "preset cornell, 2-D",
    ] {
        assert!(svg.contains(part), "{part}: {svg}");
    }
    folder.done(&format!("{CALL} --plot a.png"));
    let png = std::fs::read(folder.path("a.png")).expect("a file");
    assert!(png.starts_with(b"\x89PNG") && png.len() > 5000);
    assert_eq!(folder.files(), ["a.png", "a.svg"]);
}
