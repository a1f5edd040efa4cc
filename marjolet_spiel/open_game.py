"""`python_marjolet_open`: Marjolet with all cards face up and the order of the stock fixed.

It is deterministic and of perfect information, so OpenSpiel's alpha-beta and MCTS run on it; with
`MarjoletState.open_world` they search determinized worlds of a real position.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyspiel

from marjolet_spiel import cards, features, kernel, worlds
from marjolet_spiel.array_types import SingleFloats, Vector
from marjolet_spiel.base_game import MarjoletBaseGame, make_game_info, make_game_type
from marjolet_spiel.core import Core, core_from
from marjolet_spiel.events import (
    DEAL,
    EVENT_BYTES,
    action_of,
    apply_event,
    events_with_actors,
    log_array,
    replay,
)
from marjolet_spiel.kernel import CHANCE
from marjolet_spiel.observer import open_text
from marjolet_spiel.positions import position_dict
from marjolet_spiel.rules import DEFAULT_PARAMETERS, Rules, normalize_parameters
from marjolet_spiel.sampling import CARDS, below, generator, random_outcome, shuffle_to_front
from marjolet_spiel.set_up import position_from_dict
from marjolet_spiel.state import MarjoletState, check_player, state_from, struct_dict

SHORT_NAME = "python_marjolet_open"

OPEN_PARAMETERS: Mapping[str, Any] = {**DEFAULT_PARAMETERS, "deal_seed": 0, "deal": ""}
OPEN_PARAMETER_HELP = {
    "deal_seed": "seed of the deals that `deal` does not give, and of the lot; from 0",
    "deal": "the cards of the first deal, or of the first deals one after the other, as one "
    "string such as ASKD...: the non-dealer's hand, the dealer's, the turn-up, the stock",
}

GAME_TYPE = make_game_type(
    SHORT_NAME,
    "Marjolet with open cards",
    pyspiel.GameType.ChanceMode.DETERMINISTIC,
    pyspiel.GameType.Information.PERFECT_INFORMATION,
    OPEN_PARAMETERS,
)


def parse_deals(text: str, rules: Rules) -> list[bytes]:
    """The deals of the parameter `deal`, each as card ids; ValueError says what is wrong."""
    if len(text) % (2 * rules.num_cards):
        raise ValueError(
            f"deal: {text!r} is not allowed; it must have {rules.num_cards} cards of two letters "
            f"a deal, not {len(text)} letters"
        )
    ids = bytes(cards.parse_card(text[i : i + 2]) for i in range(0, len(text), 2))
    deals = [ids[i : i + rules.num_cards] for i in range(0, len(ids), rules.num_cards)]
    for deal in deals:
        if cards.mask_of(deal) != rules.pack:
            raise ValueError(f"deal: {text!r} is not allowed; each card of the pack comes once")
    if len(deals) > rules.deals:
        raise ValueError(f"deal: {len(deals)} deals given, but a game has {rules.deals} at most")
    return deals


def _check_seed(seed: object) -> int:
    if type(seed) is not int or seed < 0:
        raise ValueError(f"deal_seed: {seed!r} is not allowed; deal_seed must be from 0")
    return seed


class MarjoletOpenGame(MarjoletBaseGame):
    """Marjolet without hidden cards: the parameters of `python_marjolet`, `deal_seed`, `deal`."""

    is_open = True

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = {**OPEN_PARAMETERS, **(params or {})}
        seed, deal = _check_seed(given.pop("deal_seed")), given.pop("deal")
        if type(deal) is not str:
            raise ValueError(f"deal: {deal!r} is not allowed; deal must be a string")
        full = normalize_parameters(given)
        rules = Rules.from_parameters(full)
        self.deals = parse_deals(deal, rules)
        self.deal_seed = seed
        info = make_game_info(rules, 0)
        super().__init__(GAME_TYPE, info, {**full, "deal_seed": seed, "deal": deal})
        self.rules = rules
        start = kernel.initial_position(rules)
        self._begin(rules, self.run_chance(core_from(start)))

    def order_of(self, deal: int) -> bytes:
        """The cards of a deal (from 1) in the order in which they leave the pack."""
        if deal <= len(self.deals):
            return self.deals[deal - 1]
        seed = np.random.SeedSequence([self.deal_seed, deal]).generate_state(1, np.uint64)[0]
        rng = generator(int(seed))
        shuffle_to_front(rng, self.rules.pack, self.rules.num_cards)
        return bytes(rng[CARDS : CARDS + self.rules.num_cards].tolist())

    def run_chance(self, core: Core) -> Core:
        """Deals and draws until a player is to act or the game is over."""
        if core.player != CHANCE:
            return core
        pos, log, order, at = core.pos.copy(), bytearray(core.log), core.order, (CHANCE << 16, 0)
        while at[0] >> 16 == CHANCE:
            if pos[kernel.DOWN] == pos[kernel.PACK]:
                order = self.order_of(int(pos[kernel.DEAL]))
            at = apply_event(pos, self._outcome(pos, order))
            log += EVENT_BYTES[at[0] & 255]
        return Core(core.start, bytes(log), pos, order, *at)

    def _outcome(self, pos: Vector, order: bytes) -> int:
        """What chance does in `pos` when the cards of the deal come in `order`."""
        if pos[kernel.PHASE] == kernel.DEALER_LOT:
            return below(generator(self.deal_seed), 2)
        if pos[kernel.PHASE] == kernel.DEALING:
            return _next_dealt(pos, order)
        return order[int(pos[kernel.NUM_CARDS]) - int(pos[kernel.DOWN]).bit_count()]

    def new_initial_state(self, setup: Any = None) -> "MarjoletOpenState":
        """The first position, or one set up for study.

        Args:
          setup: None; or a position as `state.to_dict()` gives it (a dict, a struct or JSON). Its
            `stock` is in drawing order.

        Raises:
          ValueError: the position is impossible; the message says why.
        """
        state = MarjoletOpenState(self)
        if setup is not None:
            fields = struct_dict(setup, "position")
            start = position_from_dict(self.first_core.start, fields)
            order = self._order_from(start, fields["stock"])
            state.core = self.run_chance(core_from(start, order=order))
        return state

    def _order_from(self, start: Vector, stock: list[str]) -> bytes:
        tail = bytes(cards.parse_card(name) for name in stock)
        out = int(start[kernel.PACK]) & ~cards.mask_of(tail)
        return bytes(cards.bits(out)) + tail

    def _can_reach(self, core: Core) -> bool:
        """Whether the same actions lead to the same cards here."""
        deal = int(core.pos[kernel.DEAL])
        if core.start.tobytes() == self.start_bytes:
            again = self.first_core
        elif deal == core.start[kernel.DEAL]:
            again = self.run_chance(core_from(core.start, order=core.order))
        else:  # how the deal lay that was set up is no longer known
            return core.order == self.order_of(deal)
        again.shared = True
        for event in core.log:
            if event < DEAL:
                again = self.run_chance(again.after(event))
        return (again.log, again.order) == (core.log, core.order)

    def max_chance_nodes_in_history(self) -> int:
        """There are none."""
        return 0


def _next_dealt(pos: Vector, order: bytes) -> int:
    """The next card of the hand being dealt: hands are dealt in ascending order."""
    size = int(pos[kernel.HAND_SIZE])
    first = size if kernel.hand_being_dealt(pos) == pos[kernel.DEALER] else 0
    hand = order[first : first + size]
    return min(card for card in hand if pos[kernel.DOWN] >> card & 1)


class MarjoletOpenState(MarjoletState):
    """A state of `python_marjolet_open`."""

    def _apply_action(self, action: int) -> None:
        super()._apply_action(action)
        if self.core.player == CHANCE:
            self.core = self.get_game().run_chance(self.core)

    def stock_order(self) -> list[int]:
        """The face-down cards in drawing order."""
        left = int(self.core.pos[kernel.DOWN]).bit_count()
        order = self.core.order
        return list(order[len(order) - left :])

    def stock_names(self) -> list[str]:
        """The names of the face-down cards in drawing order."""
        return [cards.card_name(card) for card in self.stock_order()]

    def __str__(self) -> str:
        return self.observation_string(0)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}\n{self}>"

    def _observe(self, recall: bool, player: int | None) -> str:
        player = self.core.player if player is None else player
        if player not in (0, 1):
            name = "information_state_string" if recall else "observation_string"
            return getattr(pyspiel.State, name)(self, player)
        return open_text(self, recall)

    def information_state_string(self, player: int | None = None) -> str:
        """The whole game so far and the order of the stock: there is nothing to hide."""
        return self._observe(True, player)

    def observation_string(self, player: int | None = None) -> str:
        """The position and the order of the stock, in words."""
        return self._observe(False, player)

    def write_tensor(self, plan: features.Layout, player: int, out: SingleFloats) -> None:
        """Fills float32 [plan.size] `out`."""
        super().write_tensor(plan, player, out)
        features.write_stock(plan, self.stock_order(), out)

    def _to_struct(self) -> dict[str, Any]:
        return {**position_dict(self.core.pos), "stock": self.stock_names()}

    def _to_observation_struct(self, player: int) -> dict[str, Any]:
        check_player(player)
        return {**self._to_struct(), "observer": player}

    def resample_from_infostate(self, player: int, sampler: Any) -> "MarjoletOpenState":
        """A copy: nothing is hidden."""
        check_player(player)
        return self.clone()

    def history_of_log(self) -> list[tuple[int, int]]:
        """Who did what since the log began: chance leaves no trace in this game's history."""
        return _decisions(self.core.start, self.core.log)

    def open_world(self, rng: Any, player: int | None = None) -> "MarjoletOpenState":
        """A copy: the world is open already."""
        return self.clone()


