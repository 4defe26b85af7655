"""The fields of API requests, which validate JSON bodies, and of uploads and responses, which are only documented.

files.py        files, versions and uploads
attempts.py     check-outs, edits, and what a check-in results in
proposals.py    proposals, and the decisions on them
"""
