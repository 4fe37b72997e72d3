//! Both cores of the chip.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, Ordering, fence};
use cortex_m::peripheral::syst::SystClkSource;
use firmware::cores::{CORES, Cores};
use rp2040_hal::multicore::{Multicore, StackAllocation};
use rp2040_hal::pac::{self, PPB, PSM};
use rp2040_hal::sio::{Sio, SioFifo, Spinlock0};

unsafe extern "C" {
    /// The ends of core 1's stack, from the linker script.
    static mut _core1_stack_low: usize;
    static mut _core1_stack_high: usize;
}

type Work<'a> = &'a (dyn Fn(usize) + Sync);

/// The work of core 1.
struct Mailbox(UnsafeCell<MaybeUninit<Work<'static>>>);

// SAFETY: core 0 writes only while core 1 waits for a word from the FIFO; core 1 reads only between that word and its
// answer.
unsafe impl Sync for Mailbox {}

static MAILBOX: Mailbox = Mailbox(UnsafeCell::new(MaybeUninit::uninit()));

/// True if core 1 is absent, as in single-core emulators. Core 0 then does the work of both.
static ALONE: AtomicBool = AtomicBool::new(false);

/// Core 0 and core 1.
pub struct BothCores;

impl Cores for BothCores {
    fn run(&self, work: &(dyn Fn(usize) + Sync)) {
        if ALONE.load(Ordering::Relaxed) {
            return (0..CORES).for_each(work);
        }
        // SAFETY: only the lifetime changes. Core 1 answers before this function returns, and does not use it later.
        let work: Work<'static> = unsafe { core::mem::transmute::<Work<'_>, Work<'static>>(work) };
        // SAFETY: core 1 waits.
        unsafe { (*MAILBOX.0.get()).write(work) };
        fence(Ordering::SeqCst);
        let mut fifo = fifo();
        fifo.write_blocking(1);
        work(0);
        fifo.read_blocking();
        fence(Ordering::SeqCst);
    }

    fn exclusive<R>(&self, section: impl FnOnce() -> R) -> R {
        let _lock = Spinlock0::claim();
        section()
    }

    #[inline(always)]
    fn clock(&self) -> u32 {
        // The counter counts down.
        !cortex_m::peripheral::SYST::get_current()
    }
}

/// Starts core 1; false if it is absent.
pub fn start(psm: &mut PSM, ppb: &mut PPB, fifo: &mut SioFifo) -> bool {
    start_clock();
    let both = start_second(psm, ppb, fifo);
    ALONE.store(!both, Ordering::Relaxed);
    both
}

fn start_second(psm: &mut PSM, ppb: &mut PPB, fifo: &mut SioFifo) -> bool {
    let mut both = Multicore::new(psm, ppb, fifo);
    // SAFETY: the linker script reserves this range for this stack, and this function runs once.
    let stack =
        unsafe { StackAllocation::from_raw_parts(&raw mut _core1_stack_low, &raw mut _core1_stack_high) };
    let Some(second) = both.cores().get_mut(1) else { return false };
    second.spawn(stack, serve).is_ok()
}

/// The main loop of core 1.
fn serve() {
    start_clock();
    let mut fifo = fifo();
    loop {
        let word = fifo.read_blocking();
        fence(Ordering::SeqCst);
        // SAFETY: core 0 wrote the work before it sent the word.
        let work = unsafe { (*MAILBOX.0.get()).assume_init() };
        work(1);
        fence(Ordering::SeqCst);
        fifo.write_blocking(word);
    }
}

/// Starts the cycle counter of this core.
fn start_clock() {
    // SAFETY: each core has its own counter, and nothing else uses it.
    let mut counter = unsafe { pac::CorePeripherals::steal() }.SYST;
    counter.set_clock_source(SystClkSource::Core);
    counter.set_reload(0x00ff_ffff);
    counter.clear_current();
    counter.enable_counter();
}

/// This core's end of the FIFOs between the cores.
fn fifo() -> SioFifo {
    // SAFETY: each core has its own end, and nothing else uses it.
    Sio::new(unsafe { pac::Peripherals::steal() }.SIO).fifo
}

/// Stops this core for good.
pub fn halt() -> ! {
    loop {
        cortex_m::asm::wfi();
    }
}
