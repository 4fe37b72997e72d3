//! The plan: short runs, and those quoted most, come first on each device.

use super::device::{Device, DeviceKind};
use super::options::Options;

/// One call of `profile`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The name of its files.
    pub name: String,
    /// The title for display.
    pub title: String,
    /// The options of `profile`.
    pub words: Vec<String>,
    /// True to plot the results.
    pub plot: bool,
}

/// A flock in three dimensions and one in two, both of constant density.
const PRESETS: [&str; 2] = ["murmuration", "cornell"];

/// Default size of the largest flock; larger steps take seconds on a software adapter.
const MOST: u32 = 1_000_000;
const MOST_IN_SOFTWARE: u32 = 100_000;

/// Neighbours of a boid in the dense flocks.
const DENSE: [u32; 4] = [10, 100, 1000, 10_000];
const DENSE_BOIDS: u32 = 20_000;
/// The largest flock of the comparisons.
const COMPARED: u32 = 100_000;
/// Boids per unit of area in `cornell`.
const DENSITY: f64 = 500.0 / (640.0 * 480.0);

/// All runs.
pub fn plan(devices: &[Device], options: &Options) -> Vec<Run> {
    let mut runs = Vec::new();
    for device in devices {
        for preset in PRESETS {
            runs.push(ladder(device, preset, options));
        }
        let dense = if options.quick { &DENSE[..3] } else { &DENSE[..] };
        runs.extend(dense.iter().map(|neighbours| crowded(device, *neighbours)));
        runs.extend(comparisons(device, options));
    }
    runs
}

/// A preset in all sizes.
fn ladder(device: &Device, preset: &str, options: &Options) -> Run {
    let list = sizes(device, options).iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let [repeats, settle] = if options.quick { ["3", "200"] } else { ["5", "1000"] };
    let words = ["--preset", preset, "--boids", &list, "--repeats", repeats, "--settle", settle];
    run(device, preset, format!("{preset}: from a thousand boids up, at the start and settled"), &words, true)
}

/// A flock with this number of neighbours, at the start.
fn crowded(device: &Device, neighbours: u32) -> Run {
    let radius = (f64::from(neighbours) / (std::f64::consts::PI * DENSITY)).sqrt();
    let (alignment, cohesion) =
        (format!("alignment.radius={radius:.1}"), format!("cohesion.radius={radius:.1}"));
    let boids = DENSE_BOIDS.to_string();
    let words = ["--preset", "cornell", "--boids", &boids, "--set", &alignment, "--set", &cohesion];
    let brief = ["--no-drawing", "--settle", "0", "--steps", "2", "--warm-up", "1", "--repeats", "3"];
    let title = format!("cornell: {DENSE_BOIDS} boids, each with about {neighbours} neighbours");
    run(device, &format!("dense-{neighbours}"), title, &[&words[..], &brief[..]].concat(), false)
}

/// Comparisons, timed alternately: integers with f32, kernel with kernel, shaders with and without bounds checks.
fn comparisons(device: &Device, options: &Options) -> Vec<Run> {
    let mut pairs = vec![("fixed", "integers", "f32", vec![], "numeric=fixed".to_owned())];
    if device.kind != DeviceKind::Cpu {
        pairs.push((
            "checks",
            "shaders without checks",
            "with them",
            vec!["--checks", "on"],
            "checks=off".to_owned(),
        ));
    }
    if let [plain, others @ ..] = &device.kernels[..] {
        let first = || vec!["--kernel", plain.as_str()];
        pairs.extend(others.iter().map(|other| {
            (other.as_str(), other.as_str(), plain.as_str(), first(), format!("kernel={other}"))
        }));
    }
    let boids =
        sizes(device, options).into_iter().rfind(|size| *size <= COMPARED).unwrap_or(COMPARED).to_string();
    let [repeats, settle] = if options.quick { ["5", "200"] } else { ["9", "1000"] };
    let mut runs = Vec::new();
    for preset in PRESETS {
        for (name, what, beside, words, versus) in &pairs {
            let common = ["--preset", preset, "--boids", &boids, "--repeats", repeats, "--settle", settle];
            let words = [&common[..], &words[..], &["--versus", versus]].concat();
            let title = format!("{preset}: {what} (B) beside {beside} (A), in turns");
            runs.push(run(device, &format!("{preset}-{name}"), title, &words, false));
        }
    }
    runs
}

fn run(device: &Device, name: &str, title: String, words: &[&str], plot: bool) -> Run {
    let words = device.words.iter().cloned().chain(words.iter().map(|word| (*word).to_owned()));
    Run {
        name: format!("{}-{name}", device.short),
        title: format!("{title}; {}", device.name),
        words: words.collect(),
        plot,
    }
}

