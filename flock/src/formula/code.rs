//! The code of a formula: operations on numbered registers.

/// The inputs of a formula: the slot of a number, or of the x of a vector whose y and z follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are those of the language")]
pub enum Input {
    Position = 0,
    Velocity = 3,
    Heading = 6,
    Speed = 9,
    Id = 10,
    Group = 11,
    Bias = 12,
    Step = 13,
    Time = 14,
    Offset = 15,
    Distance = 18,
    TheirVelocity = 19,
    TheirGroup = 22,
    TheirId = 23,
    Sum = 24,
    Count = 27,
}

/// The most sums of a term. The slots of the sum and the count of each follow those of the one before.
pub const MAX_SUMS: usize = 4;

/// Number of slots.
pub const SLOTS: usize = Input::Sum as usize + 4 * MAX_SUMS;

impl Input {
    /// The slot of [`Input::Sum`] or [`Input::Count`] for a sum of the term, by its number.
    #[inline]
    #[must_use]
    pub const fn of_sum(self, sum: usize) -> usize {
        self as usize + 4 * sum
    }
}

/// Ids and steps are taken modulo this: every number type represents n and n + ½ exactly for n below it.
pub(super) const WHOLE: u32 = 1 << 22;

/// Operand c of an operation on whole numbers, whose result must be exact: a sum, a difference, a product, a quotient
/// (of a whole number and a half) or the floor of one.
pub const EXACT: u8 = 1;

macro_rules! operations {
    ($($(#[$doc:meta])* $op:ident $operands:literal;)*) => {
        /// An operation on the operands a, b and c of an instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Op { $($(#[$doc])* $op),* }

        impl Op {
            /// All operations, in the order of their codes.
            pub const ALL: [Op; [$(Op::$op),*].len()] = [$(Op::$op),*];

            /// Number of operands that are registers; these come first.
            #[must_use]
            pub fn operands(self) -> usize {
                match self { $(Op::$op => $operands),* }
            }
        }
    };
}

// Each row: an operation and its number of register operands.
operations! {
    /// Number a of the rule's values: constants and parameters.
    Value 0;
    /// Slot a of the inputs; b is 1 where the slot holds a formula's result.
    Input 0;
    /// a + b
    Add 2;
    /// a − b
    Subtract 2;
    /// a · b
    Multiply 2;
    /// a / b; 0 where b counts as zero. Where c is [`EXACT`], a whole number and a half by one from 1 on.
    Divide 2;
    /// The smaller of a and b.
    Minimum 2;
    /// The larger of a and b.
    Maximum 2;
    /// |a|
    Absolute 1;
    /// The largest integer that is not above a.
    Floor 1;
    /// a less its floor, from 0 to below 1.
    Fraction 1;
    /// √a; 0 for negative a.
    Root 1;
    /// 1 where a < b, else 0.
    Less 2;
    /// 1 where a ≤ b, else 0.
    LessEqual 2;
    /// 1 where a = b, else 0.
    Equal 2;
    /// b where a is not 0, else c.
    Select 3;
    /// The length of the vector (a, b, c).
    Length 3;
    /// The x of the direction of the vector (a, b, c); the next two registers are y and z.
    Direction 3;
    /// A register that the instruction before has written.
    Rest 1;
    /// A random number from 0 to below 1: word a of the term's draws.
    Random 0;
    /// The number in row a and column b of the table whose first number is number c of the rule's values. Indices are
    /// clamped to the last.
    Table 2;
    /// The x of the unit vector whose x is a, turned towards the unit vector whose x is b, at most by the angle whose
    /// cosine and sine are the numbers c and c + 1 of the rule's values; the next two registers are y and z. Those of
    /// the operands follow a and b, too.
    Turn 2;
    /// The same, turned away from the unit vector b, at most by the angle between the two.
    TurnAway 2;
}

impl Op {
    /// True if the result is a vector, in this register and the two after it.
    #[must_use]
    pub fn is_vector(self) -> bool {
        matches!(self, Op::Direction | Op::Turn | Op::TurnAway)
    }
}

/// An operation of a formula, before digits are assigned; its operands are those of an [`Instruction`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The operation.
    pub op: Op,
    /// a, b and c.
    pub operands: [u8; 3],
}

impl Node {
    /// Bit set of the slots that it reads. Random numbers in a sum are keyed by the neighbour's id.
    pub(super) fn reads(&self) -> u32 {
        match self.op {
            Op::Input => 1_u32.checked_shl(self.operands[0].into()).unwrap_or(0),
            Op::Random => 1 << Input::TheirId as u32,
            _ => 0,
        }
    }
}

/// One instruction: 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instruction {
    /// The operation.
    pub op: Op,
    /// The first operand: a register before this one, or what [`Op`] says.
    pub a: u8,
    /// The second operand.
    pub b: u8,
    /// The third operand.
    pub c: u8,
    /// Digits after the point of the result in integers.
    pub digits: i8,
    /// Right shifts of a, b and c in integers, in digits; a negative one shifts left. A selection shifts b and c by the
    /// first two, a turn its cosine and sine. The first also shifts a product, or a dividend that the second has shifted
    /// before. The third of a table is its number of rows.
    pub shift: [i8; 3],
}

impl Instruction {
    /// The instruction of a node, without digits and shifts.
    #[must_use]
    pub const fn plain(node: &Node) -> Self {
        let [a, b, c] = node.operands;
        Instruction { op: node.op, a, b, c, digits: 0, shift: [0; 3] }
    }
}
