//! Reads GPU buffers back.

use gpu::Gpu;

/// The content of a buffer.
///
/// # Panics
/// When the device is lost.
pub fn read<T: bytemuck::Pod>(gpu: &Gpu, buffer: &wgpu::Buffer) -> Vec<T> {
    let mut all = vec![T::zeroed(); buffer.size() as usize / size_of::<T>()];
    gpu::readback::read(gpu, buffer, bytemuck::cast_slice_mut(&mut all)).expect("read");
    all
}
