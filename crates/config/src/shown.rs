//! Escapes and shortens text from files and the command line for errors: no terminal control sequences, limited length.

/// Maximum number of characters of a key, a name or a value.
const MAX: usize = 60;

/// A key, a name or a value with control characters escaped, cut after 60 characters.
pub fn shown(text: &str) -> String {
    let mut shown = String::new();
    let mut length = 0;
    for c in text.chars() {
        let escaped = escaped_character(c);
        length += escaped.chars().count();
        if length > MAX {
            shown.push('…');
            break;
        }
        shown.push_str(&escaped);
    }
    shown
}

/// A whole message with control characters escaped.
pub fn escaped(text: &str) -> String {
    text.chars().map(escaped_character).collect()
}

/// Escapes a control character or an invisible one, as `\u{1b}`.
fn escaped_character(c: char) -> String {
    if c.is_control() || invisible(c) { c.escape_default().collect() } else { c.into() }
}

/// True for Unicode's categories Cf, Zl and Zp (line separators, direction marks, zero-width characters), for spaces
/// other than the common one, for blank letters and for noncharacters.
fn invisible(c: char) -> bool {
    matches!(c,
        '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}'
        | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{1680}' | '\u{180e}' | '\u{2000}'..='\u{200f}'
        | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{3000}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}'
        | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{fffe}'..='\u{ffff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_nothing_else() {
        assert_eq!(shown("\u{1b}[31mred\u{7}\n\u{9b}"), "\\u{1b}[31mred\\u{7}\\n\\u{9b}");
        assert_eq!(shown("\"é\\\" = '鳥'"), "\"é\\\" = '鳥'");
        assert_eq!(escaped("a\u{202e}b\0"), "a\\u{202e}b\\u{0}");
        assert_eq!(escaped("ste\u{200b}ps\u{2060}\u{feff}\u{ad}"), "ste\\u{200b}ps\\u{2060}\\u{feff}\\u{ad}");
        assert_eq!(escaped("1\u{a0}000\u{202f}000"), "1\\u{a0}000\\u{202f}000");
        assert_eq!(escaped("\u{fffd}\u{fffe}\u{ffff}"), "\u{fffd}\\u{fffe}\\u{ffff}");
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(shown(&"é".repeat(60)), "é".repeat(60));
        assert_eq!(shown(&"é".repeat(61)), format!("{}…", "é".repeat(60)));
        assert_eq!(shown(&"\u{1b}".repeat(1000)), format!("{}…", "\\u{1b}".repeat(10)));
    }
}
