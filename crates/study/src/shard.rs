//! The part of a study that a process does: run r belongs to shard r mod N.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One part of `count`; parts count from 0.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    pub index: usize,
    pub count: usize,
}

/// The variables that say which shard this is, where an array of jobs is under way.
const SLURM: &str = "SLURM_ARRAY_TASK_ID";
const KUBERNETES: &str = "JOB_COMPLETION_INDEX";

impl Shard {
    /// All runs.
    pub const WHOLE: Shard = Shard { index: 0, count: 1 };

    /// True if a run belongs to it.
    pub fn has(self, run: usize) -> bool {
        run % self.count == self.index
    }

    /// The shard of this process of an array of jobs, and the variable that says so. Where `count` is known the
    /// variable's number is the shard, so that a single job can be started again; else Slurm's array has a shard a job.
    ///
    /// # Errors
    /// One line that names the variable or option, the value and what it must be. An empty variable counts as unset.
    pub fn of_array(
        count: Option<usize>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<(Shard, &'static str)>, String> {
        let number = |name: &str| {
            let parsed = variable(name).filter(|text| !text.is_empty()).map(|text| {
                text.parse::<usize>().map_err(|_| format!("{name} must be a whole number, not {text:?}"))
            });
            parsed.transpose()
        };
        let slurm = number(SLURM)?.map(|id| (id, SLURM));
        let Some((index, name)) = slurm.or(number(KUBERNETES)?.map(|index| (index, KUBERNETES))) else {
            return count.map_or(Ok(None), |count| {
                let why = format!("--shards {count} requires {SLURM} or {KUBERNETES} in the environment");
                Err(format!("{why}; or use --shard I/{count}"))
            });
        };
        if let Some(count) = count {
            let allowed = || format!("{name} must be 0 to {} with --shards {count}, not {index}", count - 1);
            return (index < count).then_some(Some((Shard { index, count }, name))).ok_or_else(allowed);
        }
        if name == KUBERNETES {
            return Err(format!("{name} = {index} requires --shards N, the number of shards"));
        }
        let part = |of: &str| number(&format!("SLURM_ARRAY_TASK_{of}"));
        let (jobs, min) = (part("COUNT")?.unwrap_or(0), part("MIN")?.unwrap_or(0));
        let step = part("STEP")?.unwrap_or(1).max(1);
        let place = index.saturating_sub(min) / step;
        if place >= jobs || index < min || (index - min) % step != 0 {
            let why = format!("{name} is {index}, with {jobs} jobs from {min}");
            return Err(format!("{why}: use --shards N, the number of shards, if the jobs have gaps"));
        }
        Ok(Some((Shard { index: place, count: jobs }, name)))
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parsed = text.split_once('/').and_then(|(index, count)| {
            Some(Shard { index: index.parse().ok()?, count: count.parse().ok()? })
        });
        let allowed = "must be I/N, shard I of N, counted from 0: 0/3, 1/3, 2/3";
        parsed.filter(|shard| shard.index < shard.count).ok_or_else(|| allowed.to_owned())
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Shard, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_jobs_say_which_shard() {
        let of = |count, set: &[(&str, &str)]| {
            let variable = |name: &str| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            Shard::of_array(count, variable).map(|found| found.map(|(shard, _)| shard.to_string()))
        };
        let slurm = |id, count, min, step| {
            [
                (SLURM, id),
                ("SLURM_ARRAY_TASK_COUNT", count),
                ("SLURM_ARRAY_TASK_MIN", min),
                ("SLURM_ARRAY_TASK_STEP", step),
            ]
        };
        let is = |shard: &str| Ok(Some(shard.to_owned()));
        assert_eq!(of(None, &[]), Ok(None));
        assert_eq!(of(None, &slurm("", "", "", "")), Ok(None));
        assert_eq!(of(Some(8), &[(SLURM, ""), (KUBERNETES, "7")]), is("7/8"));
        assert_eq!(of(None, &slurm("5", "8", "1", "1")), is("4/8"));
        assert_eq!(of(None, &slurm("14", "8", "0", "2")), is("7/8"));
        // One job that is started again is an array of one, which alone knows not of how many.
        assert_eq!(of(Some(8), &slurm("3", "1", "3", "1")), is("3/8"));
        assert_eq!(of(Some(8), &[(KUBERNETES, "7")]), is("7/8"));
        for (count, set, word) in [
            (Some(8), &[(KUBERNETES, "8")][..], "0 to 7"),
            (None, &[(KUBERNETES, "1")], "--shards N"),
            (Some(8), &[], "--shard I/8"),
            (None, &slurm("9", "3", "1", "1"), "gaps"),
            (None, &[(SLURM, "x")], "whole number"),
        ] {
            assert!(of(count, set).is_err_and(|why| why.contains(word)), "{count:?} {set:?}");
        }
    }
}
