"""Pages of proposals.

proposal_list.py    proposals that wait for a decision
proposal.py         one proposal, and the decision on it
sides.py            base, head and proposal side by side
"""
