//! The check of this device, on a task beside the flock.

use std::sync::mpsc::TryRecvError;

use conform::device_check::DeviceCheck;
use conform::report::Report;
use engine::system::{Receiver, Sender, Task, channel, serve};
use engines::Device;

/// A check under way, or its result.
#[derive(Debug)]
pub struct DeviceCheckTask {
    /// The device, as it is described to users.
    device: String,
    // Dropped before the task is awaited, which ends it.
    orders: Option<Sender<()>>,
    outcomes: Receiver<Outcome>,
    task: Option<Task<DeviceCheck>>,
    /// True while a flock is being compared.
    is_busy: bool,
    /// The rows up to now.
    pub report: Report,
    /// Number of flocks that were compared, and of all.
    pub progress: [usize; 2],
    /// The reason why the check has ended early.
    pub failed: Option<String>,
}

/// The rows and the progress after a flock, or the reason why there are no more.
type Outcome = Result<(Report, [usize; 2]), String>;

impl DeviceCheckTask {
    /// Begins the check of a device and of the CPU.
    ///
    /// # Errors
    /// When a preset is not valid, or the system cannot start a thread.
    pub fn start(device: &Device) -> Result<Self, String> {
        let check = DeviceCheck::new(device).map_err(|why| why.to_string())?;
        let progress = check.progress();
        let (orders, inbox) = channel();
        let (outbox, outcomes) = channel();
        let work = move |going: &mut DeviceCheck, (), _: &Receiver<()>| {
            let compared = going.advance().map_err(|why| why.to_string());
            let outcome = compared.map(|()| (going.report().clone(), going.progress()));
            outbox.send(outcome).is_ok()
        };
        let task = serve("check", inbox, check, work).map_err(|why| why.to_string())?;
        Ok(DeviceCheckTask {
            device: device.describe(),
            orders: Some(orders),
            outcomes,
            task: Some(task),
            is_busy: false,
            report: Report::default(),
            progress,
            failed: None,
        })
    }

    /// Takes the outcome of a flock over, and orders the next one: one at a time, so that a page draws between them.
    pub fn go_on(&mut self) {
        match self.outcomes.try_recv() {
            Ok(Ok((report, progress))) => {
                (self.report, self.progress, self.is_busy) = (report, progress, false);
            }
            Ok(Err(why)) => self.failed = Some(why),
            Err(TryRecvError::Disconnected) => self.failed = Some("the check crashed".to_owned()),
            Err(TryRecvError::Empty) => {}
        }
        if self.has_more() && !self.is_busy {
            // A task that has ended closes its other channel, too.
            self.is_busy = self.orders.as_ref().is_some_and(|orders| orders.send(()).is_ok());
        }
    }

    /// True if flocks are left to compare.
    pub fn has_more(&self) -> bool {
        let [done, all] = self.progress;
        done < all && self.failed.is_none()
    }

    /// The reason why something disagrees.
    pub fn shortfall(&self) -> Option<String> {
        self.failed.clone().or_else(|| self.report.shortfall())
    }

    /// The result as text, to be sent to somebody.
    pub fn text(&self) -> String {
        let (version, device) = (env!("CARGO_PKG_VERSION"), &self.device);
        let [done, all] = self.progress;
        let result = self.shortfall().unwrap_or_else(|| "all agree".to_owned());
        let table = self.report.text();
        format!("murmuration {version}, {device}\n{done} of {all} flocks: {result}\n\n{table}")
    }
}

impl Drop for DeviceCheckTask {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(task) = self.task.take() {
            task.detach();
        }
    }
}
