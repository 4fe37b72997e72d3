//! A step of the CPU engine allocates nothing.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use cpu::{DENSE, Real};
use engine::State;
use flock::{Fixed, Parameters, Rule};

/// Counts allocations.
struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: it forwards to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Relaxed);
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const STEPS: usize = 100;

/// Sides of a world without dense cells, and of one that has some.
const WIDE: f64 = 200.0;
const CROWDED: f64 = 10.0;

/// Allocations of all threads in [`STEPS`] steps, after some that fill what a thread allocates once, in a world of this
/// size.
fn counted<T: Real>(threads: usize, size: f64) -> usize {
    let mut p = Parameters::default();
    p.flock.boids = 20_000;
    p.world.max = [size; 3];
    p.predators.count = 3;
    p.predators.chase_weight = 0.1;
    p.predators.attack_weight = 0.1;
    // Dense cells, by how many boids share one on average.
    let cells = (size / Rule::<f64>::new(&p).reach).floor().max(1.0).powi(3);
    assert_eq!(20_000.0 / cells > DENSE as f64, size < WIDE);
    let mut engine = cpu::open_as::<T>(&p, &State::start(&p), Some(threads)).expect("threads");
    engine.advance(20).expect("stepped");
    let before = COUNT.load(Relaxed);
    engine.advance(STEPS as u32).expect("stepped");
    COUNT.load(Relaxed) - before
}

/// All in one test, because tests run side by side and the counter is one.
#[test]
fn steps_allocate_nothing() {
    for size in [WIDE, CROWDED] {
        let alone = [counted::<f32>(1, size), counted::<f64>(1, size), counted::<Fixed>(1, size)];
        assert_eq!(alone, [0; 3], "f32, f64 and integers on one thread, a world of {size}");
    }
    // A thread that first takes work from another one registers for that, whenever it happens: a few allocations a
    // thread, but none a step. Last, because threads that end may allocate, too.
    let several = [counted::<f32>(2, WIDE), counted::<f64>(2, WIDE), counted::<Fixed>(2, CROWDED)];
    assert!(several.iter().all(|count| *count < STEPS / 10), "{several:?} on two threads in {STEPS} steps");
    // The control.
    let before = COUNT.load(Relaxed);
    drop(std::hint::black_box(Box::new(before)));
    assert!(COUNT.load(Relaxed) > before, "the counter counts");
}
