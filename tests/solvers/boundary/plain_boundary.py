"""The last stock trick by OpenSpiel's states alone, for the tests of `boundary.py`.

`Subgame` is a game to `linear_program.game_value`: chance deals what is hidden, and the states go
on to the end of the deal by the rules alone.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from marjolet_spiel import kernel
from marjolet_spiel.cards import parse_cards
from marjolet_spiel.solvers.solve import solve
from tests.positions import State, walk
from tests.variants import Params

Deal = tuple[tuple[str, ...], tuple[str, ...], str]
Strategy = Callable[[State], Mapping[int, float]]


def trick_starts(params: Params, seeds: Sequence[int], phase: str = "lead") -> Iterator[State]:
    """For each random game the state at which the last stock trick gets to a phase."""
    for seed in seeds:
        for state in walk(params, seed):
            pos = state.core.pos
            last = pos[kernel.TRICK] == pos[kernel.STOCK_TRICKS] and pos[kernel.PLAYER] >= 0
            if last and kernel.PHASE_NAMES[pos[kernel.PHASE]] == phase:
                yield state
                break


def in_trick(state: State) -> bool:
    """Whether the last stock trick and its window are still on."""
    pos = state.core.pos
    return bool(pos[kernel.PLAYER] >= 0 and pos[kernel.TRICK] == pos[kernel.STOCK_TRICKS])


def deals_of(state: State) -> list[Deal]:
    """Every way in which the hidden cards may lie, from the names in `to_dict`."""
    facts = state.to_dict()
    hidden = [sorted({*facts["hands"][p]} - {*facts["known"][p]}) for p in range(2)]
    pool = sorted({*hidden[0], *hidden[1], *facts["stock"]})
    found = []
    for one in combinations(pool, len(hidden[0])):
        rest = [card for card in pool if card not in one]
        for two in combinations(rest, len(hidden[1])):
            (down,) = {*rest} - {*two}
            hands = [(*facts["known"][0], *one), (*facts["known"][1], *two)]
            found.append((hands[0], hands[1], down))
    return found


def masks(deal: Deal) -> tuple[int, int, int]:
    """A deal as `boundary.py` has it."""
    return parse_cards(deal[0]), parse_cards(deal[1]), parse_cards([deal[2]])


def laid_out(state: State, deal: Deal) -> State:
    """The state with other hidden cards."""
    facts = {**state.to_dict(), "hands": [[*deal[0]], [*deal[1]]], "stock": [deal[2]]}
    del facts["exposed"], facts["known"]
    found = state.get_game().new_initial_state(facts)
    assert found.to_dict()["known"] == state.to_dict()["known"]
    return found


class Subgame:
    """The rest of a deal with a chance node over deals in front."""

    def __init__(self, state: State, weights: Mapping[Deal, float] | None = None) -> None:
        """A game from a state on; all deals are alike without weights."""
        deals = weights or dict.fromkeys(deals_of(state), 1.0)
        total = sum(deals.values())
        self.worlds = [(laid_out(state, d), w / total) for d, w in deals.items() if w > 0]

    def new_initial_state(self) -> "Subgame":
        """Itself: it is its own first state."""
        return self

    def is_terminal(self) -> bool:
        return False

    def is_chance_node(self) -> bool:
        return True

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(i, weight) for i, (_, weight) in enumerate(self.worlds)]

    def child(self, outcome: int) -> State:
        return self.worlds[outcome][0]


class Plain:
    """What strategies of the trick are worth: worlds one by one, the last tricks by `solve`."""

    def __init__(self, subgame: Subgame) -> None:
        """For the worlds of a subgame."""
        self._worlds = subgame.worlds

    def value(self, strategies: Sequence[Strategy]) -> float:
        """The expected return of player 0 if each plays his strategy."""
        return sum(weight * self._value(world, strategies) for world, weight in self._worlds)

    def _value(self, state: State, strategies: Sequence[Strategy]) -> float:
        if not in_trick(state):
            return leaf(state)
        chances = strategies[state.current_player()](state)
        return sum(
            chance * self._value(state.child(action), strategies)
            for action, chance in chances.items()
            if chance > 0
        )

    def best_response(self, player: int, strategy: Strategy) -> float:
        """The most that a player can get against a strategy of the other."""
        return self._respond(self._worlds, player, strategy)

    def _respond(
        self, worlds: Sequence[tuple[State, float]], player: int, strategy: Strategy
    ) -> float:
        """The same from worlds on of which all know what was done since the start."""
        total, mine = 0.0, defaultdict[str, list[tuple[State, float]]](list)
        others = defaultdict[int, list[tuple[State, float]]](list)
        for state, weight in worlds:
            if not in_trick(state):
                total += weight * leaf(state) * (1 - 2 * player)
            elif state.current_player() == player:
                mine[state.information_state_string(player)].append((state, weight))
            else:
                for action, chance in strategy(state).items():
                    if chance > 0:
                        others[action].append((state.child(action), weight * chance))
        total += sum(self._respond(some, player, strategy) for some in others.values())
        return total + sum(
            max(
                self._respond([(s.child(a), w) for s, w in same], player, strategy)
                for a in same[0][0].legal_actions()
            )
            for same in mine.values()
        )


def leaf(state: State) -> float:
    """The return of player 0 once the trick is over."""
    return float(state.returns()[0] if state.is_terminal() else solve(state).value)
