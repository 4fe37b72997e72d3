//! Formulas on the page: from its address, in integers, on both engines.

use config::term_settings;
use flock::formula::OwnTerms;
use serde_json::json;

use super::driver::Page;
use super::printed;
use super::random_terms::terms;

/// A part of an address, with every byte as `%XX`.
fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// The options of a flock with terms, on the command line and in an address.
fn options(number: u32, boids: u32, settings: &[String]) -> (Vec<String>, String) {
    let plain = [
        ("boids", boids.to_string()),
        ("seed", number.to_string()),
        ("steps", "3".to_owned()),
        ("numeric", "fixed".to_owned()),
    ];
    let settings = settings.iter().map(|setting| ("set", setting.clone()));
    let all: Vec<(&str, String)> = plain.into_iter().chain(settings).collect();
    let words = all.iter().flat_map(|(name, value)| [format!("--{name}"), value.clone()]).collect();
    let parts: Vec<String> = all.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    (words, format!("?{}&hash", parts.join("&")))
}

/// The line of a refusal, if a text is one.
fn refusal(text: &str) -> Option<&str> {
    text.lines().find(|line| line.starts_with("error"))
}

/// The hashes that the command line prints, or its refusal.
fn expected(words: &[String]) -> String {
    let line = ["run", "--engine", "cpu", "--hash"].into_iter().chain(words.iter().map(String::as_str));
    printed(&line.collect::<Vec<_>>())
}

#[test]
fn a_formula_in_the_address_has_the_bits_of_the_command_line() {
    let term = |angle| {
        let each = "select(-offset, their.velocity * motion.time_step, distance > inner_radius * 2)";
        format!(
            "terms.shy={{ radius = {{ default = 6, unit = 'len' }}, inner_radius = {{ default = 1, unit = 'len' }}, \
             angle = {angle}, weight = {{ default = 0.3, unit = '1/t' }}, each = '{each}', \
             request = 'weight * sum / max(count, 1) + 0.1 * cross(heading, velocity)' }}"
        )
    };
    let page = Page::start(true);
    let (words, query) = options(7, 173, &[term(100)]);
    let hashes = expected(&words);
    assert_eq!(hashes.lines().count(), 4, "{hashes}");
    for engine in ["cpu", "gpu"] {
        page.open(&format!("{query}&engine={engine}"));
        assert_eq!(page.wait_for("hashes"), hashes, "{engine}");
        assert!(page.text("status").starts_with(engine), "{}", page.text("status"));
    }
    // Negative control.
    assert_ne!(expected(&options(7, 173, &[term(101)]).0), hashes);
    let (words, query) = options(7, 173, &[term(100).replace("heading", "headong")]);
    page.open(&query);
    assert_eq!(
        refusal(&page.wait_for("error")).expect("a refusal"),
        refusal(&expected(&words)).expect("a refusal")
    );
}

/// In one load of the page, by the function that opens it.
#[test]
fn random_formulas_have_the_bits_of_the_command_line() {
    const COUNT: u32 = 300;
    let flocks: Vec<_> = (0..COUNT)
        .map(|number| options(number, 40, &term_settings(&OwnTerms::default(), &terms(number).1)))
        .collect();
    let queries: Vec<String> = flocks.iter().map(|(_, query)| format!("{query}&engine=cpu")).collect();
    let page = Page::start(false);
    page.open("?boids=2&steps=1&engine=cpu&hash");
    page.wait_for("hashes");
    let begun = std::time::Instant::now();
    let found = page.wait_to_run(&format!(
        "(async () => {{
           const {{ open }} = await import('./murmuration.js');
           const [hashes, error] = ['hashes', 'error'].map((id) => document.getElementById(id));
           const all = [];
           for (const query of {}) {{
             hashes.textContent = error.textContent = '';
             await open(query);
             while (!hashes.textContent && !error.textContent) await new Promise((go) => setTimeout(go));
             all.push(hashes.textContent + error.textContent);
           }}
           return all;
         }})()",
        json!(queries)
    ));
    println!("{COUNT} formulas on the page: {:?}", begun.elapsed());
    let found = found.as_array().unwrap_or_else(|| panic!("{found}"));
    assert_eq!(found.len(), flocks.len());
    let (mut flown, mut same) = (0, 0);
    let mut before = String::new();
    for (number, (found, (words, _))) in found.iter().zip(&flocks).enumerate() {
        let hashes = expected(words);
        let found = found.as_str().unwrap_or_default();
        match refusal(&hashes) {
            Some(why) => assert_eq!(refusal(found), Some(why), "{number}"),
            None => assert_eq!(found, hashes, "{number}"),
        }
        flown += u32::from(refusal(&hashes).is_none());
        same += u32::from(before == hashes);
        before = hashes;
    }
    // Negative control: no two are the same flock.
    assert!(
        flown > COUNT * 3 / 4 && same == 0,
        "{flown} of {COUNT} fit integers, {same} like the one before"
    );
}
