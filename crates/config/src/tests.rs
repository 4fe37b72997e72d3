use std::io::Write as _;

use flock::Parameters;
use flock::formula::FormulaTerms;
use flock::parameters::{Edges, PARAMETERS, Sphere};

use super::*;
use crate::presets;

/// The parameters in a text that is allowed.
fn read(text: &str) -> Parameters {
    parse(text, "f").expect("fits").parameters
}

fn read_document(text: &str) -> Document {
    parse(text, "f").expect("fits")
}

fn resolved(source: &Source, given: &[&str]) -> Parameters {
    resolve(source, &settings(given)).expect("fits").parameters
}

#[test]
fn what_is_not_named_keeps_its_value() {
    let p = read("preset = \"holoviews\"\n[flock]\nboids = 7\n[cohesion]\nweight = 2\n");
    assert_eq!((p.flock.boids, p.cohesion.weight, p.cohesion.radius), (7, 2.0, 50.0));
    assert_eq!(p.world.edges, Edges::Wrap);
    assert_eq!(read(""), Parameters::default());
}

#[test]
fn a_file_says_how_its_flock_is_shown_and_keeps_what_the_preset_says() {
    let view = |text: &str| parse(text, "f").expect("fits").view;
    let dusk = |skip| View { look: Scenery::Dusk, skip, ..View::default() };
    assert_eq!(view("[view]\nlook = \"dusk\"\nskip = 40\n"), dusk(40));
    assert_eq!((view(""), view("").look), (View::default(), Scenery::Cones));
    let own = presets::find("murmuration").and_then(presets::Preset::document).expect("a preset").view;
    assert_eq!(own.look, Scenery::Dusk);
    assert_eq!(view("preset = \"murmuration\"\n"), own);
    assert_eq!(view("preset = \"murmuration\"\n[view]\nskip = 3\n"), dusk(3));
}

#[test]
fn what_is_saved_is_read_back_to_the_same_bits() {
    let mut p = presets::find("swarm").and_then(presets::Preset::parameters).expect("a preset");
    (p.cohesion.radius, p.home.weight, p.motion.inertia) = (0.1 + 0.2, -0.0, 1e-300);
    (p.world.max, p.flock.seed) = ([f64::from_bits(0x4008_0000_0000_0001), 1e6, 7.0], u32::MAX);
    for k in 0..16 {
        let sphere = Sphere { position: [f64::from(k) / 3.0, -0.1, 1e-7], radius: f64::from(k) };
        p.obstacles.spheres.push(sphere).expect("room");
    }
    let view = View {
        look: Scenery::Dusk,
        skip: 77,
        colour: Some(Colour::Speed),
        length: Some(0.1 + 0.2),
        fog: Some(0.0),
        light: Some(0.25),
        trails: Some(30.0),
        yaw: Some(-12.5),
        pitch: Some(3.0),
        zoom: Some(1.5),
        target: Some([1.0, -2.0, 3e5]),
        distance: Some(44.0),
        bird: Some(7),
        ..View::default()
    };
    let text = save(&Document { parameters: p, view, ..Document::default() });
    assert!(!text.contains("preset ="), "{text}");
    let read = parse(&text, "f").expect("fits");
    assert_eq!(read, Document { parameters: p, view, ..Document::default() });
    assert!(read.parameters.home.weight.is_sign_negative());
    // The same holds for the view set by options; defaults yield no settings.
    let settings: Vec<Setting> =
        view.settings(&View::default()).map(|text| Setting::parse(&text).expect("fits")).collect();
    let set = with_settings(Document::default(), &settings).expect("fits").view;
    assert_eq!((set, settings.len()), (View { look: Scenery::Cones, skip: 0, ..view }, 11));
    assert!(view.settings(&view).next().is_none() && !save(&Document::default()).contains("\ndistance = "));
    for parameter in PARAMETERS {
        assert!(text.contains(&format!("\n# {} (", parameter.help)), "{}", parameter.key);
    }
    for key in &view::KEYS {
        let unset = save(&Document::default());
        assert!(unset.contains(&format!("\n# {} ({})\n", key.help, key.kind)), "{}", key.name);
    }
}

