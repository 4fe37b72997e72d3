// Crowds: what consecutive boids of the sorted come to together, 8 of them, 64, and so on; level by level one after the
// other, in the room of the arrivals.

// Boids of a crowd of the lowest level, or crowds of the level below, as a power of two.
const FAN_SHIFT: u32 = 3u;
// Levels up to that of the crowds that are only opened; a subgroup has a lane for each.
const LEVELS: u32 = 7u;
