"""The parent side of measuring: what to time, in which child process, and what came of it.

Leaves to others: the timing itself (`probes.workers`) and what the figures mean
(`advisor.predict`).
"""