#[test]
fn json_has_every_parameter_by_table_and_key() {
    let mut p = Parameters::default();
    (p.cohesion.radius, p.world.max, p.flock.seed) = (0.1 + 0.2, [1e6, -0.5, 7.0], u32::MAX);
    p.obstacles.spheres.push(Sphere { position: [1.0, 2.0, 3.0], radius: 4.0 }).expect("room");
    let json = to_json(&p);
    let count: usize = json
        .as_object()
        .expect("tables")
        .values()
        .map(|t| t.as_object().map_or(0, serde_json::Map::len))
        .sum();
    assert_eq!(count, PARAMETERS.len());
    assert_eq!(json["cohesion"]["radius"], 0.1 + 0.2);
    assert_eq!(json["world"]["max"], serde_json::json!([1e6, -0.5, 7.0]));
    assert_eq!(json["world"]["edges"], "open");
    assert_eq!(json["flock"]["seed"], u32::MAX);
    assert_eq!(json["scouts"]["dynamic"], false);
    assert_eq!(
        json["obstacles"]["spheres"],
        serde_json::json!([{ "position": [1.0, 2.0, 3.0], "radius": 4.0 }])
    );
}

fn settings(texts: &[&str]) -> Vec<Setting> {
    texts.iter().map(|text| Setting::parse(text).expect(text)).collect()
}

#[test]
fn settings_are_toml_or_bare_words_and_the_last_one_wins() {
    let source = Source::Preset(presets::find("think").expect("a preset"));
    let given = ["world.edges=wrap", "cohesion.radius = 2", "cohesion.radius=3e0", "home.position=[1,2,3]"];
    let p = resolved(&source, &given);
    assert_eq!((p.world.edges, p.cohesion.radius, p.home.position), (Edges::Wrap, 3.0, [1.0, 2.0, 3.0]));
    assert_eq!(p.separation.weight, 10.0);
    // No option of the command line holds a line feed.
    assert!(Setting::parse("cohesion.radius=1\nx=2").is_err());
}

#[test]
fn the_number_of_boids_comes_last_and_moves_the_world_where_density_is_kept() {
    let source = Source::Preset(presets::find("cornell").expect("a preset"));
    let kept = resolved(&source, &["flock.boids=2000", "flock.density=keep"]);
    assert_eq!((kept.flock.boids, kept.world.max[0] - kept.world.min[0]), (2000, 1280.0));
    let same = resolved(&source, &["flock.boids=9", "flock.boids=2000"]);
    assert_eq!((same.flock.boids, same.world.max[0]), (2000, 640.0));
    // A world that would grow beyond all coordinates.
    let vast = read_document("[flock]\nboids = 9\ndensity = \"keep\"\n[world]\nmax = [1e6, 1e6, 1e6]\n");
    let error = with_settings(vast, &settings(&["flock.boids=100000"])).expect_err("too large").to_string();
    assert!(error.starts_with("world.m") && error.contains("must be"), "{error}");
}

