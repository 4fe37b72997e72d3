// Twin of flock/src/update.rs: from a boid's perceived sums to its state one step later. Requests are added as wide
// vectors, so that nothing saturates before the speed limit; a request of weight zero is not computed.
//!include written/switches.wgsl
//!include rule/angular_noise.wgsl
//!include rule/gaussian_noise.wgsl

// `requested` is the request of the custom terms.
fn update(boid: Boid, perceived: Sums, requested: Vector, step: u32) -> Boid {
    if (resting(boid)) {
        return rest(boid);
    }
    let position = boid.position;
    let old_velocity = boid.velocity;
    var sums = perceived;
    if (USES_AVOID_ATTRACTOR) {
        let senses = senses_of_rule();
        let me = observer(senses, position, old_velocity, true);
        add_object(senses, &sums, me, rule.attractor.xyz);
    }

    var a = Wide();
    if (USES_SEPARATION) {
        a = add_wide(a, weigh(separation(sums, old_velocity), rule.separation_request.weight));
    }
    let free = !USES_PRIORITY || perceived.separation_count <= 0;
    if (free && rule.alignment_request.weight != 0) {
        a = add_wide(a, weigh(alignment(sums, old_velocity), rule.alignment_request.weight));
    }
    if (free && rule.cohesion_request.weight != 0) {
        a = add_wide(a, weigh(cohesion(sums, position, old_velocity), rule.cohesion_request.weight));
    }
    if (USES_HOME) {
        a = add_wide(a, weigh(widen(home(position)), rule.home_weight));
    }
    if (USES_ATTRACTOR) {
        a = add_wide(a, weigh(widen(attractor(position)), rule.attractor_weight));
    }
    if (USES_FLIGHT) {
        a = add_wide(a, weigh(widen(flight(position)), rule.predator_weight));
    }
    if (USES_NOISE) {
        a = add_wide(a, weigh(widen(noise(step, boid.id)), rule.noise_weight));
    }
    if (USES_LINE_OF_SIGHT) {
        a = add_wide(a, weigh(widen_coarse(sums.line_of_sight), rule.line_of_sight_weight));
    }
    if (USES_OBSTACLES) {
        a = add_wide(a, weigh(widen(obstacles(position)), rule.obstacle_weight));
    }
    if (USES_PREFERENCE) {
        a = add_wide(a, weigh(widen(preference(boid.group)), rule.scout_pull));
    }
    if (USES_FORMULAS) {
        a = add_wide(a, widen(requested));
    }
    if (USES_NORMALIZE_GOAL) {
        let goal = direction(narrow(a));
        if (goal.exists) {
            a = widen(times(goal.unit, rule.unit));
        }
    }
    var goal = add_wide(weigh(widen(old_velocity), rule.inertia), weigh(a, rule.gain));
    if (USES_WIND) {
        goal = add_wide(goal, weigh(widen(rule.wind.xyz), rule.time_step));
    }
    var velocity = narrow(add_wide(goal, widen(turn(position))));

    var next = boid;
    next.bias = apply_scout_bias(boid, &velocity);
    var course = direction(velocity);
    if (USES_GAUSSIAN_NOISE) {
        turn_by_error(step, boid.id, &velocity, &course);
    }
    if (USES_MAX_TURN) {
        limit_turn(old_velocity, &velocity, &course);
    }
    if (USES_ANGULAR_NOISE) {
        turn_at_random(step, boid.id, &velocity, &course);
    }
    velocity = clamp_speed(velocity, course);
    next.position = wrap(plus(position, times(velocity, rule.time_step)));
    next.velocity = velocity;
    perch(step, &next);
    return next;
}

// A request shaped by its response. `sum` gives the direction of a steer response.
fn respond(response: u32, max_force: Number, request: Vector, sum: Vector, velocity: Vector) -> Vector {
    if (response == RESPONSE_PROPORTIONAL) {
        return request;
    }
    if (response == RESPONSE_LIMITED) {
        return limit(request, rule.unit);
    }
    let desired = direction(sum);
    if (!desired.exists) {
        return Vector();
    }
    return limit(minus(times(desired.unit, rule.max_speed), velocity), max_force);
}

fn separation(sums: Sums, velocity: Vector) -> Wide {
    let count = sums.separation_count;
    if (count <= 0) {
        return Wide();
    }
    if (SEPARATION_RESPONSE == RESPONSE_STEER) {
        // Only the direction matters for steering, and the mean has the same direction.
        let way = separation_direction(sums.separation);
        return widen(respond(SEPARATION_RESPONSE, rule.separation_request.max_force, way, way, velocity));
    }
    var request = Wide();
    if (USES_AVERAGE) {
        request = separation_mean(sums.separation, count, rule.separation_request.include_self);
    } else {
        request = separation_sum(sums.separation);
    }
    if (SEPARATION_RESPONSE == RESPONSE_PROPORTIONAL) {
        return request;
    }
    let short = narrow(request);
    return widen(respond(SEPARATION_RESPONSE, rule.separation_request.max_force, short, short, velocity));
}

