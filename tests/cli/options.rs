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

#[test]
fn an_engine_named_after_a_gpu_interface_is_answered_with_gpu() {
    let folder = Folder::new();
    for (engine, hint) in [
        ("cuda", "hint: did you mean 'gpu'?"),
        ("CUDA", "hint: did you mean 'gpu'?"),
        ("opencl", "hint: did you mean 'gpu'?"),
        ("metal", "hint: did you mean 'gpu'? --backend metal chooses its interface"),
        ("vulkan", "hint: did you mean 'gpu'? --backend vulkan chooses its interface"),
        ("GPU", "hint: did you mean 'gpu'?"),
        ("gpus", "hint: a similar value exists: 'gpu'"),
        ("quantum", "hint: `murmuration help` lists"),
    ] {
        let ended = folder.call(&format!("run --engine {engine}"));
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{engine}");
        let lines: Vec<&str> = ended.stderr.lines().collect();
        assert!(lines.len() == 2 && lines[1].starts_with(hint), "{engine}: {lines:?}");
        assert!(lines[0].contains("possible values: auto, gpu, cpu, rp2040"));
    }
}
