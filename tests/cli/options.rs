//! What options take, and what is suggested in place of what they do not.

use super::Folder;

#[test]
fn a_number_of_boids_takes_exponents_and_suffixes() {
    let folder = Folder::new();
    let boids = |typed: &str| {
        let out = folder.done(&format!("run --preset cornell --engine cpu --steps 0 --json {typed}")).stdout;
        let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        json["boids"].as_u64()
    };
    for typed in ["-n 1500", "-n 1.5e3", "-n 1.5k", "-n 0.0015M", "--boids=1_500", "--set flock.boids=1.5k"] {
        assert_eq!(boids(typed), Some(1500), "{typed}");
    }
}
