//! `render`: its options, and what they mean.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ranks::RankOptions;
use super::shared::{
    AdapterFor, Arguments, LookArgs, MAX_STEPS, Request, StartArgs, one_of, real, sides, whole,
};
use files::{Failure, Film, Format, Result};
use scene::Colour;

/// `render`.
#[derive(Args, Clone, Debug)]
pub struct RenderOptions {
    /// The picture or film: .png, .mp4 or .gif, or - for a film in YUV4MPEG2 on stdout. A .png shows the last step;
    /// with %04d in its name there is one a frame.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Number of steps that the film shows.
    #[arg(long, value_name = "K", default_value = "300", value_parser = whole::<u64>(0..=MAX_STEPS / 2))]
    pub steps: u64,
    /// Steps from frame to frame, 1 to 65535.
    #[arg(long, value_name = "K", default_value = "1", value_parser = whole::<u64>(1..=u64::from(u16::MAX)))]
    pub every: u64,
    /// Steps before the first frame [default: view.skip of the preset or file; with --init 0].
    #[arg(long, value_name = "K", value_parser = whole::<u64>(0..=MAX_STEPS / 2))]
    pub skip: Option<u64>,
    #[command(flatten)]
    pub ranks: RankOptions,
    #[command(flatten)]
    pub start: StartArgs,
    /// Draw the states of a trajectory that a run wrote, one a frame, instead of stepping.
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["steps", "every", "skip", "init", "first_step"])]
    pub trajectory: Option<PathBuf>,
    /// Width and height in pixels; even for .mp4 and -. Where the adapter's buffers are too small for it, small boids
    /// are drawn in squares of pixels, and a line says so.
    #[arg(long, value_name = "WxH", default_value = "1280x720", allow_hyphen_values = true)]
    #[arg(value_parser = sides(1..=Film::MAX_SIDE))]
    pub size: [u32; 2],
    /// Frames a second, 1 to 240.
    #[arg(long, value_name = "F", default_value = "30", value_parser = whole::<u32>(1..=240))]
    pub fps: u32,
    /// Motion blur: each frame is the mean of 1 to 16 pictures, from half a frame's time ago to now; 1 is sharp.
    #[arg(long, value_name = "N", default_value = "1", value_parser = whole::<u32>(1..=16))]
    pub blur: u32,
    /// Trails behind the boids that fade within so many seconds of film; 0 for none [default: view.trails of the preset
    /// or file, in steps, else 0].
    #[arg(long, value_name = "SECONDS", value_parser = real(0.0..=60.0))]
    pub trails: Option<f64>,
    /// Quality of an .mp4: 1 is small and coarse, 100 large and fine.
    #[arg(long, value_name = "Q", default_value_t = Film::QUALITY, value_parser = whole::<u32>(1..=100))]
    pub quality: u32,
    /// How the flock is drawn: cones are bodies in space, or darts on a dark plane; arrows, in two dimensions only, are
    /// a vector field on paper; auto draws arrows in two dimensions, where they have room, and bodies else.
    #[arg(long, default_value = "auto")]
    pub style: Style,
    /// How the flock is drawn.
    #[command(flatten)]
    pub look: LookArgs,
    /// What a boid's colour shows, where cones are drawn [default: view.colour of the preset or file, else its group
    /// where flock.groups is set, else its heading].
    #[arg(long, value_parser = one_of(&Colour::ALL))]
    pub colour: Option<Colour>,
    /// Direction of the camera about the z axis, in degrees [default: view.yaw of the preset or file, else 40].
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true)]
    #[arg(value_parser = real(-360.0..=360.0))]
    pub yaw: Option<f64>,
    /// Direction of the camera above the horizon, in degrees [default: view.pitch of the preset or file, else 16 at
    /// dusk and 6 otherwise].
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true)]
    #[arg(value_parser = real(-85.0..=85.0))]
    pub pitch: Option<f64>,
    /// Angle from the lower to the upper edge of the picture, in degrees; a wide one shows the flock from near
    /// [default: 46].
    #[arg(long, value_name = "DEGREES", value_parser = real(5.0..=120.0))]
    pub field_of_view: Option<f64>,
    /// Magnification: 2 shows everything twice as large [default: view.zoom of the preset or file, else 1].
    #[arg(long, value_name = "FACTOR", value_parser = real(0.01..=100.0))]
    pub zoom: Option<f64>,
    /// Speed of the camera around the flock, in degrees a second of film [default: 3].
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true)]
    #[arg(value_parser = real(-360.0..=360.0))]
    pub orbit: Option<f64>,
    /// Move the camera through the film by the keys of a file; what it does not name is as the options say. A
    /// .png is seen as the film's last frame.
    #[arg(long, value_name = "FILE.toml")]
    pub camera: Option<PathBuf>,
    /// Mark the flock's centre; it is always marked where all boids follow it.
    #[arg(long)]
    pub mark_centre: bool,
    /// Replace files that exist.
    #[arg(short, long)]
    pub yes: bool,
    /// Print a summary as JSON.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but results and errors.
    #[arg(long)]
    pub quiet: bool,
}

/// How a flock is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Style {
    Auto,
    Cones,
    Arrows,
}

impl RenderOptions {
    /// True if it is a film: a picture shows only the last step.
    pub fn moves(&self) -> bool {
        Format::of(&self.file).is_ok_and(Format::is_film)
    }

    /// The length of trails in steps, where it is said.
    pub fn trail_steps(&self) -> Option<f64> {
        self.trails.map(|seconds| seconds * f64::from(self.fps) * self.every as f64)
    }
}

/// A picture or film to be made.
pub type RenderRequest = Request<RenderOptions>;

/// Resolves the arguments.
///
/// # Errors
/// For a value that is not allowed, and options that contradict each other.
pub fn resolve(mut args: Arguments<RenderOptions>) -> Result<RenderRequest> {
    // A name without a known ending is refused before anything else is.
    if Format::of(&args.options.file)? == Format::Y4m && args.options.json {
        return Err(Failure::usage("- cannot be used with --json: both write to stdout"));
    }
    let Arguments { options, engine, .. } = &mut args;
    options.ranks.resolve(engine, AdapterFor::Drawing)?;
    if let Some(by) = options.ranks.named() {
        let refused = |what: &str| Err(Failure::usage(format!("{by} cannot be used with {what}")));
        if options.trajectory.is_some() {
            return refused("--trajectory");
        }
        if options.style == Style::Arrows {
            return refused("--style arrows");
        }
        if options.colour == Some(Colour::Density) {
            return refused("--colour density");
        }
    }
    args.resolve(AdapterFor::Drawing)
}

#[cfg(test)]
mod tests {
    use super::super::{Call, parse};
    use super::*;

    fn render(options: &[&str]) -> Result<RenderOptions, Failure> {
        let words = ["murmuration", "render"].into_iter().chain(options.iter().copied());
        match parse(words.map(Into::into))? {
            Call::Render(args) => Ok(resolve(*args)?.options),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn defaults_and_options_mean_what_the_help_says() {
        let request = render(&["a.mp4"]).expect("a name is enough");
        assert_eq!((request.steps, request.every, request.skip, request.fps), (300, 1, None, 30));
        assert_eq!(request.size, [1280, 720]);
        let request =
            render(&["a.PNG", "--size", "64X32", "--yaw", "-90", "--colour", "speed", "--every", "2"]);
        let request = request.expect("all allowed");
        assert_eq!((request.size, request.every), ([64, 32], 2));
        assert_eq!((request.yaw, request.colour), (Some(-90.0), Some(Colour::Speed)));
    }
}
