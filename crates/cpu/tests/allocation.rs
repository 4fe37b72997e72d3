//! A step of the CPU engine allocates nothing.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use cpu::Real;
use cpu::state::State;
use flock::{Fixed, Parameters};

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

/// Allocations of all threads in [`STEPS`] steps, after some that fill what a thread allocates once.
fn counted<T: Real>(threads: usize) -> usize {
    let mut p = Parameters::default();
    p.flock.boids = 20_000;
    // No cell is dense: those are sorted in memory of their own.
    p.world.max = [200.0; 3];
    p.predators.count = 3;
    p.predators.chase_weight = 0.1;
    p.predators.attack_weight = 0.1;
    let mut engine = cpu::open_as::<T>(&p, &State::start(&p), Some(threads)).expect("threads");
    engine.advance(20).expect("stepped");
    let before = COUNT.load(Relaxed);
    engine.advance(STEPS as u32).expect("stepped");
    COUNT.load(Relaxed) - before
}

/// All in one test, because tests run side by side and the counter is one.
#[test]
fn steps_allocate_nothing() {
    let alone = [counted::<f32>(1), counted::<f64>(1), counted::<Fixed>(1)];
    assert_eq!(alone, [0; 3], "f32, f64 and integers on one thread");
    // A thread that first takes work from another one registers for that, whenever it happens: a few allocations a
    // thread, but none a step. Last, because threads that end may allocate, too.
    let several = [counted::<f32>(2), counted::<f64>(2), counted::<Fixed>(2)];
    assert!(several.iter().all(|count| *count < STEPS / 10), "{several:?} on two threads in {STEPS} steps");
    // The control.
    let before = COUNT.load(Relaxed);
    drop(std::hint::black_box(Box::new(before)));
    assert!(COUNT.load(Relaxed) > before, "the counter counts");
}
