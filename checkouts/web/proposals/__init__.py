"""Pages of proposals.

proposal_list.py    proposals that wait for a decision
proposal.py         one proposal, and the decision on it
comparison.py       base, newest version and proposal side by side
"""
