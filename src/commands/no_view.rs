//! `view` in a program without a window.

use crate::cli::view::ViewRequest;
use files::{Failure, Result};

pub(super) fn view(_: ViewRequest) -> Result {
    Err(Failure::usage("this program was built without its window: build it with `--features window`"))
}
