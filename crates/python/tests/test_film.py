"""Films and pictures as files."""

import _thread
import signal
import threading

import pytest

import murmuration_boids as mb


def test_a_film_shows_the_steps_from_now_on(tmp_path):
    flock, twin = (mb.Flock("vicsek", boids=60, engine="cpu") for _ in range(2))
    flock.step(10)
    flock.film(tmp_path / "a%02d.png", steps=9, every=3, size=(64, 48))
    frames = sorted(tmp_path.iterdir())
    assert len(frames) == 4 and flock.step_count == 19
    twin.step(10)
    for frame in frames:
        twin.film(tmp_path / "still.png", steps=0, size="64x48", yes=True)
        assert (tmp_path / "still.png").read_bytes() == frame.read_bytes()
        twin.step(3)
    for name, head in [("a.mp4", b"ftyp"), ("a.gif", b"GIF8")]:
        flock.film(tmp_path / name, 3, size=(64, 48), fps=10)
        assert head in (tmp_path / name).read_bytes()[:12]
    assert flock.step_count == 25
    # Steps after the last frame.
    flock.film(tmp_path / "b.gif", steps=10, every=20, size=(64, 48))
    assert flock.step_count == 35


def test_birds_bank_in_a_film(gpu, tmp_path):
    flock = mb.Flock("murmuration", boids=200, engine="cpu")
    flock.film(tmp_path / "a.mp4", steps=4, look="dusk", size=(96, 64), trails=0.1)
    assert flock.step_count == 4 and (tmp_path / "a.mp4").stat().st_size > 500


def test_what_is_wrong_is_the_programs_line(tmp_path):
    flock = mb.Flock("vicsek", boids=20, engine="cpu")
    there = tmp_path / "there.png"
    there.write_text("a")
    lines = {
        f"{there} already exists": lambda: flock.film(there),
        "the name must end in .png, .mp4 or .gif": lambda: flock.film(tmp_path / "a.avi"),
        "every 0: allowed is a whole number from 1": lambda: flock.film(tmp_path / "a.gif", every=0),
        "film -: allowed is the name of a file": lambda: flock.film("-"),
        "trails 1: allowed where bodies are drawn, not arrows": lambda: flock.film(tmp_path / "a.gif", trails=1),
    }
    for line, call in lines.items():
        with pytest.raises(mb.UsageError) as caught:
            call()
        assert line in str(caught.value), str(caught.value)
    assert flock.step_count == 0 and there.read_text() == "a" and len(list(tmp_path.iterdir())) == 1


def test_ctrl_c_keeps_what_was_drawn(tmp_path):
    flock = mb.Flock("vicsek", boids=60, engine="cpu")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.5, _thread.interrupt_main).start()
        with pytest.raises(KeyboardInterrupt):
            flock.film(tmp_path / "a.gif", steps=10**9, size=(64, 48))
    finally:
        signal.signal(signal.SIGINT, before)
    film = (tmp_path / "a.gif").read_bytes()
    assert film.startswith(b"GIF8") and film.endswith(b"\x3b") and 0 < flock.step_count < 10**9


def test_another_thread_may_step_a_flock_that_is_filmed(tmp_path):
    flock = mb.Flock("vicsek", boids=60, engine="cpu")
    stepping = threading.Thread(target=lambda: [flock.step(7) for _ in range(100)])
    stepping.start()
    flock.film(tmp_path / "a.gif", steps=50, size=(64, 48))
    stepping.join()
    assert (tmp_path / "a.gif").read_bytes().startswith(b"GIF8") and flock.step_count >= 700