// A sum of unit vectors shaped by its response.
fn request_of_units(response: u32, max_force: Number, total: Total, velocity: Vector) -> Wide {
    if (response == RESPONSE_PROPORTIONAL) {
        return unit_sum(total);
    }
    var way = unit_direction(total);
    if (response == RESPONSE_LIMITED) {
        way = narrow(unit_sum(total));
    }
    return widen(respond(response, max_force, way, way, velocity));
}

// The mean of the neighbours' velocities minus the own velocity; for unit vectors, their sum.
fn alignment(sums: Sums, velocity: Vector) -> Wide {
    let max_force = rule.alignment_request.max_force;
    let include_self = rule.alignment_request.include_self;
    var mean = Vector();
    if (rule.alignment_request.whole_flock != 0u) {
        if (context.mean_position.w == 0) {
            return Wide();
        }
        mean = context.mean_velocity.xyz;
    } else if (sums.alignment_count <= 0) {
        return Wide();
    } else if (USES_ALIGNMENT_UNIT) {
        var total = sums.alignment;
        if (include_self != 0u) {
            total = add_unit(total, velocity, square_of(velocity), true);
        }
        return request_of_units(ALIGNMENT_RESPONSE, max_force, total, velocity);
    } else {
        mean = velocity_mean(sums.alignment, sums.alignment_count, include_self, velocity);
    }
    return widen(respond(ALIGNMENT_RESPONSE, max_force, minus(mean, velocity), mean, velocity));
}

// The offset to the neighbours' mean position; for unit vectors, their sum.
fn cohesion(sums: Sums, position: Vector, velocity: Vector) -> Wide {
    let max_force = rule.cohesion_request.max_force;
    var mean = Vector();
    if (rule.cohesion_request.whole_flock != 0u) {
        if (context.mean_position.w == 0) {
            return Wide();
        }
        mean = nearest_image(minus(context.mean_position.xyz, position));
    } else if (sums.cohesion_count <= 0) {
        return Wide();
    } else if (USES_COHESION_UNIT) {
        return request_of_units(COHESION_RESPONSE, max_force, sums.cohesion, velocity);
    } else {
        mean = offset_mean(sums.cohesion, sums.cohesion_count, rule.cohesion_request.include_self, position);
    }
    return widen(respond(COHESION_RESPONSE, max_force, mean, mean, velocity));
}

fn home(position: Vector) -> Vector {
    var place = rule.home.xyz;
    if (USES_WANDER) {
        place = context.home.xyz;
    }
    let offset = nearest_image(minus(place, position));
    if (rule.home_half_extent <= 0 || rule.home_half_extent < largest(offset)) {
        return offset;
    }
    return Vector();
}

fn attractor(position: Vector) -> Vector {
    return limit(nearest_image(minus(rule.attractor.xyz, position)), rule.unit);
}

fn flight(position: Vector) -> Vector {
    var sum = Vector();
    for (var k = 0u; k < rule.predator_count; k++) {
        let offset = nearest_image(minus(context.predators[k].position.xyz, position));
        if (within(offset, rule.predator_radius)) {
            sum = minus(sum, offset);
        }
    }
    return sum;
}

// Sets z to zero in a flat world.
fn flattened(v: Vector) -> Vector { return Vector(v.xy, select(v.z, Number(0), rule.flat != 0u)); }

fn noise(step: u32, id: u32) -> Vector {
    let words = draw(rule.seed, step, id, STREAM_NOISE);
    return flattened(fractions(vec3<i32>(signed(words.x), signed(words.y), signed(words.z))));
}

// The preferred direction of a scout; zero for other boids.
fn preference(group: u32) -> Vector {
    if (group == GROUP_RIGHT) {
        return rule.right_direction.xyz;
    }
    return select(Vector(), rule.left_direction.xyz, group == GROUP_LEFT);
}

fn obstacles(position: Vector) -> Vector {
    var sum = Vector();
    for (var k = 0u; k < rule.obstacle_count; k++) {
        let obstacle = rule.obstacles[k];
        var away = direction(nearest_image(minus(position, obstacle.xyz)));
        if (!away.exists) {
            // At the exact centre any direction outwards will do.
            away.unit = Vector(ONE, 0, 0);
        }
        let gap = subtract(away.length, obstacle.w);
        if (gap <= 0) {
            sum = plus(sum, away.unit);
        } else if (gap < rule.obstacle_margin) {
            sum = plus(sum, times(away.unit, subtract(ONE, divide(gap, rule.obstacle_margin))));
        }
    }
    return sum;
}

