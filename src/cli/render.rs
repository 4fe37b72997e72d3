//! `render`: its options, and what they mean.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::shared::{
    AdapterFor, Arguments, LookArgs, MAX_STEPS, RankOptions, Request, StartArgs, one_of, real, sides, whole,
};
use files::{Failure, Film, Format, Result};
use scene::Colour;

/// `render`.
#[derive(Args, Clone, Debug)]
pub struct RenderOptions {
    /// Picture or film, a .png, .mp4 or .gif file; - is a film on stdout.
    ///
    /// A .png shows the last step; with %04d in its name there is one per frame. The film on stdout is YUV4MPEG2.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Number of steps in the film [default: 300, or those of --flight]
    #[arg(long, value_name = "K", value_parser = whole::<u64>(0..=MAX_STEPS / 2))]
    pub steps: Option<u64>,
    /// Steps per frame, 1 to 65535.
    #[arg(long, value_name = "K", default_value = "1", value_parser = whole::<u64>(1..=u64::from(u16::MAX)))]
    pub every: u64,
    /// Steps before the first frame [default: view.skip, or 0 with --init]
    ///
    /// view.skip is set by the preset or file.
    #[arg(long, value_name = "K", value_parser = whole::<u64>(0..=MAX_STEPS / 2))]
    pub skip: Option<u64>,
    /// Draw the states of a trajectory, one per frame, instead of stepping.
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["steps", "every", "skip", "init", "first_step", "flight"])]
    pub trajectory: Option<PathBuf>,
    /// Width and height in pixels.
    ///
    /// Both must be even for .mp4 and -. If the buffers of the adapter are too small, small boids are drawn in squares of
    /// pixels, with a note.
    #[arg(long, value_name = "WxH", default_value = "1280x720", allow_hyphen_values = true)]
    #[arg(value_parser = sides(1..=Film::MAX_SIDE))]
    pub size: [u32; 2],
    /// Frames per second, 1 to 240.
    #[arg(long, value_name = "F", default_value = "30", value_parser = whole::<u32>(1..=240))]
    pub fps: u32,
    /// Motion blur: average of 1 to 16 pictures per frame.
    ///
    /// The pictures span half a frame, up to the time of the frame. 1 is sharp.
    #[arg(long, value_name = "N", default_value = "1", value_parser = whole::<u32>(1..=16), hide_short_help = true)]
    pub blur: u32,
    /// Quality of an .mp4, from 1 (small and coarse) to 100 (large and fine).
    #[arg(long, value_name = "Q", default_value_t = Film::QUALITY, hide_short_help = true)]
    #[arg(value_parser = whole::<u32>(1..=100))]
    pub quality: u32,
    /// Replace existing files.
    #[arg(short, long)]
    pub yes: bool,
    /// Print a summary as JSON.
    #[arg(long)]
    pub json: bool,
    /// Print only results and errors.
    #[arg(long)]
    pub quiet: bool,
    /// How the flock is drawn.
    #[command(flatten, next_help_heading = "Appearance")]
    pub look: LookArgs,
    /// Shape of the boids.
    #[arg(long, default_value = "auto")]
    pub style: Style,
    /// Colour by heading, position, speed, density, group, twilight or cividis.
    ///
    /// twilight (heading) and cividis (speed) are colour-blind safe. Only cones are coloured, not
    /// arrows.
    ///
    /// [default: view.colour of the preset or file, else group if flock.groups is set, else heading]
    #[arg(long, value_parser = one_of(&Colour::ALL), hide_possible_values = true)]
    pub colour: Option<Colour>,
    /// Draw trails that fade within SECONDS of film; 0 is none.
    ///
    /// [default: view.trails of the preset or file, which is in steps, else 0]
    #[arg(long, value_name = "SECONDS", value_parser = real(0.0..=60.0))]
    pub trails: Option<f64>,
    /// Draw what the followed boid perceives and requests, and print it.
    ///
    /// Its ranges, a ring around each boid that a rule perceives, and an arrow for each request and for their sum. It
    /// requires --bird, or view.bird.
    #[arg(long)]
    pub explain: bool,
    /// Draw another flock beside it, which differs by this parameter; may be repeated.
    ///
    /// Both fly in step, and one camera shows both.
    #[arg(long, value_name = "TABLE.KEY=VALUE", hide_short_help = true)]
    #[arg(conflicts_with_all = ["trajectory", "flight", "ranks", "explain"])]
    pub compare: Vec<String>,
    /// Mark the centre of the flock; it is always marked if all boids follow it.
    #[arg(long, hide_short_help = true)]
    pub mark_centre: bool,
    /// Direction of the camera about the z axis.
    ///
    /// [default: view.yaw of the preset or file, else 40]
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true, help_heading = "Camera")]
    #[arg(value_parser = real(-360.0..=360.0))]
    pub yaw: Option<f64>,
    /// Direction of the camera above the horizon.
    ///
    /// [default: view.pitch of the preset or file, else 16 at dusk and 6 otherwise]
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true, help_heading = "Camera")]
    #[arg(value_parser = real(-85.0..=85.0))]
    pub pitch: Option<f64>,
    /// Magnification; 2 shows everything twice as large.
    ///
    /// [default: view.zoom of the preset or file, else 1]
    #[arg(long, value_name = "FACTOR", help_heading = "Camera", value_parser = real(0.01..=100.0))]
    pub zoom: Option<f64>,
    /// Angle from the lower to the upper edge of the picture [default: 46]
    ///
    /// A wide angle shows the flock from close by.
    #[arg(long, value_name = "DEGREES", help_heading = "Camera", value_parser = real(5.0..=120.0))]
    #[arg(hide_short_help = true)]
    pub field_of_view: Option<f64>,
    /// Rotation about the flock per second of film [default: 3]
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true, help_heading = "Camera")]
    #[arg(value_parser = real(-360.0..=360.0), hide_short_help = true)]
    pub orbit: Option<f64>,
    /// Follow a boid, from nearby.
    ///
    /// [default: view.bird of the preset or file]
    #[arg(long, value_name = "ID", help_heading = "Camera", conflicts_with = "camera")]
    #[arg(value_parser = whole::<u32>(0..=u64::from(u32::MAX)))]
    pub bird: Option<u32>,
    /// Move the camera during the film, by the keys of a file.
    ///
    /// The options apply to what the file does not name. A .png is seen as the last frame of the film.
    #[arg(long, value_name = "FILE.toml", help_heading = "Camera")]
    pub camera: Option<PathBuf>,
    #[command(flatten)]
    pub start: StartArgs,
    #[command(flatten)]
    pub ranks: RankOptions,
}

