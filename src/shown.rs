//! Text from files and calls, as it is shown in an error: no terminal obeys it, and it takes a part of a line.

/// The most characters that a key, a name or a value takes.
const MOST: usize = 60;

/// A key, a name or a value from a file: control characters escaped, and cut where it is long.
#[must_use]
pub fn shown(text: &str) -> String {
    let mut shown = String::new();
    let mut length = 0;
    for c in text.chars() {
        let escaped = escaped_character(c);
        length += escaped.chars().count();
        if length > MOST {
            shown.push('…');
            break;
        }
        shown.push_str(&escaped);
    }
    shown
}

/// A whole message: control characters escaped.
#[must_use]
pub fn escaped(text: &str) -> String {
    text.chars().map(escaped_character).collect()
}

/// Control characters, and those that reverse the direction of a line, as `\u{1b}`.
fn escaped_character(c: char) -> String {
    let controls = c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if controls { c.escape_default().collect() } else { c.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_nothing_else() {
        assert_eq!(shown("\u{1b}[31mred\u{7}\n\u{9b}"), "\\u{1b}[31mred\\u{7}\\n\\u{9b}");
        assert_eq!(shown("\"é\\\" = '鳥'"), "\"é\\\" = '鳥'");
        assert_eq!(escaped("a\u{202e}b\0"), "a\\u{202e}b\\u{0}");
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(shown(&"é".repeat(60)), "é".repeat(60));
        assert_eq!(shown(&"é".repeat(61)), format!("{}…", "é".repeat(60)));
        assert_eq!(shown(&"\u{1b}".repeat(1000)), format!("{}…", "\\u{1b}".repeat(10)));
    }
}
