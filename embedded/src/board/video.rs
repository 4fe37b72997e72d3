//! VGA at 640 × 480 and 60 Hz, by state machines and DMA. The processor spends thirty cycles a frame on it.
//!
//! One state machine generates the sync pulses; another outputs the colours, which a DMA channel reads from memory. The
//! pixel clock is 25 MHz instead of 25.175 MHz, so all times are 0.7 % longer, within the tolerance of screens.
//!
//! ```text
//! a line, in pixels:   sync 96 │ black 48 │ picture 640 │ black 16      32.00 µs
//! a frame, in lines:   picture 480 │ black 10 │ sync 2 │ black 33       16.80 ms
//! ```

use super::MHZ;
use core::sync::atomic::{AtomicU32, Ordering};
use firmware::vga::{HEIGHT, WORDS, canvas::Canvas};
use rp2040_hal::gpio::{FunctionNull, FunctionPio0, FunctionPio1, Pin, PullDown, PullNone, bank0};
use rp2040_hal::pac::{self, DMA, Interrupt, PIO0, PIO1, RESETS, interrupt};
use rp2040_hal::pio::{Buffers, PIOBuilder, PIOExt, PinDir, ShiftDirection};

/// The first sync pin (horizontal, then vertical), and the first of the four colour pins.
const SYNC: u8 = 16;
const COLOURS: u8 = 18;
/// State machines count in ticks of 8 ns: five per pixel.
const TICK: u16 = (MHZ / 125) as u16;
/// The sync program counts in steps of 16 pixels.
const SYNC_STEP: u16 = TICK * 5 * 16;
/// The DMA channel, and its request signal: the queue of the first state machine of PIO1.
const CHANNEL: usize = 0;
const QUEUE: u8 = 8;

/// The memory that DMA reads for each frame.
#[repr(C)]
struct Frame {
    /// Number of lines minus one.
    lines: AtomicU32,
    words: [AtomicU32; WORDS],
}

static FRAME: Frame = Frame { lines: AtomicU32::new(0), words: [const { AtomicU32::new(0) }; WORDS] };

/// Number of frames sent.
static SENT: AtomicU32 = AtomicU32::new(0);

/// A pin in its reset state.
type Free<I> = Pin<I, FunctionNull, PullDown>;

/// Horizontal and vertical sync.
type SyncPins = (Free<bank0::Gpio16>, Free<bank0::Gpio17>);

/// Green by a third, green by two thirds, blue and red.
type ColourPins = (Free<bank0::Gpio18>, Free<bank0::Gpio19>, Free<bank0::Gpio20>, Free<bank0::Gpio21>);

/// Starts the signal; `None` if the programs do not fit into the instruction memory.
pub fn start(
    sync_pins: SyncPins,
    colour_pins: ColourPins,
    sync: PIO0,
    colours: PIO1,
    dma: DMA,
    resets: &mut RESETS,
) -> Option<()> {
    type Sync<I> = Pin<I, FunctionPio0, PullNone>;
    type Lit<I> = Pin<I, FunctionPio1, PullNone>;
    let _sync: (Sync<_>, Sync<_>) = (sync_pins.0.reconfigure(), sync_pins.1.reconfigure());
    let _green: (Lit<_>, Lit<_>) = (colour_pins.0.reconfigure(), colour_pins.1.reconfigure());
    let _rest: (Lit<_>, Lit<_>) = (colour_pins.2.reconfigure(), colour_pins.3.reconfigure());
    start_colours(colours, resets)?;
    start_dma(&dma, resets);
    start_sync(sync, resets)
}

/// The picture on the screen.
pub fn canvas() -> Canvas<'static> {
    Canvas::new(&FRAME.words)
}

/// The number of frames sent. It increases when the beam leaves the last line of the picture.
pub fn sent() -> u32 {
    SENT.load(Ordering::Relaxed)
}

fn start_sync(block: PIO0, resets: &mut RESETS) -> Option<()> {
    // A line is 50 steps of 16 pixels: 6 of sync, 3 black, 40 of picture, 1 black.
    let program = pio::pio_asm!(
        "set y, 14",
        "in y, 5",
        "set y, 31",
        "in y, 5", // 14 · 32 + 31 = 479, kept in the ISR
        ".wrap_target",
        "mov x, isr",
        "picture:", // 480 lines
        "set pins, 0b10 [5]",
        "set pins, 0b11 [31]",
        "set y, 9 [10]",
        "jmp x-- picture",
        "front:", // 10 lines
        "set pins, 0b10 [5]",
        "set pins, 0b11 [31]",
        "nop [10]",
        "jmp y-- front",
        "set pins, 0b00 [5]", // 2 lines of vertical sync
        "set pins, 0b01 [31]",
        "nop [11]",
        "set pins, 0b00 [5]",
        "set pins, 0b01 [31]",
        "nop [11]",
        "set pins, 0b10 [5]", // 1 line, then 32 lines minus the step that the first instruction takes
        "set pins, 0b11 [31]",
        "set y, 30 [11]",
        "back:",
        "set pins, 0b10 [5]",
        "set pins, 0b11 [31]",
        "nop [10]",
        "jmp y-- back",
        "set pins, 0b10 [5]",
        "set pins, 0b11 [31]",
        "nop [10]",
        ".wrap"
    );
    let (mut block, machine, ..) = block.split(resets);
    let builder = PIOBuilder::from_installed_program(block.install(&program.program).ok()?)
        .set_pins(SYNC, 2)
        .in_shift_direction(ShiftDirection::Left)
        .clock_divisor_fixed_point(SYNC_STEP, 0);
    let (mut machine, _, _) = builder.build(machine);
    machine.set_pindirs((SYNC..SYNC + 2).map(|pin| (pin, PinDir::Output)));
    machine.start();
    Some(())
}

