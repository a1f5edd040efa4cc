"""Search of the stock tricks, where cards are hidden.

* `ismcts`, `pimc`: the searches; each is one call, `search_ismcts` and `search_pimc`
* `options`, `result`: how they search, and what they find
* `decision`: what they share: the endgame exactly (`exact`), all else by searching
* `simulation`, `tree`: ISMCTS in compiled code; `world_search`: alpha-beta in sampled worlds
* `evaluation`: what cards and positions are worth by rule of thumb, the heuristic policy
* `rollouts`, `leaves`: how games go on beyond a tree, and what they are worth in the endgame

A state goes as the player sees it to a search, which samples worlds that compiled code plays out.
So a bot for OpenSpiel is made of one call::

    import pyspiel

    from marjolet_spiel.solvers.search import IsmctsOptions, search_ismcts


    class SearchBot(pyspiel.Bot):
        def step(self, state):
            return search_ismcts(state, seed=1, options=IsmctsOptions(sims=200)).choice
"""

from marjolet_spiel.first_use import say_when_compiling

with say_when_compiling():
    from marjolet_spiel.solvers.search.decision import Search
    from marjolet_spiel.solvers.search.ismcts import IsmctsSearch, search_ismcts
    from marjolet_spiel.solvers.search.options import IsmctsOptions, PimcOptions
    from marjolet_spiel.solvers.search.pimc import PimcSearch, search_pimc
    from marjolet_spiel.solvers.search.result import ActionValue, Evaluation, SearchResult

__all__ = [
    "ActionValue",
    "Evaluation",
    "IsmctsOptions",
    "IsmctsSearch",
    "PimcOptions",
    "PimcSearch",
    "Search",
    "SearchResult",
    "search_ismcts",
    "search_pimc",
]
