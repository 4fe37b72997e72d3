// The totals of the sums of measure.wgsl and measure_spread.wgsl, in f32.
//!include number/f32.wgsl
//!include common/reduce_totals.wgsl
