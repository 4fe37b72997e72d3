//! The parameters of the published systems, written out independently of the presets.

use config::presets;
use flock::parameters::find;
use flock::{Parameters, Rule};

fn preset(name: &str) -> Parameters {
    presets::find(name).and_then(presets::Preset::parameters).expect(name)
}

fn hold(name: &str, figures: &[(&str, &str)]) {
    let parameters = preset(name);
    for (parameter, figure) in figures {
        let found = find(parameter).expect(parameter).get(&parameters).to_string();
        assert_eq!(&found, figure, "{name}: {parameter}");
    }
}

#[test]
fn cornell() {
    hold(
        "cornell",
        &[
            ("flock.boids", "500"),
            ("flock.dimensions", "2"),
            ("flock.start", "\"uniform\""),
            ("world.min", "[0.0, 0.0, 0.0]"),
            ("world.max", "[640.0, 480.0, 320.0]"),
            ("world.edges", "\"turn\""),
            ("world.turn", "0.2"),
            ("world.margin", "100.0"),
            ("separation.radius", "8.0"),
            ("separation.weight", "0.05"),
            ("separation.falloff", "\"none\""),
            ("separation.average", "false"),
            ("separation.exclusive", "true"),
            ("alignment.radius", "40.0"),
            ("alignment.weight", "0.05"),
            ("cohesion.radius", "40.0"),
            ("cohesion.weight", "0.0005"),
            ("motion.inertia", "1.0"),
            ("motion.gain", "1.0"),
            ("motion.time_step", "1.0"),
            ("motion.min_speed", "3.0"),
            ("motion.max_speed", "6.0"),
            ("scouts.right", "0.05"),
            ("scouts.left", "0.05"),
            ("scouts.bias", "0.001"),
            ("scouts.max_bias", "0.01"),
            ("scouts.bias_step", "4e-5"),
            ("scouts.dynamic", "false"),
        ],
    );
}

#[test]
fn yabi() {
    hold(
        "yabi",
        &[
            ("flock.boids", "400"),
            ("flock.dimensions", "3"),
            ("flock.start", "\"rest\""),
            ("world.min", "[0.0, 0.0, 0.0]"),
            ("world.max", "[100.0, 100.0, 100.0]"),
            ("world.edges", "\"open\""),
            ("cohesion.scope", "\"flock\""),
            ("cohesion.weight", "0.03"),
            ("separation.radius", "7.0"),
            ("separation.weight", "1.0"),
            ("separation.falloff", "\"inverse_square\""),
            ("separation.average", "false"),
            ("separation.exclusive", "false"),
            ("alignment.scope", "\"flock\""),
            ("alignment.weight", "0.125"),
            ("home.position", "[50.0, 50.0, 50.0]"),
            ("home.weight", "0.02"),
            ("home.half_extent", "0.0"),
            ("noise.weight", "0.0"),
            ("motion.inertia", "0.0"),
            ("motion.gain", "1.0"),
            ("motion.time_step", "1.0"),
            ("motion.min_speed", "0.0"),
            ("motion.max_speed", "1.0"),
            ("predators.count", "5"),
            ("predators.radius", "25.0"),
            ("predators.weight", "1.0"),
            ("predators.sight", "10.0"),
            ("predators.chase_weight", "0.0"),
            ("predators.attack_weight", "0.0"),
            ("predators.knot_weight", "2.0"),
            ("predators.knot_period", "960.0"),
            ("predators.max_speed", "1.0"),
        ],
    );
    let rule = Rule::<f64>::new(&preset("yabi"));
    assert!(rule.means && rule.reach == 7.0, "only separation looks for neighbours");
}

#[test]
fn think() {
    hold(
        "think",
        &[
            ("flock.boids", "100"),
            ("flock.dimensions", "3"),
            ("flock.start", "\"uniform\""),
            ("world.min", "[-1.0, -1.0, -1.0]"),
            ("world.max", "[1.0, 1.0, 1.0]"),
            ("world.edges", "\"open\""),
            ("separation.radius", "0.3"),
            ("separation.angle", "180.0"),
            ("separation.average", "true"),
            ("separation.response", "\"limited\""),
            ("separation.weight", "10.0"),
            ("separation.falloff", "\"none\""),
            ("separation.exclusive", "false"),
            ("cohesion.radius", "1.0"),
            ("cohesion.response", "\"limited\""),
            ("cohesion.weight", "3.0"),
            ("alignment.radius", "0.5"),
            ("alignment.response", "\"limited\""),
            ("alignment.weight", "1.0"),
            ("attractor.weight", "10.0"),
            ("attractor.avoid", "true"),
            ("motion.normalize_goal", "true"),
            ("motion.inertia", "0.9"),
            ("motion.gain", "0.1"),
            ("motion.min_speed", "1.0"),
            ("motion.max_speed", "1.0"),
            ("motion.time_step", "0.1"),
        ],
    );
    let rule = Rule::<f64>::new(&preset("think"));
    for view in [rule.alignment, rule.cohesion] {
        assert!(view.acute && (view.cosine_square - 1.0_f64.cos().powi(2)).abs() < 1e-15, "one radian");
    }
    assert!(rule.separation.all_round);
}

