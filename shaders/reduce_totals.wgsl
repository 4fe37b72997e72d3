// The totals of what reduce_partials.wgsl summed.
//!include number/{number}.wgsl
//!include common/reduce_totals.wgsl
