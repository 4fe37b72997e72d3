//! Sends custom terms to a board: not the formulas, but the CPU's integer engine's prepared form of them.

use flock::{Fixed, Rule, formula::Prepared};

use super::board::{Board, BoardError, Link};

/// Words per line: the console takes 1,024 bytes.
const LINE: usize = 100;

/// Sends the terms of a rule, if it has any, and enables them. The board has the rule's other parameters and no terms.
///
/// # Errors
/// When integers or the board refuse the terms, and then it has none; when it does not answer.
pub fn send(board: &mut Board<impl Link>, rule: &Rule<Fixed>) -> Result<(), BoardError> {
    let prepared = Prepared::new(rule).map_err(|refused| BoardError::Refused(refused.to_string()))?;
    let Some(prepared) = prepared else { return Ok(()) };
    let (lines, reach) = (lines(&prepared), rule.own.terms.reach());
    let fly = format!("terms fly {reach:?} {:x}", prepared.checksum(reach));
    let sent = lines.iter().chain([&fly]).try_for_each(|line| board.ask(line).map(drop));
    if sent.is_err() {
        board.ask("terms off")?;
    }
    sent
}

/// The lines that set the words that differ from the board's initial ones.
fn lines(prepared: &Prepared<Fixed>) -> Vec<String> {
    let numbers: Vec<usize> = (0..Prepared::WORDS).collect();
    let differs = |at: &usize| prepared.word(*at) != Prepared::EMPTY.word(*at);
    let lines = numbers.chunks(LINE).filter(|numbers| numbers.iter().any(differs));
    let words =
        |numbers: &[usize]| numbers.iter().map(|at| format!(" {:x}", prepared.word(*at))).collect::<String>();
    lines.map(|numbers| format!("terms {}{}", numbers[0], words(numbers))).collect()
}
