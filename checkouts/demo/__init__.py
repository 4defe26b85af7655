"""The files of the demo project, made afresh and always the same: real native files, small enough to draw at set-up.

    files.py       what there is: path, maker, one comment for each revision
    hero.py        the hero in layers, his portrait and his poster
    pictures.py    the harbour, and how pictures become PNG and JPEG
    drawing.py     paths and smooth edges, on Pillow
    psd.py         a Photoshop document from layers
    office.py      a workbook and a text document
    models.py      solids for a printer and for an engine, and a height map
    sound.py       a tune
    packing.py     zip archives whose bytes do not depend on the day

A revision counts from 1. Nothing here knows of the database.
"""
