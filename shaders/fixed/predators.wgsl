// Twin of flock/src/predators.rs: the hunters move first, from the boids of step t.
//!include sight.wgsl

// The unit vector from a predator to a boid in its sight.
fn prey(predator: vec3<i32>, position: vec3<i32>) -> vec3<i32> {
    return toward(nearest_image(minus(position, predator)), rule.predator_sight);
}

// A predator's next state, from the flock's mean position, the sum of its prey and its knot.
fn advance(predator: Predator, mean_position: vec3<i32>, attack: Wide, knot: vec3<i32>) -> Predator {
    let position = predator.position.xyz;
    let level_knot = vec3<i32>(knot.xy, select(knot.z, 0, rule.flat != 0u));
    let chase = nearest_image(minus(mean_position, position));
    let wish = add_wide(
        add_wide(weigh(widen(chase), rule.chase_weight), weigh(attack, rule.attack_weight)),
        weigh(widen(level_knot), rule.knot_weight),
    );
    let velocity = limit(narrow(wish), rule.predator_max_speed);
    let moved = wrap(plus(position, times(velocity, rule.time_step)));
    return Predator(vec4<i32>(moved, 0), vec4<i32>(velocity, 0));
}
