//! The rule as a uniform: word for word what `flock::Rule` holds.

use flock::Vec3;
use flock::parameters::Edges;

use super::layout::{self, Word};
use super::number::OnGpu;

fn vector<T: OnGpu>(v: Vec3<T>) -> [Word; 4] {
    [v.x.word(), v.y.word(), v.z.word(), 0]
}

fn view<T: OnGpu>(v: &flock::rule::View<T>) -> layout::View {
    layout::View {
        radius_square: v.radius_square.word(),
        cosine_square: v.cosine_square.word(),
        acute: u32::from(v.acute),
        all_round: u32::from(v.all_round),
    }
}

fn shape<T: OnGpu>(s: &flock::rule::Shape<T>) -> layout::Shape {
    layout::Shape {
        weight: s.weight.word(),
        max_force: s.max_force.word(),
        response: s.response as u32,
        include_self: u32::from(s.include_self),
        whole_flock: u32::from(s.whole_flock),
        ..layout::Shape::default()
    }
}

/// The rule for so many boids and predators.
pub fn uniform<T: OnGpu>(rule: &flock::Rule<T>, boids: u32, predators: u32) -> layout::Rule {
    layout::Rule {
        format: T::format_words(&rule.format),
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
        place_size: vector(rule.place_size),
        place_half_size: vector(rule.place_half_size),
        turn_low: vector(rule.turn_low),
        turn_high: vector(rule.turn_high),
        home: vector(rule.home),
        attractor: vector(rule.attractor),
        unit: rule.unit.word(),
        seed: rule.seed,
        flat: u32::from(rule.flat),
        edges: rule.edges as u32,
        turn: rule.turn.word(),
        reach_square: rule.reach_square.word(),
        average: u32::from(rule.average),
        means: u32::from(rule.means),
        line_of_sight_weight: rule.line_of_sight_weight.word(),
        home_weight: rule.home_weight.word(),
        home_half_extent: rule.home_half_extent.word(),
        attractor_weight: rule.attractor_weight.word(),
        attractor_avoid: u32::from(rule.attractor_avoid),
        noise_weight: rule.noise_weight.word(),
        obstacle_weight: rule.obstacle_weight.word(),
        obstacle_margin: rule.obstacle_margin.word(),
        obstacle_count: rule.obstacle_count as u32,
        predator_weight: rule.predator_weight.word(),
        predator_radius: rule.predator_radius.word(),
        predator_sight: rule.predator_sight.word(),
        predator_count: predators,
        attack_weight: rule.attack_weight.word(),
        chase_weight: rule.chase_weight.word(),
        knot_weight: rule.knot_weight.word(),
        predator_max_speed: rule.predator_max_speed.word(),
        inertia: rule.inertia.word(),
        gain: rule.gain.word(),
        normalize_goal: u32::from(rule.normalize_goal),
        time_step: rule.time_step.word(),
        min_speed: rule.min_speed.word(),
        max_speed: rule.max_speed.word(),
        bias_dynamic: u32::from(rule.bias_dynamic),
        max_bias: rule.max_bias.word(),
        bias_step: rule.bias_step.word(),
        perch_height: rule.perch_height.word(),
        perch_steps: rule.perch_steps,
        boids,
        obstacles: rule.obstacles.map(|o| {
            let [x, y, z, _] = vector(o.position);
            [x, y, z, o.radius.word()]
        }),
        ..layout::Rule::default()
    }
}

/// The constants of the step's pipeline, by the names they have in `shaders/rule/switches.wgsl`.
pub fn constants<T: OnGpu>(rule: &flock::Rule<T>) -> Vec<(&'static str, f64)> {
    let used = |view: &flock::rule::View<T>| f64::from(u8::from(view.used));
    let flag = |on: bool| f64::from(u8::from(on));
    // Without angles, all views are all round.
    let all = |view: &flock::rule::View<T>| {
        flag((view.all_round || !rule.detailed) && view.radius_square == rule.reach_square)
    };
    let weighs = |weight: T| flag(weight != T::ZERO);
    let mut constants = vec![
        ("DETAILED", flag(rule.detailed)),
        ("WRAPS", flag(rule.edges == Edges::Wrap)),
        ("EXCLUSIVE", flag(rule.exclusive)),
        ("FALLOFF", f64::from(rule.falloff as u32)),
        ("SEPARATES", used(&rule.separation)),
        ("ALIGNS", used(&rule.alignment)),
        ("COHERES", used(&rule.cohesion)),
        ("LOOKS_AHEAD", used(&rule.line_of_sight)),
        ("ALONE", flag(alone(rule))),
        ("ALIGNS_WITH_ALL", all(&rule.alignment)),
        ("COHERES_WITH_ALL", all(&rule.cohesion)),
        ("SEPARATE_RESPONSE", f64::from(rule.separate.response as u32)),
        ("ALIGN_RESPONSE", f64::from(rule.align.response as u32)),
        ("COHERE_RESPONSE", f64::from(rule.cohere.response as u32)),
        ("AVERAGES", flag(rule.average)),
        ("AVOIDS_ATTRACTOR", flag(rule.attractor_avoid && rule.separation.used)),
        ("GOES_HOME", weighs(rule.home_weight)),
        ("IS_ATTRACTED", weighs(rule.attractor_weight)),
        ("FLEES", weighs(rule.predator_weight)),
        ("IS_NOISY", weighs(rule.noise_weight)),
        ("MEETS_OBSTACLES", flag(rule.obstacle_weight != T::ZERO && rule.obstacle_count > 0)),
        ("NORMALIZES", flag(rule.normalize_goal)),
        ("PERCHES", flag(rule.perch_steps > 0)),
    ];
    constants.extend(T::constants(rule));
    constants
}

/// Whether no rule looks for neighbours, so that the boids need no sorting.
pub fn alone<T: OnGpu>(rule: &flock::Rule<T>) -> bool {
    rule.reach_square <= T::ZERO
}
