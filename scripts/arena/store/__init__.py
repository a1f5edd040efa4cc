"""Results on disk, appended block by block, so that nothing is lost.

* `records`, `recorded`, `move_times`: results, whole games and times, and how they are written
* `journal`, `lock`: lines appended to a file, and one writer at a time
* `store`: a folder with all of them, for one plan; `manifest` says which, `reading` reads it
* `sealed`: lines with a checksum
* `settings`: which flag keeps a run from going on with what is there
"""
