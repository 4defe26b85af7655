"""A tune of plucked notes, as a WAV file."""

import io
import math
import wave
from array import array
from sys import byteorder

RATE = 16_000  # samples a second
LOUDNESS = 9_000  # of 32,767


def tune(notes: list[int], beat: float) -> bytes:
    """Mono, 16 bits. `notes`: semitones above A3, one for each beat of that many seconds; the last one rings out."""
    samples = array("h")
    for number, note in enumerate(notes):
        beats = 3 if number == len(notes) - 1 else 1
        samples.extend(plucked(220 * 2 ** (note / 12), beat * beats))
    if byteorder == "big":
        samples.byteswap()
    target = io.BytesIO()
    with wave.open(target, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(RATE)
        sound.writeframes(samples.tobytes())
    return target.getvalue()


def plucked(frequency: float, seconds: float) -> list[int]:
    """A tone with its octave, quick to rise and slow to fade."""
    turn = 2 * math.pi * frequency / RATE
    samples = []
    for at in range(round(seconds * RATE)):
        strength = min(1, at / 80) * math.exp(-3 * at / RATE)
        samples.append(round(LOUDNESS * strength * (math.sin(turn * at) + 0.4 * math.sin(2 * turn * at))))
    return samples
