// Twin of draw_error in flock/src/update/angular_noise.rs: the error of a requested heading, a turn by a normal angle.
//!include rule/angular_noise.wgsl

// The sum of the two halves of each word.
fn halves(words: vec4<u32>) -> vec4<u32> { return (words & vec4<u32>(0xffffu)) + (words >> vec4<u32>(16u)); }

fn turn_by_error(step: u32, id: u32, velocity: ptr<function, Vector>, course: ptr<function, Direction>) {
    if (!(*course).exists) {
        return;
    }
    let first = draw(rule.seed, step, id, STREAM_GAUSSIAN);
    let second = draw(rule.seed, step, id, STREAM_GAUSSIAN + 1u);
    let sums = halves(first);
    let rest = halves(second);
    let sum = sums.x + sums.y + sums.z + sums.w + rest.x + rest.y;
    // Minus the mean of twelve halves; standard deviation 1 over 2^24.
    let normal = (i32(sum) - 6 * 0xffff) << 8u;
    let numbers = fractions(vec3<i32>(normal, signed(second.z), 0));
    let turn = half_turns(multiply(rule.gaussian_turn, numbers.x));
    turn_by(turn, half_turns(numbers.y), velocity, course);
}
