//! Custom terms from outside: those of the gallery, of files, and typed ones.

use crate::Folder;

fn hash(folder: &Folder, options: &str) -> String {
    folder.done(&format!("run --preset cornell -n 60 --steps 5 --engine cpu --hash {options}")).stdout
}

#[test]
fn a_term_of_the_gallery_of_a_file_or_typed_is_added_to_any_flock() {
    let folder = Folder::new();
    let listed = folder.done("terms").stdout;
    assert!(listed.lines().any(|line| line.starts_with("vortex     swirl  ")), "{listed}");
    let json: serde_json::Value = serde_json::from_str(&folder.done("terms --json").stdout).expect("JSON");
    assert_eq!(json.as_array().map(Vec::len), Some(listed.lines().count()));
    let text = folder.done("terms show vortex").stdout;
    assert!(text.starts_with("[terms.swirl]\n"), "{text}");
    folder.write("swirl.toml", &text);

    let named = hash(&folder, "--term vortex");
    assert_ne!(named, hash(&folder, ""));
    assert_eq!(named, hash(&folder, "--term swirl.toml"));
    let typed = "swirl={strength={default=0.05,unit='1/t'},request='strength*cross(vec3(0,0,1),position-home.position)'}";
    assert_eq!(named, hash(&folder, &format!("--term {typed}")));
    // Settings apply after the term, and a term replaces one of the same name.
    assert_ne!(named, hash(&folder, "--term vortex --set terms.swirl.strength=0.3"));
    assert_eq!(named, hash(&folder, &format!("--term {} --term vortex", typed.replace("0.05", "0.3"))));

    let checked = folder.done("terms check swirl.toml").stdout;
    for line in
        ["swirl: Circles", "  strength: 0.05 1/t, from 0.0 to 1.0", "  request: ", "integers: they fit"]
    {
        assert!(checked.lines().any(|other| other.starts_with(line)), "{line}: {checked}");
    }
    folder.write("one.toml", "[terms.one]\nrequest = 'vec3(speed)'\n");
    let checked = folder.done("terms check one.toml").stdout;
    assert!(checked.contains("  request: 1 operation for a boid"), "{checked}");
    // A request that integers would lose is refused: by the check, and before a run begins.
    let lost = "[terms.lost]\nrate = { default = 0.1, unit = '1/t^2' }\nrequest = 'rate * time * position'\n";
    folder.write("lost.toml", lost);
    let checked = folder.done("terms check lost.toml").stdout;
    assert!(checked.contains("integers: terms.lost: its numbers may be so large"), "{checked}");
    let ended = folder.call("run --config lost.toml --steps 1 --engine cpu --numeric fixed");
    assert!(ended.code != Some(0) && ended.stderr.contains("terms.lost: its numbers"), "{ended:?}");
    folder.done("run --config lost.toml -n 9 --steps 1 --engine cpu --numeric f64");
    // A term may fit a small flock and not a large one.
    let far = "[terms.far]\nrequest = 'vec3(fract(f32(id) * f32(id) * 0.618)) * velocity'\n";
    folder.write("far.toml", &format!("[flock]\nboids = 1000\n{far}"));
    let checked = folder.done("terms check far.toml").stdout;
    assert!(checked.contains("integers: they fit a flock of 1000 boids"), "{checked}");
    folder.write("far.toml", &format!("[flock]\nboids = 60000\n{far}"));
    let checked = folder.done("terms check far.toml").stdout;
    assert!(checked.contains("integers: terms.far: Fraction"), "{checked}");
}

#[test]
fn a_study_keeps_its_terms() {
    let folder = Folder::new();
    folder.done("sweep --preset cornell --term vortex -n 9 --steps 2 --vary terms.swirl.strength=0,1 --out out --quiet");
    assert!(folder.read("out/manifest.json").contains("cross(vec3(0, 0, 1), position - home.position)"));
    // The terms of its own flock stand there as a file has them, from which they fly again.
    folder.done("sweep --preset mill --steps 2 --vary flock.boids=9 --out mill --quiet");
    let manifest: serde_json::Value = serde_json::from_str(&folder.read("mill/manifest.json")).expect("JSON");
    let terms = manifest["study"]["terms"].as_str().expect("a text");
    assert_eq!(terms.trim(), folder.done("terms show mill").stdout.trim());
    folder.write("again.toml", terms);
    folder.done("run --config again.toml -n 9 --steps 1 --quiet");
    folder.done("sweep --preset cornell --term vortex -n 9 --steps 2 --vary terms.swirl.strength=0,1 --out out --quiet --resume");
}
