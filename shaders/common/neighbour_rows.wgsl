// The walk of the clustered kernel in which each boid reads its candidates for itself; it defines add_span().

// Adds the boids of the cells around a boid: rows of cells along x, whose boids lie side by side. Loops are post-
// tested, as in step_shared.wgsl.
fn add_neighbours(i: u32, boid: Boid, sums: ptr<function, Sums>) {
    let senses = senses_of_rule();
    let me = observer(senses, boid.position, boid.velocity, USES_FIELD_OF_VIEW);
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
                add_span(i, senses, me, starts[row + cells.x], starts[row + cells.y], sums);
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

// Adds one of the sorted boids where it is near.
fn add_sorted(i: u32, j: u32, senses: Senses, me: Observer, sums: ptr<function, Sums>) {
    let position = positions[j].xyz;
    let offset = offset_to(senses, me, position);
    let square = square_of(offset);
    if (square < senses.reach_square && j != i) {
        add_boid(senses, sums, me, Neighbour(position, velocities[j], offset, square), true);
    }
}
