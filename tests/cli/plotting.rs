//! Plots of tables and of profiles: what is drawn. `calls/plot.txt` has what is refused.

use super::Folder;

/// Two keys, two seeds: the mean of key a = 2 is 0.5 for b = 10.
const RUNS: &str = "run,a.key,b.key,seed,steps,polarization_mean,polarization_sem,milling_mean,hash
0,1,10,1,5,0.2,0.1,0.9,00
1,1,10,2,5,0.4,0.1,0.7,00
2,2,10,1,5,0.4,0.1,0.5,00
3,2,10,2,5,0.6,0.1,0.3,00
4,1,20,1,5,0.9,0.1,0.1,00
5,2,20,1,5,1.0,0.1,,00
";

const SUMMARY: &str = "a.key,polarization_mean,polarization_ci_low,polarization_ci_high
1,0.3,0.2,0.4
2,0.5,0.45,0.55
";

const BLUE: &str = "#0072b2";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("runs.csv", RUNS);
    folder.write("summary.csv", SUMMARY);
    folder.write("groups.csv", "step,group,polarization\n0,0,0.1\n0,1,0.9\n1,0,0.2\n1,1,0.8\n");
    folder.write(
        "words.csv",
        "run,world.edges,noise.weight,seed,milling_mean\n0,open,0,1,0.5\n1,open,1,1,0.7\n2,wrap,0,1,0.1\n",
    );
    folder.write("one.csv", "step,mean_speed\n7,0.03\n");
    folder
}

fn plot(folder: &Folder, call: &str) -> String {
    folder.done(&format!("plot {call} -o a.svg --yes"));
    folder.read("a.svg")
}

/// The numbers of paths of this colour, each as x, y, x, y…
fn lines(svg: &str, colour: &str) -> Vec<Vec<f64>> {
    let mine = svg.lines().filter(|line| line.contains(&format!("fill=\"none\" stroke=\"{colour}\"")));
    mine.map(|line| {
        let path = line.split('"').nth(1).expect("a path");
        path.split(|c: char| !c.is_ascii_digit() && c != '.')
            .filter_map(|number| number.parse().ok())
            .collect()
    })
    .collect()
}

/// The curve over two places.
fn curve(svg: &str, colour: &str) -> Vec<f64> {
    let lines = lines(svg, colour);
    lines.into_iter().find(|line| line.len() == 4 && line[1] != line[3]).expect("a curve")
}

/// The bars of two means, each with two caps.
fn bars(svg: &str) -> Vec<f64> {
    lines(svg, BLUE).into_iter().find(|line| line.len() == 24).expect("bars of two means")
}

#[test]
fn curves_pass_through_the_means_of_their_rows() {
    let folder = folder();
    let svg = plot(&folder, "runs.csv -x a.key -y polarization --by b.key");
    // The axes: y from 0 at the lower edge, where the tick of 0 is; both curves over the same two places.
    let (blue, orange) = (curve(&svg, BLUE), curve(&svg, "#d55e00"));
    assert_eq!((blue[0], blue[2]), (orange[0], orange[2]));
    // Means 0.3 and 0.5 of one, values 0.9 and 1.0 of the other: on one scale.
    let (scale, upper) = ((blue[1] - blue[3]) / 0.2, (orange[1] - orange[3]) / 0.1);
    assert!((scale / upper - 1.0).abs() < 0.01 && ((blue[1] - orange[1]) / scale - 0.6).abs() < 0.01);
    // Student's t with one degree of freedom: ± 12.706 · 0.1, cut to the range: the bars span all of the axis.
    let of = bars(&svg);
    assert!(((of[1] - of[3]) / scale - 1.0).abs() < 0.01, "{of:?}");
    // The table that states its own has others.
    let svg = plot(&folder, "summary.csv");
    let (curve, of) = (curve(&svg, BLUE), bars(&svg));
    let scale = (curve[1] - curve[3]) / 0.2;
    assert!(((of[1] - of[3]) / scale - 0.2).abs() < 0.005, "{of:?}");
    assert!(((of[13] - of[15]) / scale - 0.1).abs() < 0.005, "{of:?}");
}

/// Rows of one point may differ in their seed alone, unless the call asks for a mean over more.
#[test]
fn a_plot_says_what_it_shows() {
    let folder = folder();
    folder.write("near.csv", &SUMMARY.replace("polarization", "nearest_mean"));
    folder.done("run --preset yabi -n 40 --engine cpu --steps 20 --metrics m.csv --quiet");
    folder.write("again.csv", &folder.read("m.csv"));
    for (call, parts) in [
        ("runs.csv", &[">polarization against a.key<"][..]),
        (
            "runs.csv -x a.key -y polarization --by b.key",
            &[
                ">a.key<",
                ">b.key<",
                ">10<",
                ">20<",
                ">0.6<",
                ">runs.csv<",
                "means of 1 to 2 rows; bars: 95 % confidence by Student",
            ],
        ),
        ("summary.csv", &["bars: 95 % confidence<"]),
        // A measure that is itself a mean has bars, too, by either name.
        ("near.csv -y nearest_mean", &["bars: 95 % confidence<"]),
        ("near.csv -y nearest_mean_mean", &["bars: 95 % confidence<"]),
        // Groups are curves of their own, and words have no place along x; one sample is a dot.
        ("groups.csv -y polarization", &[">group<"]),
        ("words.csv", &[">milling against noise.weight<"]),
        ("one.csv", &["Z\" fill=\"#0072b2\"/>"]),
        ("m.csv", &[">polarization and milling against step<", ">milling<"]),
        ("m.csv again.csv -x step -y heading --by file", &[">again.csv<"]),
        ("runs.csv -x polarization --kind histogram", &[">6 rows<"]),
        ("runs.csv -y polarization,milling --facet b.key", &[">b.key = 10<", ">b.key = 20<"]),
        ("runs.csv -x a.key --by seed --mean-over b.key", &["also means over b.key"]),
        ("runs.csv -x seed --by a.key --kind heat --mean-over b.key", &[", also over b.key"]),
    ] {
        let svg = plot(&folder, call);
        for part in parts {
            assert!(svg.contains(part), "{call}: {part}");
        }
    }
    assert!(!plot(&folder, "groups.csv -y polarization").contains("means of"));
    let svg = plot(&folder, "m.csv");
    let long = |colour| lines(&svg, colour).iter().any(|line| line.len() == 2 * 21);
    assert!(long(BLUE) && long("#d55e00") && !long("#009e73"));
}

#[test]
fn cells_have_the_colours_of_their_values() {
    let folder = folder();
    let heat = plot(&folder, "runs.csv -x a.key -y polarization --by b.key --kind heat");
    // The least value, 0.3, is viridis' darkest, the greatest its lightest; 0.9 lies at 6/7 of the range.
    for colour in ["#440154", "#fde725", "#9fd939"] {
        assert!(heat.contains(&format!("fill=\"{colour}\"")), "{colour}: {heat}");
    }
    // An empty cell has no mean: its place stays white.
    let empty = plot(&folder, "runs.csv -x a.key -y milling --by b.key --kind heat");
    let filled =
        |svg: &str| svg.lines().filter(|line| line.contains("fill=\"#") && line.contains("<path")).count();
    assert_eq!(filled(&empty) + 1, filled(&heat));
}
