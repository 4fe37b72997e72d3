// Twin of flock/src/rule.rs: the parameters of a step, in the number type of the pass. Vectors are x, y, z and an unused
// w.
//!include written/constants.wgsl
//!include written/switches.wgsl
//!include written/View.wgsl
//!include written/Shape.wgsl
//!include written/Format.wgsl
//!include written/Rule.wgsl

@group(0) @binding(13) var<uniform> rule: Rule;
