//! Plots of tables: what is drawn, and what is refused.

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

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("runs.csv", RUNS);
    folder.write("summary.csv", SUMMARY);
    folder
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

#[test]
fn curves_pass_through_the_means_of_their_rows() {
    let folder = folder();
    folder.done("plot runs.csv -x a.key -y polarization --by b.key -o a.svg");
    let svg = folder.read("a.svg");
    for word in ["polarization against a.key", "a.key", "b.key", "10", "20", "0.6", "runs.csv"] {
        assert!(svg.contains(&format!(">{word}</text>")), "{word}");
    }
    assert!(svg.contains("means of 1 to 2 rows; bars: 95 % confidence by Student"));
    // The axes: y from 0 at the lower edge, where the tick of 0 is; both curves over the same two places.
    let [blue, orange] = ["#0072b2", "#d55e00"].map(|colour| lines(&svg, colour));
    let curve = |lines: &[Vec<f64>]| {
        lines.iter().find(|line| line.len() == 4 && line[1] != line[3]).expect("a curve").clone()
    };
    let (blue, orange) = (curve(&blue), curve(&orange));
    assert_eq!((blue[0], blue[2]), (orange[0], orange[2]));
    // Means 0.3 and 0.5 of one, values 0.9 and 1.0 of the other: on one scale.
    let (scale, upper) = ((blue[1] - blue[3]) / 0.2, (orange[1] - orange[3]) / 0.1);
    assert!((scale / upper - 1.0).abs() < 0.01 && ((blue[1] - orange[1]) / scale - 0.6).abs() < 0.01);
    // Student's t with one degree of freedom: ± 12.706 · 0.1, cut to the range: the bars span all of the axis.
    let bars = lines(&svg, "#0072b2").into_iter().find(|line| line.len() == 24).expect("bars of two means");
    assert!(((bars[1] - bars[3]) / scale - 1.0).abs() < 0.01, "{bars:?}");
    // The table that states its own has others.
    folder.done("plot summary.csv -o b.svg");
    let svg = folder.read("b.svg");
    assert!(svg.contains("bars: 95 % confidence<"), "{svg}");
    let drawn = lines(&svg, "#0072b2");
    let bars = drawn.iter().find(|line| line.len() == 24).expect("two bars with two caps each");
    let curve = curve(&drawn);
    let scale = (curve[1] - curve[3]) / 0.2;
    assert!(((bars[1] - bars[3]) / scale - 0.2).abs() < 0.005, "{bars:?}");
    assert!(((bars[13] - bars[15]) / scale - 0.1).abs() < 0.005, "{bars:?}");
    // A measure that is itself a mean has bars, too, by either name.
    folder.write("near.csv", &SUMMARY.replace("polarization", "nearest_mean"));
    for name in ["nearest_mean", "nearest_mean_mean"] {
        folder.done(&format!("plot near.csv -y {name} -o c.svg --yes"));
        assert!(folder.read("c.svg").contains("bars: 95 % confidence<"), "{name}");
    }
    // Groups are curves of their own, and no mean.
    folder.write("groups.csv", "step,group,polarization\n0,0,0.1\n0,1,0.9\n1,0,0.2\n1,1,0.8\n");
    folder.done("plot groups.csv -y polarization -o d.svg");
    let svg = folder.read("d.svg");
    assert!(svg.contains(">group</text>") && !svg.contains("means of"), "{svg}");
}

#[test]
fn without_options_a_table_has_a_sensible_picture() {
    let folder = folder();
    folder.done("plot runs.csv -o a.svg");
    assert!(folder.read("a.svg").contains(">polarization against a.key</text>"));
    folder.done("run --preset yabi -n 40 --engine cpu --steps 20 --metrics m.csv --quiet");
    folder.done("plot m.csv -o m.svg");
    let svg = folder.read("m.svg");
    assert!(svg.contains(">polarization and milling against step</text>") && svg.contains(">milling</text>"));
    let long = |colour| lines(&svg, colour).iter().any(|line| line.len() == 2 * 21);
    assert!(long("#0072b2") && long("#d55e00") && !long("#009e73"));
    folder.write("again.csv", &folder.read("m.csv"));
    folder.done("plot m.csv again.csv -x step -y heading --by file -o n.png");
    assert!(folder.path("n.png").metadata().expect("a picture").len() > 1000);
}

