//! The distribution of work between the cores.

use super::board;

#[test]
fn both_cores_share_the_work_of_a_step() {
    let Some(mut board) = board() else { return };
    for (preset, boids) in [("cornell", 1000), ("murmuration", 500)] {
        board.ask(&format!("preset {preset}")).expect("a preset");
        board.ask(&format!("boids {boids}")).expect("boids");
        let before = [0, 1].map(|core| board.machine.chip.core_cycles(core));
        board.ask("step 10").expect("steps");
        let worked = [0, 1].map(|core| board.machine.chip.core_cycles(core) - before[usize::from(core)]);
        assert!(worked[1] * 10 > worked[0] * 8, "{preset}: core 1 has worked {worked:?} cycles");
        let shares = board.ask("cycles").expect("cycles");
        let number = |core: usize, name: &str| -> u64 {
            let mut words = shares[core].split(' ').skip_while(|word| *word != name);
            words.nth(1).and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{name} in {shares:?}"))
        };
        let both = |name: &str| number(0, name) + number(1, name);
        assert_eq!(both("boids"), boids, "every boid is one core's");
        let least = number(0, "boids").min(number(1, "boids"));
        assert!(least * 3 > boids, "{preset}: a core has {least} boids of {boids}");
        eprintln!(
            "{preset}, {boids} boids, 10 steps: {worked:?} cycles of work; step 10: {} cycles a step, {} candidates, {} cycles a candidate in the loop",
            number(0, "total").max(number(1, "total")),
            both("candidates"),
            both("search") / both("candidates").max(1),
        );
    }
}

#[test]
fn a_core_without_work_does_not_count_as_at_work() {
    let Some(mut board) = board() else { return };
    let before = board.machine.chip.core_cycles(1);
    board.ask("list").expect("the parameters");
    let slept = board.machine.chip.core_cycles(1) - before;
    assert!(slept < 10_000, "core 1 has nothing to do with the console, and works {slept} cycles");
}
