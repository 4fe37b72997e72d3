// Where a device cannot compute coverage, all boids are meshes.

fn with_boids(colour: vec3<f32>, pixel: vec2<f32>, scale: Scale, dusk: bool) -> vec3<f32> {
    return colour;
}

fn uncovered(pixel: vec2<f32>, scale: Scale, dusk: bool) -> f32 {
    return 1.0;
}
