//! The window's orders, and how those that wait are merged.

use std::sync::mpsc::TryRecvError;

use flock::Parameters;

use super::watched::PickRay;
use crate::view::frame::Boids;
use cpu::system::Receiver;

/// What the window asks for.
#[derive(Debug)]
pub enum Order {
    Advance(u32),
    Parameters(Box<Parameters>),
    /// The seeded start of these parameters, and which restart it is.
    Restart(Box<Parameters>, u64),
    Steer(usize, [f32; 3]),
    /// The boid to watch.
    Watch(Option<PickRay>),
    /// Whether measures that take long are wanted.
    Measure(bool),
    /// The memory of a frame that is no longer shown.
    Spare(Boids),
}

/// The orders that arrived while the worker was busy, merged.
#[derive(Debug, Default)]
pub struct Batch {
    /// How many of them are to be answered.
    pub orders: u32,
    pub steps: u32,
    pub parameters: Option<Box<Parameters>>,
    pub restart: Option<(Box<Parameters>, u64)>,
    pub steer: Vec<(usize, [f32; 3])>,
    pub watch: Option<Option<PickRay>>,
    pub measure: Option<bool>,
    pub spare: Option<Boids>,
}

impl Batch {
    /// Waits for an order and takes all that have arrived; `None` when the window is closed.
    pub fn wait(inbox: &Receiver<Order>) -> Option<Self> {
        let mut batch = Batch::default();
        while batch.orders == 0 {
            batch.add(inbox.recv().ok()?);
        }
        loop {
            match inbox.try_recv() {
                Ok(order) => batch.add(order),
                Err(TryRecvError::Empty) => return Some(batch),
                Err(TryRecvError::Disconnected) => return None,
            }
        }
    }

    pub fn add(&mut self, order: Order) {
        self.orders += 1;
        match order {
            Order::Advance(steps) => self.steps += steps,
            Order::Parameters(parameters) => self.parameters = Some(parameters),
            Order::Restart(parameters, generation) => {
                // Orders for the old flock no longer apply.
                self.restart = Some((parameters, generation));
                (self.steps, self.parameters) = (0, None);
            }
            Order::Steer(index, position) => {
                self.orders -= 1;
                self.steer.retain(|(other, _)| *other != index);
                self.steer.push((index, position));
            }
            Order::Watch(sight) => self.watch = Some(sight),
            Order::Measure(wanted) => self.measure = Some(wanted),
            Order::Spare(boids) => {
                self.orders -= 1;
                self.spare = Some(boids);
            }
        }
    }
}
