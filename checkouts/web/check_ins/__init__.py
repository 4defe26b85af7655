"""Pages for checking in.

check_in.py         one file, on its own page
check_in_many.py    several files at once
"""
