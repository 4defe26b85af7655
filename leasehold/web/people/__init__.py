"""Pages of accounts.

accounts.py    people and agents, for superusers
profile.py     one's own name, time zone, password and tokens
"""
