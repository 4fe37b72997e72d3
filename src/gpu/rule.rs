//! The rule as a uniform: word for word what `flock::Rule<f32>` holds.

use flock::Vec3;
use flock::parameters::Edges;

use super::layout;

fn vector(v: Vec3<f32>) -> [f32; 4] {
    [v.x, v.y, v.z, 0.0]
}

fn view(v: &flock::rule::View<f32>) -> layout::View {
    layout::View {
        radius_square: v.radius_square,
        cosine_square: v.cosine_square,
        acute: u32::from(v.acute),
        all_round: u32::from(v.all_round),
    }
}

fn shape(s: &flock::rule::Shape<f32>) -> layout::Shape {
    layout::Shape {
        weight: s.weight,
        max_force: s.max_force,
        response: s.response as u32,
        include_self: u32::from(s.include_self),
        whole_flock: u32::from(s.whole_flock),
        ..layout::Shape::default()
    }
}

/// The rule for so many boids and predators.
pub fn uniform(rule: &flock::Rule<f32>, boids: u32, predators: u32) -> layout::Rule {
    layout::Rule {
        separation: view(&rule.separation),
        alignment: view(&rule.alignment),
        cohesion: view(&rule.cohesion),
        line_of_sight: view(&rule.line_of_sight),
        separate: shape(&rule.separate),
        align: shape(&rule.align),
        cohere: shape(&rule.cohere),
        world_min: vector(rule.world_min),
        world_max: vector(rule.world_max),
        size: vector(rule.size),
        half_size: vector(rule.half_size),
        turn_low: vector(rule.turn_low),
        turn_high: vector(rule.turn_high),
        home: vector(rule.home),
        attractor: vector(rule.attractor),
        seed: rule.seed,
        flat: u32::from(rule.flat),
        edges: rule.edges as u32,
        turn: rule.turn,
        reach_square: rule.reach_square,
        average: u32::from(rule.average),
        means: u32::from(rule.means),
        line_of_sight_weight: rule.line_of_sight_weight,
        home_weight: rule.home_weight,
        home_half_extent: rule.home_half_extent,
        attractor_weight: rule.attractor_weight,
        attractor_avoid: u32::from(rule.attractor_avoid),
        noise_weight: rule.noise_weight,
        obstacle_weight: rule.obstacle_weight,
        obstacle_margin: rule.obstacle_margin,
        obstacle_count: rule.obstacle_count as u32,
        predator_weight: rule.predator_weight,
        predator_radius_square: rule.predator_radius * rule.predator_radius,
        predator_sight_square: rule.predator_sight * rule.predator_sight,
        predator_count: predators,
        attack_weight: rule.attack_weight,
        chase_weight: rule.chase_weight,
        knot_weight: rule.knot_weight,
        predator_max_speed: rule.predator_max_speed,
        inertia: rule.inertia,
        gain: rule.gain,
        normalize_goal: u32::from(rule.normalize_goal),
        time_step: rule.time_step,
        min_speed: rule.min_speed,
        max_speed: rule.max_speed,
        bias_dynamic: u32::from(rule.bias_dynamic),
        max_bias: rule.max_bias,
        bias_step: rule.bias_step,
        perch_height: rule.perch_height,
        perch_steps: rule.perch_steps,
        boids,
        obstacles: rule.obstacles.map(|o| [o.position.x, o.position.y, o.position.z, o.radius]),
    }
}

/// The constants of the step's pipeline, by the names they have in `shaders/common/perceive.wgsl`.
pub fn constants(rule: &flock::Rule<f32>) -> Vec<(&'static str, f64)> {
    let used = |view: &flock::rule::View<f32>| f64::from(u8::from(view.radius_square > 0.0));
    let flag = |on: bool| f64::from(u8::from(on));
    vec![
        ("DETAILED", flag(rule.detailed)),
        ("WRAPS", flag(rule.edges == Edges::Wrap)),
        ("EXCLUSIVE", flag(rule.exclusive)),
        ("FALLOFF", f64::from(rule.falloff as u32)),
        ("SEPARATES", used(&rule.separation)),
        ("ALIGNS", used(&rule.alignment)),
        ("COHERES", used(&rule.cohesion)),
        ("LOOKS_AHEAD", used(&rule.line_of_sight)),
        ("ALONE", flag(alone(rule))),
    ]
}

/// Whether no rule looks for neighbours, so that the boids need no sorting.
pub fn alone(rule: &flock::Rule<f32>) -> bool {
    rule.reach_square <= 0.0
}
