//! `presets`: a name and a line each.

use serde_json::json;

use config::presets::all;
use report::Result;

pub(super) fn list(json: bool) -> Result {
    if json {
        let all: Vec<_> = all().map(|p| json!({ "name": p.name, "about": p.about() })).collect();
        return super::print_json(&json!(all));
    }
    let width = all().map(|preset| preset.name.len()).max().unwrap_or(0);
    let text: String = all().map(|p| format!("{:width$}  {}\n", p.name, p.about())).collect();
    super::print(&text)
}
