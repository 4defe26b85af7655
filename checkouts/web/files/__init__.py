"""Pages of one file.

file.py          the file's page
prediction.py    what a check-in would become now
check_outs.py    check out, extend, discard
discards.py      the confirmation page before a discard
breaks.py        break a check-out
hand_overs.py    take over, hand over
moves.py         rename, archive, unarchive
versions.py      restore a version, and the write policy
content.py       downloads
previews.py      previews and thumbnails
tenures.py       who had the file when, from the journal
timeline.py      journal entries about files as sentences
"""
