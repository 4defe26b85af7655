"""The page *My desk*.

desk.py    the page, and its verbs on several check-outs
news.py    what others did to the reader's check-outs and proposals
"""
