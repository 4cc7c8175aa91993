"""Bytes become text: marks of the encoding first, then UTF-8, then a guess that prefers the common Western one."""

from __future__ import annotations

import codecs

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 65_536  # bytes looked at to guess
_NULL_SHARE = 0.3  # of one half of the bytes: UTF-16 without a mark
_ENOUGH_ACCENTS = 20  # non-ASCII bytes below which a guess other than the Western default is not believed
_KANA_SHARE = 0.2
_WESTERN = {"English", "French", "German", "Spanish", "Portuguese", "Italian", "Dutch", "Swedish", "Norwegian",
            "Danish", "Finnish", "Indonesian", "Unknown"}  # fmt: skip
_MULTIBYTE = {"shift_jis", "shift_jis_2004", "cp932", "euc_jp", "euc_jis_2004", "iso2022_jp", "euc_kr", "cp949",
              "johab", "big5", "big5hkscs", "cp950", "gb2312", "gbk", "gb18030", "hz"}  # fmt: skip


def decode(data: bytes, declared: str | None = None) -> tuple[str, str]:
    """The text of `data` and the encoding it was read in. Bytes that fit nowhere become U+FFFD.

    `declared` is what the file says of itself (an HTML meta tag); a byte-order mark and valid UTF-8 go before it,
    because declarations are often left over from another program.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace"), encoding
    halves = (data[:_SAMPLE:2].count(0), data[1:_SAMPLE:2].count(0))
    if max(halves) > _NULL_SHARE * (len(data[:_SAMPLE]) / 2) and min(halves) < max(halves) / 4:
        encoding = "utf-16-le" if halves[1] > halves[0] else "utf-16-be"
        return data.decode(encoding, "replace"), encoding
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        encoding = _known(declared) or _guess(data)
        return data.decode(encoding, "replace"), encoding


def _known(declared: str | None) -> str | None:
    try:
        name = codecs.lookup(declared or "").name
    except (LookupError, ValueError):
        return None
    # Pages that declare Latin-1 are written in its Windows superset.
    return "cp1252" if name in {"iso8859-1", "ascii", "utf-8"} else name


def _guess(data: bytes) -> str:
    from charset_normalizer import from_bytes

    sample = data[:_SAMPLE]
    matches = from_bytes(sample)
    best = next((match for match in matches if _has_kana(str(match))), matches.best())
    if best is None or sum(byte > 0x7F for byte in sample) < _ENOUGH_ACCENTS:
        return "cp1252"
    if best.encoding not in _MULTIBYTE and best.language in _WESTERN:
        return "cp1252"
    return best.encoding


def _has_kana(text: str) -> bool:
    """Kana in plenty prove Japanese; read in the wrong East Asian encoding, bytes give rare ideographs instead."""
    return sum("\u3041" <= char <= "\u30fe" for char in text) > _KANA_SHARE * len(text)
