"""What all tests rely on, and how long a run may take."""

import signal
import time

import pytest

# Started in the background they inherit that Ctrl-C is ignored, and so would all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_BEGUN = time.monotonic()


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--minutes=N``: what has not begun N minutes after the start is skipped, and counted so."""
    parser.addoption("--minutes", type=float, help="skip tests that have not begun by then")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test for which no time is left."""
    minutes = item.config.getoption("--minutes")
    if minutes is not None and time.monotonic() - _BEGUN > 60 * minutes:
        pytest.skip(f"{minutes:g} minutes are over")
