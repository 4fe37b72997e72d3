//! The comparison catches what is wrong: engines with a slip in them, judged like any other.

use conform::bounds::Guarantee;
use engine::State;
use flock::parameters::Falloff;
use flock::{Parameters, brute as by_brute_force};

use crate::cases::{Case, of_presets};
use crate::engines::brute;
use crate::special;

/// True if the bounds of both kinds of f32 refuse this state.
fn caught(case: &Case, actual: &State) -> bool {
    [Guarantee::Ieee32, Guarantee::Wgsl32]
        .iter()
        .all(|guarantee| case.limits.refusal(&case.references.compare(*guarantee, actual)).is_some())
}

const ALL: &[&str] = &["murmuration", "cornell", "yabi", "think", "swarm", "holoviews"];
const LOCAL: &[&str] = &["murmuration", "cornell", "think", "holoviews"];

/// A slip in the parameters, and the names of flocks: for each, one of the cases must catch it.
type Slip = (&'static str, &'static [&'static str], fn(&mut Parameters));

const SLIPS: [Slip; 28] = [
    ("separation.radius", LOCAL, |p| p.separation.radius *= 1.01),
    ("alignment.radius", LOCAL, |p| p.alignment.radius *= 1.01),
    ("cohesion.radius", LOCAL, |p| p.cohesion.radius *= 0.99),
    ("sign of separation", ALL, |p| p.separation.weight = -p.separation.weight),
    ("sign of alignment", ALL, |p| p.alignment.weight = -p.alignment.weight),
    ("sign of cohesion", ALL, |p| p.cohesion.weight = -p.cohesion.weight),
    ("max_speed", &["murmuration", "cornell", "swarm"], |p| p.motion.max_speed *= 1.00001),
    ("time_step", ALL, |p| p.motion.time_step *= 1.00001),
    ("alignment.weight", &["murmuration", "cornell", "think"], |p| p.alignment.weight *= 1.0001),
    ("exclusive", &["murmuration", "cornell"], |p| p.separation.exclusive = false),
    ("include_self", &["swarm"], |p| p.alignment.include_self = false),
    ("average", &["think", "yabi"], |p| p.separation.average = !p.separation.average),
    ("falloff", &["holoviews", "yabi"], |p| p.separation.falloff = Falloff::Inverse),
    ("normalize_goal", &["think"], |p| p.motion.normalize_goal = false),
    ("angle", &["think"], |p| p.alignment.angle *= 1.02),
    ("alignment for cohesion", &["murmuration", "cornell", "think"], |p| {
        std::mem::swap(&mut p.alignment.weight, &mut p.cohesion.weight);
    }),
    ("one too few", &["the seven nearest"], |p| p.neighbours.nearest = 6),
    ("one too many", &["the seven nearest"], |p| p.neighbours.nearest = 8),
    ("all", &["the seven nearest"], |p| p.neighbours.nearest = 0),
    ("angular noise", &["zones"], |p| p.noise.angle *= 1.001),
    ("priority", &["zones"], |p| p.separation.priority = false),
    ("inner radius", &["zones"], |p| p.cohesion.inner_radius *= 1.02),
    ("preferred direction", &["zones"], |p| p.scouts.left_direction[0] *= 1.001),
    ("pull", &["zones"], |p| p.scouts.pull *= 1.0001),
    ("mean of headings", &["unit vectors"], |p| p.alignment.unit = false),
    ("mean of offsets", &["unit vectors"], |p| p.cohesion.unit = false),
    ("itself", &["unit vectors"], |p| p.alignment.include_self = true),
    ("normal noise", &["unit vectors"], |p| p.noise.gaussian *= 1.001),
];

#[test]
fn slips_in_parameters_are_caught() {
    for (what, flocks, change) in SLIPS {
        for flock in flocks {
            let mut cases =
                of_presets().iter().chain(special::cases()).filter(|case| case.name.contains(flock));
            let seen = cases.any(|case| {
                let mut wrong = case.parameters;
                change(&mut wrong);
                caught(case, &brute().advance(&wrong, &case.state, 1))
            });
            assert!(seen, "{what} went unseen in {flock}");
        }
    }
}

/// A crowded case of the default preset.
fn crowd() -> &'static Case {
    of_presets()
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
    let perceived = |boids: &[flock::Boid<f64>], id: usize| {
        by_brute_force::sum_neighbours(&rule, &senses, boids, id).cohesion_count
    };
    let boids = &case.state.boids;
    let id = (0..boids.len()).find(|id| perceived(boids, *id) > 1.0).expect("the flock is crowded");
    // Each that it perceives is carried off in turn, out of its sight alone.
    let mut neighbours = 0;
    for other in (0..boids.len()).filter(|other| *other != id) {
        let mut without = case.state.clone();
        without.boids[other].position = [1e6; 3];
        if perceived(&without.boids, id) < perceived(boids, id) {
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
    assert!(!caught(case, &right));
    let spoilers: [fn(&mut State); 8] = [
        |s| s.boids.truncate(s.boids.len() - 1),
        |s| s.boids.swap(3, 4),
        |s| s.boids[6].position[1] = f64::NAN,
        |s| s.boids[7].velocity[0] = -s.boids[7].velocity[0],
        |s| s.boids[9].rest = 1,
        |s| s.boids[9].group = 2,
        |s| s.boids[10].position[0] += 1e-4,
        |s| s.step += 1,
    ];
    for (k, spoil) in spoilers.iter().enumerate() {
        let mut wrong = right.clone();
        spoil(&mut wrong);
        assert!(caught(case, &wrong), "spoiler {k}");
    }
}
