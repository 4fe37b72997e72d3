//! The kernels of the step against each other: the sums of all have the same terms in the same order, so the bits are
//! equal, in f32 too, where the device computes as written. In integers each has the bits of brute force on an adapter
//! that takes it.

use engine::{Engine, State};
use flock::Parameters;
use flock::parameters::Edges;
use gpu::shaders::Shaders;
use gpu::{Gpu, GpuEngine, Kernel};

use crate::adapters::{Slot, adapters, is_slow, open};
use crate::altered;
use crate::every::on;
use crate::rules::{base, cases};
use crate::scope::note;

/// A slip shows at once; a few steps more meet boids in other cells.
const STEPS: u32 = 5;

/// Every part of the rule, and worlds of few cells; no number of boids fills its last subgroup.
fn flocks() -> Vec<(String, Parameters)> {
    let mut all = Vec::new();
    for (name, mut p) in cases() {
        p.flock.boids += 1;
        all.push((name.to_owned(), p));
    }
    for cells in 1..=6 {
        let mut p = base(331, Edges::Wrap, 2 + cells % 2);
        let side = 6.5 * f64::from(cells);
        p.world.max = [side, 6.5 * f64::from(cells % 4 + 1), side];
        all.push((format!("{cells} cells from edge to edge"), p));
    }
    all
}

/// The device with this kernel for every flock.
fn tuned(gpu: &Gpu, kernel: Kernel) -> Gpu {
    let tuned = gpu.with_settings(gpu.settings.with_kernel(kernel));
    let tuned = tuned.expect("it has subgroups of one size");
    assert_eq!(tuned.settings.kernel, kernel);
    tuned
}

/// The flock after some steps by a kernel.
fn after(gpu: &Gpu, kernel: Kernel, shaders: Shaders, p: &Parameters) -> State {
    let gpu = tuned(gpu, kernel);
    let mut engine = GpuEngine::<f32>::with_shaders(&gpu, shaders, p, &State::start(p)).expect("fits");
    engine.advance(STEPS).expect("steps");
    engine.state().expect("read back")
}

fn kernels_agree(gpu: &Gpu) {
    let mut flocks = flocks();
    if is_slow(gpu) {
        flocks = flocks.into_iter().step_by(3).collect();
    }
    let mut engines = Kernel::ALL.map(|(kernel, _)| {
        let (_, p) = &flocks[0];
        GpuEngine::<f32>::new(&tuned(gpu, kernel), p, &State::start(p)).expect("fits")
    });
    let mut differ = Vec::new();
    for (name, p) in flocks {
        let start = State::start(&p);
        let states = engines.each_mut().map(|engine| {
            engine.set_parameters(&p).expect("fits");
            engine.set_state(&start).expect("fits");
            engine.advance(STEPS).expect("steps");
            engine.state().expect("read back")
        });
        assert_ne!(states[0].boids, start.boids, "{name} does not move");
        if states[0] != states[1] {
            differ.push(name);
        }
    }
    assert!(differ.is_empty(), "{}: {differ:?}", gpu.name());
}

#[test]
fn kernels_agree_on_vulkan() {
    for slot in [Slot::LlvmpipeVulkan, Slot::SwiftShader, Slot::Other] {
        on(slot, |gpu: &Gpu| match gpu.lanes() {
            Some(_) => kernels_agree(gpu),
            // The software adapters must have subgroups of one size.
            None => {
                let line = format!("{} has no subgroups of one known size", gpu.name());
                assert!(slot == Slot::Other, "{line}");
                note(&line);
            }
        });
    }
}

/// The controls: a neighbour lost, neighbours met in another order, and boids in the order of their arrival show in the
/// bits.
#[test]
fn slips_in_a_kernel_are_seen() {
    let p = base(700, Edges::Turn, 3);
    let broadcast = "common/subgroup_broadcast.wgsl";
    on(Slot::LlvmpipeVulkan, |gpu: &Gpu| {
        let right = after(gpu, Kernel::Plain, Shaders::default(), &p);
        assert_eq!(right, after(gpu, Kernel::Shared, Shaders::default(), &p));
        for (kernel, file, from, to) in [
            (Kernel::Shared, broadcast, "near |= broadcast(k + 3u, i, senses, me, candidate, sums);", ""),
            (
                Kernel::Shared,
                broadcast,
                "k + 1u, i, senses, me, candidate, sums);\n        near |= broadcast(k + 2u,",
                "k + 2u, i, senses, me, candidate, sums);\n        near |= broadcast(k + 1u,",
            ),
            (Kernel::Plain, "order.wgsl", "begin + rank)", "begin + arrival.w)"),
        ] {
            let shaders = altered(Shaders::default(), file, from, to);
            assert_ne!(right, after(gpu, kernel, shaders, &p), "{to} in {file} goes unseen");
        }
    });
}

#[test]
fn a_device_without_subgroups_refuses_to_share() {
    for entry in adapters(Slot::LlvmpipeGl) {
        let gpu = open(&entry);
        assert_eq!((gpu.lanes(), gpu.settings.kernel), (None, Kernel::Plain));
        let refused = gpu.with_settings(gpu.settings.with_kernel(Kernel::Shared));
        assert!(refused.expect_err("no subgroups").to_string().contains("use the plain kernel"));
    }
}
