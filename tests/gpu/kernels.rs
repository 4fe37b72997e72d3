//! The kernels of the step against each other: the sums of all have the same terms in the same order, so the bits are
//! equal, in f32 too, where the device computes as written.

use std::io::Write as _;

use config::presets::PRESETS;
use engine::{Engine, Numeric, State};
use flock::parameters::Edges;
use flock::{Fixed, Parameters};
use gpu::number::OnGpu;
use gpu::shaders::Shaders;
use gpu::{Gpu, GpuEngine, Kernel};

use crate::adapters::{Slot, adapters, is_slow, open};
use crate::altered::altered;
use crate::every::on;
use crate::rules::{base, cases};

/// A slip shows at once; a few steps more meet boids in other cells.
const STEPS: u32 = 10;

/// All presets in 2-D and 3-D, every part of the rule, and worlds of few cells; no number of boids fills its last
/// subgroup.
fn flocks() -> Vec<(String, Parameters)> {
    let mut all = Vec::new();
    for preset in PRESETS {
        for dimensions in [2, 3] {
            let mut p = preset.parameters().expect("it holds");
            p.flock.dimensions = dimensions;
            p.set_boids(1501);
            all.push((format!("{}, {dimensions}-D", preset.name), p));
        }
    }
    all.extend(cases().into_iter().map(|(name, p)| (name.to_owned(), p)));
    for cells in 1..=6 {
        let mut p = base(331, Edges::Wrap, 2 + cells % 2);
        let side = 6.5 * f64::from(cells);
        p.world.max = [side, 6.5 * f64::from(cells % 4 + 1), side];
        all.push((format!("{cells} cells from edge to edge"), p));
    }
    let mut p = base(803, Edges::Turn, 3);
    p.world.max = [600.0; 3];
    all.push(("hardly anybody near".to_owned(), p));
    all
}

/// The device with this kernel for every flock.
pub fn tuned(gpu: &Gpu, kernel: Kernel) -> Gpu {
    let tuned = gpu.with_settings(gpu.settings.with_kernel(kernel));
    let tuned = tuned.expect("it has subgroups of one size");
    assert_eq!(tuned.settings.kernel, kernel);
    tuned
}

/// The flock after some steps by a kernel.
fn after<T: OnGpu>(gpu: &Gpu, kernel: Kernel, shaders: Shaders, p: &Parameters) -> State {
    let gpu = tuned(gpu, kernel);
    let mut engine = GpuEngine::<T>::with_shaders(&gpu, shaders, p, &State::start(p)).expect("fits");
    engine.advance(STEPS).expect("steps");
    engine.state().expect("read back")
}

fn kernels_agree<T: OnGpu>(gpu: &Gpu) {
    // SwiftShader takes eight times as long as llvmpipe: a third of the flocks in f32, another one in integers.
    let slow = is_slow(gpu);
    let mut flocks = flocks();
    if slow {
        let first = usize::from(T::NUMERIC == Numeric::Fixed);
        flocks = flocks.into_iter().skip(first).step_by(3).collect();
    }
    let mut engines = Kernel::ALL.map(|(kernel, _)| {
        let (_, p) = &flocks[0];
        GpuEngine::<T>::new(&tuned(gpu, kernel), p, &State::start(p)).expect("fits")
    });
    let mut differ = Vec::new();
    for (name, mut p) in flocks {
        // The most that fits integers in a world of this size.
        p.cohesion.radius = p.cohesion.radius.min(500.0);
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

/// Runs a test on the adapters of the slots that can run all kernels: the software adapters with Vulkan must.
fn with_subgroups(slots: &[Slot], test: impl Fn(&Gpu)) {
    for slot in slots {
        on(*slot, |gpu: &Gpu| {
            if gpu.lanes().is_some() {
                return test(gpu);
            }
            assert!(*slot == Slot::Other, "{} has no subgroups of one known size", gpu.name());
            // Directly, because the test harness captures the output of `eprintln!`.
            let line = format!("NOT TESTED: {} has no subgroups of one known size\n", gpu.name());
            std::io::stderr().write_all(line.as_bytes()).unwrap_or_default();
        });
    }
}

#[test]
fn kernels_agree_in_f32_on_llvmpipe() {
    with_subgroups(&[Slot::LlvmpipeVulkan], kernels_agree::<f32>);
}

#[test]
fn kernels_agree_in_f32_on_swiftshader() {
    with_subgroups(&[Slot::SwiftShader], kernels_agree::<f32>);
}

#[test]
fn kernels_agree_in_integers_on_llvmpipe() {
    with_subgroups(&[Slot::LlvmpipeVulkan], kernels_agree::<Fixed>);
}

#[test]
fn kernels_agree_in_integers_on_swiftshader() {
    with_subgroups(&[Slot::SwiftShader], kernels_agree::<Fixed>);
}

#[test]
fn kernels_agree_on_other_adapters() {
    with_subgroups(&[Slot::Other], |gpu| {
        kernels_agree::<f32>(gpu);
        kernels_agree::<Fixed>(gpu);
    });
}

/// The controls: a neighbour lost, and neighbours met in another order, show in the bits.
#[test]
fn slips_in_a_kernel_are_seen() {
    let p = base(700, Edges::Turn, 3);
    with_subgroups(&[Slot::LlvmpipeVulkan], |gpu| {
        let right = after::<f32>(gpu, Kernel::Plain, Shaders::default(), &p);
        assert_eq!(right, after::<f32>(gpu, Kernel::Shared, Shaders::default(), &p));
        for (what, from, to) in [
            (
                "one of a subgroup is left out",
                "near |= broadcast(k + 3u, i, senses, me, candidate, sums);",
                "",
            ),
            (
                "whom a lane holds is taken for another",
                "subgroupShuffle(candidate.index, k)",
                "subgroupShuffle(candidate.index, LANES - 1u - k)",
            ),
            (
                "met in another order",
                "k + 1u, i, senses, me, candidate, sums);\n        near |= broadcast(k + 2u,",
                "k + 2u, i, senses, me, candidate, sums);\n        near |= broadcast(k + 1u,",
            ),
        ] {
            let shaders = altered(Shaders::default(), "common/subgroup_broadcast.wgsl", from, to);
            assert_ne!(right, after::<f32>(gpu, Kernel::Shared, shaders, &p), "{what}: not seen");
        }
    });
}

/// The control of the order by id, and what it is timed against: boids in the order of their arrival have other sums.
#[test]
fn boids_in_the_order_of_their_arrival_are_seen() {
    let p = base(700, Edges::Turn, 3);
    with_subgroups(&[Slot::LlvmpipeVulkan], |gpu| {
        let arrived = altered(Shaders::default(), "order.wgsl", "begin + rank)", "begin + arrival.w)");
        let right = after::<f32>(gpu, Kernel::Plain, Shaders::default(), &p);
        assert_ne!(right, after::<f32>(gpu, Kernel::Plain, arrived, &p));
    });
}

#[test]
fn a_device_without_subgroups_refuses_to_share() {
    for entry in adapters(Slot::LlvmpipeGl) {
        let gpu = open(&entry);
        assert_eq!((gpu.lanes(), gpu.settings.kernel), (None, Kernel::Plain));
        let refused = gpu.with_settings(gpu.settings.with_kernel(Kernel::Shared));
        assert!(refused.expect_err("no subgroups").to_string().contains("allowed here: plain"));
    }
}
