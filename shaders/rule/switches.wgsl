// What the rule uses, as constants of the pipeline: an unused term costs nothing, where a uniform would make many
// devices compute it. A pass that is compiled without them takes the defaults, which use everything.

// Nothing perceives neighbours, and the boids are not sorted.
override ALONE: bool = false;
override WRAPS: bool = true;
// Some field of view is narrower than all round, or there is a line of sight.
override DETAILED: bool = true;
override EXCLUSIVE: bool = true;
override FALLOFF: u32 = 0u;
override SEPARATES: bool = true;
override ALIGNS: bool = true;
override COHERES: bool = true;
override LOOKS_AHEAD: bool = true;
// The view holds every boid within reach.
override ALIGNS_WITH_ALL: bool = false;
override COHERES_WITH_ALL: bool = false;
// Offsets for cohesion, velocities for alignment are summed to the last digit, not only in coarse units: integers only.
override EXACT_PULL: bool = true;
override EXACT_JOIN: bool = true;
override SEPARATE_RESPONSE: u32 = 0u;
override ALIGN_RESPONSE: u32 = 0u;
override COHERE_RESPONSE: u32 = 0u;
override AVERAGES: bool = true;
override AVOIDS_ATTRACTOR: bool = true;
override GOES_HOME: bool = true;
override IS_ATTRACTED: bool = true;
override FLEES: bool = true;
override IS_NOISY: bool = true;
override MEETS_OBSTACLES: bool = true;
override NORMALIZES: bool = true;
override PERCHES: bool = true;
