"""The ground floor's pages for the browser, one sub-package for each noun, and what all pages share.

urls.py             the addresses
sign_in/            signing in and out, and the theme
projects/           the list of projects, their members and settings
tickets/            tickets and their sessions
people/             accounts, and one's own profile
journal/            the journal
middleware.py       the reader's time zone, and refusals as pages
refusal_pages.py    the page for each refusal, from one table
context.py          the context processor: time, theme, counts in the navigation
reader.py           the signed-in reader: actor, theme, time zone, next page
forms.py            values from forms and addresses, and messages
confirmation.py     the page that asks before an action that matters
holds.py            a lease as its reader sees it
tape.py             a timeline of who held something, as bars
"""
