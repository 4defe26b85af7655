"""The journal's page.

journal.py      the page, its filters and its exports
filters.py      from the text in a filter to participants and subjects
sentences.py    entries as sentences
"""
