"""The report of a tournament in its folder: `report.md` with pictures in `plots/`."""

import shlex
from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path

from scripts.arena.plan.game_text import kind_of_game
from scripts.arena.report.comparison import (
    NO_META_GAME,
    SUPERIORITY,
    WEIGHTS,
    bound_sentence,
    matrix_rows,
    rating_rows,
    rating_sentence,
    share_cells,
    weight_rows,
)
from scripts.arena.report.findings import Findings
from scripts.arena.report.layout import Rows, escaped, markdown_table
from scripts.arena.report.tables import (
    bot_rows,
    forfeit_rows,
    half_width_cells,
    pairing_rows,
    pairing_sentence,
    verdict_text,
)
from scripts.arena.stats.bootstrap import RESAMPLES
from scripts.arena.stats.margins import CONFIDENCE
from scripts.arena.store.manifest import versions
from scripts.arena.store.move_times import MoveTimes
from scripts.drawing import NoPictureError, drawing
from scripts.phrases import counted, counted_are
from scripts.whole_files import write_whole

REPORT = "report.md"
PLOTS = "plots"

WITHOUT_PICTURES = (
    "There are no pictures, as {why}. When that is mended, `python -m scripts.report` with the "
    "folder of the tournament draws them."
)

METHOD = (
    "Each deal is played twice, with the seats swapped: a *duplicate pair*. All pairings play the "
    "same deals. A margin is the mean over both games of a pair, then over pairs.",
    f"The {CONFIDENCE:.0%} interval of a margin is Student's t interval over pairs: these are "
    "independent of each other, the two games of a pair are not. Where it goes to what no "
    "margin can be or beyond, pairs are few or nearly all alike and it is too narrow: there stands "
    "the wider interval of Waudby-Smith and Ramdas (2024) for bounded values, which holds always.",
    f"The intervals of Elo, Nash and AlphaRank, and superiority, rest on a bootstrap: {RESAMPLES} "
    "resamples of the numbers of the pairs, each number with its deal in all pairings at once.",
    "A pair with a forfeit counts in no margin and no rating; forfeits are reported apart.",
    "Each interval is one by itself: of 20 independent ones that hold with 95% confidence one "
    "misses on average.",
    "Times depend on the machine and its load. They are no part of what the plan reproduces.",
)


