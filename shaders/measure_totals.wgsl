// The totals of what measure.wgsl and measure_spread.wgsl summed: in f32.
//!include number/f32.wgsl
//!include common/reduce_totals.wgsl
