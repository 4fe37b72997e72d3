//! The mistakes that are looked for: each is made on purpose, and its numbers are compared with those of a program.

/// A way in which programs differ from a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// Offsets across an edge are not the shortest.
    UnwrappedOffsets,
    /// Boids leave the world.
    UnwrappedPositions,
    /// A remainder wraps positions, and keeps those below zero.
    SignedRemainder,
    /// Nothing turns boids at the edges.
    NoTurn,
    /// A boid perceives all in its cell of the grid and in those around it.
    WholeCells,
    /// Neighbours are those whose distance along each axis is below the radius.
    Square,
    /// The greater of the distances along the axes is the distance, also in separation.
    SquareDistance,
    /// A boid is its own neighbour, or, where it should be, is not.
    Itself,
    /// Boids read the new state of those with lower ids.
    InTurn,
    /// Boids read the new velocities of those with lower ids, and the old positions of all.
    TurnInTurn,
    /// Positions move by the velocity before the step.
    OldVelocity,
    /// Separation acts on all whom a boid perceives.
    WideSeparation,
    /// Alignment and cohesion act also on those who are too near.
    NotExclusive,
    /// Separation is divided by its number of neighbours.
    MeanSeparation,
    /// Sums are not divided by the number of neighbours.
    NotAveraged,
    /// Alignment subtracts the boid's own velocity, or, where it should, does not.
    OwnVelocity,
    /// Separation has the opposite sign.
    SeparationSign,
    /// Alignment has the opposite sign.
    AlignmentSign,
    /// Cohesion has the opposite sign.
    CohesionSign,
    /// The length of the velocity is left as it comes out.
    FreeSpeed,
    /// The mean of the angles of headings stands for the angle of their mean.
    MeanOfAngles,
    /// The angle of a heading is measured from y instead of x.
    SwappedAngle,
    /// The turn towards the others is that from the old heading, not from the aligned one.
    TurnsFromOldHeading,
    /// A boid turns away from the place of its nearest neighbour, not from its heading.
    AwayFromPlace,
}
