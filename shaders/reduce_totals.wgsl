// The totals of the sums of reduce_partials.wgsl.
//!include number/{number}.wgsl
//!include common/reduce_totals.wgsl
