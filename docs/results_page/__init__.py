"""The parts of docs/results.md, which docs/make_results.py writes."""