/// The world of a preset or of a whole file scales, a world that was set over it does not, wherever the world and the
/// number of boids are named; the document says which.
#[test]
fn a_world_that_was_set_stands() {
    let preset = |name| Source::Preset(presets::find(name).expect("a preset"));
    let world = |p: &Parameters| (p.world.min, p.world.max);
    let own = resolved(&preset("vicsek"), &[]);
    let size = ([0.0; 3], [8.66; 3]);
    let set = ["world.min=[0,0,0]", "world.max=[8.66,8.66,8.66]"];
    for order in [[set[0], set[1], "flock.boids=300"], ["flock.boids=300", set[0], set[1]]] {
        let document = resolve(&preset("vicsek"), &settings(&order)).expect("allowed");
        assert_eq!((world(&document.parameters), document.parameters.flock.boids), (size, 300));
        let line = document.world.line().expect("it is said");
        assert!(line.contains("not scaled from"), "{line}");
    }
    // If one bound of the world is set, neither bound is scaled, nor the parameters that scale with them.
    let half = resolved(&preset("starlings"), &["world.max=[900,900,900]", "flock.boids=77"]);
    let starlings = resolved(&preset("starlings"), &[]);
    assert_eq!((half.world.min, half.home.wander), (starlings.world.min, starlings.home.wander));
    // A margin that was set is kept in a world that scales.
    let margin = resolved(&preset("starlings"), &["world.margin=3", "flock.boids=77"]);
    assert!(margin.world.margin == 3.0 && margin.world.max != starlings.world.max);
    let file = "[world]\nmin = [0, 0, 0]\nmax = [8.66, 8.66, 8.66]\n";
    for text in [
        format!("preset = \"vicsek\"\n[flock]\nboids = 300\n{file}"),
        format!("preset = \"vicsek\"\n{file}[flock]\nboids = 300\n"),
        format!("preset = \"vicsek\"\n{file}"),
    ] {
        let document = with_settings(read_document(&text), &settings(&["flock.boids=300"])).expect("allowed");
        assert_eq!(world(&document.parameters), size, "{text}");
        assert!(document.world.line().is_some_and(|line| line.contains("not scaled")), "{text}");
        let later = with_settings(read_document(&text), &settings(&["flock.boids=700"])).expect("allowed");
        assert_eq!(world(&later.parameters), size, "{text}");
    }
    // A preset's world scales, and so does that of a file which states a whole flock.
    let document = resolve(&preset("vicsek"), &settings(&["flock.boids=300"])).expect("allowed");
    assert!(document.world.line().is_some_and(|line| line.contains("world: scaled")));
    let whole = read_document(&save(&resolve(&preset("vicsek"), &[]).expect("allowed")));
    let whole = with_settings(whole, &settings(&["flock.boids=300"])).expect("allowed");
    assert_eq!(whole, document);
    assert_ne!(world(&whole.parameters), world(&own));
    // No line where nothing is to be scaled.
    let fixed = resolve(&preset("cornell"), &settings(&["flock.boids=300"])).expect("allowed");
    assert_eq!(fixed.world.line(), None);
}

#[test]
fn boids_in_a_file_over_a_preset_mean_what_they_mean_on_the_command_line() {
    for name in ["murmuration", "cornell", "yabi"] {
        let source = Source::Preset(presets::find(name).expect("a preset"));
        for (file, set) in [
            ("[flock]\nboids = 1000\n", &["flock.boids=1000"][..]),
            ("[flock]\nboids = 1000\ndensity = \"keep\"\n", &["flock.density=keep", "flock.boids=1000"]),
            ("[flock]\ndensity = \"world\"\nboids = 77\n", &["flock.density=world", "flock.boids=77"]),
            // Two dimensions scale by another root, wherever they are set.
            (
                "[flock]\nboids = 9\ndimensions = 2\ndensity = \"keep\"\n",
                &["flock.boids=9", "flock.dimensions=2", "flock.density=keep"],
            ),
        ] {
            let read = read(&format!("preset = \"{name}\"\n{file}"));
            assert_eq!(read, resolved(&source, set), "{name}: {file}");
        }
    }
    let width = |text: &str| {
        let read = read(text);
        read.world.max[0] - read.world.min[0]
    };
    let scaled = width("preset = \"murmuration\"\n[flock]\nboids = 800000\n");
    assert!((scaled - 816.0).abs() < 1e-9, "{scaled}");
    // Without a preset the world belongs to the number of boids in the file.
    assert_eq!(width("[flock]\nboids = 8\ndensity = \"keep\"\n[world]\nmax = [7, 7, 7]\n"), 7.0);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.toml");
    for (path, why) in [(&file, "no such file"), (&folder.path().to_owned(), "is a folder")] {
        let error = load(path).expect_err("not a file").to_string();
        assert!(error.contains(why) && error.starts_with(&*path.to_string_lossy()), "{error}");
    }
    std::fs::File::create(&file).expect("a file").write_all(b"\xff\xfe[flock]").expect("written");
    assert!(load(&file).expect_err("no text").to_string().contains(": not a text file"));
}

const SWIRL: &str = "preset = \"murmuration\"\n\n[terms.swirl]\nhelp = \"circles\"\n\
    strength = { default = 0.05, range = [0, 1], unit = \"1/t\" }\n\
    request = \"strength * cross(vec3(0, 0, 1), position - home.position)\"\n";

