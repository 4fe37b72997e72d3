//! The comparison catches what is wrong: engines with a slip in them, judged like any other.

use conform::bounds::Guarantee;
use engine::State;
use flock::parameters::{Falloff, PARAMETERS, Value};
use flock::{Parameters, brute};

use crate::cases::Case;
use crate::presets::cases;
use crate::subjects::brute;

const GUARANTEES: [Guarantee; 2] = [Guarantee::Ieee32, Guarantee::Wgsl32];

/// True if the bounds of both kinds of f32 refuse this state.
fn caught(case: &Case, actual: &State) -> bool {
    GUARANTEES
        .iter()
        .all(|guarantee| case.limits.refusal(&case.references.compare(*guarantee, actual)).is_some())
}

/// Steps each of the presets with wrong parameters: in one of its cases at least the slip must be caught, so that an
/// engine with this slip does not pass.
fn slip(what: &str, presets: &[&str], change: impl Fn(&mut Parameters)) {
    for preset in presets {
        let of_preset = |case: &&Case| case.name.starts_with(preset);
        let seen = cases().iter().filter(of_preset).any(|case| {
            let mut wrong = case.parameters;
            change(&mut wrong);
            assert_ne!(wrong, case.parameters, "{what} changes nothing in {}", case.name);
            caught(case, &brute().advance(&wrong, &case.state, 1))
        });
        assert!(seen, "{what} went unseen in {preset}");
    }
}

const ALL: [&str; 6] = ["murmuration", "cornell", "yabi", "think", "swarm", "holoviews"];
const LOCAL: [&str; 4] = ["murmuration", "cornell", "think", "holoviews"];

#[test]
fn radii_one_percent_off_are_caught() {
    slip("separation.radius", &["murmuration", "cornell", "yabi", "think", "holoviews"], |p| {
        p.separation.radius *= 1.01;
    });
    slip("alignment.radius", &LOCAL, |p| p.alignment.radius *= 1.01);
    slip("cohesion.radius", &LOCAL, |p| p.cohesion.radius *= 0.99);
}

#[test]
fn wrong_signs_are_caught() {
    slip("separation.weight", &ALL, |p| p.separation.weight = -p.separation.weight);
    slip("alignment.weight", &ALL, |p| p.alignment.weight = -p.alignment.weight);
    slip("cohesion.weight", &ALL, |p| p.cohesion.weight = -p.cohesion.weight);
}

#[test]
fn weights_and_speeds_a_hundred_thousandth_off_are_caught() {
    slip("motion.max_speed", &["murmuration", "cornell", "swarm"], |p| {
        p.motion.max_speed *= 1.00001;
    });
    slip("motion.time_step", &ALL, |p| p.motion.time_step *= 1.00001);
    slip("alignment.weight", &["murmuration", "cornell", "think"], |p| p.alignment.weight *= 1.0001);
}

#[test]
fn swapped_rules_are_caught() {
    slip("exclusive", &["murmuration", "cornell"], |p| p.separation.exclusive = false);
    slip("include_self", &["swarm"], |p| p.alignment.include_self = false);
    slip("average", &["think", "yabi"], |p| p.separation.average = !p.separation.average);
    slip("falloff", &["holoviews", "yabi"], |p| p.separation.falloff = Falloff::Inverse);
    slip("normalize_goal", &["think"], |p| p.motion.normalize_goal = false);
    slip("angle", &["think"], |p| p.alignment.angle *= 1.02);
    slip("alignment for cohesion", &["murmuration", "cornell", "yabi", "think", "swarm"], |p| {
        std::mem::swap(&mut p.alignment.weight, &mut p.cohesion.weight);
    });
}

/// Nearest boids that are one too few or too many, or that are not limited at all.
#[test]
fn another_number_of_nearest_boids_is_caught() {
    let cases = crate::special::cases().iter().filter(|case| case.parameters.neighbours.nearest == 7);
    let mut tried = 0;
    for case in cases.filter(|case| case.name.ends_with("the seven nearest")) {
        assert!(!caught(case, &brute().advance(&case.parameters, &case.state, 1)), "{}", case.name);
        for nearest in [6, 8, 0] {
            let mut wrong = case.parameters;
            wrong.neighbours.nearest = nearest;
            let actual = brute().advance(&wrong, &case.state, 1);
            assert!(caught(case, &actual), "{}: {nearest}", case.name);
            tried += 1;
        }
    }
    assert_eq!(tried, 18);
}

