//! Console lines that set a board up with a flock from its start, for a firmware image with that flock built in.

use flock::{Fixed, Parameters};

use super::{board::Board, engine::refusal, image::Image, settings, terms};
use engine::{Result, rule};

/// The console lines that make a board with this image, just switched on, fly the flock from its start.
///
/// # Errors
/// When the flock does not fit the memory, or a parameter or formula the integers; when the firmware does not run.
pub fn script(image: &Image, parameters: &Parameters) -> Result<Vec<String>> {
    let rule = rule::<Fixed>(parameters, parameters.flock.boids as usize)?.rule;
    let mut board = Board::boot(image)?;
    board.executed = Some(Vec::new());
    // A single boid until all parameters are set, since each line may restart the flock.
    let mut alone = *parameters;
    alone.flock.boids = 1;
    let sent = settings::agree(&mut board, &alone)
        .and_then(|()| settings::agree(&mut board, parameters))
        // Restarts the flock with these parameters.
        .and_then(|()| board.ask(&format!("seed {}", parameters.flock.seed)))
        .and_then(|_| terms::send(&mut board, &rule));
    sent.map_err(|error| refusal(error, parameters))?;
    Ok(board.executed.unwrap_or_default().into_iter().filter(|line| line != "list").collect())
}
