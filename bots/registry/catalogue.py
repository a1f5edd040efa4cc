"""All bots that can be named. To add one, write an `Entry` here.

Searches are imported when they are first asked for: they are compiled then.
"""

from typing import Any

from bots.greedy import GreedyBot
from bots.random_bot import RandomBot
from bots.registry.options import Entry, Option, Options
from marjolet_spiel.first_use import say_when_compiling

_YES_NO = ("yes", "no")
_MAX_SIMS = 100_000_000
_DEFAULT_SIMS = 1000

_SIMS = Option("sims", int, _DEFAULT_SIMS, "simulations a decision", 1, _MAX_SIMS)
_TIME = Option("time", float, None, "seconds a decision, instead of sims", 0.001, 3600)
_UCT = Option("uct", float, 1.0, "exploration, as a fraction of the range of values", 0, 100)
_ROLLOUT = Option(
    "rollout",
    str,
    "heuristic",
    "how simulations go on beyond the tree",
    choices=("random", "melding", "heuristic", "none"),
)
_EXACT = Option("exact", str, "yes", "solve the endgame instead of rolling out", choices=_YES_NO)
_OS_UCT = Option(
    "uct", float, 1.0, "exploration, in standard deviations of the return of random play", 0, 100
)


def _truths(options: Options) -> dict[str, Any]:
    """Options with yes and no as bools."""
    return {name: value == "yes" if value in _YES_NO else value for name, value in options.items()}


def _one_limit(options: Options) -> None:
    if "time" in options and "sims" in options:
        raise ValueError("sims and time are both given; a search is limited by one of them")


def _named_file(options: Options) -> None:
    if "file" not in options:
        raise ValueError("it needs a file, such as results/cfr/policy.npz")


def _ismcts(game: Any, player: int, seed: int, options: Options) -> Any:
    with say_when_compiling():
        from bots.boundary_bot import BoundaryBot
        from bots.ismcts import IsmctsBot
        from marjolet_spiel.solvers.search import IsmctsOptions

    own = dict(options)
    bot = BoundaryBot if own.pop("boundary") == "yes" else IsmctsBot
    return bot(game.rules, player, seed, IsmctsOptions(**_truths(own)))


def _cheat(game: Any, player: int, seed: int, options: Options) -> Any:
    with say_when_compiling():
        from bots.cheat import CheatBot
        from marjolet_spiel.solvers.search import IsmctsOptions

    return CheatBot(game.rules, player, seed, IsmctsOptions(**_truths(options)))


def _pimc(game: Any, player: int, seed: int, options: Options) -> Any:
    with say_when_compiling():
        from bots.pimc import PimcBot
        from marjolet_spiel.solvers.search import PimcOptions

    return PimcBot(game.rules, player, seed, PimcOptions(**_truths(options)))


def _os_ismcts(game: Any, player: int, seed: int, options: dict[str, Any]) -> Any:
    from bots.os_ismcts import OsIsmctsBot

    return OsIsmctsBot(game, player, seed, **options)


def _os_mcts(game: Any, player: int, seed: int, options: dict[str, Any]) -> Any:
    from bots.os_mcts import OsMctsBot

    return OsMctsBot(game, player, seed, **options)


def _os_alphabeta(game: Any, player: int, seed: int, options: dict[str, Any]) -> Any:
    from bots.os_alphabeta import OsAlphaBetaBot

    return OsAlphaBetaBot(game, player, seed, **options)


def _policy(game: Any, player: int, seed: int, options: Options) -> Any:
    from bots.policy_bot import policy_bot

    return policy_bot(game, player, seed, str(options["file"]))


def _cfr(game: Any, player: int, seed: int, options: Options) -> Any:
    with say_when_compiling():
        from bots.cfr_bot import cfr_bot

    return cfr_bot(game, player, seed, str(options["file"]), options["pure"] == "yes")


