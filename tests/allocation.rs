//! A step of the CPU engine allocates nothing.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use flock::Parameters;
use murmuration::cpu::CpuEngine;
use murmuration::engine::Engine;
use murmuration::state::State;

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

#[test]
fn steps_allocate_nothing() {
    let mut p = Parameters::default();
    p.flock.boids = 20_000;
    p.predators.count = 3;
    p.predators.chase_weight = 0.1;
    p.predators.attack_weight = 0.1;
    let mut engine = CpuEngine::<f32>::new(&p, &State::start(&p), None).expect("threads");
    // The threads allocate their queues once.
    engine.advance(20).expect("stepped");
    let before = COUNT.load(Relaxed);
    assert!(before > 0, "the counter counts");
    engine.advance(100).expect("stepped");
    // Each call may allocate a block to pass work to the threads, but no step may.
    let counted = COUNT.load(Relaxed) - before;
    assert!(counted < 10, "{counted} allocations in 100 steps");
}
