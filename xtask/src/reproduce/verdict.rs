//! Whether what was published holds here.

use toml::Value;

use crate::Result;
use crate::finding::Row;
use crate::study::Studies;
use crate::summary::Estimate;

/// The verdict where a whole interval lies beyond what was published.
pub const DIFFERS: &str = "differs";

/// A row of the page.
#[derive(Debug, PartialEq)]
pub struct Judged {
    pub observable: String,
    pub published: String,
    /// Our figures.
    pub found: String,
    pub verdict: String,
    /// What is said about it.
    pub note: String,
    pub holds: bool,
}

/// Compares a row with its study: it holds where the whole interval lies within the margin or beyond what it is compared with,
/// so that no wider interval makes that easier.
///
/// # Errors
/// When the study has no such setting or measure, or the row says nothing to compare.
pub fn judge(row: &Row, studies: &Studies<'_>) -> Result<Judged> {
    let judged = |found, verdict: &str, holds| {
        let (observable, published) = (row.observable.clone(), row.published.clone());
        Judged { observable, published, found, verdict: verdict.to_owned(), note: row.note.clone(), holds }
    };
    if let Some(verdict) = &row.verdict {
        return Ok(judged("not measured".to_owned(), verdict, false));
    }
    let file = row.study.as_deref();
    let ours = studies.summary(file)?.estimate(&row.measure, &row.at)?;
    let against = |other: Estimate| format!("{}, against {}", shown(ours), shown(other));
    let (holds, differs, found) = match (row.within, &row.below, &row.above) {
        (Some([least, most]), None, None) => {
            let outside = ours.high < least || ours.low > most;
            (ours.low >= least && ours.high <= most, outside, shown(ours))
        }
        (None, Some(other), None) => {
            let other = estimate(row, other, studies)?;
            (ours.high < other.low, ours.low > other.high, against(other))
        }
        (None, None, Some(other)) => {
            let other = estimate(row, other, studies)?;
            (ours.low > other.high, ours.high < other.low, against(other))
        }
        _ => return Err("a row has one of `within`, `below`, `above` and `verdict`".to_owned()),
    };
    let verdict = match (holds, differs) {
        (true, _) => "holds",
        (_, true) => DIFFERS,
        _ => "not distinguishable",
    };
    Ok(judged(found, verdict, holds))
}

/// What the row is compared with: a number, or the measure in another setting.
fn estimate(row: &Row, other: &Value, studies: &Studies<'_>) -> Result<Estimate> {
    if let Some(number) = other.as_float().or(other.as_integer().map(|whole| whole as f64)) {
        return Ok(Estimate { mean: number, low: number, high: number });
    }
    let table = other.as_table().ok_or("`below` and `above` take a number or a setting")?;
    let file = row.other_study.as_deref().or(row.study.as_deref());
    studies.summary(file)?.estimate(&row.measure, table)
}

/// A mean and half its interval, to the second digit of the latter, or to the fourth of the mean.
fn shown(estimate: Estimate) -> String {
    let half = (estimate.high - estimate.low) / 2.0;
    if half < 5e-5 {
        return format!("{:.4}", estimate.mean).trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    let digits = (1.0 - half.log10().floor()).clamp(0.0, 4.0) as usize;
    format!("{:.digits$} ± {half:.digits$}", estimate.mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Finding;

    const SUMMARY: &str = "setting,x,seeds,m_mean,m_ci_low,m_ci_high\n0,1,20,0.5,0.4,0.6\n1,2,20,0.9,0.87,0.93\n2,3,20,0.7,0.55,0.88\n";

    fn verdict(check: &str) -> Result<Judged> {
        let text = format!(
            "title = \"T\"\nplace = 1\nabout = \"A\"\nhash = {{ steps = 1 }}\n[[study]]\nfile = \"study.toml\"\n[[row]]\n\
             observable = \"o\"\npublished = \"p\"\nmeasure = \"m\"\nat = {{ x = 1 }}\n{check}\n"
        );
        let finding: Finding = toml::from_str(&text).expect("a finding");
        judge(&finding.rows[0], &Studies::of(&finding, SUMMARY))
    }

    #[test]
    fn what_was_published_holds_where_the_intervals_say_so() {
        for (check, expected) in [
            ("within = [0.4, 0.6]", "holds"),
            ("within = [0.41, 0.8]", "not distinguishable"),
            ("within = [0.45, 0.55]", "not distinguishable"),
            ("within = [0.61, 0.8]", "differs"),
            ("within = [0.0, 0.39]", "differs"),
            ("below = { x = 2 }", "holds"),
            ("below = { x = 3 }", "not distinguishable"),
            ("above = { x = 2 }", "differs"),
            ("above = 0.39", "holds"),
            ("above = 0.4", "not distinguishable"),
            ("verdict = \"not claimed\"", "not claimed"),
        ] {
            let judged = verdict(check).expect(check);
            assert_eq!((judged.verdict.as_str(), judged.holds), (expected, expected == "holds"), "{check}");
        }
        assert_eq!(verdict("below = { x = 2 }").expect("judged").found, "0.50 ± 0.10, against 0.900 ± 0.030");
        for wrong in
            ["", "within = [0, 1]\nbelow = 3", "below = { x = 4 }", "within = [0, 1]\nstudy = \"b.toml\""]
        {
            assert!(verdict(wrong).is_err(), "{wrong}");
        }
    }
}
