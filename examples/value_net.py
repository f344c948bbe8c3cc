"""A value network for the players that search: self-play, training, and a file that `net=` names.

Needs PyTorch and the extra `ggp[selfplay]`.

python examples/value_net.py connectfour --minutes 10 --jobs 2 --net connectfour.npz
ggp match connectfour alphabeta:net=connectfour.npz alphabeta

First `mcts` plays itself, and then, as often, `alphabeta` with what was learned so far.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import torch

from ggp import Deadline, Game
from ggp.cluster import Pool
from ggp.gdl.bundled import find_game
from ggp.search import ValueNet
from ggp.selfplay import Plan, Samples, load_samples, selfplay

#: How much the value that a player expects counts beside the goals at the end of the match.
EXPECTED = 0.7
#: The share of the matches that is held out, to see when the network learns no more from the rest.
HELD_OUT = 0.1


def play(game: str, player: str, folder: Path, *, seconds: float, jobs: int) -> None:
    """Let a player play itself for some time, quickly and with some moves at random."""
    plan = Plan(
        game=game, rules=find_game(game).read_text(), player=player, matches=1_000_000, part=10,
        start_clock=0, play_clock=0.005, opening=4, noise=0.2, max_steps=None, seed=1,
    )  # fmt: skip
    made = selfplay(plan, folder, pool=Pool(jobs=jobs), deadline=Deadline.after(seconds))
    print(f"{player} has played {made.written} matches, {made.states} states", flush=True)


def targets(samples: Samples) -> torch.Tensor:
    """Return what each role should be estimated to get, float[n, roles] from 0 to 1."""
    goals = np.maximum(samples.goals, 0) / np.float32(100)
    rows, roles = np.arange(len(samples)), samples.role.astype(int)
    better = EXPECTED * (samples.value / 100 - goals[rows, roles])
    better[np.isnan(better)] = 0  # the player did not say
    if goals.shape[1] == 2 and (goals.sum(axis=1) == 1).all():
        goals[rows, 1 - roles] -= better  # what one role gets, the other does not
    goals[rows, roles] += better
    return torch.from_numpy(goals)


def train(game: Game, folders: list[Path], *, hidden: int, epochs: int = 20) -> ValueNet:
    """Learn from the matches in some folders."""
    parts = [load_samples(folder, game) for folder in folders]
    bits = torch.from_numpy(np.concatenate([part.states.observation for part in parts])).float()
    wanted = torch.cat([targets(part) for part in parts])
    held_out = torch.cat(
        [torch.from_numpy(part.match % round(1 / HELD_OUT) == 0) for part in parts]
    )
    first = torch.nn.Linear(bits.shape[1], hidden)
    last = torch.nn.Linear(hidden, wanted.shape[1])
    torch.nn.init.constant_(first.bias, 0.5)  # in the middle of the range of a hidden unit

    def error(rows: torch.Tensor) -> torch.Tensor:
        out = last(first(bits[rows]).clamp(0, 1))
        return torch.nn.functional.binary_cross_entropy_with_logits(out, wanted[rows])

    learned, checked = (torch.nonzero(mask).flatten() for mask in (~held_out, held_out))
    weights = [*first.parameters(), *last.parameters()]
    optimizer = torch.optim.AdamW(weights, weight_decay=0.01)
    steps = epochs * -(-len(learned) // 512)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.01, total_steps=steps)
    lowest, best = float("inf"), [each.detach().clone() for each in weights]
    for _ in range(epochs):
        for place in torch.randperm(len(learned)).split(512):
            optimizer.zero_grad()
            error(learned[place]).backward()
            optimizer.step()
            schedule.step()
        with torch.no_grad():
            now = error(checked).item()
        if now < lowest:
            lowest, best = now, [each.detach().clone() for each in weights]
    print(f"{len(learned)} states; the cross entropy of {len(checked)} others is {lowest:.3f}")
    names = ("weights", "bias", "outputs", "output_bias")
    layers = {name: each.numpy() for name, each in zip(names, best, strict=True)}
    return ValueNet.of_layers(game.roles, game.facts, **layers)


def main() -> None:
    """Play, learn, play with what was learned, and learn again."""
    parser = argparse.ArgumentParser()
    parser.add_argument("game", nargs="?", default="tictactoe")
    parser.add_argument("--net", type=Path, help="the file; by default it is beside the data")
    parser.add_argument("--minutes", type=float, default=0.1, help="of self-play")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--hidden", type=int, default=32)
    parser.add_argument("--folder", type=Path, help="of the data")
    options = parser.parse_args()
    torch.manual_seed(1)
    folder = options.folder or Path(tempfile.mkdtemp())
    file, player = (options.net or folder / "net.npz").absolute(), "mcts:threads=1,memory=4"
    folders: list[Path] = []
    for number in range(options.rounds):
        folders.append(folder / str(number))
        seconds = 60 * options.minutes / options.rounds
        play(options.game, player, folders[-1], seconds=seconds, jobs=options.jobs)
        with Game.load(options.game) as game:
            train(game, folders, hidden=options.hidden).save(file)
        player = f"alphabeta:net={file},memory=4"
    print(f"the network is in {file}")


if __name__ == "__main__":
    main()
