"""Retrieval quality, latency and the measurements behind the decision pages.

Every benchmark prints tables and writes JSON under benchmarks/results/; none asserts.
"""
