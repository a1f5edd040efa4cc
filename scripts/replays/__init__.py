"""Recorded games, played again: `steps` checks them, `words` retells them, `exact` judges them."""
