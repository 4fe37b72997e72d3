//! `docs/findings.md`.

use crate::finding::Finding;
use crate::study::{hashed, picture, plotted, stem};
use crate::verdict::{Judged, Verdict};

const HEAD: &str = "\
# Findings: known results, repeated

Each has a folder in `examples/findings/` with its flock, its studies and what they are compared with. A value *holds* where
the whole 95 % interval of the mean over at least 20 seeds lies within a margin about the published one, or beyond a bound. An
order of two settings *holds* where a one-sided permutation test over seeds, corrected by Holm's method for all orders on this
page, tells it at 5 %. A row *differs* where the opposite is told so, and is *not distinguishable* where neither is. Each study
runs once more without the interaction that the finding is about, its control: a row that holds there, too, even without the
correction, is *no finding*. A row that a chosen parameter sets holds *by choice*. Margins and bounds without a source are ours.
`cargo xtask findings` runs all studies and writes this page and its pictures.
";

/// The page of all findings.
pub fn page(sections: &[String]) -> String {
    format!("{HEAD}\n{}", sections.join("\n"))
}

/// A finding: what it is, how it is repeated, and what came out.
pub fn section(name: &str, finding: &Finding, rows: &[&Judged<'_>], hash: &str) -> String {
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
    text += &controls(finding);
    let (choice, found): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.verdict == Verdict::ByChoice);
    text += &table(&found);
    if !choice.is_empty() {
        text += &format!("By choice:\n\n{}", table(&choice));
    }
    for row in rows.iter().map(|row| row.row).filter(|row| !row.note.is_empty()) {
        text += &format!("- *{}*: {}.\n", row.observable, row.note.trim_end_matches('.'));
    }
    let steps = finding.hash.steps;
    text +=
        &format!("\nIn integers the state at step {steps} has the hash `{hash}` on every engine:\n\n```sh\n");
    text + &format!("murmuration {} | tail -1\n```\n", words(&hashed(name, finding)))
}

/// What the controls set.
fn controls(finding: &Finding) -> String {
    let mut sets: Vec<String> = Vec::new();
    for study in finding.studies.iter().filter(|study| finding.compared(study)) {
        let set = finding
            .control(study)
            .iter()
            .map(|setting| format!("`--set {setting}`"))
            .collect::<Vec<_>>()
            .join(" ");
        if !set.is_empty() && !sets.contains(&set) {
            sets.push(set);
        }
    }
    if sets.is_empty() {
        String::new()
    } else {
        format!("The controls are the same studies with {}.\n\n", sets.join(", or with "))
    }
}

fn table(rows: &[&Judged<'_>]) -> String {
    let mut text =
        "| observable | published | here | control | verdict |\n|---|---|---|---|---|\n".to_owned();
    for Judged { row, found, control, verdict } in rows {
        let (observable, published, verdict) = (&row.observable, &row.published, verdict.text());
        text += &format!("| {observable} | {published} | {found} | {control} | {verdict} |\n");
    }
    text + "\n"
}

/// Words as a shell takes them.
fn words(words: &[String]) -> String {
    let plain = |word: &str| word.chars().all(|c| c.is_alphanumeric() || "-_./=,:+".contains(c));
    let quoted = words.iter().map(|word| if plain(word) { word.clone() } else { format!("'{word}'") });
    quoted.collect::<Vec<_>>().join(" ")
}
