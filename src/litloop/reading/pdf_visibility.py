"""Which words of a PDF page a person can see.

Text in the colour of the paper, under a picture, clipped away, in a hidden layer, fully transparent or smaller than a
point is in the file and not on the page: quoted, it would be evidence that no reader can find. What is seen is what
is drawn, so the page is drawn: a word is hidden when nothing is inked where it stands, or when the page looks the
same without it. The text layer of a scanned page is drawn invisibly too; it stands over the picture of its own words
and is kept."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pypdfium2
import pypdfium2.raw as pdfium

_SCALE = 1.0  # pixels per point: 4-point type still leaves marks, and drawing costs a tenth of reading
_MOST_PIXELS = 1600  # of the longer side
_CONTRAST = 16  # of 255, in any channel: less is paper on paper
_LIGHT = 0xE0  # of 255, in every channel: text so light may hide among other text
_CLEAR = 26  # of 255: fainter than a tenth is not seen
_LEAST_HEIGHT = 1.2  # points of line height, which is about 1.2 times the font size
_JUMP = 1.8  # line heights between the middles of neighbouring letters: the next word
_INKED = 0.34  # share of a word's letters that leave marks when it is seen
_OVER_PICTURE = 0.34  # share of a line's words that stand over marks in a text layer of a scan
_STRAY = 4  # changed pixels outside all boxes up to which the boxes are right
_LATIN = 0x250  # up to here pdfium has letters of its own when a font is not in the file
_UNDRAWN = frozenset({pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP})

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Letters:
    """The characters of a page that leave a mark, as parallel arrays: pdfium's index, code point, box (left, bottom,
    right, top in points), and the number of the pdfium line each stands in."""

    indices: Ints
    codes: Ints
    boxes: Floats
    lines: Ints


@dataclass(frozen=True, slots=True)
class _Object:
    """A text object: how it is painted, and whether its font is in the file."""

    handle: Any
    undrawn: bool
    faint: bool  # transparent, or as light as paper
    embedded: bool


def hidden_letters(textpage: Any, letters: Letters) -> Flags:
    """Which of the letters cannot be seen. Where the page cannot be drawn, all count as seen."""
    nothing = np.zeros(len(letters.indices), np.bool_)
    if not len(letters.indices):
        return nothing
    try:
        return _Words(textpage, letters).hidden()
    except (pypdfium2.PdfiumError, MemoryError, ValueError):
        return nothing


class _Words:
    def __init__(self, textpage: Any, letters: Letters) -> None:
        self._letters = letters
        self._starts, self._objects = _words(textpage, letters)
        self._sizes = np.diff([*self._starts, len(letters.indices)])
        self._lines = letters.lines[self._starts]
        self._view = _View(textpage.page)
        self._boxes = self._view.on_image(letters.boxes)

    def hidden(self) -> Flags:
        """Letter by letter, decided word by word."""
        grey = self._view.drawn(grey=True)
        tiny = self._share(_sizes(self._letters.boxes) < _LEAST_HEIGHT) > 0.5
        unmarked = self._share(_Counts(_edges(grey)).inside(self._boxes) > 0) < _INKED
        painted_out = np.array([one.undrawn or one.faint for one in self._objects])
        suspect = (unmarked | painted_out) & ~tiny
        hidden = tiny
        if suspect.any():
            hidden = tiny | (suspect & ~self._seen(suspect) & ~self._may_lack_glyphs(painted_out))
        return np.repeat(hidden, self._sizes)

    def _seen(self, suspect: Flags) -> Flags:
        """Which of the suspect words change the page, or stand over the picture of their own letters."""
        whole = self._view.drawn()
        without = self._view.drawn(without=(one for one, is_one in zip(self._objects, suspect, strict=True) if is_one))
        changed = _differs(whole, without)
        seen = self._share(_Counts(changed).inside(self._boxes) > 0) >= _INKED
        if not (suspect & ~seen).any():
            return seen
        if self._strays(changed, suspect):  # some boxes are wrong: an object without a change in its box proves nothing
            known = {id(one) for one, is_seen in zip(self._objects, seen, strict=True) if is_seen}
            seen = seen | np.array([id(one) not in known for one in self._objects])
        return seen | self._over_picture()

    def _strays(self, changed: Flags, suspect: Flags) -> bool:
        """Whether the page changes where no suspect word stands."""
        left = changed.copy()
        for x0, y0, x1, y1 in _widened(self._boxes[np.repeat(suspect, self._sizes)], 0.5).tolist():
            left[y0:y1, x0:x1] = False
        return bool(left.sum() > _STRAY)

    def _over_picture(self) -> Flags:
        """Words of lines that stand over marks which are no text: the layer of a scan, or of lettering in outlines."""
        bare = self._view.drawn(without=self._objects)
        marked = self._share(_Counts(_edges(bare)).inside(_widened(self._boxes, 0.3)) > 0) >= _INKED
        lines, line_of = np.unique(self._lines, return_inverse=True)
        share = np.bincount(line_of, marked, len(lines)) / np.bincount(line_of, minlength=len(lines))
        result: Flags = share[line_of] >= _OVER_PICTURE
        return result

    def _may_lack_glyphs(self, painted_out: Flags) -> Flags:
        """Words whose font is not in the file and whose script pdfium has no letters for: not drawn here, but seen by
        a reader who has the font."""
        foreign = self._share(self._letters.codes >= _LATIN) > 0
        embedded = np.array([one.embedded for one in self._objects])
        result: Flags = foreign & ~embedded & ~painted_out
        return result

    def _share(self, of_letters: Flags) -> Floats:
        """The share of each word's letters."""
        result: Floats = np.add.reduceat(of_letters.astype(np.float64), self._starts) / self._sizes
        return result


