"""Small pictures of PNG, JPEG, WebP, GIF and PSD files.

images.py       the pictures, made when first asked for and kept on disk
thumbnail.py    the program that makes one, in a process with limits of its own
"""
