// Cells that one invocation of a scan takes.
const BLOCK_CELLS: u32 = 64u;

// The occupancy of the cells.
struct Load {
    // Boids in the fullest cell.
    most: atomic<u32>,
    // Sum of the squared numbers of boids a cell, in 64 bits.
    squares_low: atomic<u32>,
    squares_high: atomic<u32>,
}