fn turn(position: Vector) -> Vector {
    if (rule.edges != EDGES_TURN) {
        return Vector();
    }
    let none = Vector();
    let full = Vector(rule.turn);
    let up = select(none, full, position < rule.turn_low.xyz);
    let down = select(none, full, rule.turn_high.xyz < position);
    return flattened(minus(up, down));
}

// A scout turns towards its side; returns its new bias.
fn apply_scout_bias(boid: Boid, velocity: ptr<function, Vector>) -> Number {
    let right = boid.group == GROUP_RIGHT;
    if (!right && boid.group != GROUP_LEFT) {
        return boid.bias;
    }
    let x = (*velocity).x;
    let wanted = select(negate(x), x, right);
    var bias = boid.bias;
    if (rule.bias_dynamic != 0u) {
        if (0 < wanted) {
            bias = min(rule.max_bias, add(bias, rule.bias_step));
        } else {
            bias = max(rule.bias_step, subtract(bias, rule.bias_step));
        }
    }
    let side = select(negate(bias), bias, right);
    (*velocity).x = add(multiply(subtract(ONE, bias), x), multiply(side, rule.unit));
    return bias;
}

// Limits the angle between the velocity and the old velocity to the maximum; the speed stays. A boid at rest turns
// freely. `course` is the direction of the velocity.
fn limit_turn(old: Vector, velocity: ptr<function, Vector>, course: ptr<function, Direction>) {
    let heading = direction(old);
    if (!heading.exists || !(*course).exists) {
        return;
    }
    let speed = (*course).length;
    let ahead = dot_of(heading.unit, *velocity);
    if (multiply(speed, rule.turn_cosine) <= ahead) {
        return;
    }
    var aside = minus(*velocity, times(heading.unit, ahead));
    // The cosine of a small angle rounds to 1. A velocity along the heading exceeds it by rounding error alone, and its
    // component aside has no meaningful direction.
    if (ahead >= 0 && add(largest(aside), largest(aside)) <= multiply(speed, rule.turn_sine)) {
        return;
    }
    if (ahead < 0 && largest(aside) <= multiply(speed, PARALLEL)) {
        aside = perpendicular(heading.unit);
    }
    let side = direction(aside);
    if (!side.exists) {
        return;
    }
    (*course).unit = plus(times(heading.unit, rule.turn_cosine), times(side.unit, rule.turn_sine));
    *velocity = times((*course).unit, speed);
}

// A vector perpendicular to a unit vector: level, or in the x-z plane if the unit vector is upright.
fn perpendicular(unit: Vector) -> Vector {
    if (add(multiply(unit.x, unit.x), multiply(unit.y, unit.y)) <= UPRIGHT_SQUARE) {
        return Vector(unit.z, 0, negate(unit.x));
    }
    return Vector(negate(unit.y), unit.x, 0);
}

// Clamps the speed to its limits; a zero velocity has no direction and stays zero.
fn clamp_speed(velocity: Vector, course: Direction) -> Vector {
    if (!course.exists) {
        return Vector();
    }
    if (rule.max_speed < course.length) {
        return times(course.unit, rule.max_speed);
    }
    if (course.length < rule.min_speed) {
        return times(course.unit, rule.min_speed);
    }
    return velocity;
}

// Height above the bottom: on a flat screen y points down, in space z points up.
fn height(position: Vector) -> Number {
    if (rule.flat != 0u) {
        return subtract(rule.world_max.y, position.y);
    }
    return subtract(position.z, rule.world_min.z);
}

// A perching boid waits, then takes off upwards.
fn rest(boid: Boid) -> Boid {
    var next = boid;
    if (boid.rest > 1) {
        next.velocity = Vector();
        next.rest = boid.rest - 1;
        return next;
    }
    var up = Vector(0, 0, rule.min_speed);
    if (rule.flat != 0u) {
        up = Vector(0, negate(rule.min_speed), 0);
    }
    next.position = wrap(plus(boid.position, times(up, rule.time_step)));
    next.velocity = up;
    next.rest = TAKEN_OFF;
    return next;
}

// Perching begins when a free boid comes near the bottom, and is allowed again once the boid has risen.
fn perch(step: u32, boid: ptr<function, Boid>) {
    if (!USES_PERCHING) {
        return;
    }
    let low = height((*boid).position) <= rule.perch_height;
    if ((*boid).rest == TAKEN_OFF) {
        (*boid).rest = select(0, TAKEN_OFF, low);
    } else if (low) {
        let word = draw(rule.seed, step, (*boid).id, STREAM_PERCH).x;
        let steps = up_to(word, rule.perch_steps);
        if (steps == 0u) {
            // The boid flies past this time.
            (*boid).rest = TAKEN_OFF;
        } else {
            (*boid).rest = i32(steps);
            (*boid).velocity = Vector();
        }
    }
}