def write_report(
    found: Findings,
    times: Mapping[int, MoveTimes],
    folder: Path,
    command: Sequence[str],
    made_by: Mapping[str, str] | None = None,
) -> list[Path]:
    """Writes the report of what was found, in place of an older one.

    If there can be no pictures it says why.

    Args:
      found: the results.
      times: the times of the moves of bots, by their indices in the plan; not all need be there.
      folder: where it goes; it is made if it is missing.
      command: the command that makes the tournament again, word by word.
      made_by: the versions that played it; without them the current ones did.

    Returns:
      The files, the text first.

    Raises:
      OSError: the folder cannot be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    captions, why = _write_plots(found, folder / PLOTS)
    test = verdict_text(found)
    sections = [
        _head(found, command, versions(found.plan.config) if made_by is None else made_by),
        *([WITHOUT_PICTURES.format(why=why)] if why else []),
        *(["## Sequential test", escaped(test)] if test else []),
        *report_sections(found, times, captions),
    ]
    path = folder / REPORT
    write_whole(path, "\n\n".join(sections) + "\n")
    if captions:
        from scripts.arena.report.plots import remove_others

        remove_others(folder / PLOTS, captions)
    endings = (".png", ".svg")
    return [path, *(folder / PLOTS / f"{name}{end}" for name in captions for end in endings)]


def _write_plots(found: Findings, folder: Path) -> tuple[dict[str, str], str]:
    """Writes the pictures; their captions by name, and why there are none, if there are none."""
    try:
        with drawing():
            from scripts.arena.report.plots import write_plots

            return write_plots(found, folder), ""
    except NoPictureError as error:
        return {}, escaped(str(error))


def report_sections(
    found: Findings, times: Mapping[int, MoveTimes], captions: Mapping[str, str]
) -> list[str]:
    """The sections after the head in Markdown; with the pictures that have captions."""
    return [
        *_ranking(found, times),
        *_pictures(captions, "margins", "convergence"),
        *_pairings(found),
        *_pictures(captions, "variance"),
        *_forfeits(found),
        *(_meta_game(found, captions) if len(found.bots) > 2 else []),
        "## Method",
        "\n".join(f"- {sentence}" for sentence in METHOD),
    ]


def _head(found: Findings, command: Sequence[str], made_by: Mapping[str, str]) -> str:
    """What was played, and how it is made again."""
    plan, config = found.plan, found.plan.config
    blocks = len(plan.blocks)
    pairings = counted(len(plan.pairings), "pairing")
    pairs = counted(config.pairs, "duplicate pair")
    of = f"{found.finished} of {counted_are(blocks, 'block')}"
    done = f"**{of} finished; the rest is yet to be played.**"
    lines = [
        f"- Game: {escaped(config.game)} ({kind_of_game(config.game)})",
        f"- Bots: {', '.join(map(escaped, config.bots))}",
        f"- Plan: {pairs} a pairing, {pairings}, {plan.num_games} "
        f"games, seed {config.seed}; hash {plan.hash}",
        *([f"- {done}"] if found.finished < blocks else []),
        f"- Made with: {', '.join(escaped(f'{k} {v}') for k, v in made_by.items())}",
    ]
    again = f"To make it again:\n\n```sh\n{shlex.join(command)}\n```"
    return f"# Tournament {plan.hash[:8]}\n\n" + "\n".join(lines) + f"\n\n{again}"


def _ranking(found: Findings, times: Mapping[int, MoveTimes]) -> list[str]:
    by = (
        f"Ranked by mean margin against all others, in {found.unit}, with its {CONFIDENCE:.0%} "
        "interval over duplicate pairs."
        if found.by_margin
        else f"Ranked by Elo, as not every two bots have met: margins, in {found.unit} with their "
        f"{CONFIDENCE:.0%} intervals over duplicate pairs, are against different opponents."
    )
    sentences = [rating_sentence(found.anchor), *bound_sentence(list(found.rated.values()))]
    return [
        "## Ranking",
        by,
        markdown_table(ranking_rows(found, times), left=2),
        *map(escaped, sentences),
        "ms, p99: milliseconds a move on average, and what 99% of the moves do not exceed.",
    ]


def ranking_rows(found: Findings, times: Mapping[int, MoveTimes]) -> Rows:
    """A row for each bot with all that is known of it alone, after the head."""
    margins = bot_rows(found.bots, found.digits)
    rated = rating_rows([found.rated[name] for name in found.names])
    clock = [["ms", "p99"], *(_time_cells(times.get(bot)) for bot in found.order)]
    ranks = ["rank", *map(str, range(1, len(found.bots) + 1))]
    return [
        [rank, *margin[:3], *rating[1:4], *margin[3:], *time]
        for rank, margin, rating, time in zip(ranks, margins, rated, clock, strict=True)
    ]


def _time_cells(times: MoveTimes | None) -> list[str]:
    return ["-", "-"] if times is None else [_ms(times.mean), _ms(times.quantile(0.99))]


def _ms(seconds: float) -> str:
    """Milliseconds with three digits; longer whole ones are not rounded."""
    ms = 1000 * seconds
    return "-" if isnan(ms) else f"{ms:.3g}" if ms < 999 else f"{ms:.0f}"


def _pairings(found: Findings) -> list[str]:
    return [
        "## Pairings",
        escaped(pairing_sentence(found.unit)),
        markdown_table(pairing_rows(found.pairings, found.digits)),
    ]


def _forfeits(found: Findings) -> list[str]:
    rows = forfeit_rows(found.pairings)
    if len(rows) == 1:
        return ["## Forfeits", "No game was forfeited."]
    return ["## Forfeits", "Their pairs are left out of the margins.", markdown_table(rows, left=4)]


def _meta_game(found: Findings, captions: Mapping[str, str]) -> list[str]:
    """Who does what against whom, and whom a player should choose."""
    bots, order = found.plan.config.bots, found.order
    payoffs = [
        "## Payoffs",
        f"Mean margin of the row's bot against the column's in {found.unit}, and half the width of "
        f"its {CONFIDENCE:.0%} interval over duplicate pairs.",
        markdown_table(matrix_rows(bots, _payoff_cells(found), order)),
        *_pictures(captions, "payoffs"),
    ]
    if found.game is None:
        return [*payoffs, NO_META_GAME]
    shares = share_cells(found.game.superiority)
    return [
        *payoffs,
        "## Superiority",
        escaped(SUPERIORITY),
        markdown_table(matrix_rows(bots, shares, order)),
        *_pictures(captions, "superiority"),
        "## Nash and AlphaRank",
        escaped(WEIGHTS),
        markdown_table(weight_rows(bots, found.game, order)),
        *_pictures(captions, "population"),
    ]


def _payoff_cells(found: Findings) -> Rows:
    """The margin of each bot against each other one, in the order of the plan."""
    bots = found.plan.config.bots
    margins = [[found.payoff(bot, other) for other in bots] for bot in bots]
    return [
        ["-" if cell is None else " ".join(half_width_cells(cell, found.digits)) for cell in row]
        for row in margins
    ]


def _pictures(captions: Mapping[str, str], *names: str) -> list[str]:
    """The pictures that there are, each with what it shows."""
    return [
        f"![{name}]({PLOTS}/{name}.png)\n\n*{name.capitalize()}* ([SVG]({PLOTS}/{name}.svg)): "
        f"{captions[name]}"
        for name in names
        if name in captions
    ]
