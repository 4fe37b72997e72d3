//! Sends terms of one's own to a board: not the formulas, but what the integer engine of the CPU has made of them.

use flock::{Fixed, Rule, formula::Prepared};

use super::board::{Board, BoardError, Link};

/// Words of a line: the console takes 1,024 bytes.
const LINE: usize = 100;

/// Sends the terms of a rule, if it has any, and has them fly. The board has the rule's other parameters and no terms.
///
/// # Errors
/// When the board refuses them, which leaves it without terms; when it does not answer.
pub fn send(board: &mut Board<impl Link>, rule: &Rule<Fixed>) -> Result<(), BoardError> {
    // Terms that do not fit are refused before.
    let Ok(Some(prepared)) = Prepared::new(rule) else { return Ok(()) };
    let (lines, reach) = (lines(&prepared), rule.own.terms.reach());
    let fly = format!("terms fly {reach:?} {:x}", prepared.checksum(reach));
    let sent = lines.iter().chain([&fly]).try_for_each(|line| board.ask(line).map(drop));
    if sent.is_err() {
        board.ask("terms off")?;
    }
    sent
}

/// The lines that set the words which the board does not have from the beginning.
fn lines(prepared: &Prepared<Fixed>) -> Vec<String> {
    let numbers: Vec<usize> = (0..Prepared::WORDS).collect();
    let differs = |at: &usize| prepared.word(*at) != Prepared::EMPTY.word(*at);
    let lines = numbers.chunks(LINE).filter(|numbers| numbers.iter().any(differs));
    let words =
        |numbers: &[usize]| numbers.iter().map(|at| format!(" {:x}", prepared.word(*at))).collect::<String>();
    lines.map(|numbers| format!("terms {}{}", numbers[0], words(numbers))).collect()
}
