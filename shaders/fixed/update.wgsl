// Twin of flock/src/update.rs: from what a boid perceives to where it is one step later. Requests are added up in two
// words, so that nothing is cut before the speed is; one that weighs nothing is not computed.
//!include sight.wgsl
//!include totals.wgsl

// What the rule asks for; constant when the pipeline is made, for many devices compute all that might be.
override SEPARATE_RESPONSE: u32 = 0u;
override ALIGN_RESPONSE: u32 = 0u;
override COHERE_RESPONSE: u32 = 0u;
override AVERAGES: bool = true;
override AVOIDS_ATTRACTOR: bool = true;
override GOES_HOME: bool = true;
override IS_ATTRACTED: bool = true;
override FLEES: bool = true;
override IS_NOISY: bool = true;
override MEETS_OBSTACLES: bool = true;
override NORMALIZES: bool = true;
override PERCHES: bool = true;

fn update(boid: Boid, perceived: Sums, step: u32) -> Boid {
    if (resting(boid)) {
        return rest(boid);
    }
    let position = boid.position;
    let old_velocity = boid.velocity;
    var sums = perceived;
    if (AVOIDS_ATTRACTOR) {
        let senses = senses_of_rule();
        let me = observer(senses, position, old_velocity, true);
        add_object(senses, &sums, me, rule.attractor.xyz);
    }

    var a = Wide();
    if (SEPARATES) {
        a = add_wide(a, weigh(separation(sums, old_velocity), rule.separate.weight));
    }
    if (rule.align.weight != 0) {
        a = add_wide(a, weigh(widen(alignment(sums, old_velocity)), rule.align.weight));
    }
    if (rule.cohere.weight != 0) {
        a = add_wide(a, weigh(widen(cohesion(sums, position, old_velocity)), rule.cohere.weight));
    }
    if (GOES_HOME) {
        a = add_wide(a, weigh(widen(home(position)), rule.home_weight));
    }
    if (IS_ATTRACTED) {
        a = add_wide(a, weigh(widen(attractor(position)), rule.attractor_weight));
    }
    if (FLEES) {
        a = add_wide(a, weigh(widen(flight(position)), rule.predator_weight));
    }
    if (IS_NOISY) {
        a = add_wide(a, weigh(widen(noise(step, boid.id)), rule.noise_weight));
    }
    if (LOOKS_AHEAD) {
        a = add_wide(a, weigh(differences(sums.line_of_sight), rule.line_of_sight_weight));
    }
    if (MEETS_OBSTACLES) {
        a = add_wide(a, weigh(widen(obstacles(position)), rule.obstacle_weight));
    }
    if (NORMALIZES) {
        let goal = polar(narrow(a));
        if (goal.some) {
            a = widen(times(unit_vector(goal), rule.unit));
        }
    }
    let goal = add_wide(weigh(widen(old_velocity), rule.inertia), weigh(a, rule.gain));
    var velocity = narrow(add_wide(goal, widen(turn(position))));

    var next = boid;
    next.bias = lean(boid, &velocity);
    velocity = clamp_speed(velocity);
    next.position = wrap(plus(position, times(velocity, rule.time_step)));
    next.velocity = velocity;
    perch(step, &next);
    return next;
}

// A request shaped by its response. `sum` is the direction that a steer response takes.
fn respond(
    response: u32,
    max_force: i32,
    request: vec3<i32>,
    sum: vec3<i32>,
    velocity: vec3<i32>,
) -> vec3<i32> {
    if (response == RESPONSE_PROPORTIONAL) {
        return request;
    }
    if (response == RESPONSE_LIMITED) {
        return limit(request, rule.unit);
    }
    let desired = polar(sum);
    if (!desired.some) {
        return vec3<i32>(0);
    }
    return limit(minus(times(unit_vector(desired), rule.max_speed), velocity), max_force);
}

fn separation(sums: Sums, velocity: vec3<i32>) -> Wide {
    let count = sums.separation_count;
    if (count <= 0) {
        return Wide();
    }
    if (SEPARATE_RESPONSE == RESPONSE_STEER) {
        // Only the direction steers, which the mean shares.
        let way = push_way(sums.separation);
        return widen(respond(SEPARATE_RESPONSE, rule.separate.max_force, way, way, velocity));
    }
    var request = Wide();
    if (AVERAGES) {
        request = mean_push(sums.separation, count, rule.separate.include_self);
    } else {
        request = pushes(sums.separation);
    }
    if (SEPARATE_RESPONSE == RESPONSE_PROPORTIONAL) {
        return request;
    }
    let short = narrow(request);
    return widen(respond(SEPARATE_RESPONSE, rule.separate.max_force, short, short, velocity));
}

fn alignment(sums: Sums, velocity: vec3<i32>) -> vec3<i32> {
    var mean_of = vec3<i32>(0);
    if (rule.align.whole_flock != 0u) {
        if (around.mean_position.w == 0) {
            return vec3<i32>(0);
        }
        mean_of = around.mean_velocity.xyz;
    } else if (sums.alignment_count <= 0) {
        return vec3<i32>(0);
    } else {
        mean_of = mean_velocity(sums.alignment, sums.alignment_count, velocity);
    }
    return respond(ALIGN_RESPONSE, rule.align.max_force, minus(mean_of, velocity), mean_of, velocity);
}

fn cohesion(sums: Sums, position: vec3<i32>, velocity: vec3<i32>) -> vec3<i32> {
    var mean_of = vec3<i32>(0);
    if (rule.cohere.whole_flock != 0u) {
        if (around.mean_position.w == 0) {
            return vec3<i32>(0);
        }
        mean_of = nearest_image(minus(around.mean_position.xyz, position));
    } else if (sums.cohesion_count <= 0) {
        return vec3<i32>(0);
    } else {
        mean_of = mean_offset(sums.cohesion, sums.cohesion_count, rule.cohere.include_self, position);
    }
    return respond(COHERE_RESPONSE, rule.cohere.max_force, mean_of, mean_of, velocity);
}

