"""Finding nodes of a certain kind in random games."""

from collections.abc import Callable

from tests.openspiel.walks import Game, State, kind_of, load, walk
from tests.variants import Params

Check = Callable[[State], bool]


def find(params: Params, fits: Check, count: int = 1) -> list[State]:
    """Nodes of random games that fit, one a game."""
    game, found = load(params), []
    for seed in range(3000):
        node = next((state for state in walk(game, seed) if fits(state)), None)
        if node is not None:
            found.append(node)
        if len(found) == count:
            return found
    raise AssertionError("no such node in 3000 games")


def at(kind: str, trick: int, more: Check = lambda state: True) -> Check:
    """Fits nodes of a kind in a trick."""
    return lambda state: (
        kind_of(state) == kind and state.to_dict()["trick"] == trick and more(state)
    )


def dealt_so_far(first: int, second: int) -> Check:
    """Fits nodes in the middle of the deal: cards of the non-dealer, cards of the dealer."""

    def fits(state: State) -> bool:
        view = state.to_dict()
        sizes = [len(hand) for hand in view["hands"]]
        dealing = view["phase"] == "deal"
        return dealing and [sizes[1 - view["dealer"]], sizes[view["dealer"]]] == [first, second]

    return fits


def at_draw(trick: int, drawn: int) -> Check:
    """Fits chance nodes after a trick with so many of the two cards drawn."""

    def fits(state: State) -> bool:
        hands = state.to_dict()["hands"]
        return (len(hands[0]) != len(hands[1])) == bool(drawn)

    return at("draw", trick, fits)


def in_second_deal(fits: Check) -> Check:
    """Fits nodes of the second deal of a match."""
    return lambda state: state.to_dict()["deal_number"] == 2 and fits(state)


def with_known(number: int, player: int) -> Check:
    """Fits nodes at which so many cards of the other's hand are known."""
    return lambda state: len(state.to_dict()["known"][1 - player]) == number


def decisions(game: Game, seed: int) -> list[State]:
    """The nodes of a random game at which a player is to act or all is over."""
    return [state for state in walk(game, seed) if not state.is_chance_node()]


def moves(state: State) -> list[tuple[int, int]]:
    """Who did what since the game began; -1 is chance."""
    return [(move.player, move.action) for move in state.full_history()]
