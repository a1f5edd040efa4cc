"""What players think of a position: ``python -m scripts.analyze`` reads it, asks them, says it.

* `reading`: a position from a text or a file
* `thoughts`: what bots and the exact solver think of it
* `words`: how that is written
"""
