//! One step of a few boids in plain arithmetic, which shares no code with the rule, against the step of the update rule:
//! the published systems by their own formulas and their presets' parameters, then single terms.

use config::presets;
use flock::parameters::Sphere;
use flock::state::{Boid, Predator, group};
use flock::{Parameters, Rule, brute};

type V = [f64; 3];

fn add(a: V, b: V) -> V {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}
fn sub(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
fn mul(a: V, s: f64) -> V {
    a.map(|c| c * s)
}
fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
fn norm(a: V) -> f64 {
    dot(a, a).sqrt()
}
fn mean(all: &[V]) -> V {
    mul(all.iter().fold([0.0; 3], |sum, v| add(sum, *v)), 1.0 / all.len() as f64)
}
/// Limited to a length.
fn cut(a: V, most: f64) -> V {
    if norm(a) > most { mul(a, most / norm(a)) } else { a }
}

/// Positions and velocities.
type Flock = Vec<(V, V)>;

fn preset(name: &str) -> Parameters {
    presets::find(name).and_then(presets::Preset::parameters).expect(name)
}

/// The program's step.
fn step(p: &Parameters, boids: &[Boid<f64>], hunters: &mut [Predator<f64>], number: u64) -> Vec<Boid<f64>> {
    let mut next = boids.to_vec();
    brute::step(&Rule::<f64>::new(p), number, boids, hunters, &mut next).expect("its terms fit");
    next
}

fn boids(flock: &Flock) -> Vec<Boid<f64>> {
    flock.iter().map(|(position, velocity)| boid(*position, *velocity)).collect()
}

fn boid(position: V, velocity: V) -> Boid<f64> {
    Boid { position, velocity, ..Boid::default() }
}

fn same(found: &[Boid<f64>], expected: &Flock, scale: f64) {
    for (id, (boid, (position, velocity))) in found.iter().zip(expected).enumerate() {
        for (a, b) in boid.position.iter().chain(&boid.velocity).zip(position.iter().chain(velocity)) {
            assert!((a - b).abs() <= 1e-13 * scale, "boid {id}: {boid:?}, not {position:?} {velocity:?}");
        }
    }
    assert_eq!(found.len(), expected.len());
}

/// Cornell: v += centering + matching + avoidance, then edges, bias, speed limits, move.
#[test]
fn cornell() {
    let flock: Flock = vec![
        // In the left margin; one neighbour too near, one in view, one outside it.
        ([90.0, 200.0, 0.0], [3.0, 1.0, 0.0]),
        ([95.0, 203.0, 0.0], [-4.0, 2.0, 0.0]),
        ([110.0, 190.0, 0.0], [0.5, -5.9, 0.0]),
        ([600.0, 470.0, 0.0], [3.0, 0.1, 0.0]),
    ];
    let (right, left) = (1_usize, 2_usize);
    for dynamic in [false, true] {
        let mut p = preset("cornell");
        p.scouts.dynamic = dynamic;
        let mut state = boids(&flock);
        (state[right].group, state[right].bias) = (group::RIGHT, 0.001);
        (state[left].group, state[left].bias) = (group::LEFT, 0.00999);

        let mut biases = vec![0.0; 4];
        let expected = (0..4).map(|i| {
            let ([x, y, _], [vx, vy, _]) = flock[i];
            let (mut close_dx, mut close_dy) = (0.0, 0.0);
            let mut seen = Vec::new();
            for (j, ([ox, oy, _], velocity)) in flock.iter().enumerate().filter(|(j, _)| *j != i) {
                let (dx, dy) = (x - ox, y - oy);
                let squared = dx * dx + dy * dy;
                if squared < 64.0 {
                    close_dx += dx;
                    close_dy += dy;
                } else if squared < 1600.0 {
                    seen.push((flock[j].0, *velocity));
                }
            }
            let (mut nx, mut ny) = (vx, vy);
            if !seen.is_empty() {
                let place = mean(&seen.iter().map(|s| s.0).collect::<Vec<_>>());
                let way = mean(&seen.iter().map(|s| s.1).collect::<Vec<_>>());
                nx += (place[0] - x) * 0.0005 + (way[0] - vx) * 0.05;
                ny += (place[1] - y) * 0.0005 + (way[1] - vy) * 0.05;
            }
            nx += close_dx * 0.05;
            ny += close_dy * 0.05;
            if x < 100.0 {
                nx += 0.2;
            }
            if x > 540.0 {
                nx -= 0.2;
            }
            if y < 100.0 {
                ny += 0.2;
            }
            if y > 380.0 {
                ny -= 0.2;
            }
            let mut bias = state[i].bias;
            if i == right {
                if dynamic {
                    bias =
                        if nx > 0.0 { 0.01_f64.min(bias + 0.00004) } else { 0.00004_f64.max(bias - 0.00004) };
                }
                nx = (1.0 - bias) * nx + bias;
            } else if i == left {
                if dynamic {
                    bias =
                        if nx < 0.0 { 0.01_f64.min(bias + 0.00004) } else { 0.00004_f64.max(bias - 0.00004) };
                }
                nx = (1.0 - bias) * nx - bias;
            }
            biases[i] = bias;
            let speed = (nx * nx + ny * ny).sqrt();
            let speed_now = speed.clamp(3.0, 6.0);
            let (nx, ny) = (nx / speed * speed_now, ny / speed * speed_now);
            ([x + nx, y + ny, 0.0], [nx, ny, 0.0])
        });
        let expected: Flock = expected.collect();
        let found = step(&p, &state, &mut [], 0);
        same(&found, &expected, 600.0);
        for (boid, bias) in found.iter().zip(&biases) {
            assert!((boid.bias - bias).abs() < 1e-15);
        }
        assert_eq!(dynamic, biases[right] != 0.001);
    }
}

/// YABI: the predators move along their knot, then v is the sum of the rules, cut to 1.
#[test]
fn yabi() {
    let mut p = preset("yabi");
    p.predators.count = 2;
    // The limit leaves some velocities unlimited, so that the lengths of the requests have an effect.
    p.motion.max_speed = 100.0;
    for chase in [0.0, 0.01] {
        p.predators.chase_weight = chase;
        p.predators.attack_weight = 10.0 * chase;
        let flock: Flock = vec![
            ([50.0, 52.0, 47.0], [0.5, 0.0, 0.0]),
            ([53.0, 50.0, 51.0], [0.0, -0.5, 0.1]),
            ([90.0, 95.0, 20.0], [0.0, 0.0, 0.9]),
        ];
        let hunters = [[49.0, 50.0, 46.0], [70.0, 40.0, 50.0]];
        let number = 37;

        let centre = mean(&flock.iter().map(|b| b.0).collect::<Vec<_>>());
        let course = mean(&flock.iter().map(|b| b.1).collect::<Vec<_>>());
        let moved: Vec<V> = hunters
            .iter()
            .enumerate()
            .map(|(index, place)| {
                let t = number as f64 / 960.0 * 4.0 * std::f64::consts::PI
                    + index as f64 * std::f64::consts::FRAC_PI_4;
                let ring = 2.0 + (3.0 * t).cos();
                let knot = [ring * (2.0 * t).cos(), ring * (2.0 * t).sin(), (3.0 * t).sin()];
                let prey = flock.iter().map(|b| sub(b.0, *place)).filter(|o| norm(*o) < 10.0);
                let attack = prey.fold([0.0; 3], |sum, o| add(sum, mul(o, 1.0 / norm(o))));
                let rules = add(mul(sub(centre, *place), chase), mul(attack, 10.0 * chase));
                add(*place, cut(add(rules, mul(knot, 2.0)), 1.0))
            })
            .collect();
        let expected = flock.iter().enumerate().map(|(i, (place, velocity))| {
            let mut v = mul(sub(centre, *place), 0.03);
            for (_, (other, _)) in flock.iter().enumerate().filter(|(j, _)| *j != i) {
                let difference = sub(*other, *place);
                let distance = norm(difference);
                if distance < 7.0 {
                    v = sub(v, mul(mul(difference, 1.0 / distance), 1.0 / distance));
                }
            }
            v = add(v, mul(sub(course, *velocity), 0.125));
            v = add(v, mul(sub([50.0; 3], *place), 0.02));
            for hunter in &moved {
                let difference = sub(*hunter, *place);
                if norm(difference) < 25.0 {
                    v = sub(v, difference);
                }
            }
            (add(*place, v), v)
        });
        let expected: Flock = expected.collect();
        let mut predators = hunters.map(|position| Predator { position, velocity: [0.0; 3] });
        let found = step(&p, &boids(&flock), &mut predators, number);
        same(&found, &expected, 100.0);
        for (predator, place) in predators.iter().zip(&moved) {
            assert!(norm(sub(predator.position, *place)) < 1e-12);
        }
    }
}

/// Think Complexity: four requests, weighed, the goal brought to length 1, then (1 − μ)·v + μ·goal, length 1 again.
#[test]
fn think() {
    let mut p = preset("think");
    let carrot = [0.1, 0.2, 0.0];
    p.attractor.position = carrot;
    let unit = |v: V| mul(v, 1.0 / norm(v));
    let flock: Flock = vec![
        ([0.0, 0.0, 0.0], unit([1.0, 0.2, 0.0])),
        ([0.2, 0.1, 0.05], unit([0.0, 1.0, 0.3])),
        ([0.7, 0.1, 0.1], unit([-1.0, 0.0, 0.5])),
        ([-0.9, 0.3, -0.2], unit([0.3, -0.2, 1.0])),
    ];
    let expected = flock.iter().enumerate().map(|(i, (place, velocity))| {
        let others = || flock.iter().enumerate().filter(move |(j, _)| *j != i).map(|(_, b)| *b);
        let in_view = |object: V, radius: f64, angle: f64| {
            let offset = sub(object, *place);
            let between = dot(offset, *velocity) / norm(offset) / norm(*velocity);
            norm(offset) <= radius && between.clamp(-1.0, 1.0).acos() <= angle
        };
        let toward = |objects: &[V]| match objects {
            [] => [0.0; 3],
            some => cut(sub(mean(some), *place), 1.0),
        };
        let centre: Vec<V> = others().map(|b| b.0).filter(|o| in_view(*o, 1.0, 1.0)).collect();
        let objects = others().map(|b| b.0).chain([carrot]);
        let near: Vec<V> = objects.filter(|o| in_view(*o, 0.3, std::f64::consts::PI)).collect();
        let fellows: Vec<V> = others().filter(|b| in_view(b.0, 0.5, 1.0)).map(|b| b.1).collect();
        let align = if fellows.is_empty() { [0.0; 3] } else { cut(sub(mean(&fellows), *velocity), 1.0) };
        let love = cut(sub(carrot, *place), 1.0);
        let goal =
            add(add(mul(toward(&centre), 3.0), mul(toward(&near), -10.0)), add(align, mul(love, 10.0)));
        let v = unit(add(mul(*velocity, 0.9), mul(unit(goal), 0.1)));
        (add(*place, mul(v, 0.1)), v)
    });
    let expected: Flock = expected.collect();
    same(&step(&p, &boids(&flock), &mut [], 0), &expected, 1.0);
}

/// Swarm: v·0.31 + 0.001·w1 + 1.2·w2 + 2·w3 + 0.01·w4, the boid itself among its neighbours.
#[test]
fn swarm() {
    let p = preset("swarm");
    let flock: Flock = vec![
        ([0.3, 0.4, 0.5], [0.01, 0.002, 0.0]),
        ([0.304, 0.401, 0.502], [0.0, -0.003, 0.01]),
        ([0.3, 0.415, 0.497], [0.004, 0.004, 0.0]),
        // Alone, and out of the cube.
        ([-1.2, 0.1, 0.0], [-0.001, 0.002, 0.0]),
    ];
    let expected = flock.iter().map(|(place, velocity)| {
        let within = |radius: f64| flock.iter().filter(move |b| norm(sub(b.0, *place)) <= radius);
        let w1 = sub(mean(&within(0.02).map(|b| b.0).collect::<Vec<_>>()), *place);
        let w2 = mean(&within(0.02).map(|b| b.1).collect::<Vec<_>>());
        let w3 = mul(mean(&within(0.01).map(|b| sub(b.0, *place)).collect::<Vec<_>>()), -1.0);
        let outside = place.iter().any(|c| c.abs() > 1.0);
        let w4 = if outside { mul(*place, -1.0) } else { [0.0; 3] };
        let sum = add(add(mul(*velocity, 0.31), mul(w1, 0.001)), add(mul(w2, 1.2), mul(w3, 2.0)));
        let v = cut(add(sum, mul(w4, 0.01)), 0.03);
        (add(*place, v), v)
    });
    let expected: Flock = expected.collect();
    same(&step(&p, &boids(&flock), &mut [], 0), &expected, 1.0);
}

/// HoloViews: three steering forces, each cut to 0.03; 0.5 ≤ |v| ≤ 2; positions modulo 400.
#[test]
fn holoviews() {
    let p = preset("holoviews");
    let flock: Flock = vec![
        ([380.0, 200.0, 0.0], [1.0, 0.0, 0.0]),
        ([399.5, 205.0, 0.0], [1.9, 0.6, 0.0]),
        ([365.0, 231.0, 0.0], [0.1, -0.4, 0.0]),
    ];
    let expected = flock.iter().enumerate().map(|(i, (place, velocity))| {
        let others = || flock.iter().enumerate().filter(move |(j, _)| *j != i).map(|(_, b)| b);
        let within = |radius: f64| others().filter(move |b| norm(sub(b.0, *place)) < radius);
        let steer = |target: V| match norm(target) {
            0.0 => [0.0; 3],
            length => cut(sub(mul(target, 2.0 / length), *velocity), 0.03),
        };
        let pushes: Vec<V> =
            within(25.0).map(|b| sub(*place, b.0)).map(|away| mul(away, 1.0 / dot(away, away))).collect();
        let separation = if pushes.is_empty() { [0.0; 3] } else { steer(mean(&pushes)) };
        let alignment = steer(mean(&within(50.0).map(|b| b.1).collect::<Vec<_>>()));
        let cohesion = steer(sub(mean(&within(50.0).map(|b| b.0).collect::<Vec<_>>()), *place));
        let v = add(add(*velocity, mul(separation, 1.5)), add(alignment, cohesion));
        let v = mul(v, norm(v).clamp(0.5, 2.0) / norm(v));
        let [x, y, _] = add(*place, v);
        ([(x + 400.0) % 400.0, (y + 400.0) % 400.0, 0.0], v)
    });
    let expected: Flock = expected.collect();
    assert!(expected[1].0[0] < 10.0, "one flies over the edge");
    same(&step(&p, &boids(&flock), &mut [], 0), &expected, 400.0);
}

/// The default flock: as Cornell's in space, with a roost as home and noise (here left off).
#[test]
fn murmuration() {
    let mut p = preset("murmuration");
    p.noise.weight = 0.0;
    let (near, view) = (p.separation.radius, p.alignment.radius);
    assert!(near < view && view == p.cohesion.radius && p.separation.exclusive && p.motion.inertia == 1.0);
    let flock: Flock = vec![
        ([1.0, 2.0, 3.0], [0.6, 0.1, 0.0]),
        ([1.0 + 0.6 * near, 2.0, 3.5], [0.5, -0.2, 0.3]),
        ([1.0, 2.0 + 0.9 * view, 3.1], [0.0, 0.7, 0.2]),
    ];
    let expected = flock.iter().map(|(place, velocity)| {
        let others = flock.iter().filter(|b| b.0 != *place);
        let (close, seen): (Vec<_>, Vec<_>) = others
            .map(|b| (sub(b.0, *place), b.1))
            .filter(|b| norm(b.0) < view)
            .partition(|b| norm(b.0) < near);
        let mut v = close.iter().fold(*velocity, |v, b| sub(v, mul(b.0, p.separation.weight)));
        if !seen.is_empty() {
            let place = mean(&seen.iter().map(|b| b.0).collect::<Vec<_>>());
            let way = mean(&seen.iter().map(|b| b.1).collect::<Vec<_>>());
            v = add(v, add(mul(place, p.cohesion.weight), mul(sub(way, *velocity), p.alignment.weight)));
        }
        let home = sub(p.home.position, *place);
        if p.home.half_extent == 0.0 || home.iter().any(|c| c.abs() > p.home.half_extent) {
            v = add(v, mul(home, p.home.weight));
        }
        let v = mul(v, norm(v).clamp(p.motion.min_speed, p.motion.max_speed) / norm(v));
        (add(*place, mul(v, p.motion.time_step)), v)
    });
    let expected: Flock = expected.collect();
    same(&step(&p, &boids(&flock), &mut [], 0), &expected, 10.0);
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

/// A flock of which only one term acts: v' = v + request, p' = p + v'.
fn only(dimensions: u32) -> Parameters {
    let mut p = Parameters::default();
    p.flock.dimensions = dimensions;
    (p.motion.inertia, p.motion.gain, p.motion.time_step) = (1.0, 1.0, 1.0);
    (p.motion.min_speed, p.motion.max_speed) = (0.0, 1000.0);
    for weight in [&mut p.separation.weight, &mut p.alignment.weight, &mut p.cohesion.weight] {
        *weight = 0.0;
    }
    p
}

/// The flock after each boid was given a velocity by a formula.
fn moved(flock: &Flock, mut velocity: impl FnMut(usize, V, V) -> V) -> Flock {
    let mut next = Flock::new();
    for (id, (place, old)) in flock.iter().enumerate() {
        let new = velocity(id, *place, *old);
        next.push((add(*place, new), new));
    }
    next
}

/// Away from each sphere: fully inside it, and down to nothing at the margin around it.
#[test]
fn obstacles() {
    let mut p = only(3);
    (p.obstacles.weight, p.obstacles.margin) = (0.5, 4.0);
    let spheres = [([10.0, 10.0, 10.0], 3.0), ([16.0, 10.0, 10.0], 1.0)];
    for (position, radius) in spheres {
        p.obstacles.spheres.push(Sphere { position, radius }).expect("room");
    }
    let flock: Flock = vec![
        // Inside the first and in the margin of the second; between both; out of reach; on the first's surface.
        ([11.0, 11.5, 9.0], [0.1, 0.0, 0.2]),
        ([14.0, 11.0, 10.0], [0.0, -0.3, 0.0]),
        ([40.0, 10.0, 10.0], [0.2, 0.0, 0.0]),
        ([10.0, 13.0, 10.0], [0.0, 0.0, 0.4]),
    ];
    let expected = moved(&flock, |_, place, old| {
        let mut push = [0.0; 3];
        for (centre, radius) in spheres {
            let away = sub(place, centre);
            let share = 1.0 - (norm(away) - radius) / 4.0;
            push = add(push, mul(away, share.clamp(0.0, 1.0) / norm(away)));
        }
        add(old, mul(push, 0.5))
    });
    same(&step(&p, &boids(&flock), &mut [], 0), &expected, 40.0);
}

/// Away from each boid that is near and ahead, straight across the heading: by d·(1 − sin θ), for one at the distance d
/// and the angle θ (docs/fixed-point.md).
#[test]
fn line_of_sight() {
    let mut p = only(3);
    (p.line_of_sight.weight, p.line_of_sight.radius, p.line_of_sight.angle) = (0.25, 5.0, 30.0);
    let flock: Flock = vec![
        ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
        // 27 degrees off the course of the first, 35 degrees off, behind it, and too far ahead.
        ([2.0, 1.0, 0.2], [0.0, 2.0, 0.0]),
        ([2.0, 0.0, 1.4], [0.0, -1.0, 0.5]),
        ([-1.0, 0.1, 0.0], [1.0, 0.5, 0.0]),
        ([5.5, 0.1, 0.0], [0.0, 0.3, 0.1]),
    ];
    let expected = moved(&flock, |id, place, old| {
        let heading = mul(old, 1.0 / norm(old));
        let mut request = [0.0; 3];
        for (_, (other, _)) in flock.iter().enumerate().filter(|(other, _)| *other != id) {
            let offset = sub(*other, place);
            let ahead = dot(offset, heading);
            if norm(offset) < 5.0 && (ahead / norm(offset)).acos().to_degrees() < 30.0 {
                let aside = sub(offset, mul(heading, ahead));
                // d·sin θ is the length of the part across the heading.
                request = sub(request, mul(aside, (norm(offset) - norm(aside)) / norm(aside)));
            }
        }
        add(old, mul(request, 0.25))
    });
    assert!(expected[0].1 != flock[0].1 && expected[4].1 == flock[4].1);
    same(&step(&p, &boids(&flock), &mut [], 0), &expected, 10.0);
}

/// Cohesion to the two nearest of those in its field of view; three where two are equally far.
#[test]
fn nearest() {
    let mut p = only(3);
    (p.cohesion.weight, p.cohesion.radius, p.cohesion.angle) = (0.5, 10.0, 100.0);
    p.neighbours.nearest = 2;
    let flock: Flock = vec![
        ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
        // The nearest to the first is behind it; then 2, and twice 3 away.
        ([-1.0, 0.0, 0.25], [0.0, 1.0, 0.0]),
        ([0.0, 2.0, 0.0], [0.0, 0.5, 1.0]),
        ([0.0, 0.0, 3.0], [1.0, 1.0, 0.0]),
        ([3.0, 0.0, 0.0], [0.0, -1.0, 0.0]),
        ([4.0, 4.0, 4.0], [-1.0, 0.0, -1.0]),
    ];
    let mut perceived = Vec::new();
    let expected = moved(&flock, |id, place, old| {
        let mut offsets = Vec::new();
        for (_, (other, _)) in flock.iter().enumerate().filter(|(other, _)| *other != id) {
            let offset = sub(*other, place);
            let between = dot(offset, old) / norm(offset) / norm(old);
            if norm(offset) < 10.0 && between.acos().to_degrees() < 100.0 {
                offsets.push(offset);
            }
        }
        let mut squares: Vec<f64> = offsets.iter().map(|offset| dot(*offset, *offset)).collect();
        squares.sort_by(f64::total_cmp);
        if let Some(last) = squares.get(1) {
            offsets.retain(|offset| dot(*offset, *offset) <= *last);
        }
        perceived.push(offsets.len());
        if offsets.is_empty() { old } else { add(old, mul(mean(&offsets), 0.5)) }
    });
    assert!(perceived[0] == 3 && perceived.contains(&2) && flock.len() == 6, "{perceived:?}");
    same(&step(&p, &boids(&flock), &mut [], 0), &expected, 10.0);
}

/// The heading turns by at most 30 degrees in a step, in the plane of the old and the requested one.
#[test]
fn greatest_turn() {
    let mut p = only(3);
    p.motion.max_turn = 30.0;
    p.wind.acceleration = [0.0, 0.5, -0.25];
    let flock: Flock = vec![
        // 54 degrees asked for, 4 degrees, and a boid at rest, which turns freely.
        ([0.0, 0.0, 0.0], [0.4, 0.0, 0.0]),
        ([50.0, 0.0, 0.0], [0.0, 8.0, -3.0]),
        ([0.0, 50.0, 0.0], [0.0, 0.0, 0.0]),
    ];
    let expected = moved(&flock, |_, _, old| {
        let asked = add(old, [0.0, 0.5, -0.25]);
        let between = dot(old, asked) / norm(old) / norm(asked);
        if norm(old) == 0.0 || between.acos() <= 30.0_f64.to_radians() {
            return asked;
        }
        let heading = mul(old, 1.0 / norm(old));
        let aside = sub(asked, mul(heading, dot(heading, asked)));
        let turned = add(mul(heading, 30.0_f64.to_radians().cos()), mul(aside, 0.5 / norm(aside)));
        mul(turned, norm(asked))
    });
    let turned = dot(expected[0].1, flock[0].1) / norm(expected[0].1) / norm(flock[0].1);
    assert!((turned.acos().to_degrees() - 30.0).abs() < 1e-9);
    same(&step(&p, &boids(&flock), &mut [], 0), &expected, 50.0);
}

/// A boid that comes near the bottom rests where it is for as long as was drawn, perceived by nobody, takes off upwards
/// at the least speed, and perches again only after it has risen.
#[test]
fn perching() {
    let mut p = only(3);
    (p.world.min, p.world.max, p.motion.min_speed) = ([0.0; 3], [100.0; 3], 0.5);
    (p.perching.height, p.perching.steps) = (10.0, 9);
    (p.cohesion.weight, p.cohesion.radius) = (0.01, 50.0);
    // One sinks; the other hovers 5 beside it, above the height, and follows it while it flies.
    let mut flock =
        vec![boid([50.0, 50.0, 10.75], [0.0, 0.0, -3.0]), boid([55.0, 50.0, 20.0], [0.0, 0.0, 0.5])];
    flock = step(&p, &flock, &mut [], 0);
    let perch = flock[0].position;
    let rest = flock[0].rest;
    assert!((1..=9).contains(&rest) && flock[0].velocity == [0.0; 3], "{:?}", flock[0]);
    assert!(flock[1].velocity[0] < 0.0, "the flying boid was perceived");
    let steady = flock[1].velocity;
    for number in 1..rest {
        flock = step(&p, &flock, &mut [], number as u64);
        assert_eq!((flock[0].position, flock[0].velocity, flock[0].rest), (perch, [0.0; 3], rest - number));
        assert_eq!(flock[1].velocity, steady, "a perched boid is perceived by nobody");
    }
    flock = step(&p, &flock, &mut [], rest as u64);
    assert_eq!((flock[0].position, flock[0].velocity), (add(perch, [0.0, 0.0, 0.5]), [0.0, 0.0, 0.5]));
    // It is still low, and does not perch.
    p.cohesion.weight = 0.0;
    while flock[0].position[2] <= 10.0 {
        let before = flock[0].position;
        flock = step(&p, &flock, &mut [], 40);
        assert_eq!(flock[0].position, add(before, [0.0, 0.0, 0.5]));
    }
    // Risen, it may: sinking again, it rests, unless it draws a rest of no steps.
    flock[0].velocity = [0.0, 0.0, -2.0];
    let rests: Vec<i32> = (41..61).map(|number| step(&p, &flock, &mut [], number)[0].rest).collect();
    assert!(rests.iter().filter(|rest| (1..=9).contains(*rest)).count() > 10, "{rests:?}");
}
