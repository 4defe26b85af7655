"""Pages of projects, without their files.

project_list.py    the list of projects
members.py         a project's members and settings, for its operators
"""
