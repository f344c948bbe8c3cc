"""The loop of random play in pgx, for `benchmarks.beside_pgx` and a Python that has jax and pgx.

`python benchmarks/pgx_loop.py GAME LANES SECONDS` prints the states that it steps in a second of
processor time. It is a program of its own, which needs nothing of this project.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import jax
import pgx
from pgx.experimental import auto_reset

#: Joint moves in a call, so that calling costs nothing.
STEPS = 64


def main(game: str, lanes: int, seconds: float) -> None:
    """Play at random in some lanes, each of which begins anew after an end."""
    env = pgx.make(game)
    step = jax.vmap(auto_reset(env.step, env.init))

    def joint_move(state: Any, key: Any) -> tuple[Any, None]:
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
        choice, reset = jax.random.split(key)
        moves = jax.random.categorical(choice, logits, axis=1)
        return step(state, moves, jax.random.split(reset, lanes)), None

    @jax.jit
    def played(state: Any, key: Any) -> Any:
        return jax.lax.scan(joint_move, state, jax.random.split(key, STEPS))[0]

    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), lanes))
    state = jax.block_until_ready(played(state, jax.random.PRNGKey(1)))
    done, began, seed = 0, time.process_time(), 2
    while time.process_time() - began < seconds:
        state = jax.block_until_ready(played(state, jax.random.PRNGKey(seed)))
        done, seed = done + lanes * STEPS, seed + 1
    print(done / (time.process_time() - began))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
