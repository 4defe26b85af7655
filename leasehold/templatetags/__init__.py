"""Template filters and tags.

parts.py    icons, times in the reader's zone, remaining time, sizes
"""
