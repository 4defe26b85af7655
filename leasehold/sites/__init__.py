"""The identity of an installation, kept in the database and beside the stored bytes, so that neither meets a stranger.

stores.py      what the floor above offers for each place in which it keeps bytes
identity.py    compare the database with the stores, and adopt a store
readiness.py   whether the stores are in place and can be written
"""
