//! `presets`: a name and a line each.

use serde_json::json;

use config::presets::PRESETS;
use report::Failure;

pub(super) fn list(json: bool) -> Result<(), Failure> {
    if json {
        let all: Vec<_> = PRESETS.iter().map(|p| json!({ "name": p.name, "about": p.about() })).collect();
        return super::print_json(&json!(all));
    }
    let width = PRESETS.iter().map(|preset| preset.name.len()).max().unwrap_or(0);
    let text: String = PRESETS.iter().map(|p| format!("{:width$}  {}\n", p.name, p.about())).collect();
    super::print(&text)
}
