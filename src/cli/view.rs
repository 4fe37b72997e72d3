//! `view`, and no command at all: its options.

use clap::Args;

use engines::EngineRequest;
use files::Result;
use flight::Flight;

use super::shared::{FlightArgs, LookArgs, MAX_STEPS, sides, whole};

/// `view`.
#[derive(Args, Clone, Debug)]
pub struct ViewOptions {
    /// Open paused at step 0; the space bar starts it.
    #[arg(long)]
    pub paused: bool,
    /// Pause after K steps.
    #[arg(long, value_name = "K", value_parser = whole::<u64>(0..=MAX_STEPS))]
    pub steps: Option<u64>,
    /// Go to step K as fast as the engine can, and pause there.
    #[arg(long, value_name = "K", conflicts_with_all = ["steps", "paused"], value_parser = whole::<u64>(0..=MAX_STEPS))]
    pub step: Option<u64>,
    /// Begin a lesson: first, questions, or that of a .toml file.
    #[arg(long, value_name = "LESSON", num_args = 0..=1, default_missing_value = "first")]
    #[arg(conflicts_with_all = ["flight", "preset", "config", "term", "set", "boids", "seed"])]
    pub lesson: Option<String>,
    /// Fly another flock beside it, which differs by this.
    ///
    /// Both have one camera and one clock, and every change reaches both. May be repeated.
    #[arg(long, value_name = "TABLE.KEY=VALUE", conflicts_with = "flight")]
    pub compare: Vec<String>,
    #[command(flatten)]
    pub recorded: FlightArgs,
    /// Repeat the flight in a link.
    #[arg(long, value_name = "TEXT", hide = true, conflicts_with_all = ["flight", "preset", "config", "term", "set", "boids", "seed"])]
    pub flight_link: Option<String>,
    /// Size of the window.
    #[arg(long, value_name = "WxH", default_value = "1280x800", allow_hyphen_values = true)]
    #[arg(value_parser = sides(config::MIN_WINDOW_SIDE..=16_384))]
    pub window_size: [u32; 2],
    /// How the flock is drawn.
    #[command(flatten)]
    pub look: LookArgs,
    /// Print only errors.
    #[arg(long)]
    pub quiet: bool,
}

impl ViewOptions {
    /// The flight that a file or a link holds, if the call names one; see [`FlightArgs::read`].
    ///
    /// # Errors
    /// When there is no flight in it, or the engine does not have its number type.
    pub fn flight(&self, engine: &mut EngineRequest, names_numeric: bool) -> Result<Option<Flight>> {
        let Some(link) = &self.flight_link else { return self.recorded.read(engine, names_numeric) };
        let flight = Flight::from_link(link)?;
        self.recorded.choose_numeric(&flight, engine, names_numeric)?;
        Ok(Some(flight))
    }
}

/// A window to be opened.
#[cfg(feature = "window")]
pub type ViewRequest = super::shared::Request<ViewOptions>;

#[cfg(test)]
mod tests {
    use super::super::shared::AdapterFor;
    use super::super::{Call, parse};
    use super::*;
    use files::failure::Failure;

    fn view(options: &[&str]) -> Result<ViewRequest, Failure> {
        let words = ["murmuration", "view"].into_iter().chain(options.iter().copied());
        match parse(words.map(Into::into))? {
            Call::View(args) => args.resolve(AdapterFor::Drawing),
            other => panic!("{other:?}"),
        }
    }

    /// True if nothing is said about how the window opens.
    fn is_plain(options: &ViewOptions) -> bool {
        let ViewOptions { paused, steps, step, look, recorded, flight_link, .. } = options;
        recorded.flight.is_none()
            && flight_link.is_none()
            && !paused
            && steps.is_none()
            && step.is_none()
            && look.named.is_none()
    }

    #[test]
    fn sizes_are_two_sides() {
        let size = |text| view(&["--window-size", text]).map(|request| request.options.window_size);
        assert_eq!(size("1280x800").ok(), Some([1280, 800]));
        assert_eq!(size("640 X 480").ok(), Some([640, 480]));
    }

    #[test]
    fn a_link_is_the_options_that_it_holds() {
        let link = "https://a.example/page/?preset=cornell&set=separation.radius%3D9&engine=cpu&step=600#top";
        let request = view(&[link]).expect("a link");
        let parameters = request.flock.parameters().expect("allowed");
        assert_eq!((parameters.separation.radius, request.options.step), (9.0, Some(600)));
        assert!(!is_plain(&request.options));
        // The window is no page of hashes, and an address may ask for nothing.
        assert_eq!(view(&["?step=3&hash&state"]).expect("a link").options.step, Some(3));
        assert!(is_plain(&view(&["https://a.example/page/#top"]).expect("a link").options));
        // Options beside the link also apply; errors in the link are those of the command line.
        assert_eq!(
            view(&["?step=3", "--window-size", "640x480"]).expect("both").options.window_size,
            [640, 480]
        );
        let text = view(&["?step=-3"]).expect_err("negative").to_string();
        assert!(text.contains("--step"), "{text}");
        assert!(view(&["?step=3&paused"]).is_err() && view(&["cornell"]).is_err());
        // A saved file may take the place of a link.
        let file = |words: &[&str]| view(words).map(|request| request.flock.source);
        assert!(
            matches!(file(&["my scene.toml", "--paused"]), Ok(config::Source::File(path)) if path.as_os_str() == "my scene.toml")
        );
        assert!(file(&["--config", "a.toml"]).is_ok() && file(&["--paused", "a.toml"]).is_err());
        // The fragment of a link may hold a flight.
        let flight = |address: &str| view(&[address]).map(|request| request.options.flight_link);
        for address in ["https://a.example/page/?look=cones#flight=abc", "#flight=abc"] {
            assert_eq!(flight(address).expect("a link").as_deref(), Some("abc"), "{address}");
        }
        assert!(view(&["?preset=yabi#flight=abc"]).is_err());
        // Elsewhere it is a name as any other.
        match parse(["murmuration", "render", "?n=3.png"].map(Into::into)) {
            Ok(Call::Render(args)) => assert_eq!(args.options.file.to_str(), Some("?n=3.png")),
            other => panic!("{other:?}"),
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
            let Ok(Call::Run(args)) = parse(run.map(Into::into)) else { panic!("{options:?}") };
            assert!(args.resolve(AdapterFor::Steps).is_err(), "{options:?}");
        }
        assert!(view(&["--numeric", "f64", "--engine", "gpu"]).is_err());
    }
}
