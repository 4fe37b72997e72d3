//! `render`: its options, and what they mean.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::request::{AdapterFor, FlockRequest, MOST_STEPS, real, sides, whole};
use super::typed::{EngineArgs, FlockArgs};
use crate::engines::EngineRequest;
use crate::failure::Failure;
use crate::report::{Film, Format};
use crate::view::scene::Colour;

/// `render`.
#[derive(Args, Debug)]
pub struct RenderArgs {
    /// The picture or film: .png, .mp4 or .gif. A .png shows the last step.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// How many steps the film shows.
    #[arg(long, value_name = "K", default_value = "300", allow_hyphen_values = true)]
    pub steps: String,
    /// Steps from frame to frame.
    #[arg(long, value_name = "K", default_value = "1", allow_hyphen_values = true)]
    pub every: String,
    /// Steps before the first frame.
    #[arg(long, value_name = "K", default_value = "0", allow_hyphen_values = true)]
    pub skip: String,
    /// Width and height in pixels; even for .mp4.
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    pub size: String,
    /// Frames a second.
    #[arg(long, value_name = "F", default_value = "30", allow_hyphen_values = true)]
    pub fps: String,
    /// How the flock is drawn; auto draws arrows in two dimensions and cones in three.
    #[arg(long, value_enum, default_value_t)]
    pub style: Style,
    /// What a boid's colour tells, where cones are drawn.
    #[arg(long, value_enum, default_value_t)]
    pub colour: ColourArg,
    /// Where the camera looks: degrees about the z axis.
    #[arg(long, value_name = "DEGREES", default_value = "40", allow_hyphen_values = true)]
    pub yaw: String,
    /// How far up the camera looks: degrees above the horizon.
    #[arg(long, value_name = "DEGREES", default_value = "6", allow_hyphen_values = true)]
    pub pitch: String,
    /// How near: 2 shows everything twice as large.
    #[arg(long, value_name = "FACTOR", default_value = "1", allow_hyphen_values = true)]
    pub zoom: String,
    /// How fast the camera goes round the flock: degrees a second of film.
    #[arg(long, value_name = "DEGREES", default_value = "3", allow_hyphen_values = true)]
    pub orbit: String,
    /// Mark the flock's centre, as is done anyway where all boids follow it.
    #[arg(long)]
    pub mark_centre: bool,
    /// Print what was drawn as JSON.
    #[arg(long)]
    pub json: bool,
    /// Say nothing but results and errors.
    #[arg(long)]
    pub quiet: bool,
    // Last: what follows a group in the help counts to it.
    #[command(flatten)]
    pub flock: FlockArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// How a flock is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Style {
    #[default]
    Auto,
    /// Lit bodies before a sky, or darts on a dark plane.
    Cones,
    /// A vector field on paper with axes and the step number; in two dimensions only.
    Arrows,
}

/// What a boid's colour tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColourArg {
    #[default]
    Heading,
    Position,
    Speed,
    Density,
    Group,
}

impl From<ColourArg> for Colour {
    fn from(colour: ColourArg) -> Self {
        match colour {
            ColourArg::Heading => Colour::Heading,
            ColourArg::Position => Colour::Position,
            ColourArg::Speed => Colour::Speed,
            ColourArg::Density => Colour::Density,
            ColourArg::Group => Colour::Group,
        }
    }
}

/// A picture or film to be made.
#[derive(Debug)]
pub struct RenderRequest {
    pub file: PathBuf,
    pub format: Format,
    pub flock: FlockRequest,
    pub engine: EngineRequest,
    pub steps: u64,
    /// At least 1.
    pub every: u64,
    pub skip: u64,
    /// Width and height in pixels, each at least 1.
    pub size: [u32; 2],
    pub fps: u32,
    pub style: Style,
    pub colour: Colour,
    pub sight: Sight,
    pub mark_centre: bool,
    pub json: bool,
    pub quiet: bool,
}

/// How the camera looks at the flock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    /// In degrees.
    pub yaw: f32,
    /// In degrees.
    pub pitch: f32,
    pub zoom: f32,
    /// In degrees a second of film.
    pub orbit: f32,
}

impl RenderRequest {
    pub(super) fn new(args: RenderArgs) -> Result<Self, Failure> {
        let number = |option, text: &str, least, most| real(option, text, least, most).map(|n| n as f32);
        let fps = whole("--fps", &args.fps, 1..=240)?;
        Ok(RenderRequest {
            format: Format::of(&args.file)?,
            file: args.file,
            flock: FlockRequest::new(&args.flock)?,
            engine: EngineRequest::from_args(&args.engine, AdapterFor::Drawing)?,
            steps: whole("--steps", &args.steps, 0..=MOST_STEPS / 2)?,
            every: whole("--every", &args.every, 1..=u64::from(u16::MAX))?,
            skip: whole("--skip", &args.skip, 0..=MOST_STEPS / 2)?,
            size: sides("--size", &args.size, 1..=Film::MAX_SIDE)?,
            fps: u32::try_from(fps).unwrap_or(u32::MAX),
            style: args.style,
            colour: args.colour.into(),
            sight: Sight {
                yaw: number("--yaw", &args.yaw, -360.0, 360.0)?,
                pitch: number("--pitch", &args.pitch, -85.0, 85.0)?,
                zoom: number("--zoom", &args.zoom, 0.01, 100.0)?,
                orbit: number("--orbit", &args.orbit, -360.0, 360.0)?,
            },
            mark_centre: args.mark_centre,
            json: args.json,
            quiet: args.quiet,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Call, Request, parse};
    use super::*;

    fn render(options: &[&str]) -> Result<RenderRequest, Failure> {
        let words = ["murmuration", "render"].into_iter().chain(options.iter().copied());
        match parse(words.map(Into::into))? {
            Call::Do(Request::Render(request)) => Ok(*request),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn defaults_and_options_mean_what_the_help_says() {
        let request = render(&["a.mp4"]).expect("a name is enough");
        assert_eq!((request.steps, request.every, request.skip, request.fps), (300, 1, 0, 30));
        assert_eq!((request.size, request.format), ([1280, 720], Format::Mp4));
        let request =
            render(&["a.PNG", "--size", "64X32", "--yaw", "-90", "--colour", "speed", "--every", "2"]);
        let request = request.expect("all allowed");
        assert_eq!((request.size, request.every), ([64, 32], 2));
        assert_eq!((request.sight.yaw, request.colour, request.format), (-90.0, Colour::Speed, Format::Png));
    }

    #[test]
    fn refusals_name_option_value_and_what_is_allowed() {
        let bad: [(&[&str], &str); 8] = [
            (&["a.avi"], ".mp4"),
            (&["a"], ".mp4"),
            (&["a.png", "--size", "64"], "--size 64: allowed is WxH"),
            (&["a.png", "--size", "0x64"], "--size 0x64: allowed is WxH"),
            (&["a.png", "--every", "0"], "--every 0: allowed is a whole number from 1"),
            (&["a.png", "--fps", "-1"], "--fps -1: allowed is a whole number from 1 to 240"),
            (&["a.png", "--zoom", "nan"], "--zoom nan: allowed is a number from 0.01"),
            (&["a.png", "--style", "dots"], "dots"),
        ];
        for (options, part) in bad {
            let failure = render(options).expect_err("not allowed");
            assert!(failure.message.contains(part), "{options:?}: {failure}");
            assert_eq!(failure.kind, crate::failure::Kind::Usage);
        }
    }
}