/// Slips in the terms of zones: in all of the cases.
#[test]
fn slips_in_zones_are_caught() {
    type Slip = (&'static str, fn(&mut Parameters));
    let slips: [Slip; 6] = [
        ("no angular noise", |p| p.noise.angle = 0.0),
        ("angular noise a thousandth off", |p| p.noise.angle *= 1.001),
        ("no priority", |p| p.separation.priority = false),
        ("an inner radius two percent off", |p| p.cohesion.inner_radius *= 1.02),
        ("another preferred direction", |p| p.scouts.left_direction[0] *= 1.001),
        ("another pull", |p| p.scouts.pull *= 1.0001),
    ];
    let cases = crate::special::cases().iter().filter(|case| case.name.ends_with("zones"));
    let mut tried = 0;
    for case in cases {
        assert!(!caught(case, &brute().advance(&case.parameters, &case.state, 1)), "{}", case.name);
        for (what, slip) in &slips {
            let mut wrong = case.parameters;
            slip(&mut wrong);
            assert!(caught(case, &brute().advance(&wrong, &case.state, 1)), "{}: {what}", case.name);
            tried += 1;
        }
    }
    assert_eq!(tried, 36);
}

/// Means in place of sums of unit vectors, of either rule, and another normal noise: in all of the cases.
#[test]
fn means_for_unit_vectors_are_caught() {
    let slips: [fn(&mut Parameters); 4] = [
        |p| p.alignment.unit = false,
        |p| p.cohesion.unit = false,
        |p| p.alignment.include_self = true,
        |p| p.noise.gaussian *= 1.001,
    ];
    let mut tried = 0;
    for case in crate::special::cases().iter().filter(|case| case.name.ends_with("unit vectors")) {
        assert!(!caught(case, &brute().advance(&case.parameters, &case.state, 1)), "{}", case.name);
        for slip in slips {
            let mut wrong = case.parameters;
            slip(&mut wrong);
            assert!(caught(case, &brute().advance(&wrong, &case.state, 1)), "{}", case.name);
            tried += 1;
        }
    }
    assert_eq!(tried, 24);
}

/// A crowded case of the default preset.
fn crowd() -> &'static Case {
    cases()
        .iter()
        .find(|case| case.limits.social > 0.0 && case.name.ends_with("step 50"))
        .expect("there is one")
}

#[test]
fn one_neighbour_left_out_of_one_boid_is_caught() {
    let case = crowd();
    let rule = flock::Rule::<f64>::new(&case.parameters);
    let senses = flock::perceive::Senses::new(&rule);
    let right = brute().advance(&case.parameters, &case.state, 1);
    assert!(!caught(case, &right));
    let perceives =
        |id: &usize| brute::sum_neighbours(&rule, &senses, &case.state.boids, *id).cohesion_count > 1.0;
    let id = (0..case.state.boids.len()).find(perceives).expect("the flock is crowded");
    // Each that it perceives is carried off in turn, out of its sight alone.
    let mut neighbours = 0;
    for other in (0..case.state.boids.len()).filter(|other| *other != id) {
        let mut without = case.state.clone();
        without.boids[other].position = [1e6; 3];
        let alone = brute::sum_neighbours(&rule, &senses, &without.boids, id);
        let all = brute::sum_neighbours(&rule, &senses, &case.state.boids, id);
        if alone.cohesion_count < all.cohesion_count {
            let mut actual = right.clone();
            actual.boids[id] = brute().advance(&case.parameters, &without, 1).boids[id];
            assert!(caught(case, &actual), "boid {other} is not missed by boid {id}");
            neighbours += 1;
        }
    }
    assert!(neighbours > 1, "boid {id} has {neighbours} neighbours");
}

#[test]
fn a_boid_too_few_swapped_still_or_not_a_number_is_caught() {
    let case = crowd();
    let right = brute().advance(&case.parameters, &case.state, 1);
    let spoiled = |spoil: &dyn Fn(&mut State)| {
        let mut wrong = right.clone();
        spoil(&mut wrong);
        assert!(caught(case, &wrong));
    };
    spoiled(&|s| s.boids.truncate(s.boids.len() - 1));
    spoiled(&|s| s.boids.swap(3, 4));
    spoiled(&|s| s.boids[5] = case.state.boids[5]);
    spoiled(&|s| s.boids[6].position[1] = f64::NAN);
    spoiled(&|s| s.boids[7].velocity[0] = -s.boids[7].velocity[0]);
    spoiled(&|s| s.boids[8].velocity.swap(0, 1));
    spoiled(&|s| s.boids[9].rest = 1);
    spoiled(&|s| s.boids[9].group = 2);
    spoiled(&|s| s.boids[10].position[0] += 1e-4);
    spoiled(&|s| s.step += 1);
}

#[test]
fn a_parameter_set_is_compared_as_it_is() {
    // Rounding the parameters to f32 changes none by more than half an ulp, and none twice.
    for case in cases() {
        assert_eq!(crate::flocks::quantised(&case.parameters), case.parameters);
    }
    let mut rounded = 0;
    for preset in config::presets::all() {
        let exact = preset.parameters().expect("it holds");
        let near = crate::flocks::quantised(&exact);
        for parameter in PARAMETERS {
            let numbers = |p| match parameter.get(p) {
                Value::Real(number) => vec![number],
                Value::Vector(numbers) => numbers.to_vec(),
                _ => Vec::new(),
            };
            for (exact, near) in numbers(&exact).into_iter().zip(numbers(&near)) {
                let size = near.abs() as f32;
                let ulp = f64::from(size.next_up() - size);
                assert!((near - exact).abs() <= 0.5 * ulp, "{}: {exact}, {near}", parameter.name);
                rounded += usize::from(near != exact);
            }
        }
    }
    assert!(rounded > 0);
}
