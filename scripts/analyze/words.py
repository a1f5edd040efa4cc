"""An analysis as text for a card player."""

from collections.abc import Sequence
from math import isnan
from textwrap import fill

from bots.view import SeatView, seat_view
from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.cards import CARD_NAMES, bits, meld_name, names_of
from marjolet_spiel.notation import meld_names
from marjolet_spiel.rules import Rules
from scripts.analyze.thoughts import Analysis, Thoughts
from scripts.arena.plan.game_text import parse_game
from scripts.phrases import SUIT_NAMES, WIDTH, ascii_only, counted, paragraph


def analysis_text(analysis: Analysis) -> str:
    """The position in words, a table with a row for each legal move, and what it means."""
    pos = analysis.state.core.pos
    rules = Rules.from_parameters(parse_game(analysis.game))
    view = seat_view(analysis.state, analysis.player)
    parts = [
        _situation(analysis, rules, view, pos),
        _facts(view, pos),
        _window(view, pos) if view.phase == kernel.DECLARE else "",
        _table(analysis, 3 if rules.is_match else 1),
        _legend(analysis, rules),
        _best_play(analysis),
    ]
    text = "\n\n".join(part for part in parts if part)
    return ascii_only(text)


# The position.


def _situation(analysis: Analysis, rules: Rules, view: SeatView, pos: Vector) -> str:
    kind = "a single deal"
    if rules.is_match:
        kind = f"deal {pos[kernel.DEAL]} of a match to {rules.target}"
    task = {
        kernel.LEAD: "are to lead",
        kernel.FOLLOW: f"are to answer {CARD_NAMES[view.led]}",
        kernel.DECLARE: "have won it" + " and may declare" * (len(analysis.moves) > 1),
    }[view.phase]
    return "\n".join(
        [
            f"{analysis.game}: {rules.profile} rules, {kind}",
            f"Trick {view.trick} of {view.num_tricks}. You (player {view.player}) {task}.",
            f"Trumps are {SUIT_NAMES[view.trump]} {_stock(view)}",
        ]
    )


def _stock(view: SeatView) -> str:
    if view.indicator == kernel.NONE:
        return f"({CARD_NAMES[view.turn_up]} was turned up). The stock is gone."
    swapped = f", swapped for {CARD_NAMES[view.turn_up]}" if view.swapped else ""
    left = counted(view.stock_left, "card")
    return f"(indicator {CARD_NAMES[view.indicator]}{swapped}). {left} left in the stock with it."


def _facts(view: SeatView, pos: Vector) -> str:
    you, other = view.player, 1 - view.player
    suits = int(pos[kernel.NUM_SUITS])
    melds = [
        ", ".join(meld_names(int(pos[kernel.DECLARED0 + player]), suits)) or "nothing"
        for player in (you, other)
    ]
    rows = {
        "your hand": _hand(view),
        "opponent": _other_hand(view),
        "unseen": _unseen(view),
        "points": _points(view, pos),
        "declared": f"you {melds[0]}; your opponent {melds[1]}",
    }
    return "\n".join(
        fill(
            text,
            WIDTH,
            initial_indent=f"{name:<11}",
            subsequent_indent=" " * 11,
            break_on_hyphens=False,
        )
        for name, text in rows.items()
        if text
    )


def _points(view: SeatView, pos: Vector) -> str:
    seats = (view.player, 1 - view.player)
    own, his = (kernel.deal_points(pos, seat) for seat in seats)
    text = f"you have {own} in this deal, your opponent {his}"
    if pos[kernel.TARGET] > 0:
        own, his = (pos[kernel.SCORE0 + seat] for seat in seats)
        text += f"; before it you had {own}, your opponent {his}"
    return text


def _hand(view: SeatView) -> str:
    known = names_of(view.own_known)
    seen = f" (your opponent knows {' '.join(known)})" if known and view.stock_open else ""
    return " ".join(names_of(view.hand)) + seen


def _other_hand(view: SeatView) -> str:
    if not view.stock_open:
        return " ".join(names_of(view.his_hand)) + " (known by counting)"
    known = " ".join(names_of(view.his_known))
    return counted(view.his_count, "card") + (f", among them {known}" if known else "")


def _unseen(view: SeatView) -> str:
    if not view.stock_open:
        return ""
    hidden = view.his_count - view.his_known.bit_count()
    down = view.unseen.bit_count() - hidden
    cards = " ".join(names_of(view.unseen))
    return f"{cards} ({hidden} in your opponent's hand, {down} face down)"


# Windows.


