//! Apache Parquet, as its own library reads it.

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;

use super::Folder;

/// Holds a table to the same in CSV; returns its number of rows.
pub fn same_cells(folder: &Folder, table: &str, text: &str) -> usize {
    let file = std::fs::File::open(folder.path(table)).expect("a table");
    let reader = SerializedFileReader::new(file).expect("a table");
    let text = folder.read(text);
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let names: Vec<String> = rows.headers().expect("a header").iter().map(str::to_owned).collect();
    let mut count = 0;
    for (row, cells) in reader.get_row_iter(None).expect("rows").zip(rows.records()) {
        let (row, cells) = (row.expect("a row"), cells.expect("a row"));
        assert!(row.get_column_iter().map(|(name, _)| name).eq(&names));
        for ((name, field), cell) in row.get_column_iter().zip(&cells) {
            let same = match field {
                Field::Null => cell.is_empty(),
                Field::Long(number) => *cell == number.to_string(),
                Field::Double(number) => cell.parse() == Ok(*number),
                Field::Str(word) => cell == word,
                _ => false,
            };
            assert!(same, "{table}: {name}: {field} in place of {cell}");
        }
        count += 1;
    }
    assert_eq!(
        (count, reader.metadata().file_metadata().num_rows()),
        (text.lines().count() - 1, count as i64)
    );
    count
}

/// In doubles both have the same numbers; a file is more than one group of rows long.
#[test]
fn a_trajectory_in_parquet_is_that_in_csv() {
    let folder = Folder::new();
    for (preset, boids) in [("cornell", 100), ("yabi", 30_000)] {
        let call =
            format!("run --preset {preset} -n {boids} --engine cpu --numeric f64 --quiet --steps 3 --yes");
        folder.done(&format!("{call} --every 2 --trajectory run.csv"));
        folder.done(&format!("{call} --every 2 --trajectory run.parquet"));
        assert_eq!(same_cells(&folder, "run.parquet", "run.csv"), 3 * boids);
    }
    let refused = folder.call("render a.png --preset yabi --engine cpu --quiet --trajectory run.parquet");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("run.parquet: only trajectories in CSV are read"), "{}", refused.stderr);
}
