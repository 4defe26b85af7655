"""What the actions need of the database, alike on SQLite and PostgreSQL.

clock.py           the database's clock, in Python and in SQL
transactions.py    `transactional`: one durable transaction for each verb, with retries
sets.py            many rows in one statement
keyset.py          the condition for the next page of a list
ids.py             ids from text
checks.py          start-up checks of PostgreSQL's settings
"""