fn home(position: vec3<i32>) -> vec3<i32> {
    let offset = nearest_image(minus(rule.home.xyz, position));
    if (rule.home_half_extent <= 0 || rule.home_half_extent < largest(offset)) {
        return offset;
    }
    return vec3<i32>(0);
}

fn attractor(position: vec3<i32>) -> vec3<i32> {
    return limit(nearest_image(minus(rule.attractor.xyz, position)), rule.unit);
}

fn flight(position: vec3<i32>) -> vec3<i32> {
    var sum = vec3<i32>(0);
    for (var k = 0u; k < rule.predator_count; k++) {
        let offset = nearest_image(minus(around.predators[k].position.xyz, position));
        if (within(offset, rule.predator_radius)) {
            sum = minus(sum, offset);
        }
    }
    return sum;
}

fn noise(step: u32, id: u32) -> vec3<i32> {
    let words = draw(rule.seed, step, id, STREAM_NOISE);
    let numerators = vec3<i32>(signed(words.x), signed(words.y), signed(words.z));
    let parts = shift_right_word(numerators, 24u - FRACTION);
    return vec3<i32>(parts.xy, select(parts.z, 0, rule.flat != 0u));
}

fn obstacles(position: vec3<i32>) -> vec3<i32> {
    var sum = vec3<i32>(0);
    for (var k = 0u; k < rule.obstacle_count; k++) {
        let obstacle = rule.obstacles[k];
        let away = polar(nearest_image(minus(position, obstacle.xyz)));
        // From the very centre any way out is as good.
        var unit = vec3<i32>(ONE, 0, 0);
        var distance = 0;
        if (away.some) {
            unit = unit_vector(away);
            distance = length_of(away);
        }
        let gap = subtract(distance, obstacle.w);
        if (gap <= 0) {
            sum = plus(sum, unit);
        } else if (gap < rule.obstacle_margin) {
            sum = plus(sum, times(unit, subtract(ONE, divide(gap, rule.obstacle_margin))));
        }
    }
    return sum;
}

fn turn(position: vec3<i32>) -> vec3<i32> {
    if (rule.edges != EDGES_TURN) {
        return vec3<i32>(0);
    }
    let none = vec3<i32>(0);
    let full = vec3<i32>(rule.turn);
    let back =
        minus(select(none, full, position < rule.turn_low.xyz), select(none, full, rule.turn_high.xyz < position));
    return vec3<i32>(back.xy, select(back.z, 0, rule.flat != 0u));
}

// A scout leans to its side; returns its bias from now on.
fn lean(boid: Boid, velocity: ptr<function, vec3<i32>>) -> i32 {
    if (boid.group == GROUP_NONE) {
        return boid.bias;
    }
    let right = boid.group == GROUP_RIGHT;
    let x = (*velocity).x;
    let wanted = select(subtract(0, x), x, right);
    var bias = boid.bias;
    if (rule.bias_dynamic != 0u) {
        if (0 < wanted) {
            bias = min(rule.max_bias, add(bias, rule.bias_step));
        } else {
            bias = max(rule.bias_step, subtract(bias, rule.bias_step));
        }
    }
    let side = select(subtract(0, bias), bias, right);
    (*velocity).x = add(multiply(subtract(ONE, bias), x), multiply(side, rule.unit));
    return bias;
}

// The speed brought into its limits; a zero velocity has no direction to be sped up in.
fn clamp_speed(velocity: vec3<i32>) -> vec3<i32> {
    let d = polar(velocity);
    if (!d.some) {
        return vec3<i32>(0);
    }
    let speed = length_of(d);
    if (rule.max_speed < speed) {
        return times(unit_vector(d), rule.max_speed);
    }
    if (speed < rule.min_speed) {
        return times(unit_vector(d), rule.min_speed);
    }
    return velocity;
}

// Height above the bottom: on a flat screen y points down, in space z points up.
fn height(position: vec3<i32>) -> i32 {
    if (rule.flat != 0u) {
        return subtract(rule.world_max.y, position.y);
    }
    return subtract(position.z, rule.world_min.z);
}

// A boid on its perch: it waits, then takes off upwards.
fn rest(boid: Boid) -> Boid {
    var next = boid;
    if (boid.rest > 1) {
        next.velocity = vec3<i32>(0);
        next.rest = boid.rest - 1;
        return next;
    }
    var up = vec3<i32>(0, 0, rule.min_speed);
    if (rule.flat != 0u) {
        up = vec3<i32>(0, subtract(0, rule.min_speed), 0);
    }
    next.position = wrap(plus(boid.position, times(up, rule.time_step)));
    next.velocity = up;
    next.rest = TAKEN_OFF;
    return next;
}

// Perching begins where a free boid has come near the bottom, and is allowed again once it has risen.
fn perch(step: u32, boid: ptr<function, Boid>) {
    if (!PERCHES) {
        return;
    }
    let low = height((*boid).position) <= rule.perch_height;
    if ((*boid).rest == TAKEN_OFF) {
        (*boid).rest = select(0, TAKEN_OFF, low);
    } else if (low) {
        let word = draw(rule.seed, step, (*boid).id, STREAM_PERCH).x;
        let steps = up_to(word, rule.perch_steps);
        if (steps == 0u) {
            // It flies past this time.
            (*boid).rest = TAKEN_OFF;
        } else {
            (*boid).rest = i32(steps);
            (*boid).velocity = vec3<i32>(0);
        }
    }
}
