//! The engines, each held to everything.

use conform::bounds::arithmetic::Ieee64;
use conform::bounds::compare::compare;
use conform::bounds::reference;

use crate::adapters::Slot;
use crate::cases::conforms;
use crate::subjects::{self, Subject};
use crate::{endurance, flocks, presets, repeat, rule, special};

/// The tests of one kind of engine. `$subjects` yields the engines of this kind that are there.
macro_rules! held {
    ($name:ident, $subjects:expr) => {
        mod $name {
            use super::*;

            fn each(check: impl Fn(&Subject)) {
                let subjects: Vec<Subject> = $subjects;
                subjects.iter().for_each(check);
            }

            #[test]
            fn presets_conform() {
                each(|subject| conforms(subject, presets::cases()));
            }
            #[test]
            fn special_states_conform() {
                each(|subject| conforms(subject, special::cases()));
            }
            #[test]
            fn any_rule_conforms() {
                each(|subject| conforms(subject, rule::cases()));
            }
            #[test]
            fn small_flocks_endure() {
                each(endurance::small_flocks);
            }
            #[test]
            fn flocks_at_limits_endure() {
                each(endurance::flocks_at_limits);
            }
            #[test]
            fn large_flock_endures() {
                each(endurance::large_flock);
            }
            #[test]
            fn hostile_states_are_endured() {
                each(endurance::hostile_states);
            }
            #[test]
            fn same_bits_every_time() {
                each(repeat::same_bits);
            }
        }
    };
}

held!(cpu_f32, vec![subjects::cpu_f32()]);
held!(cpu_f64, vec![subjects::cpu_f64()]);
held!(gpu_llvmpipe_vulkan, subjects::gpu(Slot::LlvmpipeVulkan));
held!(gpu_llvmpipe_gl, subjects::gpu(Slot::LlvmpipeGl));
held!(gpu_swiftshader, subjects::gpu(Slot::SwiftShader));
held!(gpu_other, subjects::gpu(Slot::Other));

/// The rule itself, by brute force: where this fails, the bounds are wrong, not an engine.
mod brute_f32 {
    use super::*;

    #[test]
    fn presets_conform() {
        conforms(&subjects::brute(), presets::cases());
    }
    #[test]
    fn special_states_conform() {
        conforms(&subjects::brute(), special::cases());
    }
    #[test]
    fn any_rule_conforms() {
        conforms(&subjects::brute(), rule::cases());
    }
}

/// States with all the digits of f64: sums of f32 numbers would hardly round in it.
#[test]
fn cpu_f64_conforms_with_all_its_digits() {
    let subject = subjects::cpu_f64();
    for case in presets::cases().iter().filter(|case| case.name.ends_with("step 50")) {
        let state = flocks::advance::<f64>(&case.parameters, &case.state, 3).expect("it steps");
        let reference = reference::step::<Ieee64>(&case.parameters, &state).expect("a reference");
        let comparison = compare(&reference, &subject.advance(&case.parameters, &state, 1));
        println!("cpu f64: {}, all digits: {comparison}", case.name);
        assert_eq!(case.limits.refusal(&comparison), None, "{}", case.name);
    }
}
