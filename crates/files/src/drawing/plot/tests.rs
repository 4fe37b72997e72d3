use super::*;

fn chart(name: &str) -> Chart {
    let dot = |x: f64| Dot { x, y: x / 1e3, least: x / 2e3, most: x / 0.5e3 };
    let curve = |name: &str, hue| Curve {
        name: name.to_owned(),
        hue,
        mark: if hue.is_some() { Mark::Dots } else { Mark::Bars },
        dots: [1e3, 1e4, 1e5].into_iter().map(dot).collect(),
    };
    let panel = Panel {
        title: "start".to_owned(),
        curves: vec![curve(name, Some([164, 82, 41])), curve("all", None)],
        levels: vec![Level { y: 16.7, name: "60 a second".to_owned(), x: Some(16_700.0) }],
        ..Panel::default()
    };
    let captions = vec!["one & all".to_owned()];
    let scale = |label: &str| Scale { label: label.into(), log: true, ..Scale::default() };
    let title = "a title".into();
    Chart { title, x: scale("boids"), y: scale("ms"), panels: vec![panel], captions, ..Chart::default() }
}

fn written(name: &str, chart: &Chart) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    Plot::new(&path, Existing::Keep).unwrap().write(chart).unwrap();
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert_eq!(names, [name], "nothing else is left");
    std::fs::read(path).unwrap()
}

#[test]
fn a_png_has_the_size_of_the_svg_and_shows_what_it_shows() {
    let pixels = |chart: &Chart| {
        let bytes = written("a.png", chart);
        let mut reader = ::png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!([info.width, info.height], draw(chart).size.map(u32::from));
        pixels
    };
    let red = |pixels: &[u8]| pixels.as_chunks::<3>().0.iter().filter(|p| p[0] > 180 && p[1] < 80).count();
    let (mut with, mut without) = (chart("scatter"), chart("scatter"));
    assert_eq!(pixels(&with), pixels(&without));
    without.panels[0].levels.clear();
    assert!(red(&pixels(&with)) > 200 && red(&pixels(&without)) == 0);
    with.panels[0].curves.clear();
    assert_ne!(pixels(&with), pixels(&chart("scatter")));
}

#[test]
fn what_has_no_place_on_the_axes_is_left_out() {
    let mut broken = chart("scatter");
    broken.panels[0].curves[0].dots[1] = Dot { x: 1e4, y: 0.0, least: -1.0, most: f64::NAN };
    let text = String::from_utf8(written("a.svg", &broken)).unwrap();
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

/// A curve of many values is drawn with a few a pixel, and its extreme values are among them.
#[test]
fn values_that_no_pixel_can_show_are_left_out() {
    let drawn = |peak: f64| {
        let dot = |k: u32| {
            let y = if k == 77_777 { peak } else { f64::from(k.wrapping_mul(2_654_435_761) >> 8) };
            Dot { x: f64::from(k), y, least: f64::NAN, most: f64::NAN }
        };
        let curve = Curve {
            name: "many".to_owned(),
            hue: Some([164, 82, 41]),
            mark: Mark::Dots,
            dots: (0..200_000).map(dot).collect(),
        };
        let panel = Panel { curves: vec![curve], ..Panel::default() };
        written("a.svg", &Chart { panels: vec![panel], ..Chart::default() })
    };
    let all = drawn(19e6);
    assert!(all.len() < 1 << 20, "{} bytes", all.len());
    assert_ne!(all, drawn(18.5e6), "the greatest value is drawn");
}
