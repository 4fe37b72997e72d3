//! Looking around in a crowded flock: sums over groups stand for boids who are perceived all alike.

use std::ops::Range;

use flock::number::Total;
use flock::perceive::{Glance, Group, Observer, Senses, Sums};
use flock::{Number, Vec3};

use super::{Flock, Kind, meet, observer, others};
use crate::cpu::crowd::{self, Crowd, FAN, LEVELS, size};
use crate::cpu::sieve::Sieve;
use crate::cpu::vector::Vector;
use crate::cpu::walk::{Row, Walk};

/// The sums of a run of boids whose cells lie in a row. Groups of boids that are perceived
/// wholly, or not at all, are not met one by one.
///
/// What a lane adds, and in which order, does not depend on the other lanes: a group that ends beyond the cells it has to
/// look into is not perceived wholly.
#[inline(always)]
pub fn look_at_groups<V: Vector, K: Kind>(
    flock: &Flock<'_, V::Scalar>,
    crowd: &Crowd<V::Scalar>,
    seam: bool,
    row: &Row,
    run: Range<usize>,
) -> (Observer<V>, Sums<V>) {
    let mut senses = Senses::<V>::new(flock.rule);
    if let Some((falloff, exclusive)) = K::SEPARATION {
        senses = senses.separating(falloff, exclusive);
    }
    if !seam {
        senses = senses.away_from_seams();
    }
    let me = observer::<V, K>(flock, &senses, run.clone());
    let number = V::numbers();
    let from = |place: usize| V::splat(V::Scalar::from_f64(place as f64 - run.start as f64));
    let here = number.lt(from(run.end));
    let nobody = number.lt(number);

    let mut sums = Sums::new();
    let mut opened = Opened { sieve: Sieve::<V>::new(flock.places, run.clone(), K::FLAT), lanes: here };
    let mut walk = Walk::new(flock, row, run.clone());
    while walk.go_on() {
        let Range { start: mut place, end } = walk.whole();
        while place < end {
            let top = crowd.level(place, end);
            let stop = if top == 0 { end.min(place - place % FAN + FAN) } else { place + size(top) };
            // Whom each level is left to.
            let mut looking = [here; LEVELS + 1];
            let mut level = top;
            while place < stop {
                let mut lanes = looking[level];
                let mut next = stop;
                if level > 0 {
                    next = place + size(level);
                    let sums_of = crowd.group(level, place);
                    // The test of a cone costs more than it spares where a few boids lie far apart.
                    if level > 1 || !K::DETAILED || crowd::compact(flock.rule, sums_of) {
                        let group = group::<V>(sums_of);
                        let glance = glance::<V, K>(&senses, &me, &group);
                        let wholly = glance.wholly & lanes;
                        if V::any(wholly) {
                            opened.meet_all::<K>(flock, &senses, &mut sums, &me, &run);
                            let own = from(place).le(number) & number.lt(from(next));
                            if K::ALIKE {
                                senses.add_group::<true>(&mut sums, &me, &glance, wholly, own, &group);
                            } else {
                                senses.add_group::<false>(&mut sums, &me, &glance, wholly, own, &group);
                            }
                        }
                        // Those who perceive nobody may look as well: so more groups in a row are opened for the same.
                        lanes = if V::any(glance.partly & lanes) { lanes & !wholly } else { nobody };
                    }
                    if level > 1 && V::any(lanes) {
                        level -= 1;
                        looking[level] = lanes;
                        continue;
                    }
                }
                if V::any(lanes) {
                    if V::bits(lanes) != V::bits(opened.lanes) {
                        opened.meet_all::<K>(flock, &senses, &mut sums, &me, &run);
                        opened.lanes = lanes;
                    }
                    let mut range = place..next;
                    while !range.is_empty() {
                        if seam {
                            opened.sieve.keep(&mut range);
                        } else {
                            opened.sieve.sift(&senses, &mut range, K::FLAT);
                        }
                        if !range.is_empty() {
                            opened.meet_all::<K>(flock, &senses, &mut sums, &me, &run);
                        }
                    }
                }
                place = next;
                while level < top && place.is_multiple_of(size(level + 1)) {
                    level += 1;
                }
            }
        }
    }
    opened.meet_all::<K>(flock, &senses, &mut sums, &me, &run);
    (me, sums)
}

/// Boids of opened groups who have not been met yet, and the lanes that are to meet them.
struct Opened<'a, V: Vector> {
    sieve: Sieve<'a, V>,
    lanes: V::Mask,
}

impl<V: Vector> Opened<'_, V> {
    /// Before a sum stands for boids who come after them: every lane adds in the order of the sorted flock.
    #[inline(always)]
    fn meet_all<K: Kind>(
        &mut self,
        flock: &Flock<'_, V::Scalar>,
        senses: &Senses<V>,
        sums: &mut Sums<V>,
        me: &Observer<V>,
        run: &Range<usize>,
    ) {
        for place in self.sieve.empty() {
            let place = *place as usize;
            let mut present = self.lanes;
            if run.contains(&place) {
                present = present & others::<V>(V::numbers(), place, run.start);
            }
            meet::<V, K>(senses, sums, me, &flock.seen[place], Some(present));
        }
    }
}

#[inline(always)]
fn glance<V: Vector, K: Kind>(senses: &Senses<V>, me: &Observer<V>, group: &Group<V>) -> Glance<V> {
    if K::ALIKE {
        senses.glance::<false, true>(me, group)
    } else if K::DETAILED {
        senses.glance::<true, false>(me, group)
    } else {
        senses.glance::<false, false>(me, group)
    }
}

/// The same group in every lane.
#[inline(always)]
fn group<V: Vector>(group: &Group<V::Scalar>) -> Group<V> {
    let Group { boids, low, high, places, positions, velocity } = group;
    let velocity = Total { sum: Vec3::splat(velocity.sum), rest: Vec3::splat(velocity.rest) };
    Group {
        boids: V::splat(*boids),
        low: Vec3::splat(*low),
        high: Vec3::splat(*high),
        places: Vec3::splat(*places),
        positions: Vec3::splat(*positions),
        velocity,
    }
}
