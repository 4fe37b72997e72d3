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
fn what_is_no_term_is_refused_in_a_line() {
    let folder = Folder::new();
    folder.write("none.toml", "preset = \"cornell\"\n");
    folder.write("study.toml", "preset = \"yabi\"\nsteps = 5\n[vary]\n\"noise.weight\" = [0, 1]\n");
    folder.write("vary.toml", "[vary]\n\"noise.weight\" = [0, 1]\n");
    folder.write("bad.toml", "[terms.a]\nrequest = \"velocty\"\n");
    for (line, words) in [
        ("terms show cornell", "cornell: it has no terms"),
        ("terms show cornel", "did you mean \"cornell\"?"),
        ("terms check none.toml", "none.toml: it has no terms"),
        ("terms check bad.toml", "bad.toml:2:12: terms.a.request: velocty: no such name"),
        ("run --term vortx", "--term: no preset is called \"vortx\""),
        ("run --term cornell", "--term cornell: it has no terms"),
        ("run --term nothing.toml", "nothing.toml: there is no such file"),
        ("run --term bad.toml", "bad.toml:2:12"),
        (
            "run --config study.toml",
            "study.toml:2: steps: only preset stands outside a table\nhint: it is a key of a study",
        ),
        ("run --config vary.toml", "hint: it is a key of a study"),
        (
            "run --term s={request='(1.0/0.0)*velocity'}",
            "--term: terms.s.request: 1:2: a quotient of constants by 0, or one too large: allowed is a number of f32\nhint: x / 0",
        ),
        (
            "run --preset life --set terms.life.liking[3][2]=0.5",
            "terms.life.liking[3][2] = 0.5: allowed is terms.life.liking[ROW][COLUMN], each from 0 to 2",
        ),
        ("run --set terms.a={each='offset',request='sum'}", "terms.a: each without the parameter radius"),
        (
            "run --set terms.a={radius={default=3,unit='len'},each='offset',request='velocity'}",
            "terms.a.request: 1:1: it reads neither sum nor count, and nothing else reads `each`",
        ),
        ("run --set terms.a={request='velocity*count'}", "known in a term with `each` alone"),
        (
            "run --term s={request='0.1*velocity+'}",
            "--term: terms.s.request: 1:14: expected expression, found the end",
        ),
        ("sweep --preset life --out out --vary terms.nope.x=1,2", "terms.nope.x: no such parameter"),
        (
            "sweep --preset life --out out --vary terms.life.core=0:5:3",
            "terms.life.core = 0.0: allowed is a number from 0.1 to 5",
        ),
        ("sweep --preset life --out out --vary terms.life.liking=0:1:3", "allowed is a table of 3 rows"),
        ("sweep --preset yabi --out out --columns milling,milling", "columns: milling stands twice"),
    ] {
        let ended = folder.call(line);
        assert_eq!(ended.code, Some(2), "{line}: {ended:?}");
        assert!(ended.stderr.contains(words), "{line}: {}", ended.stderr);
        assert!(!folder.path("out").exists(), "{line}");
    }
    // A study keeps the terms that were added.
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
