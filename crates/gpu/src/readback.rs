//! Reading buffers of the GPU back to memory.

use std::sync::mpsc;

use super::Gpu;
use cpu::engine::EngineError;

/// Bytes read at once: a large flock needs no second copy of itself on the GPU.
const PIECE: u64 = 64 << 20;

/// Fills a slice from the beginning of a buffer, after all earlier submits.
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
        let mapping = map(&staging, size);
        gpu.wait()?;
        is_mapped(gpu, &mapping)?;
        take(gpu, &staging, size, |bytes| target.copy_from_slice(bytes))?;
    }
    Ok(())
}

/// Reads the beginning of a mapped buffer, and unmaps it.
///
/// # Errors
/// When the device was lost.
pub fn take<T>(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    size: u64,
    read: impl FnOnce(&[u8]) -> T,
) -> Result<T, EngineError> {
    let result = buffer.slice(..size).get_mapped_range().map(|view| read(&view));
    buffer.unmap();
    result.map_err(|error| gpu.error(error.to_string()))
}

/// A buffer that the CPU can map for reading.
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

/// Receives the result of mapping a buffer.
pub type Mapping = mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>;

/// Maps the beginning of a buffer once all earlier submits are done.
pub fn map(buffer: &wgpu::Buffer, size: u64) -> Mapping {
    let (send, receive) = mpsc::channel();
    buffer.slice(..size).map_async(wgpu::MapMode::Read, move |result| {
        // Fails only where the receiver is dropped: the engine no longer exists.
        drop(send.send(result));
    });
    receive
}

/// True if the buffer is mapped.
///
/// # Errors
/// When the device could not map it.
pub fn is_mapped(gpu: &Gpu, mapping: &Mapping) -> Result<bool, EngineError> {
    match mapping.try_recv() {
        Ok(Ok(())) => Ok(true),
        Ok(Err(error)) => Err(gpu.error(error.to_string())),
        Err(mpsc::TryRecvError::Empty) => Ok(false),
        Err(mpsc::TryRecvError::Disconnected) => Err(gpu.error("the device was lost")),
    }
}