#[test]
fn cells_columns_and_panels_are_drawn() {
    let folder = folder();
    folder.done("plot runs.csv -x a.key -y polarization --by b.key --kind heat -o h.svg");
    let heat = folder.read("h.svg");
    // The least value, 0.3, is viridis' darkest, and the greatest its lightest.
    assert!(heat.contains("fill=\"#440154\"") && heat.contains("fill=\"#fde725\""), "{heat}");
    // 0.9 lies at 6/7 of the range, between two colours of the scale.
    assert!(heat.contains("fill=\"#9fd939\""), "{heat}");
    // An empty cell has no mean: its place stays white.
    folder.done("plot runs.csv -x a.key -y milling --by b.key --kind heat -o e.svg");
    let filled =
        |svg: &str| svg.lines().filter(|line| line.contains("fill=\"#") && line.contains("<path")).count();
    assert_eq!(filled(&folder.read("e.svg")) + 1, filled(&heat));
    folder.done("plot runs.csv -x polarization --kind histogram -o c.svg");
    assert!(folder.read("c.svg").contains(">6 rows</text>"));
    folder.done("plot runs.csv -y polarization,milling --facet b.key -o f.svg");
    let facets = folder.read("f.svg");
    assert!(facets.contains(">b.key = 10</text>") && facets.contains(">b.key = 20</text>"));
}

/// Rows of one point may differ in their seed alone, unless the call asks for a mean over more.
#[test]
fn a_mean_over_settings_is_refused_unless_it_is_asked_for() {
    let folder = folder();
    let study = "sweep --preset yabi -n 20 --engine cpu --steps 20 --seeds 2 --vary noise.weight=0,1";
    folder.done(&format!("{study} --vary cohesion.weight=0,1 --columns milling --series --quiet --out a"));
    let series = folder.read("a/series.csv");
    assert_eq!(series.lines().next(), Some("run,noise.weight,cohesion.weight,seed,step,milling"));
    assert!(series.lines().nth(4).is_some_and(|row| row.starts_with("1,0.0,0.0,2,0,")), "{series}");
    let old = series.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let old: String = old.map(|row| format!("{},{},{}\n", row[0], row[4], row[5])).collect();
    folder.write("old.csv", &old);
    for (call, key) in [
        ("a/series.csv", "cohesion.weight"),
        ("a/series.csv --by noise.weight", "cohesion.weight"),
        ("a/series.csv --mean-over cohesion.weight", "noise.weight"),
        ("old.csv", "run"),
        // The samples of a run are no independent rows.
        ("a/series.csv -x noise.weight --by cohesion.weight", "step"),
    ] {
        let ended = folder.call(&format!("plot {call} -o a.svg"));
        assert_eq!((ended.code, ended.stderr.lines().count()), (Some(2), 1), "{call}: {}", ended.stderr);
        let why = format!("differ in {key}: allowed is --by {key}, --facet {key}, or --mean-over {key}");
        assert!(ended.stderr.contains(&why), "{call}: {}", ended.stderr);
        let file = call.split(' ').next().expect("a file");
        assert!(ended.stderr.starts_with(&format!("error: {file}: rows")), "{call}: {}", ended.stderr);
    }
    for (call, caption) in [
        ("runs.csv -x a.key --by seed --mean-over b.key", "means over b.key, too"),
        ("a/series.csv --mean-over noise.weight,cohesion.weight", "means of 8 rows"),
        ("a/series.csv --by noise.weight --facet cohesion.weight", "means of 2 rows"),
        ("old.csv --mean-over run", "means of 8 rows"),
        ("a/series.csv -x noise.weight --by cohesion.weight --mean-over step", "means of 6 rows"),
        ("runs.csv -x seed --by a.key --kind heat --mean-over b.key", "over b.key, too"),
    ] {
        folder.done(&format!("plot {call} -o a.svg --yes"));
        assert!(folder.read("a.svg").contains(caption), "{call}");
    }
    // The same runs do not count twice, nor do they beside their own means.
    folder.write("b.csv", &folder.read("a/runs.csv"));
    for (others, why) in
        [("b.csv", "b.csv: it has the rows of"), ("a/summary.csv", "summary.csv: allowed beside")]
    {
        let ended =
            folder.call(&format!("plot a/runs.csv {others} -x noise.weight --by cohesion.weight -o b.svg"));
        assert!(ended.code == Some(2) && ended.stderr.contains(why), "{}", ended.stderr);
    }
    // Words have no place along x.
    folder.write(
        "words.csv",
        "run,world.edges,noise.weight,seed,milling_mean\n0,open,0,1,0.5\n1,open,1,1,0.7\n2,wrap,0,1,0.1\n",
    );
    folder.done("plot words.csv -o words.svg");
    assert!(folder.read("words.svg").contains(">milling against noise.weight<"));
    // One sample is a dot.
    folder.write("one.csv", "step,mean_speed\n7,0.03\n");
    folder.done("plot one.csv -o one.svg");
    let found = folder.read("one.svg");
    assert!(found.contains("Z\" fill=\"#0072b2\"/>"), "{found}");
}

#[test]
fn a_picture_is_replaced_when_the_call_says_so() {
    let folder = folder();
    folder.write("there.png", "a picture");
    folder.done("plot runs.csv -o there.png --yes");
    assert_ne!(std::fs::read(folder.path("there.png")).expect("a picture"), b"a picture");
}