def _sizes(boxes: Floats) -> Floats:
    """The longer side of each box, as text may be turned; boxes without an area say nothing."""
    sides = np.stack([boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]])
    return np.where(sides.min(axis=0) > 0, sides.max(axis=0), np.inf)


def _words(textpage: Any, letters: Letters) -> tuple[Ints, list[_Object]]:
    """Where words begin, and the text object of each: a word ends at a space, at a line end, where the next letter
    stands elsewhere, and with its object."""
    objects = _Objects(textpage)
    middles = (letters.boxes[:, :2] + letters.boxes[:, 2:]) / 2
    jump = np.abs(np.diff(middles, axis=0)).max(axis=1)
    apart = (np.diff(letters.indices) > 1) | (np.diff(letters.lines) != 0)
    apart |= jump > _JUMP * np.minimum(_sizes(letters.boxes)[1:], _sizes(letters.boxes)[:-1])
    ends = np.concatenate([np.flatnonzero(np.diff(letters.lines)) + 1, [len(letters.indices)]]).tolist()
    begins = iter([*(np.flatnonzero(apart) + 1).tolist(), len(letters.indices)])
    starts: list[int] = []
    found: list[_Object] = []
    begin = next_begin = 0
    for end in ends:  # most lines are one object: it is enough to ask at their ends
        one = objects.at(letters.indices[begin])
        whole = one is objects.at(letters.indices[end - 1])
        for k in range(begin, end) if not whole else ():
            if k == next_begin or objects.at(letters.indices[k]) is not found[-1]:
                starts.append(k)
                found.append(objects.at(letters.indices[k]))
            next_begin = next(begins) if k == next_begin else next_begin
        while whole and next_begin < end:
            starts.append(next_begin)
            found.append(one)
            next_begin = next(begins)
        begin = end
    return np.array(starts, np.int64), found


class _Objects:
    """The text objects of a page, one record for each."""

    def __init__(self, textpage: Any) -> None:
        self._textpage = textpage
        self._known: dict[int, _Object] = {}

    def at(self, index: np.int64) -> _Object:
        handle = pdfium.FPDFText_GetTextObject(self._textpage.raw, int(index))
        address = ctypes.cast(handle, ctypes.c_void_p).value or 0
        if address not in self._known:
            self._known[address] = _object(handle) if address else _Object(None, False, False, True)
        return self._known[address]


def _object(handle: Any) -> _Object:
    red, green, blue, alpha = (ctypes.c_uint(0) for _ in range(4))
    told = pdfium.FPDFPageObj_GetFillColor(handle, red, green, blue, alpha)
    mode = pdfium.FPDFTextObj_GetTextRenderMode(handle)
    faint = bool(told) and (alpha.value < _CLEAR or min(red.value, green.value, blue.value) >= _LIGHT)
    font = pdfium.FPDFTextObj_GetFont(handle)
    return _Object(handle, mode in _UNDRAWN, faint, not font or pdfium.FPDFFont_GetIsEmbedded(font) == 1)


