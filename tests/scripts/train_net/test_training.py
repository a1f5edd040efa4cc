"""How networks learn: advantages, lessons, going on, and what happens if learning diverges."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from marjolet_spiel import compact
from marjolet_spiel.rules import Rules
from marjolet_spiel.vector import VectorEnv
from tests.variants import KQJ7, QJ7

pytest.importorskip("jax")
pytest.importorskip("optax")

import jax

from scripts.train_net.collecting import Collector, Lesson
from scripts.train_net.hyperparameters import Hyperparameters
from scripts.train_net.learner import UNIT, DivergedError, Learner, learner_for
from scripts.train_net.training import Training

HOW = Hyperparameters(
    width=8, layers=2, critic_width=8, critic_layers=2, minibatch=16, envs=4, steps=6
)
GAMES = [Rules.of(), Rules.of(profile="dutch")]


def arrays_of(training: Training) -> list[np.ndarray]:
    """Everything that was learnt."""
    return [np.asarray(leaf) for leaf in jax.tree.leaves(training.learnt)]


def same(one: Training, other: Training) -> bool:
    """Whether two trainings learnt the same to the last bit."""
    pairs = zip(arrays_of(one), arrays_of(other), strict=True)
    return one.deals == other.deals and all(np.array_equal(a, b) for a, b in pairs)


def lesson_of(how: Hyperparameters, seed: int = 3) -> tuple[Lesson, Learner, Any]:
    """What is collected first, with the learner and its networks."""
    learner = learner_for(how)
    learnt = learner.begin(seed)
    return (
        Collector(GAMES, how.envs, seed).collect(learner, learnt, jax.random.key(1)),
        learner,
        learnt,
    )


def shaped(lesson: Lesson, part: str) -> np.ndarray:
    """A part of the decisions of a lesson, [steps, n, ...]."""
    array = np.asarray(getattr(lesson.decisions, part))
    return array.reshape(HOW.steps, -1, *array.shape[1:])


def test_advantages_of_actions_taken_are_traced_over_both_players() -> None:
    how = replace(HOW, trace=0.7, steps=6)
    lesson, learner, learnt = lesson_of(how)
    weight, advantage = shaped(lesson, "weight"), shaped(lesson, "advantage")
    assert (weight.sum(axis=2) == 1).all()
    gains = (weight * advantage).sum(axis=2) * lesson.spread / UNIT
    # The same by hand, game by game, in games that are stepped once more.
    taken, n = weight.argmax(axis=2), weight.shape[1]
    envs = [
        VectorEnv(rules, how.envs, 3 + place, "compact", reward="scored", endgame="table")
        for place, rules in enumerate(GAMES)
    ]
    batches = [env.reset() for env in envs]
    values, rewards, done, signs = [], [], [], []
    for step in range(how.steps + 1):
        seen = np.concatenate([batch.observation for batch in batches])
        hidden = np.concatenate([env.hidden() for env in envs])
        signs.append(1 - 2 * np.concatenate([batch.player for batch in batches]))
        values.append(np.asarray(learner.value(learnt.critic, seen, hidden)) * signs[-1])
        if step == how.steps:
            break
        assert np.array_equal(seen, shaped(lesson, "observation")[step])
        trumps = np.concatenate([env.trumps() for env in envs])
        ids = [compact.action_ids(trump)[taken[step, i]] for i, trump in enumerate(trumps)]
        batches = [
            env.step(ids[place * how.envs : (place + 1) * how.envs])
            for place, env in enumerate(envs)
        ]
        rewards.append(np.concatenate([batch.reward[:, 0] for batch in batches]) / UNIT)
        done.append(np.concatenate([batch.done for batch in batches]))
    wanted = np.zeros((how.steps, n))
    for i in range(n):
        for step in range(how.steps):
            factor = 1.0
            for later in range(step, how.steps):
                ahead = 0.0 if done[later][i] else values[later + 1][i]
                wanted[step, i] += factor * (rewards[later][i] + ahead - values[later][i])
                if done[later][i]:
                    break
                factor *= 0.7
    own = wanted * np.array(signs[:-1])
    assert np.allclose(gains, own - own.mean(), atol=1e-4)
    target = (wanted + np.array(values[:-1])) * np.array(signs[:-1])
    assert np.allclose(shaped(lesson, "target"), target, atol=1e-4)


def test_advantages_of_all_actions_are_what_the_critic_says_of_what_they_lead_to() -> None:
    lesson, learner, learnt = lesson_of(replace(HOW, targets="all"))
    weight, legal = shaped(lesson, "weight"), shaped(lesson, "legal")
    advantage = shaped(lesson, "advantage") * lesson.spread / UNIT
    assert np.allclose(weight.sum(axis=2), 1, atol=1e-5)
    assert not weight[~legal].any()
    assert np.allclose((weight * advantage).sum(axis=2), 0, atol=1e-5)
    env = VectorEnv(GAMES[0], HOW.envs, 3, "compact", reward="scored", endgame="table")
    batch = env.reset()
    after = env.successors()
    ahead = np.asarray(learner.value(learnt.critic, after.observation, after.hidden))
    of_0 = after.reward / UNIT + np.where(after.done, 0, ahead * (1 - 2 * after.player))
    for i in range(HOW.envs):
        ids = compact.action_ids(int(env.trumps()[i])).tolist()
        rows = after.game == i
        own = of_0[rows] * (1 - 2 * int(batch.player[i]))
        places = [ids.index(action) for action in after.action[rows]]
        found = advantage[0, i, places]
        assert np.allclose(found - found.mean(), own - own.mean(), atol=1e-4)


def test_critics_see_hidden_cards_and_policies_do_not() -> None:
    lesson, learner, learnt = lesson_of(HOW)
    rows = lesson.decisions
    other = np.roll(rows.hidden, 1, axis=0)
    here = learner.value(learnt.critic, rows.observation, rows.hidden)
    assert not np.allclose(here, learner.value(learnt.critic, rows.observation, other))
    before, _ = learner.update(learnt, rows, 0.0)
    after, _ = learner.update(learnt, rows._replace(hidden=other), 0.0)
    names = [name for name in learnt.actor if name.endswith("bias")]
    scale = max(float(np.abs(np.asarray(before.actor[name])).max()) for name in names)
    assert scale > 0
    chances = [
        np.asarray(learner.act(x.actor, rows.observation, rows.legal, jax.random.key(1))[1])
        for x in (before, after)
    ]
    assert np.allclose(*chances, atol=1e-2)


@pytest.mark.parametrize("more", [{}, {"targets": "all"}, {"magnet": 0.1, "magnet_every": 2}])
def test_going_on_gives_the_same_to_the_last_bit(tmp_path: Path, more: dict[str, Any]) -> None:
    how = replace(HOW, **more)
    whole, parts = Training(GAMES, how, 4, 1), Training(GAMES, how, 4, 1)
    for _ in range(4):
        whole.take_lesson()
    for _ in range(2):
        parts.take_lesson()
    parts.save(tmp_path / "c.npz")
    other = Training(GAMES, how, 4, 1)
    other.take_lesson()
    other.load(tmp_path / "c.npz")
    for _ in range(2):
        other.take_lesson()
    assert same(whole, other)
    assert not same(whole, parts)
    assert whole.decisions == 4 * how.steps * how.envs * 2


def test_checkpoints_of_other_trainings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.npz"
    Training(GAMES, HOW, 4, 1).save(path)
    for other in (
        Training(GAMES, HOW, 5, 1),
        Training(GAMES, HOW, 4, 2),
        Training(GAMES, replace(HOW, entropy=0.5), 4, 1),
    ):
        with pytest.raises(ValueError, match="it is that of another training"):
            other.load(path)
    with pytest.raises(ValueError, match="damaged|another training"):
        Training(GAMES[:1], HOW, 4, 1).load(path)
    whole = path.read_bytes()
    for size in range(0, len(whole), len(whole) // 7):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match=r"checkpoint '.*c.npz': it is damaged"):
            Training(GAMES, HOW, 4, 1).load(path)


def test_numbers_that_are_none_are_noticed() -> None:
    for broken, said in (("actor", "a policy is no number"), ("critic", "a weight is no number")):
        training = Training(GAMES, HOW, 4, 1)
        training.take_lesson()
        weights = {name: array * np.nan for name, array in getattr(training.learnt, broken).items()}
        training.learnt = training.learnt._replace(**{broken: weights})
        with pytest.raises(DivergedError, match=said):
            training.take_lesson()


@pytest.mark.slow
@pytest.mark.parametrize("params", [QJ7, KQJ7])
@pytest.mark.parametrize("targets", ["taken", "all"])
def test_learns_small_packs(params: Any, targets: str) -> None:
    """Against the policy that it began with, whose actions are nearly uniform."""
    rules = Rules.of(**params)
    how = replace(HOW, width=32, critic_width=32, envs=64, minibatch=128, targets=targets, steps=8)
    training = Training([rules], how, 60, 1)
    entropy = []
    for _ in range(60):
        training.take_lesson()
        assert training.last is not None
        entropy.append(float(training.last[1].entropy))
    from marjolet_spiel.solvers.network import NetworkPlayer
    from scripts.train_net.evaluation import margins

    player = NetworkPlayer(training.network(), rules)
    won = margins(player, "random", rules, 7, range(300))
    assert won.mean() - 2 * won.std() / np.sqrt(len(won)) > 0
    assert np.mean(entropy[-5:]) < np.mean(entropy[:5])
