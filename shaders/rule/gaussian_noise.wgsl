// Twin of flock/src/update/gaussian_noise.rs: the error of a requested heading, a turn by a normal angle.
//!include rule/angular_noise.wgsl

// The sum of the two halves of each word.
fn halves(words: vec4<u32>) -> vec4<u32> { return (words & vec4<u32>(0xffffu)) + (words >> vec4<u32>(16u)); }

fn turn_by_error(step: u32, id: u32, velocity: ptr<function, Vector>, course: ptr<function, Direction>) {
    if (!(*course).exists) {
        return;
    }
    let heading = (*course).unit;
    let first = draw(rule.seed, step, id, STREAM_GAUSSIAN);
    let second = draw(rule.seed, step, id, STREAM_GAUSSIAN + 1u);
    let sums = halves(first);
    let rest = halves(second);
    let sum = sums.x + sums.y + sums.z + sums.w + rest.x + rest.y;
    // Less the mean of twelve halves; of standard deviation 1 over 2^24.
    let normal = (i32(sum) - 6 * 0xffff) << 8u;
    let numbers = fractions(vec3<i32>(normal, signed(second.z), 0));
    let turn = half_turns(multiply(rule.gaussian_turn, numbers.x));
    var side = Vector(negate(heading.y), heading.x, 0);
    if (rule.flat == 0u) {
        let azimuth = half_turns(numbers.y);
        let first = direction(perpendicular(heading)).unit;
        let second = minus(times_each(heading.yzx, first.zxy), times_each(heading.zxy, first.yzx));
        side = plus(times(first, azimuth.cosine), times(second, azimuth.sine));
    }
    // The polynomials' cos^2 + sin^2 is not 1: without a new direction the speed would drift from step to step.
    let turned = direction(plus(times(heading, turn.cosine), times(side, turn.sine)));
    if (!turned.exists) {
        return;
    }
    (*course).unit = turned.unit;
    *velocity = times((*course).unit, (*course).length);
}
