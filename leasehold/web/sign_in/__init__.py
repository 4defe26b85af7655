"""Pages for signing in and out.

views.py    sign in, sign out, and the theme
"""
