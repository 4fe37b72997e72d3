//! What a call of `view`, or of no command at all, means.

use super::request::{FlockRequest, MOST_STEPS, whole};
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
            engine: EngineRequest::from_args(&args.engine)?,
            steps,
            size: size(&args.window_size)?,
            quiet: args.quiet,
        })
    }
}

fn size(text: &str) -> Result<[u32; 2], Failure> {
    let side = |text: &str| text.trim().parse().ok().filter(|side| SIDES.contains(side));
    let sides = text.split_once(['x', 'X', '×']);
    sides.and_then(|(width, height)| Some([side(width)?, side(height)?])).ok_or_else(|| {
        let (least, most) = (SIDES.start(), SIDES.end());
        Failure::usage(format!(
            "--window-size {text}: allowed is WIDTHxHEIGHT, each a whole number from {least} to {most}"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_two_sides() {
        assert_eq!(size("1280x800").ok(), Some([1280, 800]));
        assert_eq!(size("640 X 480").ok(), Some([640, 480]));
        for wrong in ["", "1280", "1280x", "0x800", "1280x-5", "99999x800", "axb"] {
            let text = size(wrong).expect_err(wrong).to_string();
            assert!(text.contains("--window-size") && text.contains("240"), "{text}");
        }
    }
}