class _View:
    """A page as it is drawn, and where its points lie on the image."""

    def __init__(self, page: Any) -> None:
        self._page = page
        width, height = page.get_size()
        self._scale = min(_SCALE, _MOST_PIXELS / max(width, height, 1.0))

    def drawn(self, *, without: Iterable[_Object] = (), grey: bool = False) -> Pixels:
        """(height, width, 3), or (height, width) in grey: the page, without some of its text objects."""
        taken = {id(one): one.handle for one in without if one.handle}.values()
        for handle in taken:
            pdfium.FPDFPageObj_SetIsActive(handle, False)
        try:
            bitmap = self._page.render(scale=self._scale, may_draw_forms=False, draw_annots=False, grayscale=grey)
            pixels: Pixels = bitmap.to_numpy().copy()
            pixels = pixels.reshape(pixels.shape[:2]) if grey else pixels[:, :, :3]
            bitmap.close()
        finally:
            for handle in taken:
                pdfium.FPDFPageObj_SetIsActive(handle, True)
        return pixels

    def on_image(self, boxes: Floats) -> Ints:
        """Left, top, right, bottom in whole pixels, at least one each way, of boxes in points."""
        to = self._point_to_pixel()
        corners = np.stack([to(boxes[:, 0], boxes[:, 1]), to(boxes[:, 2], boxes[:, 3])])
        low, high = np.floor(corners.min(axis=0)), np.ceil(corners.max(axis=0))
        result: Ints = np.clip(np.concatenate([low, np.maximum(high, low + 1)], axis=1), -1e6, 1e6).astype(np.int64)
        return result

    def _point_to_pixel(self) -> Callable[[Floats, Floats], Floats]:
        """The mapping of the viewer itself, which knows rotation and crop box."""
        width, height = self._page.get_size()
        fine = 1_000_000  # pixels a side: the mapping rounds to whole ones

        def ask(x: float, y: float) -> Floats:
            u, v = ctypes.c_int(), ctypes.c_int()
            pdfium.FPDF_PageToDevice(self._page.raw, 0, 0, fine, fine, 0, x, y, u, v)
            pixel: Floats = np.array([u.value * width, v.value * height]) * (self._scale / fine)
            return pixel

        span = 1000.0
        origin = ask(0, 0)
        along_x, along_y = (ask(span, 0) - origin) / span, (ask(0, span) - origin) / span

        def to_pixels(x: Floats, y: Floats) -> Floats:
            pixels: Floats = origin + x[:, None] * along_x + y[:, None] * along_y
            return pixels

        return to_pixels


class _Counts:
    """Marked pixels inside boxes, from a table of sums."""

    def __init__(self, marked: Flags) -> None:
        self._height, self._width = marked.shape
        self._sums = np.zeros((self._height + 1, self._width + 1), np.int32)
        sums = self._sums[1:, 1:]
        np.cumsum(marked, axis=1, dtype=np.int32, out=sums)
        np.cumsum(sums, axis=0, out=sums)

    def inside(self, boxes: Ints) -> Ints:
        x0, x1 = (np.clip(boxes[:, side], 0, self._width) for side in (0, 2))
        y0, y1 = (np.clip(boxes[:, side], 0, self._height) for side in (1, 3))
        sums = self._sums
        result: Ints = (sums[y1, x1] - sums[y0, x1] - sums[y1, x0] + sums[y0, x0]).astype(np.int64)
        return result


def _widened(boxes: Ints, share: float) -> Ints:
    """The boxes grown on each side by a share of their height, at least a pixel."""
    more = np.maximum(1, ((boxes[:, 3] - boxes[:, 1]) * share).astype(np.int64))
    grown = boxes + np.stack([-more, -more, more, more], axis=1)
    result: Ints = np.maximum(grown, 0)
    return result


def _edges(pixels: Pixels) -> Flags:
    """Pixels that differ from the next one to the right or below, in any channel."""
    result = np.zeros(pixels.shape[:2], np.bool_)
    result[:, :-1] |= _differs(pixels[:, :-1], pixels[:, 1:])
    result[:-1] |= _differs(pixels[:-1], pixels[1:])
    return result


def _differs(one: Pixels, other: Pixels) -> Flags:
    far = np.maximum(one, other) - np.minimum(one, other) > _CONTRAST  # bytes cannot be negative
    result: Flags = far[:, :, 0] | far[:, :, 1] | far[:, :, 2] if far.ndim == 3 else far
    return result
