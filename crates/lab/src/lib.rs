//! What is learnt from flocks: studies of many runs, backends compared with the rule, and what a step costs.

pub mod conform;
pub mod profile;
pub mod study;
