"""Rules of the verdicts on agreement, stopping and reusability, and the figures behind them."""
