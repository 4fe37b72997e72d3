// Twin of flock/src/predators.rs: predators move first, from the boids of step t.

// The unit vector from a predator to a boid within its sight; otherwise zero.
fn prey(predator: Vector, position: Vector) -> Vector {
    return toward(nearest_image(minus(position, predator)), rule.predator_sight);
}

// A predator's next state, from its last one, the flock's mean position, the sum of its prey, its knot, and a flag that
// it leaves.
fn advance(predator: Predator, mean_position: Vector, attack: Wide, knot: Vector, leaves: bool) -> Predator {
    let position = predator.position.xyz;
    let level_knot = Vector(knot.xy, select(knot.z, Number(0), rule.flat != 0u));
    let chase = nearest_image(minus(mean_position, position));
    let kept = weigh(widen(predator.velocity.xyz), rule.predator_inertia);
    let chased = add_wide(kept, weigh(widen(chase), select(rule.chase_weight, negate(rule.chase_weight), leaves)));
    let attacked = add_wide(chased, weigh(attack, select(rule.attack_weight, negate(rule.attack_weight), leaves)));
    let goal = add_wide(attacked, weigh(widen(level_knot), rule.knot_weight));
    let velocity = limit(narrow(goal), rule.predator_max_speed);
    let moved = wrap(plus(position, times(velocity, rule.time_step)));
    return Predator(vec4<Number>(moved, Number(0)), vec4<Number>(velocity, Number(0)));
}
