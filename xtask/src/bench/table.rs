//! The results as Markdown, for `docs/benchmarks.md` to quote.

use std::fmt::Write as _;
use std::process::Command;

use serde_json::Value;

use super::plan::Run;
use crate::shell;

/// The supported version of the JSON of `profile`.
const FORMAT: u64 = 1;

/// A finished run.
#[derive(Clone, Debug)]
pub struct Finished {
    pub run: Run,
    pub outcome: Outcome,
}

/// The outcome of a run.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The JSON of `profile`.
    Measured(Value),
    /// The error message.
    Failed(String),
}

/// The machine and the version of the program, in one line.
pub fn machine() -> String {
    let commit =
        shell::read(Command::new("git").args(["describe", "--always", "--dirty"]).current_dir(shell::root()));
    let commit = commit.unwrap_or_else(|| "an unknown commit".to_owned());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (system, kind) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{}, {threads} threads, {system} on {kind}; murmuration at {commit}", processor())
}

/// The name of the processor, where the system provides it.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let linux = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let linux = linux.map(|(_, name)| name.trim().to_owned());
    let mac = || shell::read(Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"]));
    let windows = || std::env::var("PROCESSOR_IDENTIFIER").ok();
    linux.or_else(mac).or_else(windows).unwrap_or_else(|| "a processor that tells no name".to_owned())
}

/// The table of all finished runs.
pub fn markdown(machine: &str, finished: &[Finished]) -> String {
    let mut text = format!(
        "# Results of `cargo xtask bench`\n\n{machine}.\n\nTimes are medians; the spread is from the least to the \
         most of the repeats, as a share of the median.\n"
    );
    for Finished { run, outcome } in finished {
        let _ = write!(text, "\n## {}\n\n", run.title);
        match outcome {
            Outcome::Failed(why) => {
                let _ = writeln!(text, "Failed: {why}");
            }
            Outcome::Measured(json) if json["rows"].is_array() => text += &comparison(json),
            Outcome::Measured(json) if json["format"] != FORMAT => {
                let _ =
                    writeln!(text, "`{}.json` has another form than {FORMAT}: {}", run.name, json["format"]);
            }
            Outcome::Measured(json) => text += &section(json),
        }
        let _ = writeln!(text, "\n```sh\nmurmuration profile {}\n```", run.words.join(" "));
    }
    text
}

fn section(json: &Value) -> String {
    let word = |key: &str| json[key].as_str().unwrap_or_default();
    let driver =
        if word("driver").is_empty() { String::new() } else { format!(", driver {}", word("driver")) };
    let mut text = format!("{}{driver}. Passes by {}.\n\n", word("engine"), word("timed_by"));
    text += "| boids | state | ms a step | spread | ns a boid | ps a candidate | candidates | neighbours | passes |\n";
    text += "|---:|---|---:|---:|---:|---:|---:|---:|---|\n";
    for point in json["points"].as_array().into_iter().flatten() {
        text += &row(point);
    }
    let rates: Vec<String> = json["rates"].as_array().into_iter().flatten().filter_map(rate).collect();
    if !rates.is_empty() {
        let _ = writeln!(text, "\nLargest flock: {}.", rates.join("; "));
    }
    if let Some(why) = json["stopped"].as_str() {
        let _ = writeln!(text, "\nStopped: {why}");
    }
    text
}

/// Two configurations, timed alternately.
fn comparison(json: &Value) -> String {
    let word = |key: &str| json[key].as_str().unwrap_or_default();
    let mut text = format!("A: {}. B: {}.\n\n", word("a"), word("b"));
    text +=
        "| boids | state | | ms, A | ms, B | B/A | least | most |\n|---:|---|---|---:|---:|---:|---:|---:|\n";
    for row in json["rows"].as_array().into_iter().flatten() {
        let number = |value: &Value, scale: f64| figures(value.as_f64().unwrap_or(f64::NAN) / scale);
        let ratio = ["median", "least", "most"].map(|key| number(&row["ratio"][key], 1.0));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            row["boids"],
            row["state"].as_str().unwrap_or("–"),
            row["pass"].as_str().unwrap_or("**whole step**"),
            number(&row["a_ns"]["median"], 1e6),
            number(&row["b_ns"]["median"], 1e6),
            ratio.join(" | "),
        );
    }
    if json["interrupted"] == true {
        text += "\nInterrupted: what was measured until then.\n";
    }
    text
}

fn row(point: &Value) -> String {
    let number = |value: &Value| value.as_f64().map_or_else(|| "–".to_owned(), figures);
    let step = &point["step_ns"];
    let median = step["median"].as_f64().unwrap_or(f64::NAN);
    let width =
        (step["most"].as_f64().unwrap_or(f64::NAN) - step["least"].as_f64().unwrap_or(f64::NAN)) / median;
    let steady = if point["steady"] == false { ", not steady" } else { "" };
    format!(
        "| {} | {}{steady} | {} | {:.0} % | {} | {} | {} | {} | {} |\n",
        point["boids"],
        point["state"].as_str().unwrap_or("–"),
        figures(median / 1e6),
        100.0 * width,
        number(&point["boid_ns"]),
        number(&point["candidate_ps"]),
        number(&point["candidates"]),
        number(&point["neighbours"]),
        passes(&point["passes"]),
    )
}

