"""What results say, from the margins of duplicate pairs.

* `margins`: means and intervals of pairings and bots; `bounded`: at the edge of what is possible
* `sequential`, `stopping`: whether they suffice to stop a pairing
* `bootstrap`, `ratings`, `metagame`: what they say about three bots or more
"""
