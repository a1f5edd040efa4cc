"""Whether a bot does what the arena asks of bots, found out by playing.

`examine` runs in the process of the bots and gives facts, `findings` makes a list of checks of
them; in between a `guard` adds that the bot has not come back, if that is so.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, isclose
from typing import Any

import numpy as np

from bots.registry import make_bot
from scripts.arena.plan.deals import PairDeals, audit_generator, bot_seed, world_generator
from scripts.arena.plan.game_text import load_game
from scripts.arena.play.audit import FOUND
from scripts.arena.play.clock import CHOOSING, SETTING_UP, Clock
from scripts.arena.play.guard import COPIED, TOO_MANY, Guard, MisplayError
from scripts.arena.play.referee import CHANGED, Outcome, described, play_game
from scripts.arena.store.move_times import MoveTimes

OPPONENT = "random"
OK, WRONG, NOTE = "ok", "WRONG", "note"


@dataclass(frozen=True)
class Finding:
    """What came of a check.

    Attributes:
      verdict: OK, WRONG, or NOTE for what is no mistake but good to know.
      check: what was to be found out.
      text: what was found; may be empty.
    """

    verdict: str
    check: str
    text: str = ""


@dataclass
class Facts:
    """What is known of a bot.

    Attributes:
      games: how many were played to the end or to a forfeit.
      decisions: how many moves the bot made in them.
      misdeeds: the reason of each forfeit of the bot, with the game and its number.
      alike: games in which a twin with the same seed did the same.
      unlike: games in which it did something else.
      restart: what came of a second game with the same bot; empty if that was not tried.
      policy: what is wrong with its policies; None if it provides none.
      times: how long it took for its moves.
    """

    games: int = 0
    decisions: int = 0
    misdeeds: list[tuple[str, str]] = field(default_factory=list)
    alike: int = 0
    unlike: int = 0
    restart: str = ""
    policy: str | None = None
    times: MoveTimes = field(default_factory=MoveTimes)


def gather(
    spec: str,
    games: Sequence[str],
    deals: int,
    seed: int,
    guard: Guard,
    progress: Callable[[], Any] = lambda: None,
) -> Facts:
    """Has a bot play some deals from both seats of each game against a random player.

    A bot that stops its process is not asked for more in that game.

    Raises:
      ValueError: the bot cannot be made for a game.
      PlayerError: something went wrong that no bot is to blame for.
    """
    facts = Facts()
    for game in games:
        guard.check_bot(game, spec)
        work = {"spec": spec, "game": game, "deals": deals, "seed": seed}
        try:
            for fact in guard.call("scripts.arena.play.compliance:examine", **work):
                _add(facts, game, fact)
                progress()
        except MisplayError as misplay:
            facts.misdeeds.append((str(misplay), game))
    return facts


def _add(facts: Facts, game: str, fact: Mapping[str, Any]) -> None:
    if "restart" in fact:
        facts.restart = facts.restart if facts.restart not in ("", "same") else fact["restart"]
        facts.policy = facts.policy or fact["policy"]
        return
    facts.games += 1
    facts.decisions += fact["decisions"]
    facts.times.update(MoveTimes.from_dict(fact["times"]))
    facts.alike += fact["reproducible"] is True
    facts.unlike += fact["reproducible"] is False
    if fact["reason"]:
        facts.misdeeds.append((fact["reason"], f"{game}, deal {fact['deal']}, seat {fact['seat']}"))


# In the process of the bots.


def examine(clock: Clock, spec: str, game: str, deals: int, seed: int) -> Iterator[dict[str, Any]]:
    """Plays, restarts and asks for policies; gives a fact at a time, as JSON can hold it."""
    for deal in range(deals):
        for seat in range(2):
            outcome = _play(clock, spec, game, deal, seat, seed)
            own = len(_actions_of(outcome, game, seat))
            yield {
                "deal": deal,
                "seat": seat,
                "decisions": own,
                "reason": outcome.reason if outcome.forfeit == seat else "",
                "reproducible": outcome.reproducible[seat],
                "times": outcome.times[seat].to_dict(),
            }
    yield {
        "restart": _second_game(clock, spec, game, seed),
        "policy": _policies(clock, spec, game, seed),
    }


def _play(
    clock: Clock,
    spec: str,
    game: str,
    deal: int,
    seat: int,
    seed: int,
    make: Callable[[str, Any, int, int], Any] = make_bot,
    audited: bool = True,
) -> Outcome:
    """A game against a random player."""
    loaded, key = load_game(game), (seed, deal, seat, 0, 1)
    specs = (spec, OPPONENT) if seat == 0 else (OPPONENT, spec)
    seeds = [bot_seed(*key), bot_seed(seed, deal, seat, 1, 0)][:: 1 if seat == 0 else -1]
    worlds, others = world_generator(*key), audit_generator(*key) if audited else None
    cards = PairDeals(seed, deal, loaded.rules.pack)
    return play_game(loaded, cards, specs, seeds, worlds, others, clock, make)


def _actions_of(outcome: Outcome, game: str, seat: int) -> list[int]:
    """What a seat did in a game."""
    state, actions = load_game(game).new_initial_state(), []
    for action in outcome.history:
        if state.current_player() == seat:
            actions.append(action)
        state.apply_action(action)
    return actions


NO_RESTART = "none"


def _second_game(clock: Clock, spec: str, game: str, seed: int) -> str:
    """Whether a bot plays a second game as a new one does: "same", "differs", or what went wrong.

    It has played another game before and was told to restart; NO_RESTART if it cannot be told.
    """
    bots: list[Any] = []

    def make_once(text: str, loaded: Any, player: int, own_seed: int) -> Any:
        if text != spec:
            return make_bot(text, loaded, player, own_seed)
        if not bots:
            bots.append(make_bot(text, loaded, player, own_seed))
        else:
            bots[0].restart()
        return bots[0]

    _play(clock, spec, game, 0, 0, seed, make_once, audited=False)
    if bots and not hasattr(bots[0], "restart"):
        return NO_RESTART
    # With the seed of the first game: one that starts anew with it is a new one.
    again = _play(clock, spec, game, 1, 0, seed, make_once, audited=False)
    if again.forfeit == 0:
        return again.reason
    first_seed = bot_seed(seed, 0, 0, 0, 1)
    fresh = _play(
        *(clock, spec, game, 1, 0, seed),
        lambda text, loaded, player, own: make_bot(
            text, loaded, player, first_seed if text == spec else own
        ),
        audited=False,
    )
    return "same" if fresh.history == again.history else "differs"


def _policies(clock: Clock, spec: str, game: str, seed: int) -> str | None:
    """What is wrong with the policies that a bot provides; None if it provides none."""
    loaded = load_game(game)
    outcome = _play(clock, OPPONENT, game, 0, 0, seed, audited=False)
    worlds = np.random.default_rng(seed)
    try:
        bot, _ = clock.ask(spec, 0, SETTING_UP, make_bot, spec, loaded, 0, 0)
        if not getattr(bot, "provides_policy", lambda: False)():
            return None
        state = loaded.new_initial_state()
        for action in outcome.history:
            if state.current_player() == 0:
                seen = state.resample_from_infostate(0, worlds)
                policy, _ = clock.ask(spec, 0, CHOOSING, bot.get_policy, seen)
                if wrong := _fault_of(policy, state.legal_actions()):
                    return wrong
            state.apply_action(action)
    except BaseException as error:
        return described(error)
    return ""


def _fault_of(policy: Any, legal: Sequence[int]) -> str:
    """What is wrong with pairs of an action and its probability; empty if nothing is."""
    if not {action for action, _ in policy} <= set(legal):
        return f"it gives weight to {sorted({a for a, _ in policy} - set(legal))}, not legal"
    weights = [weight for _, weight in policy]
    if min(weights) < 0 or not isclose(fsum(weights), 1, abs_tol=1e-6):
        return f"its probabilities {weights} do not add up to 1"
    return ""


# What is to be said of it.

_ILLEGAL = re.compile(r": (action -?\d+ is not legal|\w+ is no action id)$")
_HIDDEN = re.compile(FOUND.format(r"\d+"))
UNSEEING = "its moves do not depend on hidden cards"
_CHECKS: Mapping[str, Callable[[str], Any]] = {
    "it chooses legal actions": _ILLEGAL.search,
    "it leaves the states that it is given as they are": lambda reason: CHANGED in reason,
    UNSEEING: _HIDDEN.search,
    "it answers in time": lambda reason: "no answer within" in reason,
    "no copy of its process plays on": lambda reason: COPIED in reason,
    "it has not too many processes": lambda reason: TOO_MANY in reason,
    "it leaves its process alive": lambda reason: "its process ended" in reason,
    "it raises nothing": lambda reason: True,
}
"""Checks, each with what tells that the reason of a forfeit belongs to it; the first takes it."""


def findings(facts: Facts) -> list[Finding]:
    """The checks of a bot and what came of each."""
    wrong: dict[str, list[tuple[str, str]]] = {check: [] for check in _CHECKS}
    for misdeed in facts.misdeeds:
        wrong[next(check for check, fits in _CHECKS.items() if fits(misdeed[0]))].append(misdeed)
    listed = [_finding(check, misdeeds, facts) for check, misdeeds in wrong.items()]
    return [*listed, _reproducible(facts), _restarts(facts), _policy(facts), _time(facts)]


def _finding(check: str, misdeeds: Sequence[tuple[str, str]], facts: Facts) -> Finding:
    if not misdeeds:
        seen = facts.alike if check == UNSEEING else facts.games
        return Finding(OK, check) if seen else Finding(NOTE, check, "not found out")
    (reason, where), count = misdeeds[0], len(misdeeds)
    more = f", and in {count - 1} more games" if count > 1 else ""
    return Finding(WRONG, check, f"{reason} ({where}{more})")


def _reproducible(facts: Facts) -> Finding:
    check = "it does the same again with the same seed"
    if not facts.unlike:
        return Finding(OK, check) if facts.alike else Finding(NOTE, check, "not found out")
    return Finding(
        NOTE,
        check,
        f"not in {facts.unlike} of {facts.games} games: results with it cannot be repeated, and "
        "nobody can tell whether it looks at hidden cards; if that is meant, as with a limit of "
        "time, let it have an attribute reproducible = False",
    )


def _restarts(facts: Facts) -> Finding:
    check = "it plays a second game after restart()"
    if facts.restart == "same":
        return Finding(OK, check, "as a new bot does")
    if facts.restart == NO_RESTART:
        return Finding(NOTE, check, "it has none, so each game gets a new one")
    if facts.restart in ("", "differs"):
        text = "not tried" if not facts.restart else "but not as a new one: it goes on at random"
        more = "" if not facts.restart else " where it was, or it remembers"
        return Finding(NOTE, check, text + more)
    return Finding(WRONG, check, facts.restart)


def _policy(facts: Facts) -> Finding:
    check = "its policies are probabilities of legal actions"
    if facts.policy is None:
        return Finding(NOTE, check, "it provides none")
    return Finding(WRONG, check, facts.policy) if facts.policy else Finding(OK, check)


def _time(facts: Facts) -> Finding:
    if not facts.times.moves:
        return Finding(NOTE, "time a move", "unknown")
    mean, most = (1000 * t for t in (facts.times.mean, facts.times.quantile(0.99)))
    text = f"{mean:.3g} ms on average, 99% within {most:.3g} ms ({facts.times.moves} moves)"
    return Finding(NOTE, "time a move", text)
