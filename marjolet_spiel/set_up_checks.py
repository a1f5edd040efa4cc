"""Whether a position that was read can occur: sizes, tricks, who leads, points."""

from marjolet_spiel import kernel
from marjolet_spiel.cards import bits
from marjolet_spiel.kernel import NONE, PHASE_NAMES
from marjolet_spiel.positions import POINT_FIELDS, card_or_none
from marjolet_spiel.set_up_fields import MOST, Fields
from marjolet_spiel.simulate import CATEGORIES


def check_position(fields: Fields) -> None:
    """ValueError, which says why, if hands, stock, tricks and points do not go together.

    The points of both players are read on the way.
    """
    _check_sizes(fields)
    _check_points(fields)


def _check_sizes(fields: Fields) -> None:
    pos, phase = fields.pos, int(fields.pos[kernel.PHASE])
    hands = [int(pos[kernel.HAND0 + player]).bit_count() for player in range(2)]
    if phase <= kernel.TURNING:
        _check_dealing(fields, hands)
        return
    _check_indicator(fields)
    trick, size = int(pos[kernel.TRICK]), int(pos[kernel.HAND_SIZE])
    gone = max(0, trick - int(pos[kernel.STOCK_TRICKS]) - 1)
    full, leader = size - gone, int(pos[kernel.LEADER])
    after_trick = [full - 1, full - 1]
    after_lead = [full - (player == leader) for player in range(2)]
    one_drawn = [full - (player != leader) for player in range(2)]
    allowed = {
        kernel.LEAD: [[full, full]],
        kernel.FOLLOW: [after_lead],
        kernel.DECLARE: [after_trick],
        kernel.DRAW: [after_trick, one_drawn],
        kernel.OVER: [[full, full], after_trick, after_lead],
    }[phase]
    if hands not in allowed:
        raise fields.bad(
            "hands",
            f"in phase {PHASE_NAMES[phase]} of trick {trick} they have "
            f"{' or '.join(map(str, allowed))} cards, not {hands}",
        )
    on_table = pos[kernel.LED] != NONE
    _check_tricks(fields, hands not in ([full, full], after_lead) and not on_table)
    _check_leader(fields)


def _check_dealing(fields: Fields, hands: list[int]) -> None:
    pos, size = fields.pos, int(fields.pos[kernel.HAND_SIZE])
    phase, dealer = int(pos[kernel.PHASE]), int(pos[kernel.DEALER])
    for key in ("turn_up", "indicator", "led"):
        if fields.setup[key] != "":
            raise fields.bad(key, "nothing is turned up or led before the deal is done")
    if pos[kernel.CAPTURED0] or pos[kernel.CAPTURED1]:
        raise fields.bad("captured", "nothing is captured before the deal is done")
    if pos[kernel.SWAPPED] or pos[kernel.WINS0] or pos[kernel.WINS1]:
        raise fields.bad("phase", "no trick was played before the deal is done")
    first, second = (0, 0) if dealer == NONE else (hands[1 - dealer], hands[dealer])
    if phase == kernel.DEALER_LOT:
        fits = hands == [0, 0] and pos[kernel.DEAL] == 1 and pos[kernel.FIRST_DEALER] == NONE
    elif phase == kernel.TURNING:
        fits = first == second == size
    else:
        fits = second == 0 <= first <= size or first == size > second
    if not fits:
        raise fields.bad("hands", f"{hands} cards cannot be dealt in phase {PHASE_NAMES[phase]}")
    if phase == kernel.DEALING:
        free = int(kernel.dealable(pos)).bit_count()
        if free < size - hands[int(kernel.hand_being_dealt(pos))]:
            raise fields.bad("hands", "hands are dealt in ascending order of the cards")


def _check_indicator(fields: Fields) -> None:
    pos = fields.pos
    if pos[kernel.TURN_UP] == NONE:
        raise fields.bad("turn_up", "a card was turned up")
    seven = int(kernel.seven_of_trumps(pos))
    expected = int(pos[kernel.TURN_UP])
    if pos[kernel.SWAPPED]:
        if expected == seven or not int(pos[kernel.PACK]) >> seven & 1:
            raise fields.bad("swapped", "there was no dix to swap")
        expected = seven
    if fields.stock_over():
        expected = NONE
    if pos[kernel.INDICATOR] != expected:
        raise fields.bad("indicator", f"it must be {card_or_none(expected)!r}")
    if (pos[kernel.LED] != NONE) and pos[kernel.PHASE] not in (kernel.FOLLOW, kernel.OVER):
        raise fields.bad("led", "no card is led in this phase")
    if pos[kernel.LED] == NONE and pos[kernel.PHASE] == kernel.FOLLOW:
        raise fields.bad("led", "a card is led in this phase")


