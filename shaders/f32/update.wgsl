// Twin of flock/src/update.rs: from what a boid perceives to where it is one step later. A request that weighs nothing
// is not computed.

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

    var a = vec3<f32>(0.0);
    if (SEPARATES) {
        a += separation(sums, old_velocity) * rule.separate.weight;
    }
    if (rule.align.weight != 0.0) {
        a += alignment(sums, old_velocity) * rule.align.weight;
    }
    if (rule.cohere.weight != 0.0) {
        a += cohesion(sums, position, old_velocity) * rule.cohere.weight;
    }
    if (GOES_HOME) {
        a += home(position) * rule.home_weight;
    }
    if (IS_ATTRACTED) {
        a += attractor(position) * rule.attractor_weight;
    }
    if (FLEES) {
        a += flight(position) * rule.predator_weight;
    }
    if (IS_NOISY) {
        a += noise(step, boid.id) * rule.noise_weight;
    }
    if (LOOKS_AHEAD) {
        a += sums.line_of_sight * rule.line_of_sight_weight;
    }
    if (MEETS_OBSTACLES) {
        a += obstacles(position) * rule.obstacle_weight;
    }
    if (NORMALIZES) {
        let goal = direction(a);
        if (0.0 < goal.length) {
            a = goal.unit;
        }
    }
    var velocity = old_velocity * rule.inertia + a * rule.gain;

    velocity += turn(position);
    var next = boid;
    next.bias = lean(boid, &velocity);
    velocity = clamp_speed(velocity);
    next.position = wrap(position + velocity * rule.time_step);
    next.velocity = velocity;
    perch(step, &next);
    return next;
}

// A request shaped by its response. `sum` is the direction that a steer response takes.
fn respond(
    response: u32,
    max_force: f32,
    request: vec3<f32>,
    sum: vec3<f32>,
    velocity: vec3<f32>,
) -> vec3<f32> {
    if (response == RESPONSE_PROPORTIONAL) {
        return request;
    }
    if (response == RESPONSE_LIMITED) {
        return limit(request, 1.0);
    }
    let desired = direction(sum);
    if (desired.length <= 0.0) {
        return vec3<f32>(0.0);
    }
    return limit(desired.unit * rule.max_speed - velocity, max_force);
}

fn separation(sums: Sums, velocity: vec3<f32>) -> vec3<f32> {
    if (sums.separation_count <= 0.0) {
        return vec3<f32>(0.0);
    }
    let count = sums.separation_count + f32(rule.separate.include_self);
    var request = sums.separation;
    if (AVERAGES) {
        request = sums.separation / count;
    }
    return respond(SEPARATE_RESPONSE, rule.separate.max_force, request, sums.separation, velocity);
}

fn alignment(sums: Sums, velocity: vec3<f32>) -> vec3<f32> {
    var mean = vec3<f32>(0.0);
    if (rule.align.whole_flock != 0u) {
        if (around.mean_position.w == 0.0) {
            return vec3<f32>(0.0);
        }
        mean = around.mean_velocity.xyz;
    } else if (sums.alignment_count <= 0.0) {
        return vec3<f32>(0.0);
    } else if (rule.align.include_self != 0u) {
        mean = (sums.alignment + velocity) / (sums.alignment_count + 1.0);
    } else {
        mean = sums.alignment / sums.alignment_count;
    }
    return respond(ALIGN_RESPONSE, rule.align.max_force, mean - velocity, mean, velocity);
}

fn cohesion(sums: Sums, position: vec3<f32>, velocity: vec3<f32>) -> vec3<f32> {
    var mean = vec3<f32>(0.0);
    if (rule.cohere.whole_flock != 0u) {
        if (around.mean_position.w == 0.0) {
            return vec3<f32>(0.0);
        }
        mean = nearest_image(around.mean_position.xyz - position);
    } else if (sums.cohesion_count <= 0.0) {
        return vec3<f32>(0.0);
    } else {
        mean = sums.cohesion / (sums.cohesion_count + f32(rule.cohere.include_self));
    }
    return respond(COHERE_RESPONSE, rule.cohere.max_force, mean, mean, velocity);
}

