"""The board's page.

board.py    all leases that the reader may see
"""
