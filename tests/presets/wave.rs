//! The wave of agitation: after the falcon's strike, turning propagates through the flock faster than birds and falcon
//! fly (Procaccini et al. 2011, Animal Behaviour 82, 759).
//!
//! A step depends only on the state, so a flock with the falcon is compared, bird by bird, with the same flock that
//! ignores it: any difference in turning is an effect of the strike.

use config::presets;
use cpu::CpuEngine;
use engine::State;
use flock::Parameters;
use glam::DVec3;

const BOIDS: u32 = 8000;
/// Steps before the strike is watched: the falcon is on its way back for the second time.
const BEFORE: u32 = 1200;
/// Steps in which it arrives, and in which the wave is followed.
const ARRIVAL: u32 = 300;
const FOLLOWED: u32 = 80;
/// A bird has turned when its heading differs by so much.
const TURNED: f64 = 20.0;
/// Birds are counted by their distance from the place of the first alarm, in rings of this width.
const RING: f64 = 8.0;
/// A ring counts with so many birds; the front is there once a tenth of them has turned.
const MIN: usize = 60;

/// A flock, and the same without the alarm.
struct Twins {
    parameters: Parameters,
    alarmed: Box<dyn CpuEngine>,
    calm: Box<dyn CpuEngine>,
}

impl Twins {
    fn new(seed: u32, change: impl FnOnce(&mut Parameters)) -> Self {
        let preset = presets::find(presets::DEFAULT).expect("there is one");
        let mut p = preset.parameters().expect("it holds");
        p.set_boids(BOIDS);
        p.flock.seed = seed;
        let open = |p: &Parameters, state: &State| cpu::open_as::<f32>(p, state, Some(1)).expect("a thread");
        let mut engine = open(&p, &State::start(&p));
        engine.advance(BEFORE).expect("steps");
        let state = engine.state().expect("a state");
        change(&mut p);
        let mut deaf = p;
        deaf.predators.weight = 0.0;
        Twins { parameters: p, alarmed: open(&p, &state), calm: open(&deaf, &state) }
    }

    /// Both one step later.
    fn step(&mut self) -> [State; 2] {
        [&mut self.alarmed, &mut self.calm].map(|engine| {
            engine.advance(1).expect("a step");
            engine.state().expect("a state")
        })
    }

    /// Steps until the falcon is near enough to alarm a bird; returns where it is, and where the birds are.
    fn strike(&mut self) -> Option<(DVec3, Vec<DVec3>)> {
        for _ in 0..ARRIVAL {
            let [state, _] = self.step();
            let falcon = DVec3::from(state.predators[0].position);
            let birds: Vec<_> = state.boids.iter().map(|bird| DVec3::from(bird.position)).collect();
            if birds.iter().any(|bird| (*bird - falcon).length() < self.parameters.predators.radius) {
                return Some((falcon, birds));
            }
        }
        None
    }
}

/// Speed of the turning front, in units of length a step, if there is one; the mean speed of the birds, and the
/// falcon's maximum speed.
fn front(mut twins: Twins) -> Option<[f64; 3]> {
    let (place, birds) = twins.strike()?;
    let ring: Vec<usize> = birds.iter().map(|bird| ((*bird - place).length() / RING) as usize).collect();
    let mut turned = vec![None; birds.len()];
    let (mut touched, mut speed, mut falcon) = (vec![false; birds.len()], 0.0, 0.0_f64);
    for step in 0..FOLLOWED {
        let [alarmed, calm] = twins.step();
        let predator = alarmed.predators[0];
        falcon = falcon.max(DVec3::from(predator.velocity).length());
        for (id, (bird, other)) in alarmed.boids.iter().zip(&calm.boids).enumerate() {
            let [way, before] = [bird, other].map(|bird| DVec3::from(bird.velocity));
            speed += way.length() / f64::from(FOLLOWED) / birds.len() as f64;
            let apart = DVec3::from(bird.position) - DVec3::from(predator.position);
            touched[id] |= apart.length() < twins.parameters.predators.radius;
            let cosine = way.dot(before) / (way.length() * before.length());
            if turned[id].is_none() && cosine < TURNED.to_radians().cos() {
                turned[id] = Some((step, touched[id]));
            }
        }
    }
    let mut arrivals = Vec::new();
    for index in 0..=ring.iter().copied().max()? {
        // Only what neighbours told: the falcon was never near these.
        let mut steps: Vec<u32> = ring
            .iter()
            .zip(&turned)
            .filter(|(ring, _)| **ring == index)
            .map(|(_, turned)| match turned {
                Some((step, false)) => *step,
                _ => u32::MAX,
            })
            .collect();
        steps.sort_unstable();
        let first = steps.get(steps.len() / 10).copied().unwrap_or(u32::MAX);
        if steps.len() >= MIN && first < u32::MAX {
            arrivals.push([f64::from(first), (index as f64 + 0.5) * RING]);
        }
    }
    (arrivals.len() >= 4).then(|| [slope(&arrivals), speed, falcon])
}

/// The slope of a line through points, by least squares of the abscissae: rings are exact, arrivals are not.
fn slope(points: &[[f64; 2]]) -> f64 {
    let mean = |axis: usize| points.iter().map(|point| point[axis]).sum::<f64>() / points.len() as f64;
    let middle = [mean(0), mean(1)];
    let product = |a: usize, b: usize| {
        points.iter().map(|point| (point[a] - middle[a]) * (point[b] - middle[b])).sum::<f64>()
    };
    product(1, 1) / product(0, 1)
}

#[test]
fn the_wave_of_agitation_is_faster_than_the_birds_and_the_falcon() {
    std::thread::scope(|scope| {
        for seed in 1..=3 {
            scope.spawn(move || {
                let [wave, birds, falcon] = front(Twins::new(seed, |_| ())).expect("a wave");
                println!("seed {seed}: wave {wave:.2}, birds {birds:.2}, falcon {falcon:.2}");
                assert!(wave > 2.0 * birds && wave > falcon, "{seed}: {wave} {birds} {falcon}");
            });
        }
    });
}

/// The controls: without the alarm nothing turns, and birds that tell each other nothing carry no wave.
#[test]
fn without_alarm_or_neighbours_there_is_no_wave() {
    assert_eq!(front(Twins::new(1, |p| p.predators.weight = 0.0)), None);
    let alone = |p: &mut Parameters| {
        (p.separation.weight, p.alignment.weight, p.cohesion.weight) = (0.0, 0.0, 0.0);
    };
    assert_eq!(front(Twins::new(1, alone)), None);
}
