"""How Django writes a time where nobody says otherwise, which is in the admin."""
