//! The code of a formula: operations on numbered registers.

/// What a boid knows: the slot of a number, or of the x of a vector whose y and z follow.
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

/// How many slots there are.
pub const SLOTS: usize = 28;

/// Ids and steps are known modulo this: so many are exact in every number type, with a half.
pub(super) const WHOLE: u32 = 1 << 22;

/// The third operand of a quotient that must tell whole numbers apart.
pub const WHOLE_QUOTIENT: u8 = 1;

macro_rules! operations {
    ($($(#[$doc:meta])* $op:ident $operands:literal;)*) => {
        /// What an instruction does with its operands a, b and c.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Op { $($(#[$doc])* $op),* }

        impl Op {
            /// All, in the order of their codes.
            pub const ALL: [Op; [$(Op::$op),*].len()] = [$(Op::$op),*];

            /// How many of a, b and c are registers, from the first on.
            #[must_use]
            pub fn operands(self) -> usize {
                match self { $(Op::$op => $operands),* }
            }
        }
    };
}

// Each with the number of its operands that are registers.
operations! {
    /// Number a of the rule's values: constants and parameters.
    Value 0;
    /// Slot a of what the boid knows; b is 1 where that is a formula's result.
    Input 0;
    /// a + b
    Add 2;
    /// a − b
    Subtract 2;
    /// a · b
    Multiply 2;
    /// a / b; 0 where b counts as zero. Where c is [`WHOLE_QUOTIENT`], a whole number and a half by one from 1 on.
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
    /// √a; 0 of a negative number.
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
    /// The number in row a and column b of the table whose first number is number c of the rule's values. An index beyond the
    /// last is the last.
    Table 2;
}

/// An operation as a formula has it; its operands are those of an [`Instruction`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// What it does.
    pub op: Op,
    /// a, b and c.
    pub operands: [u8; 3],
}

impl Node {
    /// The slots that it reads, a bit each. Random numbers in a sum are those of the other's id.
    pub(super) fn reads(&self) -> u32 {
        match self.op {
            Op::Input => 1 << self.operands[0],
            Op::Random => 1 << Input::TheirId as u32,
            _ => 0,
        }
    }
}

/// One instruction: 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instruction {
    /// What it does.
    pub op: Op,
    /// Registers before this one, or what [`Op`] says.
    pub a: u8,
    /// The second operand.
    pub b: u8,
    /// The third operand.
    pub c: u8,
    /// Digits after the point of the result in integers.
    pub digits: i8,
    /// By how many digits a, b and c are shifted right in integers, where negative left (of a selection b and c, by the first
    /// two); the first also shifts a product or a dividend, which the second has shifted before. The third of a table is the number
    /// of its rows.
    pub shift: [i8; 3],
}

impl Instruction {
    /// That of an operation whose digits nobody asks for.
    #[must_use]
    pub const fn plain(node: &Node) -> Self {
        let [a, b, c] = node.operands;
        Instruction { op: node.op, a, b, c, digits: 0, shift: [0; 3] }
    }
}