#[test]
fn terms_are_read_saved_set_and_told() {
    let document = read_document(SWIRL);
    let terms = document.parameters.terms;
    assert_eq!((terms.terms().len(), terms.get("terms.swirl.strength")), (1, Some(0.05)));
    assert_eq!(parse(&save(&document), "saved").expect("what is saved is read"), document);
    assert_eq!(to_json(&document.parameters)["terms"]["swirl"]["strength"], 0.05);
    assert!(to_json(&Parameters::default()).get("terms").is_none());

    let set = with_settings(document, &settings(&["terms.swirl.strength=0.25"])).expect("fits").parameters;
    assert_eq!(set.terms.get("terms.swirl.strength"), Some(0.25));
    // A term may be set as a whole, and `term_settings` returns it as a whole.
    for wanted in [set, document.parameters] {
        let told = term_settings(&Parameters::default().terms, &wanted.terms);
        let again = with_settings(Document::default(), &settings(&[&told[0]])).expect("fits").parameters;
        assert_eq!(term_settings(&again.terms, &wanted.terms), Vec::<String>::new(), "{told:?}");
        assert_eq!(again.terms.get("terms.swirl.strength"), wanted.terms.get("terms.swirl.strength"));
    }
    assert_eq!(term_settings(&document.parameters.terms, &set.terms), ["terms.swirl.strength=0.25"]);
    // Out of range by little or by much: the range is the parameter's own.
    for (written, value) in [("1.5", "1.5"), ("-1e9", "-1000000000.0"), ("1e300", "1e300")] {
        let setting = settings(&[&format!("terms.swirl.strength={written}")]);
        let error = with_settings(document, &setting).expect_err(written).to_string();
        assert_eq!(error, format!("terms.swirl.strength must be 0 to 1, not {value}"));
    }
}

const LIFE: &str = "[terms.life]\nradius = { default = 3, unit = \"len\" }\n\
    k = { default = [[0.5, -1], [2, 0.25]], range = [-2, 2], unit = \"1/t\" }\n\
    each = \"table(k, group, their.group) * offset\"\nrequest = \"sum\"\n";

