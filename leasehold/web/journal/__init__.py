"""The journal's page.

journal.py      the page, its filters and its exports
filters.py      what people type into the filters, as participants and subjects
sentences.py    entries as sentences
"""
