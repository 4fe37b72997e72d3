"""Threads and signals."""

import _thread
import signal
import threading
import time

import pytest

import murmuration_boids as mb


def test_two_flocks_step_in_two_threads():
    flocks = [mb.Flock("yabi", boids=400, seed=seed, engine="cpu", threads=1) for seed in [1, 2]]
    alone = [mb.Flock("yabi", boids=400, seed=seed, engine="cpu") for seed in [1, 2]]
    threads = [threading.Thread(target=flock.step, args=(200,)) for flock in flocks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for flock, one in zip(flocks, alone):
        one.step(200)
        assert flock.hash() == one.hash()


def test_threads_take_turns_with_one_flock():
    flock, alone = (mb.Flock("yabi", boids=100, engine="cpu") for _ in range(2))
    threads = [threading.Thread(target=lambda: [flock.step(5) and flock.position for _ in range(20)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone.step(400)
    assert flock.step_count == 400 and flock.hash() == alone.hash()


def test_a_state_is_of_one_step_while_another_thread_steps():
    flock, alone = (mb.Flock("yabi", boids=100, engine="cpu") for _ in range(2))
    steps = [state.position.tobytes() + state.velocity.tobytes() for state in alone.run(300)]
    stepping = threading.Thread(target=lambda: [flock.step() for _ in range(300)])
    stepping.start()
    states = []
    while stepping.is_alive():
        states.extend(flock.run(0))
    stepping.join()
    assert all(steps[state.step] == state.position.tobytes() + state.velocity.tobytes() for state in states)


@pytest.mark.usefixtures("interruptible")
def test_states_that_were_interrupted_go_on_to_the_step_that_was_asked_for():
    flock = mb.Flock("yabi", boids=2000, engine="cpu", threads=1)
    states = flock.run(3000, every=2999)
    next(states)
    threading.Timer(0.3, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        next(states)
    assert 0 < flock.step_count < 2999
    flock.set("separation.radius", 0)
    flock.set("alignment.radius", 0)
    flock.set("cohesion.radius", 0)
    assert [state.step for state in states][-1] == 3000


def test_python_goes_on_while_a_flock_steps():
    flock = mb.Flock("yabi", boids=2000, engine="cpu", threads=1)
    stepping = threading.Thread(target=flock.step, args=(100,))
    stepping.start()
    ticks = 0
    while stepping.is_alive():
        ticks += 1
        time.sleep(0.001)
    assert ticks > 3


@pytest.fixture
def interruptible():
    """Ctrl-C is heard, also where whoever began the tests ignores it, as shells do for what runs behind them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("many", [False, True])
def test_ctrl_c_ends_it_between_two_steps(many):
    flock = mb.Flocks("yabi", seeds=[1], boids=200) if many else mb.Flock("yabi", boids=200, seed=1, engine="cpu")
    threading.Timer(0.5, _thread.interrupt_main).start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        flock.step(2**31)
    assert time.monotonic() - begun < 10
    done = int(flock.step_count[0]) if many else flock.step_count
    assert 0 < done < 2**31
    alone = mb.Flock("yabi", boids=200, seed=1, engine="cpu")
    alone.step(done)
    assert alone.hash() == (flock.hash()[0] if many else flock.hash())


def test_a_handler_may_look_at_the_flock():
    flock = mb.Flock("yabi", boids=200, engine="cpu")
    seen = []

    def look(*_):
        seen.append(flock.step_count)
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, look)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(TimeoutError):
            flock.step(2**31)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert seen == [flock.step_count] and seen[0] > 0
