"""The operators' pages.

queue.py    what waits for a decision, and deciding on several at once
"""
