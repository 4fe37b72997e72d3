"""Flocks as environments for reinforcement learning, for the interfaces of PettingZoo and Gymnasium.

    flock = FlockEnv(boids=20)               # pettingzoo.ParallelEnv: each boid is an agent
    many = FlockVectorEnv(64, boids=20)      # gymnasium.vector.VectorEnv: each flock is an environment, its boids act together

A boid sees its own velocity, and offset and velocity of its nearest others; it acts by a request that is added to the rule's,
and is rewarded as its flock flies in one direction (polarization). What is to be learned is for you to change: the methods
`observed` and `rewards` say what is seen and what is good.
"""

from functools import cached_property

import numpy as np

import murmuration_boids as mb

try:
    from gymnasium.spaces import Box
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    Box, VectorEnv = None, object
try:
    from pettingzoo import ParallelEnv
except ImportError:
    ParallelEnv = object


class World:
    """Many flocks for learning: what boids see, do and are rewarded for."""

    def __init__(self, count, boids, nearest, length, strength, preset, parameters):
        self.flocks = mb.Flocks(preset, count=count, boids=boids, **parameters)
        self.preset, self.parameters = preset, parameters
        self.nearest, self.length, self.strength = nearest, length, strength
        self.flat = self.flocks.parameters["flock.dimensions"] == 2
        # Other seeds at each start, the same for the same first seed.
        self.rng = np.random.default_rng(0)

    def single(self):
        """A flock like these, which draws pictures."""
        return mb.Flock(self.preset, boids=self.flocks.position.shape[1], engine="cpu", **self.parameters)

    def reset(self, mask=None, seed=None):
        """Starts flocks anew, from other seeds."""
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        mask = np.ones(len(self.flocks), bool) if mask is None else mask
        self.flocks.reset(mask, self.rng.integers(2**32, size=mask.sum()))

    def step(self, actions):
        """One step; actions are (count, boids, 3), of which each number is from -1 to 1."""
        requests = self.strength * np.clip(np.nan_to_num(actions), -1, 1)
        self.flocks.step(1, acceleration=requests * [1, 1, not self.flat])

    def observed(self):
        """(count, boids, 3 + 6 * nearest) float32."""
        near = self.flocks.observe(self.nearest)
        return np.concatenate([self.flocks.velocity, near.reshape(*near.shape[:2], -1)], -1).astype(np.float32)

    def rewards(self):
        """(count,): of each flock, for all of its boids."""
        return self.flocks.measure("polarization")["polarization"]

    def ended(self):
        """(count,): flocks that have flown for long enough."""
        return self.flocks.step_count >= self.length

    @cached_property
    def spaces(self):
        """Those of a boid: what it sees, and does."""
        if Box is None:
            raise ImportError("gymnasium is not installed: pip install gymnasium")
        return Box(-np.inf, np.inf, (3 + 6 * self.nearest,), np.float32), Box(-1, 1, (3,), np.float32)


class FlockEnv(ParallelEnv):
    """One flock, each of whose boids is an agent."""

    metadata = {"name": "murmuration", "render_modes": ["rgb_array"]}

    def __init__(self, boids=20, nearest=5, length=200, strength=0.05, preset="vicsek", **parameters):
        self.world = World(1, boids, nearest, length, strength, preset, parameters)
        self.possible_agents = [f"boid_{k}" for k in range(boids)]
        self.agents, self.render_mode = [], "rgb_array"

    def observation_space(self, agent):
        return self.world.spaces[0]

    def action_space(self, agent):
        return self.world.spaces[1]

    def reset(self, seed=None, options=None):
        self.world.reset(seed=seed)
        self.agents = self.possible_agents[:]
        return self._each(self.world.observed()[0]), self._each([{} for _ in self.agents])

    def step(self, actions):
        still = np.zeros(3)
        self.world.step(np.array([[actions.get(agent, still) for agent in self.possible_agents]]))
        count, ended = len(self.agents), bool(self.world.ended()[0])
        rewards = [float(self.world.rewards()[0])] * count
        found = self.world.observed()[0], rewards, [False] * count, [ended] * count, [{} for _ in range(count)]
        found = tuple(self._each(values) for values in found)
        self.agents = [] if ended else self.agents
        return found

    def render(self):
        one, flocks = self.world.single(), self.world.flocks
        one.position, one.velocity = flocks.position[0], flocks.velocity[0]
        return np.asarray(one.picture(size=(480, 480)))[..., :3]

    def close(self):
        pass

    def _each(self, values):
        return dict(zip(self.agents, values))


class FlockVectorEnv(VectorEnv):
    """Many flocks, whose ended ones start anew at the next step."""

    def __init__(self, num_envs, boids=20, nearest=5, length=200, strength=0.05, preset="vicsek", **parameters):
        self.world = World(num_envs, boids, nearest, length, strength, preset, parameters)
        self.num_envs, self.done = num_envs, np.zeros(num_envs, bool)
        if Box is not None:
            self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}
            of_boid = self.world.spaces
            wide = [Box(space.low.min(), space.high.max(), (boids, *space.shape), space.dtype) for space in of_boid]
            self.single_observation_space, self.single_action_space = wide
            self.observation_space, self.action_space = (batch_space(space, num_envs) for space in wide)

    def reset(self, *, seed=None, options=None):
        self.world.reset(seed=seed)
        self.done[:] = False
        return self.world.observed(), {}

    def step(self, actions):
        # The action for one that has ended starts it anew.
        started = self.done
        self.world.step(actions)
        if started.any():
            self.world.reset(started)
        rewards = np.where(started, 0.0, self.world.rewards())
        self.done = self.world.ended()
        return self.world.observed(), rewards, np.zeros(self.num_envs, bool), self.done.copy(), {}