def open_world_of(state: MarjoletState, rng: Vector, player: int | None) -> MarjoletOpenState:
    """A state of `python_marjolet` in the open game (see `MarjoletState.open_world`)."""
    if player not in (None, 0, 1):
        raise ValueError(f"player: {player!r} is not allowed; it must be 0, 1 or None")
    hidden, start, log = state.get_game(), state.core.start, state.core.log
    if player is not None:
        start, log = worlds.resample(start, log, player, rng)
    log = _past_chance(start, log, rng)
    orders = [bytes(order) for order in worlds.deal_orders(start, log, rng)]
    order = orders[-1]
    params = {**hidden.get_parameters(), "deal_seed": below(rng, 1 << 31)}
    set_up = start.tobytes() != hidden.start_bytes
    if set_up:  # the parameter `deal` gives only the deals after the one that was set up
        orders[:1] = [bytes(cards.bits(hidden.rules.pack))] * int(start[kernel.DEAL])
    elif hidden.rules.first_dealer == kernel.NONE:  # the lot becomes a parameter
        params["first_dealer"], log = action_of(log[0]), log[1:]
    params["deal"] = "".join(cards.card_name(card) for deal in orders for card in deal)
    game = MarjoletOpenGame(params)
    start = start if set_up else game.first_core.start
    world: MarjoletOpenState = state_from(
        game, core_from(start, log, order), _decisions(start, log)
    )
    return world


def _decisions(start: Vector, log: bytes) -> list[tuple[int, int]]:
    """Who decided what in a log."""
    return [event for event in events_with_actors(start, log) if event[0] != CHANCE]


def _past_chance(start: Vector, log: bytes, rng: Vector) -> bytes:
    """The log with random outcomes added until a player is to act or the game is over."""
    pos = start.copy()
    replay(pos, log_array(log))
    while pos[kernel.PLAYER] == CHANCE:
        log += EVENT_BYTES[apply_event(pos, random_outcome(pos, rng))[0] & 255]
    return log


pyspiel.register_game(GAME_TYPE, MarjoletOpenGame)