/// The passes that take at least 1 % of their sum, the longest first.
fn passes(passes: &Value) -> String {
    let of = |pass: &Value| Some((pass["name"].as_str()?.to_owned(), pass["ns"]["median"].as_f64()?));
    let mut all: Vec<(String, f64)> = passes.as_array().into_iter().flatten().filter_map(of).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    let sum: f64 = all.iter().map(|(_, time)| time).sum();
    let large = all.iter().filter(|(_, time)| *time >= 0.01 * sum);
    let shares: Vec<String> =
        large.map(|(name, time)| format!("{name} {:.0} %", 100.0 * time / sum)).collect();
    shares.join(", ")
}

fn rate(rate: &Value) -> Option<String> {
    let (frames, boids) = (rate["frames_per_s"].as_u64()?, rate["boids"].as_u64()?);
    let drawn = if rate["drawn"] == true { "drawn" } else { "not drawn" };
    Some(format!(
        "{} {boids} at {frames} a second, {}, {drawn}",
        rate["bound"].as_str()?,
        rate["state"].as_str()?
    ))
}

/// A number with three significant digits.
fn figures(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let decimals =
        if value == 0.0 { 0 } else { (2 - value.abs().log10().floor() as i32).clamp(0, 6) as usize };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run(name: &str) -> Run {
        Run {
            name: name.to_owned(),
            title: format!("Flock {name}"),
            words: vec!["--preset".into(), name.into()],
            plot: false,
        }
    }

    fn measured() -> Value {
        let pass = |name: &str, time: f64| json!({ "name": name, "ns": { "median": time } });
        json!({
            "format": 1, "engine": "gpu, f32, A GPU", "driver": "Driver 7", "timed_by": "GPU timestamps",
            "points": [{
                "boids": 1000, "state": "settled", "steady": false, "boid_ns": 12.345, "candidate_ps": null,
                "step_ns": { "median": 1.5e6, "least": 1.2e6, "most": 1.8e6 }, "candidates": 59.44,
                "neighbours": 8, "passes": [pass("order", 9.0), pass("reduce_totals", 0.5), pass("step", 90.5)],
            }],
            "rates": [{ "frames_per_s": 60, "state": "settled", "drawn": false, "bound": "about", "boids": 123 }],
            "stopped": "interrupted",
        })
    }

    #[test]
    fn a_table_says_device_times_and_how_to_repeat_them() {
        let finished = [Finished { run: run("a"), outcome: Outcome::Measured(measured()) }];
        let text = markdown("A machine", &finished);
        for part in [
            "A machine.",
            "## Flock a",
            "gpu, f32, A GPU, driver Driver 7. Passes by GPU timestamps.",
            "| 1000 | settled, not steady | 1.50 | 40 % | 12.3 | – | 59.4 | 8.00 | step 90 %, order 9 % |",
            "Largest flock: about 123 at 60 a second, settled, not drawn.",
            "Stopped: interrupted",
            "murmuration profile --preset a\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn a_comparison_says_both_times_and_their_ratio() {
        let spread = |median: f64| json!({ "median": median, "least": 0.9 * median, "most": 1.1 * median });
        let row = |pass: Value| json!({ "boids": 10, "state": "start", "pass": pass, "a_ns": spread(2e6), "b_ns": spread(1e6), "ratio": spread(0.5) });
        let json = json!({ "a": "one", "b": "other", "rows": [row(Value::Null), row("order".into())], "interrupted": false });
        let text = markdown("A machine", &[Finished { run: run("a"), outcome: Outcome::Measured(json) }]);
        for part in [
            "A: one. B: other.",
            "| 10 | start | **whole step** | 2.00 | 1.00 | 0.500 | 0.450 | 0.550 |",
            "| 10 | start | order | 2.00 |",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("Interrupted"));
    }

    #[test]
    fn what_failed_and_what_is_not_understood_stay_in_the_table() {
        let failed = Finished { run: run("a"), outcome: Outcome::Failed("no room".into()) };
        let strange = Finished { run: run("b"), outcome: Outcome::Measured(json!({ "format": 99 })) };
        let text = markdown("A machine", &[failed, strange]);
        assert!(
            text.contains("Failed: no room") && text.contains("`b.json` has another form than 1: 99"),
            "{text}"
        );
    }

    #[test]
    fn three_digits_tell() {
        assert_eq!([0.0, 0.012_345, 12.345, 123_456.0].map(figures), ["0", "0.0123", "12.3", "123456"]);
    }
}