#[test]
fn swarm() {
    hold(
        "swarm",
        &[
            // The exercise has 500 fish at rest: most would stay there.
            ("flock.boids", "60000"),
            ("flock.dimensions", "3"),
            ("flock.start", "\"uniform\""),
            ("world.min", "[-1.0, -1.0, -1.0]"),
            ("world.max", "[1.0, 1.0, 1.0]"),
            ("world.edges", "\"open\""),
            ("home.position", "[0.0, 0.0, 0.0]"),
            ("home.half_extent", "1.0"),
            ("home.weight", "0.01"),
            ("alignment.radius", "0.02"),
            ("alignment.weight", "1.2"),
            ("alignment.include_self", "true"),
            ("cohesion.radius", "0.02"),
            ("cohesion.weight", "0.001"),
            ("cohesion.include_self", "true"),
            ("separation.radius", "0.01"),
            ("separation.weight", "2.0"),
            ("separation.average", "true"),
            ("separation.include_self", "true"),
            ("separation.falloff", "\"none\""),
            ("separation.exclusive", "false"),
            ("motion.inertia", "1.51"),
            ("motion.gain", "1.0"),
            ("motion.time_step", "1.0"),
            ("motion.min_speed", "0.0"),
            ("motion.max_speed", "0.03"),
        ],
    );
}

#[test]
fn holoviews() {
    hold(
        "holoviews",
        &[
            ("flock.boids", "500"),
            ("flock.dimensions", "2"),
            ("flock.start", "\"disc\""),
            ("world.min", "[0.0, 0.0, 0.0]"),
            ("world.max", "[400.0, 400.0, 200.0]"),
            ("world.edges", "\"wrap\""),
            ("separation.radius", "25.0"),
            ("separation.falloff", "\"inverse_square\""),
            ("separation.average", "true"),
            ("separation.response", "\"steer\""),
            ("separation.weight", "1.5"),
            ("separation.max_force", "0.03"),
            ("separation.exclusive", "false"),
            ("alignment.radius", "50.0"),
            ("alignment.response", "\"steer\""),
            ("alignment.weight", "1.0"),
            ("alignment.max_force", "0.03"),
            ("cohesion.radius", "50.0"),
            ("cohesion.response", "\"steer\""),
            ("cohesion.weight", "1.0"),
            ("cohesion.max_force", "0.03"),
            ("motion.inertia", "1.0"),
            ("motion.gain", "1.0"),
            ("motion.time_step", "1.0"),
            ("motion.min_speed", "0.5"),
            ("motion.max_speed", "2.0"),
        ],
    );
}

#[test]
fn vicsek() {
    hold(
        "vicsek",
        &[
            ("flock.boids", "1296"),
            ("flock.dimensions", "2"),
            ("world.max", "[18.0, 18.0, 4.0]"),
            ("world.edges", "\"wrap\""),
            ("separation.weight", "0.0"),
            ("alignment.radius", "1.0"),
            ("alignment.include_self", "true"),
            ("cohesion.weight", "0.0"),
            ("motion.time_step", "1.0"),
            ("motion.min_speed", "0.03"),
            ("motion.max_speed", "0.03"),
        ],
    );
    let p = preset("vicsek");
    assert!(p.motion.inertia == p.alignment.weight, "the sum is the mean velocity");
}

#[test]
fn couzin() {
    hold(
        "couzin",
        &[
            ("flock.dimensions", "3"),
            ("world.edges", "\"open\""),
            ("separation.radius", "1.0"),
            ("separation.priority", "true"),
            ("alignment.inner_radius", "1.0"),
            ("alignment.angle", "135.0"),
            ("cohesion.radius", "14.0"),
            ("cohesion.angle", "135.0"),
            ("motion.time_step", "0.1"),
            ("motion.min_speed", "3.0"),
            ("motion.max_speed", "3.0"),
            ("motion.max_turn", "4.0"),
        ],
    );
    let p = preset("couzin");
    assert!(p.alignment.radius == p.cohesion.inner_radius, "the zones do not overlap");
    // 0.05 rad: the root mean square of an angle that is uniform in a cap, small as it is.
    assert!((p.noise.angle.to_radians() / 2.0_f64.sqrt() - 0.05).abs() < 1e-4);
}

#[test]
fn every_preset_is_all_there_in_both_dimensions() {
    for preset in presets::PRESETS {
        for dimensions in [2, 3] {
            let mut parameters = preset.parameters().expect(preset.name);
            parameters.flock.dimensions = dimensions;
            parameters.check().expect(preset.name);
            assert!(parameters.world.min[2] < parameters.world.max[2], "{} has a depth", preset.name);
            let rule = Rule::<f64>::new(&parameters);
            let depth = parameters.world.max[2] - parameters.world.min[2];
            assert!(rule.reach > 0.0 && depth >= 2.0 * rule.reach, "{}", preset.name);
        }
    }
}
