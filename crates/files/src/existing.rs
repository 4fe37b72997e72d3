//! Files that are at the name of a result.

/// The fate of a file that has the name of a result, whenever it came to exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It stays. Only an empty file that was there before the work is filled.
    Keep,
    /// The result replaces it.
    Replace,
}

impl Existing {
    /// The choice by the option `--yes`.
    pub fn replaced_if(yes: bool) -> Self {
        if yes { Existing::Replace } else { Existing::Keep }
    }
}
