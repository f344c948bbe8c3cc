"""`make fuzz`: ten minutes of nonsense for the message parsers, generated in three ways.

- Bytes are cut out of messages, doubled, swapped and replaced by words that mean something.
- Hypothesis makes texts and bytes, and shrinks what fails.
- atheris looks for inputs that run code which none before has run, where it is installed.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import TypeAlias

import hypothesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.target import SEEDS, WORDS, answer, receive

__all__ = ["TARGETS", "mutate", "mutated", "proposed"]

Target: TypeAlias = Callable[[bytes], None]

TARGETS: tuple[Target, ...] = (answer, receive)


def mutate(data: bytes, generator: random.Random) -> bytes:
    """Return a message a little changed, a few times over."""
    for _ in range(generator.randint(1, 6)):
        begin, end = sorted((generator.randint(0, len(data)), generator.randint(0, len(data))))
        end = min(end, begin + generator.choice([0, 1, 4, 40, 4000]))
        piece = data[begin:end]
        other = generator.choice(SEEDS)
        new = generator.choice(
            [
                b"",
                piece * 2,
                piece[::-1],
                generator.choice(WORDS),
                generator.randbytes(generator.randint(1, 4)),
                other[generator.randint(0, len(other)) :],
                bytes(byte ^ 1 << generator.randrange(8) for byte in piece[:50]),
            ]
        )
        data = data[:begin] + new + data[end:]
    return data


def mutated(target: Target, *, seconds: float, seed: int) -> int:
    """Try mutated messages; return how many."""
    generator, end, tries = random.Random(seed), time.monotonic() + seconds, 0
    while time.monotonic() < end:
        data = mutate(generator.choice(SEEDS), generator)
        tries += 1
        try:
            target(data)
        except BaseException:
            print(f"{target.__name__} fails on {data!r}", file=sys.stderr)
            raise
    return tries


def proposed(target: Target, *, seconds: float, seed: int) -> int:
    """Try examples of Hypothesis; return how many."""
    end, tries = time.monotonic() + seconds, 0
    texts = st.text().map(lambda text: text.encode("utf-8", "surrogatepass"))
    words = st.lists(st.sampled_from([*WORDS, *SEEDS]), max_size=12).map(b"".join)

    @settings(
        max_examples=100, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(st.binary(max_size=3000) | texts | words)
    def attempt(data: bytes) -> None:
        nonlocal tries
        tries += 1
        target(data)

    while time.monotonic() < end:
        hypothesis.seed(seed + tries)(attempt)()
    return tries


def covered(target: Target, *, seconds: float) -> bool:
    """Run atheris; return whether it is installed. Raises `CalledProcessError`."""
    if find_spec("atheris") is None:
        return False
    command = (sys.executable, "-m", "tests.fuzz.coverage", target.__name__)
    limits = (
        f"-max_total_time={seconds:.0f}",
        "-max_len=4000",
        "-rss_limit_mb=4000",
        "-verbosity=0",
    )
    subprocess.run([*command, *limits], check=True)
    return True


def main() -> int:
    """Fuzz every target in every way, and print the numbers of inputs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    share = options.seconds / len(TARGETS) / 3
    for target in TARGETS:
        name = target.__name__
        tries = mutated(target, seconds=share, seed=options.seed)
        print(f"{name}: {tries:,} mutations", flush=True)
        tries = proposed(target, seconds=share, seed=options.seed)
        print(f"{name}: {tries:,} proposals of Hypothesis", flush=True)
        if covered(target, seconds=share):
            print(f"{name}: {share:.0f} s of atheris", flush=True)
        else:
            tries = mutated(target, seconds=share, seed=options.seed + 1)
            print(f"{name}: {tries:,} mutations more, as atheris is not installed", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
