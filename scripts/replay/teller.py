"""Turns the steps of a recorded game into lines for a card player."""

from collections.abc import Callable

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.cards import BRISQUES, CARD_NAMES, names_of
from marjolet_spiel.notation import stock_left
from marjolet_spiel.rules import Rules
from scripts.arena.store.recorded import RecordedGame
from scripts.phrases import SUIT_NAMES, ascii_only, counted, paragraph
from scripts.replay.endings import outcome, points_table, rules_of, score, short_names, total
from scripts.replay.exact import judged
from scripts.replay.steps import Step, first_position, name_of, options

_NAMES_OF_GAINS = {
    "melds": "melds",
    "dix": "the dix",
    "stock_end": "the end of the stock",
    "last": "the last trick",
    "sweep": "the sweep",
    "brisques": "aces and tens",
}


class Teller:
    """Turns the steps of a game into lines."""

    def __init__(self, record: RecordedGame, exact: bool) -> None:
        self.lines: list[str] = []
        self._record = record
        self._exact = exact
        self._names = short_names(record.bots)
        self._parts: list[str] = []  # of a sentence that goes on in the next step
        self._pos = first_position(record)
        self._open()

    def said(self) -> str:
        """The lines since the last time."""
        text = ascii_only("\n".join(self.lines))
        self.lines.clear()
        return text

    def tell(self, step: Step) -> None:
        """Says what happens in a step."""
        tellers = {
            kernel.DEALER_LOT: self._lot,
            kernel.TURNING: self._turn,
            kernel.LEAD: self._lead,
            kernel.FOLLOW: self._follow,
            kernel.DECLARE: self._declare,
            kernel.DRAW: self._draw,
        }
        self._pos = step.after
        teller = tellers.get(int(step.before[kernel.PHASE]))
        if teller is not None:
            teller(step)
        if step.deal_over:
            self._end_deal(step)
        elif 0 < step.before[kernel.TRICK] < step.after[kernel.TRICK]:
            match = f"; match: {self._both(total)}" if step.after[kernel.DEAL] > 1 else ""
            self._line(f"points: {self._both(kernel.deal_points)}{match}")

    def finish_sentence(self) -> None:
        """Ends a sentence that waits for the next step."""
        if self._parts:
            self._line("".join(self._parts))
            self._parts.clear()

    def close(self) -> None:
        """Says how the game ended, if it did not end by the rules."""
        self.finish_sentence()
        if self._record.forfeit is None:
            return
        if self._pos[kernel.PHASE] in (kernel.DEALING, kernel.TURNING):
            self.lines.append("\nThe deal is not finished:")
            self._hands()
        name, reason = self._names[self._record.forfeit], self._record.reason
        self.lines.append("\n" + paragraph(f"Here {name} forfeits the game: {reason}"))

    # The parts of a game.

    def _open(self) -> None:
        record, rules = self._record, rules_of(self._record)
        kind = f"a match to {rules.target}" if rules.is_match else "a single deal"
        seats = ", ".join(f"{bot} is player {seat}" for seat, bot in enumerate(record.bots))
        self.lines.append(f"{record.game}: {rules.profile} rules, {kind}")
        self.lines.append(f"Pair {record.pair}, seating {record.seating}: {seats}.")
        if self._exact:
            self.lines.append("\n" + _legend(rules, self._names))

    def _lot(self, step: Step) -> None:
        self.lines.append(f"\nThe lot falls on {self._names[step.action]} to deal.")

    def _turn(self, step: Step) -> None:
        pos = step.after
        dealer, card = self._names[pos[kernel.DEALER]], CARD_NAMES[step.action]
        text = f"Deal {pos[kernel.DEAL]}: {dealer} deals and turns up {card}"
        text += self._bonus(step, int(pos[kernel.DEALER]))
        text += f". {SUIT_NAMES[pos[kernel.TRUMP]].capitalize()} are trumps."
        if pos[kernel.DEAL] > 1:
            text += f" The match stands at {self._both(score)}."
        self.lines.append("\n" + paragraph(text))
        if step.deal_over:
            self._hands()

    def _lead(self, step: Step) -> None:
        pos = step.before
        trick, stock = pos[kernel.TRICK], stock_left(pos)
        left = "the stock is gone"
        if stock:
            shown = CARD_NAMES[pos[kernel.INDICATOR]]
            left = f"{counted(stock, 'card')} in the stock, {shown} face up"
        self.lines.append(f"\nTrick {trick} of {pos[kernel.NUM_TRICKS]}, {left}")
        self._hands(pos)
        self._parts.append(f"{self._names[step.actor]} leads {self._card(step)}")
        if step.deal_over:
            self.finish_sentence()

    def _follow(self, step: Step) -> None:
        self._parts.append(f", {self._names[step.actor]} answers {self._card(step)}")
        for player in range(2):
            taken = int(
                step.after[kernel.CAPTURED0 + player] & ~step.before[kernel.CAPTURED0 + player]
            )
            if taken:
                gains = step.gains(player)
                if player == step.actor:
                    gains.pop("dix", None)  # said with the card
                order = sorted(gains, key=lambda kind: kind != "brisques")  # as they are scored
                won = [f"{gains[kind]} for {_reason(kind, taken)}" for kind in order]
                self._parts.append(f": {self._names[player]} takes it" + _in_brackets(won))
        self.finish_sentence()

    def _card(self, step: Step) -> str:
        card = CARD_NAMES[step.action - kernel.FIRST_PLAY]
        dix = step.gains(step.actor).get("dix")
        return card + (f" ({dix} for the dix)" if dix else "") + self._judged(step)

    def _declare(self, step: Step) -> None:
        if step.action != kernel.DONE:
            again = step.before[kernel.WINDOW] != 0
            what = step.name.replace("meld ", "" if again else "declares ")
            if step.action == kernel.SWAP:
                seven, card = step.after[kernel.INDICATOR], step.before[kernel.INDICATOR]
                what = f"swaps {CARD_NAMES[seven]} for {CARD_NAMES[card]}"
            gained = sum(step.gains(step.actor).values())
            self._act(step, f"{what} ({gained})")
            if step.deal_over:
                self.finish_sentence()
            return
        kept = [name_of(step.before, action) for action in options(step.before)[:-1]]
        if kept:
            self._act(step, "holds back " + ", ".join(name.removeprefix("meld ") for name in kept))
        self.finish_sentence()
        if step.before[kernel.INDICATOR] != step.after[kernel.INDICATOR]:
            self._end_stock(step)

    def _act(self, step: Step, what: str) -> None:
        self._parts.append(", " if self._parts else f"{self._names[step.actor]} ")
        self._parts.append(what + self._judged(step))

    def _draw(self, step: Step) -> None:
        self._parts.append(", " if self._parts else "")
        self._parts.append(
            f"{self._names[kernel.drawer(step.before)]} draws {CARD_NAMES[step.action]}"
        )
        if step.after[kernel.PHASE] != kernel.DRAW:
            self.finish_sentence()

    def _end_stock(self, step: Step) -> None:
        """The last two cards go to the hands."""
        for player in range(2):
            hand = kernel.HAND0 + player
            (card,) = names_of(int(step.after[hand] & ~step.before[hand]))
            verb = "takes" if card == CARD_NAMES[step.before[kernel.INDICATOR]] else "draws"
            bonus = self._bonus(step, player)
            self._parts.append(f"{self._names[player]} {verb} {card}{bonus}")
        winner = int(step.before[kernel.LEADER])
        self._parts[:] = [self._parts[winner], ", ", self._parts[1 - winner]]
        self.finish_sentence()

    def _end_deal(self, step: Step) -> None:
        self.finish_sentence()
        pos, is_match = step.after, rules_of(self._record).is_match
        self.lines.append(f"\nEnd of deal {pos[kernel.DEAL]}")
        self.lines += ["  " + line for line in points_table(pos, self._names, is_match)]
        if step.game_over and self._record.forfeit is None:
            self.lines.append("\n" + outcome(pos, self._names, is_match))

    # Their pieces.

    def _line(self, text: str) -> None:
        self.lines.append(paragraph(text, indent="  "))

    def _hands(self, pos: Vector | None = None) -> None:
        pos = self._pos if pos is None else pos
        width = max(map(len, self._names))
        for player, name in enumerate(self._names):
            hand, shown = (int(pos[field + player]) for field in (kernel.HAND0, kernel.EXPOSED0))
            table = f"  on the table: {' '.join(names_of(shown))}" if shown else ""
            hidden = " ".join(names_of(hand & ~shown))
            self.lines.append(f"  {name:<{width}}  {hidden}{table}".rstrip())

    def _both(self, number: Callable[[Vector, int], int]) -> str:
        return ", ".join(f"{name} {number(self._pos, p)}" for p, name in enumerate(self._names))

    def _bonus(self, step: Step, player: int) -> str:
        gains = step.gains(player).items()
        return _in_brackets([f"{points} for {_reason(kind)}" for kind, points in gains])

    def _judged(self, step: Step) -> str:
        if not self._exact:
            return ""
        return judged(step.before, step.action)


def _legend(rules: Rules, names: tuple[str, str]) -> str:
    what = (
        f"what the match is worth to {names[0]} from -1 (lost) to +1 (won), with ~ if it may go on "
        "after this deal and its chances are estimated"
        if rules.is_match
        else f"points of {names[0]} less those of {names[1]} at the end of the deal"
    )
    return paragraph(
        f"In the endgame [brackets] tell {what}, if both play their best after the move.",
        "With ? it gives something away, and the best moves follow.",
    )


def _reason(kind: str, taken: int = 0) -> str:
    brisques = names_of(taken & BRISQUES)
    return " ".join(brisques) if kind == "brisques" and brisques else _NAMES_OF_GAINS[kind]


def _in_brackets(parts: list[str]) -> str:
    return f" ({', '.join(parts)})" if parts else ""
