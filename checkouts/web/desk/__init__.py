"""The page *My desk*.

desk.py    the page, and its verbs on several check-outs
news.py    what happened to the reader's check-outs, proposals and sessions
"""