def _check_tricks(fields: Fields, taken: bool) -> None:
    pos = fields.pos
    tricks = int(pos[kernel.TRICK]) - 1 + taken
    captured = [int(pos[kernel.CAPTURED0 + player]).bit_count() for player in range(2)]
    if sum(captured) != 2 * tricks or captured[0] % 2:
        raise fields.bad("captured", f"{tricks} tricks of two cards were taken, not {captured}")
    wins = [int(pos[kernel.WINS0 + player]) for player in range(2)]
    ended = max(0, tricks - int(pos[kernel.STOCK_TRICKS]))
    if (
        min(wins) < 0
        or sum(wins) != ended
        or any(2 * w > c for w, c in zip(wins, captured, strict=True))
    ):
        raise fields.bad("last_tricks", f"{ended} endgame tricks were taken")


def _check_leader(fields: Fields) -> None:
    pos = fields.pos
    undecided = pos[kernel.PHASE] in (kernel.LEAD, kernel.FOLLOW)
    if undecided and pos[kernel.TRICK] == 1 and pos[kernel.LEADER] == pos[kernel.DEALER]:
        raise fields.bad("leader", "the non-dealer leads the first trick")
    if not undecided and pos[kernel.PHASE] != kernel.OVER:
        if not pos[kernel.CAPTURED0 + pos[kernel.LEADER]]:
            raise fields.bad("leader", "he has won no trick")
        if fields.stock_over() and not pos[kernel.ENDGAME_MELDS]:
            raise fields.bad("phase", "there are no windows in the endgame")
    taken = pos[kernel.TRICK] - pos[kernel.STOCK_TRICKS] - undecided
    wins = pos[kernel.WINS0 + pos[kernel.LEADER]]
    if taken > 0 and pos[kernel.PHASE] != kernel.OVER and not wins:
        raise fields.bad("leader", "he has won none of the last tricks")
    drawing = pos[kernel.PHASE] == kernel.DRAW
    if drawing and pos[kernel.TRICK] >= pos[kernel.STOCK_TRICKS]:
        raise fields.bad("phase", "the last cards of the stock are drawn without a chance node")


def _check_points(fields: Fields) -> None:
    pos = fields.pos
    points = fields.pair("points", dict)
    for player, given in enumerate(points):
        small = all(type(v) is int and abs(v) <= MOST for v in given.values())
        if set(given) != set(CATEGORIES) or not small:
            raise fields.bad("points", f"each has whole numbers for {', '.join(CATEGORIES)}")
        for category, field in POINT_FIELDS.items():
            pos[field + player] = given[category]
        declared = bits(int(pos[kernel.DECLARED0 + player]))
        worth = sum(int(kernel.meld_value(pos, meld)) for meld in declared)
        if given["melds"] != worth:
            raise fields.bad("points", f"the melds of player {player} are worth {worth}")
    for category, total in _expected_points(fields).items():
        found = [given[category] for given in points]
        if sum(found) not in total or min(found) < 0 or any(v % 10 for v in found):
            raise fields.bad("points", f"{category} {found} must add up to one of {total}")


def _expected_points(fields: Fields) -> dict[str, list[int]]:
    """What the points of both players can add up to, by category."""
    pos = fields.pos
    over, ended = pos[kernel.PHASE] == kernel.OVER, pos[kernel.TARGET] > 0
    played_out = over and fields.played().bit_count() == pos[kernel.NUM_CARDS]
    bonus = int(pos[kernel.SWEEP_BONUS])
    swept = pos[kernel.HAND_SIZE] in (pos[kernel.WINS0], pos[kernel.WINS1])
    return {
        "dix": [_expected_dix(fields)],
        "stock_end": [10 if fields.stock_over() else 0],
        "last": ([0, 10] if ended else [10]) if played_out else [0],
        "sweep": ([0, bonus] if ended else [bonus]) if played_out and swept else [0],
    }


def _expected_dix(fields: Fields) -> int:
    pos = fields.pos
    if pos[kernel.TURN_UP] == NONE:
        return 0
    seven = int(kernel.seven_of_trumps(pos))
    where = fields.played() | int(pos[kernel.HAND0]) | int(pos[kernel.HAND1])
    where |= int(pos[kernel.DOWN]) | (
        0 if pos[kernel.INDICATOR] == NONE else 1 << int(pos[kernel.INDICATOR])
    )
    played = fields.played() >> seven & 1 or not where >> seven & 1
    in_pack = int(pos[kernel.PACK]) >> seven & 1
    paid = 10 * bool(pos[kernel.TURN_UP] == seven) + 10 * bool(pos[kernel.SWAPPED])
    return paid + 10 * bool(in_pack and played and kernel.dix_pays(pos, seven))
