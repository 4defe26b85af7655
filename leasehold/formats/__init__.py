"""Django's default format of a time, which only the admin uses."""
