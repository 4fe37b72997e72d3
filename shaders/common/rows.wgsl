// How a boid looks about that does so for itself: look_along() is its kernel's.

// Adds up everybody in the cells about a boid: rows of cells along x, whose boids lie side by side. Loops ask at their
// end whether to go on, as in shared.wgsl.
fn look_around(i: u32, boid: Boid, sums: ptr<function, Sums>) {
    let senses = senses_of_rule();
    let me = observer(senses, boid.position, boid.velocity, DETAILED);
    let cell = cell_of(wrap(boid.position));
    let dims = grid.dims.xyz;
    let first = first_span(cell.x, dims.x);
    let last = last_span(cell.x);
    var z = 0u;
    loop {
        var y = 0u;
        loop {
            let row = cell_index(vec3<u32>(0u, neighbour(cell.y, y, dims.y), neighbour(cell.z, z, dims.z)));
            var k = first;
            loop {
                let cells = span(cell.x, cell.x, dims.x, k);
                look_along(i, senses, me, starts[row + cells.x], starts[row + cells.y], sums);
                k++;
                if (k > last) {
                    break;
                }
            }
            y++;
            if (y >= visited(dims.y)) {
                break;
            }
        }
        z++;
        if (z >= visited(dims.z)) {
            break;
        }
    }
}