fn home(position: vec3<f32>) -> vec3<f32> {
    let offset = nearest_image(rule.home.xyz - position);
    if (rule.home_half_extent <= 0.0 || rule.home_half_extent < largest(offset)) {
        return offset;
    }
    return vec3<f32>(0.0);
}

fn attractor(position: vec3<f32>) -> vec3<f32> {
    return limit(nearest_image(rule.attractor.xyz - position), 1.0);
}

fn flight(position: vec3<f32>) -> vec3<f32> {
    var sum = vec3<f32>(0.0);
    for (var k = 0u; k < rule.predator_count; k++) {
        let offset = nearest_image(around.predators[k].position.xyz - position);
        if (dot(offset, offset) < rule.predator_radius * rule.predator_radius) {
            sum -= offset;
        }
    }
    return sum;
}

fn noise(step: u32, id: u32) -> vec3<f32> {
    let words = draw(rule.seed, step, id, STREAM_NOISE);
    let x = f32(signed(words.x)) * 0x1p-24f;
    let y = f32(signed(words.y)) * 0x1p-24f;
    let z = f32(signed(words.z)) * 0x1p-24f;
    return vec3<f32>(x, y, select(z, 0.0, rule.flat != 0u));
}

fn obstacles(position: vec3<f32>) -> vec3<f32> {
    var sum = vec3<f32>(0.0);
    for (var k = 0u; k < rule.obstacle_count; k++) {
        let obstacle = rule.obstacles[k];
        let away = direction(nearest_image(position - obstacle.xyz));
        // From the very centre any way out is as good.
        let unit = select(vec3<f32>(1.0, 0.0, 0.0), away.unit, 0.0 < away.length);
        let gap = away.length - obstacle.w;
        if (gap <= 0.0) {
            sum += unit;
        } else if (gap < rule.obstacle_margin) {
            sum += unit * (1.0 - gap / rule.obstacle_margin);
        }
    }
    return sum;
}

fn turn(position: vec3<f32>) -> vec3<f32> {
    if (rule.edges != EDGES_TURN) {
        return vec3<f32>(0.0);
    }
    let none = vec3<f32>(0.0);
    let full = vec3<f32>(rule.turn);
    let back = select(none, full, position < rule.turn_low.xyz) - select(none, full, rule.turn_high.xyz < position);
    return vec3<f32>(back.xy, select(back.z, 0.0, rule.flat != 0u));
}

// A scout leans to its side; returns its bias from now on.
fn lean(boid: Boid, velocity: ptr<function, vec3<f32>>) -> f32 {
    if (boid.group == GROUP_NONE) {
        return boid.bias;
    }
    let side = select(-1.0, 1.0, boid.group == GROUP_RIGHT);
    var bias = boid.bias;
    if (rule.bias_dynamic != 0u) {
        if (0.0 < side * (*velocity).x) {
            bias = min(rule.max_bias, bias + rule.bias_step);
        } else {
            bias = max(rule.bias_step, bias - rule.bias_step);
        }
    }
    (*velocity).x = (1.0 - bias) * (*velocity).x + bias * side;
    return bias;
}

// The speed brought into its limits; a zero velocity has no direction to be sped up in.
fn clamp_speed(velocity: vec3<f32>) -> vec3<f32> {
    let d = direction(velocity);
    if (d.length <= 0.0) {
        return vec3<f32>(0.0);
    }
    if (rule.max_speed < d.length) {
        return d.unit * rule.max_speed;
    }
    if (d.length < rule.min_speed) {
        return d.unit * rule.min_speed;
    }
    return velocity;
}

// Height above the bottom: on a flat screen y points down, in space z points up.
fn height(position: vec3<f32>) -> f32 {
    return select(position.z - rule.world_min.z, rule.world_max.y - position.y, rule.flat != 0u);
}

// A boid on its perch: it waits, then takes off upwards.
fn rest(boid: Boid) -> Boid {
    var next = boid;
    if (boid.rest > 1) {
        next.velocity = vec3<f32>(0.0);
        next.rest = boid.rest - 1;
        return next;
    }
    var up = vec3<f32>(0.0, 0.0, rule.min_speed);
    if (rule.flat != 0u) {
        up = vec3<f32>(0.0, -rule.min_speed, 0.0);
    }
    next.position = wrap(boid.position + up * rule.time_step);
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
            (*boid).velocity = vec3<f32>(0.0);
        }
    }
}
