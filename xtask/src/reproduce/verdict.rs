//! Whether what was published holds here.

use toml::Table;

use crate::Result;
use crate::finding::Row;
use crate::order::{LEVEL, chance, holm};
use crate::study::{Run, Studies};
use crate::summary::Estimate;

/// The verdict of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Holds,
    Differs,
    NotDistinguishable,
    /// It holds, and a parameter was chosen so that it does.
    ByChoice,
    /// It holds without the interaction, too.
    NoFinding,
    /// Nothing is compared.
    Said(String),
}

impl Verdict {
    pub fn text(&self) -> &str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Differs => "**differs**",
            Verdict::NotDistinguishable => "not distinguishable",
            Verdict::ByChoice => "by choice",
            Verdict::NoFinding => "no finding",
            Verdict::Said(text) => text,
        }
    }
}

/// A row of the page.
#[derive(Debug)]
pub struct Judged<'a> {
    pub row: &'a Row,
    /// Our figures.
    pub found: String,
    /// The same without the interaction.
    pub control: String,
    pub verdict: Verdict,
}

/// A row and its control, before the rows of the page are judged together.
#[derive(Debug)]
pub struct Compared<'a> {
    row: &'a Row,
    /// None where nothing is compared.
    ours: Option<Comparison>,
    control: Option<Comparison>,
}

/// What a row says of one study.
#[derive(Debug)]
struct Comparison {
    found: String,
    claim: Claim,
}

#[derive(Debug)]
enum Claim {
    /// Whether the whole interval lies within the margin, and whether it lies outside of it.
    Margin { within: bool, outside: bool },
    /// The probabilities of the order, and of the reverse one.
    Order([f64; 2]),
    /// The control has no such measure: its flock has no two boids of a group, for example.
    Undefined,
}

/// Compares a row with its study and with its control.
///
/// # Errors
/// When the study has no such setting or measure, or the row says nothing to compare.
pub fn compare<'a>(row: &'a Row, studies: &Studies<'_>) -> Result<Compared<'a>> {
    if row.verdict.is_some() {
        return Ok(Compared { row, ours: None, control: None });
    }
    let ours = Some(comparison(row, studies, Run::Study)?);
    let control = studies.controlled(row.study.as_deref()).then(|| {
        let undefined = || Comparison { found: "undefined".to_owned(), claim: Claim::Undefined };
        comparison(row, studies, Run::Control).unwrap_or_else(|_| undefined())
    });
    Ok(Compared { row, ours, control })
}

fn comparison(row: &Row, studies: &Studies<'_>, run: Run) -> Result<Comparison> {
    let study = studies.results(row.study.as_deref(), run)?;
    let ours = study.summary.estimate(&row.measure, &row.at)?;
    if let (Some([least, most]), None, None) = (row.within, &row.below, &row.above) {
        let (within, outside) =
            (ours.low >= least && ours.high <= most, ours.high < least || ours.low > most);
        return Ok(Comparison { found: shown(ours), claim: Claim::Margin { within, outside } });
    }
    let (other, below) = match (row.within, &row.below, &row.above) {
        (None, Some(other), None) => (other, true),
        (None, None, Some(other)) => (other, false),
        _ => return Err("a row has one of `within`, `below`, `above` and `verdict`".to_owned()),
    };
    if let Some(bound) = other.as_float().or(other.as_integer().map(|whole| whole as f64)) {
        let (beneath, over) = (ours.high < bound, ours.low > bound);
        let (within, outside) = if below { (beneath, over) } else { (over, beneath) };
        let found = format!("{}, against {bound}", shown(ours));
        return Ok(Comparison { found, claim: Claim::Margin { within, outside } });
    }
    let setting: &Table = other.as_table().ok_or("`below` and `above` take a number or a setting")?;
    let other = studies.results(row.other_study.as_deref().or(row.study.as_deref()), run)?;
    let theirs = other.summary.estimate(&row.measure, setting)?;
    let [ours_by_seed, theirs_by_seed] =
        [study.by_seed(&row.measure, &row.at)?, other.by_seed(&row.measure, setting)?];
    let [upwards, downwards] =
        [chance(&ours_by_seed, &theirs_by_seed), chance(&theirs_by_seed, &ours_by_seed)];
    let order = if below { [upwards, downwards] } else { [downwards, upwards] };
    let found = format!("{}, against {}", shown(ours), shown(theirs));
    Ok(Comparison { found, claim: Claim::Order(order) })
}

