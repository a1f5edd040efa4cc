"""What all tests rely on."""

import signal

# Started in the background they inherit that Ctrl-C is ignored, and so would all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
