"""The upper floor's write path: one module for each noun, each verb one transaction (`leasehold.actions.action`).

Lock order, everywhere: gate → project (only for what puts something at a path) → lease row → check-out → artifact →
journal.
"""