def _net(game: Any, player: int, seed: int, options: Options) -> Any:
    with say_when_compiling():
        from bots.net_bot import net_bot

    file = options["file"]
    path = None if file is None else str(file)
    return net_bot(game, player, seed, path, options["pure"] == "yes")


ENTRIES: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            "random",
            "any legal action with the same probability",
            lambda game, player, seed, options: RandomBot(player, seed),
        ),
        Entry(
            "greedy",
            "rules of thumb: melds at once, takes points cheaply, counts the endgame",
            lambda game, player, seed, options: GreedyBot(game.rules, player),
        ),
        Entry(
            "ismcts",
            "information-set Monte Carlo tree search; the endgame exact",
            _ismcts,
            (
                _SIMS,
                _TIME,
                _UCT,
                _ROLLOUT,
                _EXACT,
                Option("pinned", str, "yes", "known cards stay where they are", choices=_YES_NO),
                Option(
                    "draws", str, "yes", "own draws lead to nodes of their own", choices=_YES_NO
                ),
                Option(
                    "priors",
                    str,
                    "yes",
                    "the heuristic policy gives the actions prior values",
                    choices=_YES_NO,
                ),
                Option(
                    "boundary",
                    str,
                    "no",
                    "play the last stock trick of a single deal from its equilibrium",
                    choices=_YES_NO,
                ),
            ),
            check=_one_limit,
        ),
        Entry(
            "pimc",
            "alpha-beta on determinized worlds; the endgame exact",
            _pimc,
            (
                Option("worlds", int, 40, "worlds a decision", 1, 1000),
                Option("depth", int, 4, "cards played from the decision on, at most", 1, 40),
                Option("postpone", int, 1, "decisions taken without knowing the world", 1, 6),
                Option("choose", str, "mean", "by the mean or by votes", choices=("mean", "vote")),
            ),
        ),
        Entry(
            "cheat",
            "tree search that sees all cards: an upper bound, no player",
            _cheat,
            (_SIMS, _TIME, _UCT, _ROLLOUT, _EXACT),
            check=_one_limit,
            sees_all=True,
        ),
        Entry(
            "os_ismcts",
            "OpenSpiel's ISMCTS in Python, random rollouts",
            _os_ismcts,
            (Option("sims", int, 100, "simulations a decision", 2, _MAX_SIMS), _OS_UCT),
        ),
        Entry(
            "os_mcts",
            "OpenSpiel's MCTS in Python on determinized worlds, whose visits are added up",
            _os_mcts,
            (
                Option("worlds", int, 10, "worlds a decision", 1, 1_000_000),
                Option("sims", int, 20, "simulations a world", 2, _MAX_SIMS),
                _OS_UCT,
            ),
        ),
        Entry(
            "os_alphabeta",
            "OpenSpiel's alpha-beta on determinized worlds, whose values are averaged",
            _os_alphabeta,
            (
                Option("worlds", int, 5, "worlds a decision", 1, 1_000_000),
                Option("depth", int, 4, "decisions to look ahead", 1, 1000),
            ),
        ),
        Entry(
            "net",
            "a network that learnt by playing against itself; the endgame exact",
            _net,
            (
                Option(
                    "file", str, None, "what scripts.train_net wrote, instead of our own network"
                ),
                Option("pure", str, "no", "takes what is most likely", choices=_YES_NO),
            ),
            positional="file",
        ),
        Entry(
            "policy",
            "a saved policy, such as policy:results/solve/policy.npz; unknown states are played at "
            "random",
            _policy,
            (Option("file", str, None, "what policy_file.save_policy wrote"),),
            check=_named_file,
            positional="file",
        ),
        Entry(
            "cfr",
            "full-pack CFR, such as cfr:results/cfr/policy.npz (make cfr); the endgame exact",
            _cfr,
            (
                Option("file", str, None, "what scripts.train_cfr wrote"),
                Option("pure", str, "yes", "takes what is most likely", choices=_YES_NO),
            ),
            check=_named_file,
            positional="file",
        ),
    )
}
"""All bots by name."""