/// The sizes 1,000, 3,000, 10,000 and so on up to the largest, which is included.
fn sizes(device: &Device, options: &Options) -> Vec<u32> {
    let usual = if device.kind == DeviceKind::Software { MOST_IN_SOFTWARE } else { MOST };
    let usual = if options.quick { MOST_IN_SOFTWARE.min(usual) } else { usual };
    let room = device.most.and_then(|most| u32::try_from(most).ok()).unwrap_or(u32::MAX);
    let most = options.most.unwrap_or(usual).min(room).max(1000);
    let rungs: &[u32] = if options.quick { &[1] } else { &[1, 3] };
    let decades = (3..=9).map(|power| 10_u32.pow(power));
    let all = decades.flat_map(|decade| rungs.iter().filter_map(move |rung| decade.checked_mul(*rung)));
    let mut sizes: Vec<u32> = all.take_while(|size| *size < most).collect();
    sizes.push(most);
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(kind: DeviceKind, most: Option<u64>) -> Device {
        let words = vec!["--engine".to_owned(), "gpu".to_owned()];
        Device {
            name: "A GPU".to_owned(),
            short: "gpu0".to_owned(),
            words,
            kind,
            most,
            kernels: vec!["plain".into(), "shared".into()],
        }
    }

    fn option(quick: bool, most: Option<u32>) -> Options {
        Options { quick, most, ..Options::default() }
    }

    #[test]
    fn sizes_go_up_to_what_is_asked_for_and_fits() {
        let gpu = device(DeviceKind::Gpu, None);
        let all = sizes(&gpu, &option(false, None));
        assert_eq!(all, [1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000]);
        assert_eq!(sizes(&gpu, &option(true, None)), [1000, 10_000, 100_000]);
        assert_eq!(
            sizes(&gpu, &option(false, Some(4_000_000))).last_chunk(),
            Some(&[1_000_000, 3_000_000, 4_000_000])
        );
        assert_eq!(sizes(&device(DeviceKind::Software, None), &option(false, None)).last(), Some(&100_000));
        assert_eq!(
            sizes(&device(DeviceKind::Gpu, Some(20_000)), &option(true, None)),
            [1000, 10_000, 20_000]
        );
        assert_eq!(sizes(&gpu, &option(true, Some(1000))), [1000]);
    }

    #[test]
    fn every_device_runs_both_presets_and_the_dense_flocks_under_names_of_their_own() {
        let devices = [
            device(DeviceKind::Gpu, None),
            Device { short: "cpu".into(), kernels: Vec::new(), ..device(DeviceKind::Cpu, None) },
        ];
        let runs = plan(&devices, &option(false, None));
        let mut names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
        for name in [
            "gpu0-murmuration",
            "gpu0-cornell",
            "gpu0-dense-10000",
            "cpu-murmuration",
            "cpu-dense-10",
            "cpu-cornell-fixed",
        ] {
            assert!(names.contains(&name), "{name}: {names:?}");
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), runs.len());
        assert!(plan(&devices, &option(true, None)).iter().all(|run| !run.name.ends_with("dense-10000")));
    }

    #[test]
    fn a_device_compares_what_it_can_do() {
        let words = |device: &Device| -> Vec<String> {
            let runs = comparisons(device, &option(true, None));
            runs.iter().map(|run| run.words.join(" ")).filter(|words| words.contains("cornell")).collect()
        };
        let gpu = words(&device(DeviceKind::Gpu, None));
        assert_eq!(gpu.len(), 3);
        assert!(
            gpu[0].ends_with("--boids 100000 --repeats 5 --settle 200 --versus numeric=fixed"),
            "{gpu:?}"
        );
        assert!(gpu[1].ends_with("--checks on --versus checks=off"), "{gpu:?}");
        assert!(gpu[2].ends_with("--kernel plain --versus kernel=shared"), "{gpu:?}");
        let plain = Device { kernels: vec!["plain".into()], ..device(DeviceKind::Software, None) };
        assert_eq!(words(&plain).len(), 2);
        let cpu = Device { kernels: Vec::new(), ..device(DeviceKind::Cpu, None) };
        assert_eq!(words(&cpu).len(), 1);
    }

    #[test]
    fn a_radius_holds_as_many_neighbours_as_it_should() {
        let words = crowded(&device(DeviceKind::Gpu, None), 100).words.join(" ");
        // π r² · 500 / (640 · 480) = 100
        assert!(words.contains("--set alignment.radius=139.8 --set cohesion.radius=139.8"), "{words}");
    }
}
