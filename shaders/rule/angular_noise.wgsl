// Twin of flock/src/update/angular_noise.rs: a random turn of the heading, uniform to either side in 2-D, uniform over
// the cap about the heading in 3-D.

// The cosine and the sine of an angle.
struct Angle {
    cosine: Number,
    sine: Number,
}

// The cosine and sine of an angle, from the sine and cosine of its half.
fn twice(sine: Number, cosine: Number) -> Angle {
    let double = add(sine, sine);
    return Angle(subtract(ONE, multiply(double, sine)), multiply(double, cosine));
}

// sin(pi/2 t) for t from -1 to 1.
fn quarter_wave(t: Number) -> Number {
    let first = fractions(vec3<i32>(26353500, -10836284, 1332688));
    let last = fractions(vec3<i32>(-72698, 0, 0)).x;
    let square = multiply(t, t);
    let inner = add(first.z, multiply(square, last));
    return multiply(t, add(first.x, multiply(square, add(first.y, multiply(square, inner)))));
}

// The cosine and sine of t 180 degrees, for t from -1 to 1.
fn half_turns(t: Number) -> Angle { return twice(quarter_wave(t), quarter_wave(subtract(ONE, abs(t)))); }

fn turn_at_random(step: u32, id: u32, velocity: ptr<function, Vector>, course: ptr<function, Direction>) {
    if (!(*course).exists) {
        return;
    }
    let words = draw(rule.seed, step, id, STREAM_TURN);
    let numbers = fractions(vec3<i32>(signed(words.x), signed(words.y), signed(words.z)));
    var turn = Angle();
    if (rule.flat != 0u) {
        turn = half_turns(multiply(rule.noise_turn, numbers.x));
    } else {
        let half = multiply(rule.noise_turn, max(abs(numbers.x), abs(numbers.y)));
        turn = twice(half, unit_root(subtract(ONE, multiply(half, half))));
    }
    turn_by(turn, half_turns(numbers.z), velocity, course);
}

// Turns the direction of a moving boid by an angle, in 3-D towards an azimuth; the speed stays.
fn turn_by(turn: Angle, azimuth: Angle, velocity: ptr<function, Vector>, course: ptr<function, Direction>) {
    let heading = (*course).unit;
    var side = Vector(negate(heading.y), heading.x, 0);
    if (rule.flat == 0u) {
        let first = direction(perpendicular(heading)).unit;
        let second = minus(times_each(heading.yzx, first.zxy), times_each(heading.zxy, first.yzx));
        side = plus(times(first, azimuth.cosine), times(second, azimuth.sine));
    }
    // The polynomials' cos^2 + sin^2 is not exactly 1: without normalisation the speed would drift from step to step.
    let turned = direction(flattened(plus(times(heading, turn.cosine), times(side, turn.sine))));
    if (!turned.exists) {
        return;
    }
    (*course).unit = turned.unit;
    *velocity = times((*course).unit, (*course).length);
}
