"""The k surest matches so far, whose worst is what another must reach."""

from __future__ import annotations

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats
from whenabouts.kernels.match.work import Question


@jit
def wanted_confidence(question: Question, best: Floats) -> float:
    """The confidence that a match must reach: the threshold, or that of the worst of the k best so far."""
    if len(best) and best[0] >= len(best) - 1:
        return max(question.threshold, best[1])
    return question.threshold


@jit
def remember(best: Floats, value: float) -> None:
    """Put a confidence on the heap of the k best; best[0] is how many it holds, best[1] the least of them."""
    room = len(best) - 1
    if room < 1:
        return
    if best[0] < room:
        best[0] += 1.0
        place = int(best[0])
        best[place] = value
        while place > 1 and best[place // 2] > best[place]:
            best[place // 2], best[place] = best[place], best[place // 2]
            place //= 2
        return
    if value <= best[1]:
        return
    best[1], place = value, 1
    while 2 * place <= room:
        least = 2 * place
        if least < room and best[least + 1] < best[least]:
            least += 1
        if best[place] <= best[least]:
            break
        best[place], best[least] = best[least], best[place]
        place = least
