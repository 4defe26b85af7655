"""Rows as plain dicts, as the API sends them. Times are in UTC with `Z`; a participant stands beside every name.

files.py        files and versions
attempts.py     check-outs, edits, and what a check-in results in
proposals.py    proposals
"""
