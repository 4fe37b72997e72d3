//! Reading buffers of the GPU back to memory.

use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::time::Duration;

use super::Gpu;
use engine::Result;

/// Bytes per read, so that a large flock needs no second copy on the GPU.
const PIECE: u64 = 64 << 20;

/// Maximum wait for another thread, polling the same device, to run the callback of a mapping.
const HANDED_OVER: Duration = Duration::from_secs(10);

/// A buffer that the CPU reads, one copy at a time.
#[derive(Debug)]
pub(crate) struct Readback {
    pub staging: wgpu::Buffer,
    /// Channel for the result of the mapping, and the submit to wait for.
    pending: Option<(Receiver<Result<(), wgpu::BufferAsyncError>>, wgpu::SubmissionIndex)>,
}

impl Readback {
    /// # Errors
    /// When memory runs out.
    pub fn new(gpu: &Gpu, size: u64) -> Result<Self> {
        Ok(Readback { staging: staging(gpu, size)?, pending: None })
    }

    /// Submits commands that fill the buffer, and maps it once they and all earlier submits are done.
    pub fn request(&mut self, gpu: &Gpu, commands: wgpu::CommandEncoder) {
        let submit = gpu.queue.submit([commands.finish()]);
        let (send, receive) = channel();
        self.staging.slice(..).map_async(wgpu::MapMode::Read, move |result| {
            // Fails only if the receiver is dropped: the engine no longer exists.
            drop(send.send(result));
        });
        self.pending = Some((receive, submit));
    }

    /// Passes the requested contents to `read`, once. Without `wait`, returns `None` while they are pending.
    ///
    /// # Errors
    /// When the device is lost, or an error came up since the last call.
    pub fn receive<T>(&mut self, gpu: &Gpu, wait: bool, read: impl FnOnce(&[u8]) -> T) -> Result<Option<T>> {
        let Some((mapping, submit)) = self.pending.take() else {
            return Ok(None);
        };
        let polled = if wait { gpu.wait_for(submit.clone()) } else { gpu.poll(wgpu::PollType::Poll) };
        // The next request maps it again.
        polled.inspect_err(|_| self.staging.unmap())?;
        let mut answer = mapping.try_recv();
        // In a browser there is no other thread.
        if wait && cfg!(not(target_arch = "wasm32")) && answer == Err(TryRecvError::Empty) {
            answer = mapping.recv_timeout(HANDED_OVER).map_err(|why| match why {
                RecvTimeoutError::Timeout => TryRecvError::Empty,
                RecvTimeoutError::Disconnected => TryRecvError::Disconnected,
            });
        }
        match answer {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(gpu.error(error.to_string())),
            Err(TryRecvError::Disconnected) => return Err(gpu.error("the device was lost")),
            Err(TryRecvError::Empty) => {
                self.pending = Some((mapping, submit));
                return gpu.check().map(|()| None);
            }
        }
        let contents = self.staging.slice(..).get_mapped_range().map(|view| read(&view));
        self.staging.unmap();
        // Checked last, so that an error does not leave the buffer mapped.
        gpu.check()?;
        contents.map(Some).map_err(|error| gpu.error(error.to_string()))
    }
}

/// A buffer that the CPU can map for reading.
///
/// # Errors
/// When memory runs out.
pub fn staging(gpu: &Gpu, size: u64) -> Result<wgpu::Buffer> {
    gpu.create_buffer("staging", size, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST)
}

/// Passes the contents of a staging buffer to `read`, after all earlier submits.
///
/// # Errors
/// When the device is lost.
pub fn mapped<T>(gpu: &Gpu, staging: &wgpu::Buffer, read: impl FnOnce(&[u8]) -> T) -> Result<T> {
    let mut readback = Readback { staging: staging.clone(), pending: None };
    readback.request(gpu, gpu.encoder());
    readback.receive(gpu, true, read)?.ok_or_else(|| gpu.error("nothing was read back"))
}

/// Fills a slice from the beginning of a buffer, after all earlier submits.
///
/// # Errors
/// When the device is lost or out of memory.
pub fn read(gpu: &Gpu, buffer: &wgpu::Buffer, target: &mut [u8]) -> Result {
    if target.is_empty() {
        return Ok(());
    }
    let staging = staging(gpu, PIECE.min(target.len() as u64))?;
    for (piece, target) in (0..).zip(target.chunks_mut(PIECE as usize)) {
        let mut encoder = gpu.encoder();
        encoder.copy_buffer_to_buffer(buffer, piece * PIECE, &staging, 0, target.len() as u64);
        gpu.queue.submit([encoder.finish()]);
        mapped(gpu, &staging, |bytes| target.copy_from_slice(&bytes[..target.len()]))?;
    }
    Ok(())
}
