//! The address of a page: the options of `view`, as in `?preset=yabi&boids=20000&set=separation.radius%3D3`.

use clap::Parser;

use super::shared::{AdapterFor, Arguments, RUN_STEPS, Request};
use super::{usage, view::ViewOptions};
use files::Result;

/// A call of the page.
#[derive(Debug, Parser)]
#[command(name = "murmuration", disable_help_flag = true)]
struct Address {
    /// Write the hash of the state at every step, as `run --hash` does, and show no flock.
    #[arg(long)]
    hash: bool,
    /// Write the last state, as `run --out` does, and show no flock.
    #[arg(long)]
    state: bool,
    #[command(flatten)]
    view: Arguments<ViewOptions>,
}

/// The request in the address.
#[derive(Debug)]
pub struct PageRequest {
    pub view: Request<ViewOptions>,
    pub hash: bool,
    pub state: bool,
}

impl PageRequest {
    /// The last step of a run without a window: by default as many as those of `run`.
    pub fn last_step(&self) -> u64 {
        let options = &self.view.options;
        options.steps.or(options.step).unwrap_or(RUN_STEPS)
    }
}

/// Parses the query and the fragment of an address.
///
/// # Errors
/// When it is wrong: the option, the value and what is allowed, as on the command line.
pub fn parse(query: &str) -> Result<PageRequest> {
    let words = std::iter::once("murmuration".to_owned()).chain(options(query));
    let Address { hash, state, view } =
        Address::try_parse_from(words).map_err(|error| usage::failure(&error))?;
    Ok(PageRequest { view: view.resolve(AdapterFor::Drawing)?, hash, state })
}

/// Names, or prefixes that end in `_`, of the query parameters that other sites add to links.
const ADDED: [&str; 7] = ["utm_", "mc_", "fbclid", "gclid", "msclkid", "igshid", "ref"];

/// True for a query parameter that another site has added.
fn added(name: &str) -> bool {
    ADDED.iter().any(|added| name == *added || added.ends_with('_') && name.starts_with(added))
}

/// The options in the query of an address, as typed on the command line, and the flight in its fragment. The rest of the
/// address is ignored.
pub(super) fn options(address: &str) -> Vec<String> {
    let (address, fragment) = address.split_once('#').unwrap_or((address, ""));
    let bare = if address.contains("://") { "" } else { address };
    let query = address.split_once('?').map_or(bare, |(_, query)| query);
    let mut options = Vec::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        // A page that holds a link writes `&` as `&amp;`.
        let name = name.strip_prefix("amp;").unwrap_or(&name);
        if name.is_empty() || added(name) {
            continue;
        }
        options.push(if value.is_empty() { format!("--{name}") } else { format!("--{name}={value}") });
    }
    if let Some(flight) = fragment.strip_prefix("flight=") {
        options.push(format!("--flight-link={flight}"));
    }
    options
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::CommandLine;

    #[test]
    fn an_address_holds_the_options_of_the_window() {
        let query =
            "?preset=cornell&boids=173&seed=90210&steps=60&numeric=fixed&set=separation.radius%3D9&hash";
        let request = parse(query).expect("understood");
        let parameters = request.view.flock.parameters().expect("allowed");
        assert_eq!((parameters.flock.boids, parameters.flock.seed), (173, 90210));
        assert_eq!((parameters.separation.radius, request.view.options.steps), (9.0, Some(60)));
        assert!(request.hash && !parse("").expect("nothing").hash);
    }

    #[test]
    fn an_address_that_names_no_steps_has_as_many_as_run() {
        let last = |query| parse(query).expect("understood").last_step();
        assert_eq!([last("?hash"), last("?hash&steps=7"), last("?hash&step=8")], [100, 7, 8]);
        let help = CommandLine::command();
        let mut run = help.find_subcommand("run").expect("a command").get_arguments();
        let steps = run.find(|argument| argument.get_id() == "steps").expect("an option");
        let said = steps.get_help().expect("a text").to_string();
        assert!(said.contains(&format!("[default: {}, ", last("?hash"))), "{said}");
    }

    #[test]
    fn a_wrong_address_is_answered_as_on_the_command_line() {
        let error = parse("?preset=yaby").expect_err("a slip").to_string();
        assert!(error.contains("--preset") && error.contains("yabi"), "{error}");
        let error = parse("?boids=-3").expect_err("negative").to_string();
        assert!(error.contains("--boids"), "{error}");
        assert!(parse("?nothing=3").is_err() && parse("?help").is_err());
    }

    #[test]
    fn percent_signs_are_decoded_and_broken_ones_stay() {
        let options = options("?a%3Db=c+d%2g%&%C3%A9%FF");
        assert_eq!(options, ["--a=b=c d%2g%", "--é\u{fffd}"]);
        let shared: Vec<String> =
            super::options("?utm_source=x&preset=yabi&amp;boids=5&fbclid=IwAR0&ref=y&mc_eid=1&refs=2");
        assert_eq!(shared, ["--preset=yabi", "--boids=5", "--refs=2"]);
        // An address without a question mark asks for nothing, nor does an option without a name.
        for nothing in ["https://a.example/page/", "https://a.example/#top", "?=", ""] {
            assert!(super::options(nothing).is_empty(), "{nothing}");
        }
    }
}
