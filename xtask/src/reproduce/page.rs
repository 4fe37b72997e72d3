//! `docs/findings.md`.

use crate::finding::Finding;
use crate::study::{hashed, picture, plotted, stem};
use crate::verdict::{DIFFERS, Judged};

const HEAD: &str = "\
# Findings: known results, repeated

Each has a folder in `examples/findings/` with its flock, its studies and what they are compared with. A row *holds* where the
whole 95 % interval of the mean over at least 20 seeds lies within a margin about the published value or beyond what it is
compared with, and *differs* where the whole interval lies elsewhere; where it is too wide to tell, the two are *not
distinguishable*. Margins and thresholds without a source are ours. `cargo xtask findings` runs all studies and writes this
page and its pictures.
";

/// The page of all findings.
pub fn page(sections: &[String]) -> String {
    format!("{HEAD}\n{}", sections.join("\n"))
}

/// A finding: what it is, how it is repeated, and what came out.
pub fn section(name: &str, finding: &Finding, rows: &[Judged], hash: &str) -> String {
    let mut text = format!("## {}\n\n{}\n\n```sh\n", finding.title, finding.about.trim());
    for study in &finding.studies {
        let stem = stem(name, study);
        text += &format!("murmuration sweep examples/findings/{name}/{} --out {stem}\n", study.file);
    }
    for study in finding.drawn() {
        let words = words(&plotted(name, study));
        text += &format!("murmuration plot {words} -o {}.png\n", stem(name, study));
    }
    text += "```\n\n";
    for study in finding.drawn() {
        text += &format!("![{}](pictures/{})\n\n", study.about, picture(name, study));
    }
    text += "| observable | published | here | verdict |\n|---|---|---|---|\n";
    for Judged { observable, published, found, verdict, .. } in rows {
        let verdict = if verdict == DIFFERS { &format!("**{DIFFERS}**") } else { verdict };
        text += &format!("| {observable} | {published} | {found} | {verdict} |\n");
    }
    text += "\n";
    for Judged { observable, note, .. } in rows.iter().filter(|row| !row.note.is_empty()) {
        text += &format!("- *{observable}*: {}.\n", note.trim_end_matches('.'));
    }
    let steps = finding.hash.steps;
    text +=
        &format!("\nIn integers the state at step {steps} has the hash `{hash}` on every engine:\n\n```sh\n");
    text + &format!("murmuration {} | tail -1\n```\n", words(&hashed(name, finding)))
}

/// Words as a shell takes them.
fn words(words: &[String]) -> String {
    let plain = |word: &str| word.chars().all(|c| c.is_alphanumeric() || "-_./=,:+".contains(c));
    let quoted = words.iter().map(|word| if plain(word) { word.clone() } else { format!("'{word}'") });
    quoted.collect::<Vec<_>>().join(" ")
}