/// The steps of a film that says nothing of them.
const FILM_STEPS: u64 = 300;

/// How a flock is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Style {
    /// Arrows in two dimensions, if they have room, else cones.
    Auto,
    /// Bodies in space, or darts on a dark plane.
    Cones,
    /// A vector field on paper, only in two dimensions.
    Arrows,
}

impl RenderOptions {
    /// Number of steps in the film.
    pub fn steps(&self) -> u64 {
        self.steps.unwrap_or(FILM_STEPS)
    }

    /// True if it is a film: a picture shows only the last step.
    pub fn moves(&self) -> bool {
        Format::of(&self.file).is_ok_and(Format::is_film)
    }

    /// True if an option sets the camera.
    pub fn moves_camera(&self) -> bool {
        let numbers = [self.yaw, self.pitch, self.zoom, self.field_of_view, self.orbit];
        self.camera.is_some() || self.bird.is_some() || numbers.iter().any(Option::is_some)
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
        let others = [
            ("--trajectory", options.trajectory.is_some()),
            ("--flight", options.start.recorded.flight.is_some()),
            ("--style arrows", options.style == Style::Arrows),
            ("--bird", options.bird.is_some()),
            ("--explain", options.explain),
            ("--colour density", options.colour == Some(Colour::Density)),
        ];
        if let Some((other, _)) = others.into_iter().find(|(_, given)| *given) {
            return Err(Failure::usage(format!("{by} cannot be used with {other}")));
        }
    }
    let near = [("--explain", args.options.explain), ("--bird", args.options.bird.is_some())];
    if let Some((option, _)) =
        near.into_iter().find(|(_, given)| *given && args.options.style == Style::Arrows)
    {
        return Err(Failure::usage(format!("{option} cannot be used with --style arrows")));
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
        assert_eq!((request.steps(), request.every, request.skip, request.fps), (300, 1, None, 30));
        assert_eq!(request.size, [1280, 720]);
        let request =
            render(&["a.PNG", "--size", "64X32", "--yaw", "-90", "--colour", "speed", "--every", "2"]);
        let request = request.expect("all allowed");
        assert_eq!((request.size, request.every), ([64, 32], 2));
        assert_eq!((request.yaw, request.colour), (Some(-90.0), Some(Colour::Speed)));
    }
}