fn start_colours(block: PIO1, resets: &mut RESETS) -> Option<()> {
    let program = pio::pio_asm!(
        "set y, 19",
        "in y, 5",
        "set y, 31",
        "in y, 5", // 19 · 32 + 31 = 639, kept in the ISR
        ".wrap_target",
        "out x, 32",      // lines minus one
        "wait 0 gpio 17", // vertical sync
        "wait 1 gpio 17",
        "set y, 31",
        "skip:", // the pulses of 33 lines until the picture; the first has begun
        "wait 1 gpio 16",
        "wait 0 gpio 16",
        "jmp y-- skip",
        "wait 1 gpio 16",
        "line:",
        "wait 0 gpio 16",
        "wait 1 gpio 16",
        "set y, 13", // 48 pixels
        "black:",
        "jmp y-- black [15]",
        "mov y, isr [6]",
        "pixel:",
        "out pins, 4 [3]",
        "jmp y-- pixel",
        "mov pins, null",
        "jmp x-- line",
        ".wrap"
    );
    let (mut block, machine, ..) = block.split(resets);
    let builder = PIOBuilder::from_installed_program(block.install(&program.program).ok()?)
        .out_pins(COLOURS, 4)
        .buffers(Buffers::OnlyTx)
        .autopull(true)
        .in_shift_direction(ShiftDirection::Left)
        .out_shift_direction(ShiftDirection::Right)
        .clock_divisor_fixed_point(TICK, 0);
    let (mut machine, _, _) = builder.build(machine);
    machine.set_pindirs((COLOURS..COLOURS + 4).map(|pin| (pin, PinDir::Output)));
    machine.start();
    Some(())
}

fn start_dma(dma: &DMA, resets: &mut RESETS) {
    // Reset: a debugger may have left the controller in any state.
    resets.reset().modify(|_, w| w.dma().set_bit());
    resets.reset().modify(|_, w| w.dma().clear_bit());
    while resets.reset_done().read().dma().bit_is_clear() {}
    FRAME.lines.store(HEIGHT as u32 - 1, Ordering::Relaxed);
    let channel = dma.ch(CHANNEL);
    // SAFETY: the addresses are those of the picture and of the queue, and nothing else uses the channel.
    unsafe {
        channel.ch_write_addr().write(|w| w.bits((*PIO1::ptr()).txf(0).as_ptr() as u32));
        channel.ch_al1_ctrl().write(|w| {
            w.treq_sel().bits(QUEUE);
            w.chain_to().bits(CHANNEL as u8);
            w.data_size().size_word();
            w.incr_read().set_bit();
            w.high_priority().set_bit();
            w.en().set_bit()
        });
        dma.inte0().write(|w| w.bits(1 << CHANNEL));
    }
    send_frame(dma);
    // SAFETY: the handler below shares only atomics with other code.
    unsafe { pac::NVIC::unmask(Interrupt::DMA_IRQ_0) };
}

/// Starts the transfer of a frame.
fn send_frame(dma: &pac::dma::RegisterBlock) {
    let channel = dma.ch(CHANNEL);
    // SAFETY: see `start_dma`.
    unsafe {
        channel.ch_read_addr().write(|w| w.bits(core::ptr::from_ref(&FRAME) as u32));
        channel.ch_al1_trans_count_trig().write(|w| w.bits(WORDS as u32 + 1));
    }
}

/// The last words of a frame are in the queue: the next frame may be drawn, and is sent next.
#[interrupt]
fn DMA_IRQ_0() {
    // SAFETY: nothing else uses the controller after the start.
    let dma = unsafe { &*DMA::ptr() };
    // SAFETY: writing the bit only acknowledges the interrupt of this channel.
    dma.ints0().write(|w| unsafe { w.bits(1 << CHANNEL) });
    // The interrupt may repeat while the channel is already busy.
    if dma.ch(CHANNEL).ch_ctrl_trig().read().busy().bit_is_clear() {
        SENT.store(sent().wrapping_add(1), Ordering::Relaxed);
        send_frame(dma);
    }
}