def _window(view: SeatView, pos: Vector) -> str:
    """What may be declared, and what becomes of what is held back."""
    suits = int(pos[kernel.NUM_SUITS])
    melds = [
        action - kernel.FIRST_MELD
        for action in bits(view.legal)
        if kernel.FIRST_MELD <= action < kernel.DONE
    ]
    offers = [f"{meld_name(m, suits)} for {kernel.meld_value(pos, m)} points" for m in melds]
    if view.legal >> kernel.SWAP & 1:
        offers.insert(0, f"swap the seven of trumps for {CARD_NAMES[view.indicator]} (10 points)")
    if not offers:
        return "There is nothing to declare: you can only close the window (done)."
    more = " more" if view.window else ""
    return paragraph(
        f"You may declare{more}: " + ", ".join(offers) + ".",
        "Melds of one window are declared in this order." if len(melds) > 1 else "",
        "A card serves one of them." if len(melds) > 1 and pos[kernel.DISJOINT] else "",
        "The swap comes first." if view.legal & 1 and melds else "",
        "With done you close the window and hold back what is left:",
        "it is lost, as this is the last window."
        if _is_last_window(view, pos)
        else "if you keep its cards, it can be declared after a later trick that you win.",
    )


def _is_last_window(view: SeatView, pos: Vector) -> bool:
    last = view.num_tricks - 1 if pos[kernel.ENDGAME_MELDS] else view.stock_tricks
    return view.trick >= last


# The table.


def _table(analysis: Analysis, digits: int) -> str:
    names = [analysis.state.action_to_string(action) for action in analysis.moves]
    columns = [["move", *names]]
    if analysis.solution or analysis.obstacle:
        columns.append(["exact", *_exact_cells(analysis, digits)])
    columns += [_column(one, analysis.moves, digits) for one in analysis.thoughts]
    widths = [max(map(len, column)) for column in columns]
    rows = []
    for cells in zip(*columns, strict=True):
        rest = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
        rows.append("  ".join([cells[0].ljust(widths[0]), *rest]).rstrip())
    return "\n".join(rows)


def _exact_cells(analysis: Analysis, digits: int) -> list[str]:
    if analysis.solution is None:
        return ["-"] * len(analysis.moves)
    shown = digits if digits > 1 else 0  # points are whole
    return [f"{analysis.solution.moves[action]:+.{shown}f}" for action in analysis.moves]


def _column(thoughts: Thoughts, moves: Sequence[int], digits: int) -> list[str]:
    """The name of a bot, and its cells: value, weight and a star for its choice."""
    values = [_value(thoughts.values[move], digits) for move in moves]
    width = max(map(len, values))
    cells = []
    for move, value in zip(moves, values, strict=True):
        shown = value.rjust(width) + " " if thoughts.searches else ""
        star = "*" if move == thoughts.choice else " "
        cells.append(f"{shown}{thoughts.weights[move]:>4.0%} {star}")
    return [thoughts.bot + "  ", *cells]


def _value(value: float, digits: int) -> str:
    return "-" if isnan(value) else f"{value:+.{digits}f}"


def _legend(analysis: Analysis, rules: Rules) -> str:
    if len(analysis.moves) == 1:
        sentences = ["There is only one legal move; bots do not search then."]
    else:
        sentences = ["* is what a bot plays."]
        if any(one.searches for one in analysis.thoughts):
            sentences += ["Percent: the share of visits or votes that a search gave the move;"]
            sentences += ["for a bot that does not search, how likely it plays it."]
            if analysis.solution:
                sentences += ["A search that solves the endgame gives 100% to the move it plays."]
        else:
            sentences += ["Percent: how likely the bot plays the move."]
    meaning = (
        "Values are what the match is worth to you, from -1 (lost) to +1 (won)."
        if rules.is_match
        else "Values are your points less your opponent's at the end of the deal, with those "
        "already made."
    )
    valued = analysis.solution or any(one.searches for one in analysis.thoughts)
    guessing = [one.bot for one in analysis.thoughts if one.guesses]
    sentences += [f"{bot} does not hold this position and plays at random." for bot in guessing]
    return "\n".join(filter(None, [meaning if valued else "", paragraph(*sentences)]))


def _best_play(analysis: Analysis) -> str:
    """The exact column explained, with the best line; or why there is none."""
    if analysis.obstacle:
        return paragraph(f"exact: not computed: {analysis.obstacle}.")
    if analysis.solution is None:
        return ""
    you = analysis.player
    estimate = (
        ""
        if analysis.solution.exact
        else "The match may go on after this deal: its chances are then estimated."
    )
    return "\n".join(
        [
            paragraph("exact: the value if both play their best from here.", estimate),
            paragraph(f"best play: {analysis.solution.line}"),
            f"A trick is the card led, the answer and, in brackets, who takes it: you are {you}.",
        ]
    )
