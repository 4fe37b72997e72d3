//! From the GPU back to memory.

use std::sync::mpsc;

use super::Gpu;
use crate::engine::EngineError;

/// Bytes read at once, so that a large flock needs no second copy of itself on the GPU.
const PIECE: u64 = 64 << 20;

/// Fills memory with the beginning of a buffer; waits for all that was submitted before.
///
/// # Errors
/// When the device is lost or out of memory.
pub fn read(gpu: &Gpu, buffer: &wgpu::Buffer, target: &mut [u8]) -> Result<(), EngineError> {
    if target.is_empty() {
        return Ok(());
    }
    let staging = staging(gpu, PIECE.min(target.len() as u64))?;
    for (piece, target) in (0..).zip(target.chunks_mut(PIECE as usize)) {
        let size = target.len() as u64;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(buffer, piece * PIECE, &staging, 0, size);
        gpu.queue.submit([encoder.finish()]);
        let arrival = map(&staging, size);
        gpu.wait()?;
        arrived(gpu, &arrival)?;
        take(gpu, &staging, size, |bytes| target.copy_from_slice(bytes))?;
    }
    Ok(())
}

/// Looks at the beginning of a buffer that has come, and gives the buffer back to the GPU.
///
/// # Errors
/// When the device was lost.
pub fn take<T>(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    size: u64,
    look: impl FnOnce(&[u8]) -> T,
) -> Result<T, EngineError> {
    let seen = buffer.slice(..size).get_mapped_range().map(|view| look(&view));
    buffer.unmap();
    seen.map_err(|error| gpu.error(error.to_string()))
}

/// A buffer that can be read.
pub fn staging(gpu: &Gpu, size: u64) -> Result<wgpu::Buffer, EngineError> {
    gpu.create(|device| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("staging"),
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    })
}

/// Tells when a buffer may be read.
pub type Arrival = mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>;

/// Asks to read the beginning of a buffer once all that was submitted is done.
pub fn map(buffer: &wgpu::Buffer, size: u64) -> Arrival {
    let (send, receive) = mpsc::channel();
    buffer.slice(..size).map_async(wgpu::MapMode::Read, move |result| {
        // Nobody waits any more: the engine is gone.
        drop(send.send(result));
    });
    receive
}

/// Whether it has come.
///
/// # Errors
/// When the device could not do it.
pub fn arrived(gpu: &Gpu, arrival: &Arrival) -> Result<bool, EngineError> {
    match arrival.try_recv() {
        Ok(Ok(())) => Ok(true),
        Ok(Err(error)) => Err(gpu.error(error.to_string())),
        Err(mpsc::TryRecvError::Empty) => Ok(false),
        Err(mpsc::TryRecvError::Disconnected) => Err(gpu.error("the device was lost")),
    }
}