#[test]
fn a_table_is_read_saved_set_and_told_as_a_whole_or_number_by_number() {
    let document = read_document(LIFE);
    let numbers = |p: &Parameters| -> Vec<f64> { p.terms.parameters().map(|(_, value)| value).collect() };
    assert_eq!(numbers(&document.parameters), [3.0, 0.5, -1.0, 2.0, 0.25]);
    assert_eq!(parse(&save(&document), "saved").expect("what is saved is read"), document);
    let told = to_json(&document.parameters)["terms"]["life"]["k"].to_string();
    assert_eq!(told, "[[0.5,-1.0],[2.0,0.25]]");
    let terms = document.parameters.terms;
    let set = |text: &str| with_settings(document, &settings(&[text])).expect(text).parameters;
    let whole = set("terms.life.k=[[1, 0], [0, 1]]");
    assert_eq!(numbers(&whole), [3.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!(term_settings(&terms, &whole.terms), ["terms.life.k=[[1.0, 0.0], [0.0, 1.0]]"]);
    let one = set("terms.life.k[1][0]=-2");
    assert_eq!(
        (numbers(&one), one.terms.get("terms.life.k[1][0]")),
        (vec![3.0, 0.5, -1.0, -2.0, 0.25], Some(-2.0))
    );
    let again = term_settings(&FormulaTerms::default(), &one.terms);
    let again = with_settings(Document::default(), &settings(&[&again[0]])).expect("fits").parameters;
    assert_eq!(numbers(&again), numbers(&one));
}

const TWO_SUMS: &str = "[terms.two]\nweight = { default = 0.5, unit = \"1/t\" }\n\
    request = \"weight * (close.sum + far.sum / max(far.count, 1))\"\n\
    sums.close = { radius = 1, nearest = 2, each = \"-offset\" }\n\
    [terms.two.sums.far]\nradius = { default = 5, range = [0, 20], unit = \"len\" }\nangle = 90\neach = \"offset\"\n";

#[test]
fn named_sums_are_read_saved_set_and_told() {
    let document = read_document(TWO_SUMS);
    let terms = document.parameters.terms;
    let names: Vec<&str> = terms.parameters().map(|(parameter, _)| parameter.name).collect();
    let of_close = ["terms.two.sums.close.nearest", "terms.two.sums.close.radius"];
    assert!(of_close.iter().all(|name| names.contains(name)) && names.len() == 5, "{names:?}");
    assert_eq!(parse(&save(&document), "saved").expect("what is saved is read"), document);
    let told = to_json(&document.parameters);
    assert_eq!(told["terms"]["two"]["sums"]["far"]["radius"], 5.0);
    assert_eq!(told["terms"]["two"]["sums"]["close"]["each"], "-offset");
    let wider = settings(&["terms.two.sums.far.radius=7"]);
    let wider = with_settings(document, &wider).expect("in its range").parameters;
    assert_eq!(term_settings(&terms, &wider.terms), ["terms.two.sums.far.radius=7.0"]);
    let again = term_settings(&FormulaTerms::default(), &wider.terms);
    let again = with_settings(Document::default(), &settings(&[&again[0]])).expect("fits").parameters;
    assert_eq!(again.terms.get("terms.two.sums.far.radius"), Some(7.0));
    assert_eq!(again.terms.terms(), terms.terms());
    for (wrong, right, why) in [
        ("radius = 1, ", "", "f:4: terms.two.sums.close: 'each' requires the parameter radius"),
        ("nearest = 2", "nearest = 99", "f:4: terms.two.sums.close.nearest must be 0 to 32"),
        ("nearest = 2", "near = 2", "f:4: unknown key 'terms.two.sums.close.near'"),
        (", each = \"-offset\"", "", "f:4: terms.two.sums.close requires 'each'"),
        ("each = \"offset\"", "each = \"offse\"", "f:8:9: terms.two.sums.far.each: unknown name 'offse'"),
        (
            "sums.close =",
            "sums.weight =",
            "f:4: terms.two.sums.weight: the term has a parameter with this name",
        ),
        ("sums.close =", "sums.speed =", "f:4: terms.two.sums.speed: this name is reserved"),
        ("angle = 90", "angle = 90\neach = 3", "f:"),
        ("weight =", "radius = 3\nweight =", "f:2: terms.two.radius must be a parameter of a sum"),
        (
            "request",
            "each = \"offset\"\nrequest",
            "f:3: terms.two.each: a term with 'sums' cannot have 'each'",
        ),
    ] {
        let text = TWO_SUMS.replacen(wrong, right, 1);
        let error = parse(&text, "f").expect_err(&text).to_string();
        assert!(error.starts_with(why), "{error}");
    }
}

#[test]
fn a_saved_flock_names_its_preset_and_keeps_its_bits_and_its_scale() {
    let boids = |document: Document, count: u32| {
        let more = Setting::parse(&format!("flock.boids={count}")).expect("a setting");
        with_settings(document, &[more]).expect("fits")
    };
    for preset in presets::all() {
        let mut document = boids(preset.document().expect(preset.name), 777);
        document.parameters.cohesion.weight = 0.321;
        let text = save(&document);
        assert!(text.contains(&format!("\npreset = \"{}\"\n", preset.name)), "{text}");
        let read = parse(&text, "f").expect(preset.name);
        assert_eq!((read.preset, read.view), (Some(preset.name), document.view));
        assert_eq!(to_json(&read.parameters), to_json(&document.parameters));
        // The world that belongs to the number of boids still grows with it.
        assert_eq!(boids(read, 1554).parameters, boids(document, 1554).parameters, "{}", preset.name);
    }
}

#[test]
fn a_saved_flock_whose_preset_does_not_say_all_of_it_names_none() {
    let vortex = presets::find("vortex").expect("built in").document().expect("fits");
    let mut document = vortex;
    document.parameters.terms = Parameters::default().terms;
    let read = parse(&save(&document), "f").expect("fits");
    assert_eq!((read.preset, read.parameters), (None, document.parameters));
    // A world that was set is a key, and no longer scales.
    let set = Setting::parse("world.margin=55.5").expect("a setting");
    let document = with_settings(vortex, &[set]).expect("fits");
    let text = save(&document);
    assert!(text.contains("\nmargin = 55.5\n") && text.contains("\n# min = ["), "{text}");
    assert_eq!(parse(&text, "f").expect("fits").parameters, document.parameters);
}