/// Judges the rows of a page. A margin holds where the whole interval lies within it, so that no wider interval makes that
/// easier; an order where its test over seeds tells, corrected for the number of orders on the page unless there are too few
/// seeds for that. A row that holds in its control, where no correction is made, is no finding.
pub fn judge(rows: Vec<Compared<'_>>, corrected: bool) -> Vec<Judged<'_>> {
    let order = |compared: &Compared<'_>| match &compared.ours {
        Some(Comparison { claim: Claim::Order(chances), .. }) => Some(*chances),
        _ => None,
    };
    let chances: Vec<[f64; 2]> = rows.iter().filter_map(order).collect();
    let mut adjusted = [0, 1].map(|side| {
        let side: Vec<f64> = chances.iter().map(|chances| chances[side]).collect();
        if corrected { holm(&side) } else { side }.into_iter()
    });
    let judged = rows.into_iter().map(|compared| {
        let Compared { row, ours, control } = compared;
        let Some(ours) = ours else {
            let verdict = Verdict::Said(row.verdict.clone().unwrap_or_default());
            return Judged { row, found: "not measured".to_owned(), control: String::new(), verdict };
        };
        let [holds, differs] = match ours.claim {
            Claim::Margin { within, outside } => [within, outside],
            Claim::Order(_) => {
                adjusted.each_mut().map(|side| side.next().is_some_and(|chance| chance <= LEVEL))
            }
            Claim::Undefined => [false, false],
        };
        let without = control.as_ref().is_some_and(|control| match control.claim {
            Claim::Margin { within, .. } => within,
            Claim::Order([chance, _]) => chance <= LEVEL,
            Claim::Undefined => false,
        });
        let verdict = match (holds, differs) {
            (true, _) if row.choice => Verdict::ByChoice,
            (true, _) if without => Verdict::NoFinding,
            (true, _) => Verdict::Holds,
            (_, true) => Verdict::Differs,
            _ => Verdict::NotDistinguishable,
        };
        Judged {
            row,
            found: ours.found,
            control: control.map(|control| control.found).unwrap_or_default(),
            verdict,
        }
    });
    judged.collect()
}

