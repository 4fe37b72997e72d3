//! What a call of `view`, or of no command at all, means.

use super::request::{AdapterFor, FlockRequest, MOST_STEPS, sides, whole};
use super::typed::ViewArgs;
use crate::engines::EngineRequest;
use crate::failure::Failure;

/// Sides that a window can have, in logical pixels.
const SIDES: std::ops::RangeInclusive<u32> = 240..=16_384;

/// `view`.
#[derive(Debug)]
pub struct ViewRequest {
    pub flock: FlockRequest,
    pub engine: EngineRequest,
    /// The step to pause at.
    pub steps: Option<u64>,
    /// Width and height in logical pixels.
    pub size: [u32; 2],
    pub quiet: bool,
}

impl ViewRequest {
    pub(super) fn new(args: &ViewArgs) -> Result<Self, Failure> {
        let steps = args.steps.as_deref().map(|text| whole("--steps", text, 0..=MOST_STEPS)).transpose()?;
        Ok(ViewRequest {
            flock: FlockRequest::new(&args.flock)?,
            engine: EngineRequest::from_args(&args.engine, AdapterFor::Drawing)?,
            steps,
            size: sides("--window-size", &args.window_size, SIDES)?,
            quiet: args.quiet,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Call, Request, parse};
    use super::*;

    fn view(options: &[&str]) -> Result<ViewRequest, Failure> {
        let words = ["murmuration", "view"].into_iter().chain(options.iter().copied());
        match parse(words.map(Into::into))? {
            Call::Do(Request::View(request)) => Ok(*request),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn sizes_are_two_sides() {
        let size = |text| view(&["--window-size", text]).map(|request| request.size);
        assert_eq!(size("1280x800").ok(), Some([1280, 800]));
        assert_eq!(size("640 X 480").ok(), Some([640, 480]));
        for wrong in ["", "1280", "1280x", "0x800", "1280x-5", "99999x800", "axb"] {
            let text = size(wrong).expect_err(wrong).to_string();
            assert!(text.contains("--window-size") && text.contains("240"), "{text}");
        }
    }

    #[test]
    fn an_adapter_draws_what_the_cpu_steps() {
        for options in [
            &["--engine", "cpu", "--adapter", "1"][..],
            &["--engine", "cpu", "--backend", "gl"],
            &["--numeric", "f64", "--adapter", "1"],
        ] {
            let request = view(options).expect("allowed");
            assert!(request.engine.adapter.is_some() || request.engine.backend.is_some(), "{options:?}");
            let run = ["murmuration", "run"].into_iter().chain(options.iter().copied());
            assert!(parse(run.map(Into::into)).is_err(), "{options:?}");
        }
        assert!(view(&["--numeric", "f64", "--engine", "gpu"]).is_err());
    }
}
