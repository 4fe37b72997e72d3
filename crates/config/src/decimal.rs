//! Numbers as they are written, in exact decimal arithmetic.

/// The decimal number `digits` · 10^`power`.
#[derive(Clone, Copy, Debug)]
pub struct Decimal {
    digits: i128,
    power: i32,
}

impl Decimal {
    /// Parses a number such as `-12`, `0.5` or `1.5e-3`. `None` for any other text, and for more digits than fit.
    pub fn parse(text: &str) -> Option<Decimal> {
        let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let fraction = fraction.trim_end_matches('0');
        if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits: i128 = match format!("{whole}{fraction}").as_str() {
            // All zeros of a fraction such as `.0` are gone.
            "" | "+" | "-" if number.len() > whole.len() + 1 => 0,
            digits => digits.parse().ok()?,
        };
        let power = exponent.parse::<i32>().ok()?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        Some(Decimal { digits, power })
    }

    /// The number, if it is whole and below 2⁶⁴.
    pub fn whole(self) -> Option<u64> {
        if self.digits == 0 {
            return Some(0);
        }
        let factor = 10_i128.checked_pow(self.power.unsigned_abs())?;
        let number = match self.power {
            0.. => self.digits.checked_mul(factor)?,
            _ if self.digits % factor == 0 => self.digits / factor,
            _ => return None,
        };
        u64::try_from(number).ok()
    }

    /// The point at `part` of `parts` on the way from one number to another, rounded to the nearest f64. `None` where
    /// the numbers have too many digits for exact arithmetic.
    pub fn between(from: Decimal, to: Decimal, part: u64, parts: u64) -> Option<f64> {
        let power = from.power.min(to.power);
        let aligned = |end: Decimal, weight: u64| {
            let factor = 10_i128.checked_pow(end.power.abs_diff(power))?;
            end.digits.checked_mul(factor)?.checked_mul(weight.into())
        };
        let sum = aligned(from, parts.checked_sub(part)?)?.checked_add(aligned(to, part)?)?;
        let (sign, parts) = (if sum < 0 { "-" } else { "" }, u128::from(parts));
        let mut rest = sum.unsigned_abs() % parts;
        let mut text = format!("{sign}{}.", sum.unsigned_abs() / parts);
        // Long division: far more digits than an f64 has.
        for _ in 0..40 {
            rest *= 10;
            text += &(rest / parts).to_string();
            rest %= parts;
        }
        format!("{text}e{power}").parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_between_decimals_are_the_nearest_numbers() {
        let point = |from, to, part, parts| {
            let [from, to] = [from, to].map(|end| Decimal::parse(end).expect(end));
            Decimal::between(from, to, part, parts)
        };
        let tenths: Vec<_> = (0..=6).map(|part| point("0.1", "0.7", part, 6)).collect();
        assert_eq!(tenths, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7].map(Some));
        assert_eq!(point("-1", "1e0", 1, 4), Some(-0.5));
        assert_eq!(point("0", "1", 1, 3), Some(1.0 / 3.0));
        assert_eq!(point("2.50", "1E-3", 1, 1), Some(0.001));
        assert_eq!(point("7", "9", 0, 1), Some(7.0));
        assert_eq!(point("1e300", "1e-300", 1, 2), None);
        for wrong in ["", ".", "-", "1.2.3", ".-5", "1e", "e3", "inf", "nan", "0x1", "1_0", " 1"] {
            assert!(Decimal::parse(wrong).is_none(), "{wrong}");
        }
    }
}