/// A mean and half its interval, to the second digit of the latter, or to the fourth of the mean; the ends of an interval that
/// the mean is not in the middle of.
fn shown(estimate: Estimate) -> String {
    let half = (estimate.high - estimate.low) / 2.0;
    if half < 5e-5 {
        return format!("{:.4}", estimate.mean).trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    let digits = (1.0 - half.log10().floor()).clamp(0.0, 4.0) as usize;
    let Estimate { mean, low, high } = estimate;
    if (mean - 0.5 * (low + high)).abs() > 0.2 * half {
        return format!("{mean:.digits$} ({low:.digits$} to {high:.digits$})");
    }
    format!("{mean:.digits$} ± {half:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Finding;

    /// Three settings with their intervals, and the seeds of each.
    const SUMMARY: &str = "setting,x,seeds,m_mean,m_ci_low,m_ci_high\n0,1,20,0.5,0.4,0.6\n1,2,20,0.9,0.87,0.93\n2,3,20,0.7,0.55,0.88\n";

    fn runs(overlap: f64) -> String {
        let row = |(x, mean, spread): (u32, f64, f64), seed: u32| {
            format!("{x},{seed},{}\n", mean + spread * (f64::from(seed) - 9.5) / 10.0)
        };
        let settings = [(1, 0.5, 0.2), (2, 0.9, 0.05), (3, 0.55, overlap)];
        let rows = settings.into_iter().flat_map(|setting| (0..20).map(move |seed| row(setting, seed)));
        "x,seed,m_mean\n".to_owned() + &rows.collect::<String>()
    }

    fn judged(checks: &[&str], control: Option<&str>) -> Vec<Result<(String, String)>> {
        let row = |check: &&str| {
            format!(
                "[[row]]\nobservable = \"o\"\npublished = \"p\"\nmeasure = \"m\"\nat = {{ x = 1 }}\n{check}\n"
            )
        };
        let head = "title = \"T\"\nplace = 1\nabout = \"A\"\nhash = { steps = 1 }\n[[study]]\nfile = \"study.toml\"\n";
        let text = checks.iter().map(row).fold(head.to_owned(), |text, row| text + &row);
        let finding: Finding = toml::from_str(&text).expect("a finding");
        let studies = Studies::of(&finding, SUMMARY, &runs(0.8), control);
        let mut found = Vec::new();
        let mut rows = Vec::new();
        for row in &finding.rows {
            match compare(row, &studies) {
                Ok(compared) => rows.push(compared),
                Err(why) => found.push(Err(why)),
            }
        }
        let texts = judge(rows, true).into_iter().map(|row| Ok((row.found, row.verdict.text().to_owned())));
        found.extend(texts);
        found
    }

    #[test]
    fn what_was_published_holds_where_the_intervals_or_the_seeds_say_so() {
        for (check, expected) in [
            ("within = [0.4, 0.6]", "holds"),
            ("within = [0.41, 0.8]", "not distinguishable"),
            ("within = [0.45, 0.55]", "not distinguishable"),
            ("within = [0.61, 0.8]", "**differs**"),
            ("within = [0.0, 0.39]", "**differs**"),
            ("below = { x = 2 }", "holds"),
            ("below = { x = 2 }\nchoice = true", "by choice"),
            ("below = { x = 3 }", "not distinguishable"),
            ("above = { x = 2 }", "**differs**"),
            ("above = { x = 2 }\nchoice = true", "**differs**"),
            ("above = 0.39", "holds"),
            ("above = 0.4", "not distinguishable"),
            ("verdict = \"not claimed\"", "not claimed"),
        ] {
            let found = judged(&[check], None).remove(0).expect(check);
            assert_eq!(found.1, expected, "{check}");
        }
        let found = judged(&["below = { x = 2 }"], None).remove(0).expect("judged");
        assert_eq!(found.0, "0.50 ± 0.10, against 0.900 ± 0.030");
        assert_eq!(shown(Estimate { mean: 1.0, low: 0.84, high: 1.0 }), "1.000 (0.840 to 1.000)");
        for wrong in
            ["", "within = [0, 1]\nbelow = 3", "below = { x = 4 }", "within = [0, 1]\nstudy = \"b.toml\""]
        {
            assert!(judged(&[wrong], None)[0].is_err(), "{wrong}");
        }
    }

    /// A row whose control says the same tells nothing of the interaction.
    #[test]
    fn a_row_that_holds_without_the_interaction_is_no_finding() {
        let verdict = |check, control| judged(&[check], Some(control)).remove(0).expect("judged").1;
        assert_eq!(verdict("below = { x = 2 }", SUMMARY), "no finding");
        assert_eq!(verdict("within = [0.4, 0.6]", SUMMARY), "no finding");
        let other = SUMMARY.replace("0.4,0.6", "0.3,0.7");
        assert_eq!(verdict("within = [0.4, 0.6]", &other), "holds");
        assert_eq!(
            verdict("within = [0.4, 0.6]", "setting,x,seeds,m_mean,m_ci_low,m_ci_high\n0,1,20,,,\n"),
            "holds"
        );
    }
}
