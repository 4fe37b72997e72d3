// Twin of flock/src/predators.rs: the hunters move first, from the boids of step t.

// The unit vector from a predator to a boid in its sight.
fn prey(predator: vec3<f32>, position: vec3<f32>) -> vec3<f32> {
    let offset = nearest_image(position - predator);
    let square = dot(offset, offset);
    if (rule.predator_sight * rule.predator_sight <= square || square < TINY_SQUARE) {
        return vec3<f32>(0.0);
    }
    return offset * (1.0 / sqrt(square));
}

// A predator's next state, from the flock's mean position, the sum of its prey and its knot.
fn advance(predator: Predator, mean_position: vec3<f32>, attack: vec3<f32>, knot: vec3<f32>) -> Predator {
    let position = predator.position.xyz;
    let level_knot = vec3<f32>(knot.xy, select(knot.z, 0.0, rule.flat != 0u));
    let chase = nearest_image(mean_position - position);
    let velocity = limit(
        chase * rule.chase_weight + attack * rule.attack_weight + level_knot * rule.knot_weight,
        rule.predator_max_speed,
    );
    let moved = wrap(position + velocity * rule.time_step);
    return Predator(vec4<f32>(moved, 0.0), vec4<f32>(velocity, 0.0));
}
