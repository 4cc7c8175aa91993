"""Units of measurement: reading them after a number, and comparing across them.

A unit is kept as written in one spelling ("mg/kg", "mmol/L", "year"), with the factor to base units (gram,
litre, metre, second, mole …) and its dimensions, so that 500 mg equals 0.5 g and 24 months equal 2 years.
A month is a twelfth of a year of 365.25 days. Mass and amount of substance are not converted into each other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

Dimensions = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """`value * factor + offset` is the value in base units; `dimensions` are (base, exponent), sorted."""

    name: str
    factor: float
    dimensions: Dimensions
    offset: float = 0.0

    @property
    def is_time(self) -> bool:
        return self.dimensions == (("s", 1),)


_SI = {"p": 1e-12, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_SI_NAMES = {
    "pico": "p",
    "nano": "n",
    "micro": "µ",
    "milli": "m",
    "centi": "c",
    "deci": "d",
    "kilo": "k",
    "mega": "M",
    "giga": "G",
}
_MINUTE, _HOUR, _DAY, _YEAR = 60.0, 3600.0, 86400.0, 365.25 * 86400.0

# symbol: (base it is measured in, factor, prefixes it takes, names)
_PREFIXED: dict[str, tuple[str, float, str, str]] = {
    "g": ("g", 1, "pnµmk", "gram gramme"),
    "L": ("L", 1, "pnµmcd", "liter litre"),
    "m": ("m", 1, "nµmcdk", "meter metre"),
    "s": ("s", 1, "nµm", "second"),
    "mol": ("mol", 1, "pnµmk", "mole"),
    "M": ("mol/L", 1, "pnµm", "molar"),
    "Hz": ("Hz", 1, "mkMG", "hertz"),
    "Pa": ("Pa", 1, "mkMG", "pascal"),
    "V": ("V", 1, "nµmkM", "volt"),
    "mA": ("A", 1e-3, "", "milliampere milliamp"),
    "W": ("W", 1, "µmkMG", "watt"),
    "J": ("J", 1, "µmkM", "joule"),
    "N": ("N", 1, "µmk", "newton"),
    "cal": ("J", 4.184, "k", "calorie"),
    "eV": ("eV", 1, "mkMG", "electronvolt"),
    "Bq": ("Bq", 1, "kMG", "becquerel"),
    "Ci": ("Bq", 3.7e10, "nµm", "curie"),
    "Gy": ("Gy", 1, "µmc", "gray"),
    "Sv": ("Sv", 1, "µm", "sievert"),
    "T": ("T", 1, "µm", "tesla"),
    "Da": ("Da", 1, "kM", "dalton"),
    "Osm": ("Osm", 1, "m", "osmole"),
    "osmol": ("Osm", 1, "m", ""),
    "Eq": ("Eq", 1, "µm", "equivalent"),
    "IU": ("IU", 1, "µmkM", ""),
    "U": ("U", 1, "µmk", ""),
    "bp": ("bp", 1, "kMG", ""),
}
# Other spellings and units without prefixes: (base, factor, spellings).
_PLAIN: tuple[tuple[str, str, float, str], ...] = (
    ("%", "%", 1, "% percent per_cent pct ％ ٪"),
    ("‰", "%", 0.1, "‰ permille"),
    ("percentage point", "percentage point", 1, "percentage_point percentage_points"),
    ("min", "s", _MINUTE, "min mins minute minutes 分間 分钟"),
    ("hour", "s", _HOUR, "h hr hrs hour hours 時間 小时"),
    ("day", "s", _DAY, "d day days 日間 天"),
    ("week", "s", 7 * _DAY, "wk wks week weeks 週間 周"),
    ("month", "s", _YEAR / 12, "mo mos month months ヶ月 か月 个月"),
    ("year", "s", _YEAR, "y yr yrs year years 年間 歳 岁"),
    ("decade", "s", 10 * _YEAR, "decade decades"),
    ("s", "s", 1, "sec secs"),
    ("mmHg", "Pa", 133.322, "mmHg mm_Hg torr"),
    ("cmH2O", "Pa", 98.0665, "cmH2O cm_H2O cmH₂O"),
    ("bar", "Pa", 1e5, "bar"),
    ("atm", "Pa", 101325, "atm"),
    ("Å", "m", 1e-10, "Å angstrom angstroms ångström"),
    ("μm", "m", 1e-6, "micron microns"),
    ("L", "L", 1, "l"),
    ("dL", "L", 0.1, "dl"),
    ("mL", "L", 1e-3, "ml cc"),
    ("µL", "L", 1e-6, "µl ul microl"),
    ("tonne", "g", 1e6, "tonne tonnes"),
    ("lb", "g", 453.59237, "lb lbs"),
    ("inch", "m", 0.0254, "inch inches"),
    ("ft", "m", 0.3048, "ft feet foot"),
    ("mile", "m", 1609.344, "mile miles"),
    ("ha", "m2", 1e4, "ha hectare hectares"),
    ("°", "deg", 1, "° degree degrees deg"),
    ("bpm", "beat/s", 1 / _MINUTE, "bpm"),
    ("beat", "beat", 1, "beat beats"),
    ("breath", "breath", 1, "breath breaths"),
    ("cell", "cell", 1, "cell cells"),
    ("copy", "copy", 1, "copy copies"),
    ("CFU", "CFU", 1, "CFU cfu"),
    ("PFU", "PFU", 1, "PFU pfu"),
    ("dB", "dB", 1, "dB"),
    ("rpm", "rpm", 1, "rpm"),
    ("ppm", "ppm", 1, "ppm"),
    ("ppb", "ppm", 1e-3, "ppb"),
    ("person-year", "person-year", 1, "person-year person-years patient-years patient-year person_years patient_years"),
    ("MB", "byte", 1e6, "MB megabyte megabytes"),
    ("GB", "byte", 1e9, "GB gigabyte gigabytes"),
)
_TEMPERATURE_UNITS = {
    "°C": Unit("°C", 1.0, (("K", 1),), 273.15),
    "°F": Unit("°F", 5 / 9, (("K", 1),), 459.67 * 5 / 9),
}

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−–", "0123456789---")
_ATOM = re.compile(
    r"""(?P<temperature>°[ ]?[CF]\b|degrees?[ ](?:Celsius|Fahrenheit|C|F)\b)
      | (?P<area>1\.73[ ]?m(?:2|²|\^2))
      | (?P<word>(?:per[ ]cent\b|percentage[ ]points?\b|mm[ ]Hg\b|cm[ ]?H2O\b|(?:person|patient)[ -]years?\b
          |[A-Za-zµμΩÅåö]+|[%‰°％٪]|年間|[歳岁周天]|[ヶか个]月|週間|日間|時間|小时|分[間钟]))
        (?P<power>\^?[-−–]?[123](?![\d.])|[⁻]?[¹²³](?![¹²³])|\([-−–]?[123]\))?""",
    re.VERBOSE,
)
_DIVIDES = re.compile(r"[ ]?/[ ]?|[ ]per[ ]|[ ]a(?=[ ](?:day|week|month|year)\b)[ ]")
_MULTIPLIES = re.compile(r"[ ]?[·⋅×*][ ]?|[ .](?=[A-Za-zµμ]{1,5}(?:\^?[-−–][123]|⁻[¹²³]|\([-−–][123]\)))")


def _spelled() -> dict[str, Unit]:
    table: dict[str, Unit] = {}

    def enter(spelling: str, name: str, factor: float, base: str) -> None:
        table.setdefault(spelling.replace("_", " "), Unit(name, factor, _dimensions(base)))

    for name, base, factor, spellings in _PLAIN:
        for spelling in spellings.split():
            enter(spelling, name, factor, base)
    for symbol, (base, factor, prefixes, names) in _PREFIXED.items():
        enter(symbol, symbol, factor, base)
        for word in names.split():
            enter(word, symbol, factor, base)
            enter(word + "s", symbol, factor, base)
        for prefix in prefixes:
            size, prefixed = factor * _SI[prefix], prefix + symbol
            for letter in "µμu" if prefix == "µ" else prefix:
                enter(letter + symbol, prefixed, size, base)
            for long in (name for name, short in _SI_NAMES.items() if short == prefix):
                for word in (symbol, *names.split()):
                    enter(long + word, prefixed, size, base)
                    enter(long + word + "s", prefixed, size, base)
    table["mumol"] = table["µmol"]  # as older databases spell it
    table["mug"] = table["µg"]
    table["mcg"] = table["µg"]
    return table


def _dimensions(base: str) -> Dimensions:
    above, _, below = base.partition("/")
    powers: dict[str, int] = {}
    for part, sign in ((above, 1), (below, -1)):
        if part:
            name, power = (part[:-1], int(part[-1])) if part[-1].isdecimal() else (part, 1)
            powers[name] = powers.get(name, 0) + sign * power
    return tuple(sorted(powers.items()))


_UNITS = _spelled()
# Case tells mega from milli and molar from metre, so only words are read without regard to it.
_NAMES = {spelling.lower(): unit for spelling, unit in _UNITS.items() if len(spelling) > 3 and spelling.isalpha()}


def read_unit(text: str, position: int) -> tuple[Unit, int] | None:
    """The unit that begins exactly at `position` and where it ends, or None. The longest reading wins."""
    atom = _read_atom(text, position)
    if atom is None:
        return None
    unit, end = atom
    while True:
        divides = _DIVIDES.match(text, end)
        joint = divides or _MULTIPLIES.match(text, end)
        part = _read_atom(text, joint.end()) if joint else None
        if part is None:
            return unit, end
        unit, end = _combine(unit, part[0], divides is not None), part[1]


@lru_cache(maxsize=1024)
def unit_named(name: str) -> Unit | None:
    """The unit a whole string names ("mg/kg", "years"), or None."""
    found = read_unit(name.strip(), 0)
    return found[0] if found and found[1] == len(name.strip()) else None


def _read_atom(text: str, position: int) -> tuple[Unit, int] | None:
    match = _ATOM.match(text, position)
    if match is None:
        return None
    if match["temperature"]:
        scale = "°F" if match["temperature"].rstrip()[-1] in "Ft" else "°C"
        return _TEMPERATURE_UNITS[scale], match.end()
    if match["area"]:
        return Unit("1.73 m2", 1.73, (("m", 2),)), match.end()
    unit = _lookup(match["word"])
    end = match.end("word") if not match["power"] else match.end()
    following = text[end : end + 1]
    if unit and match["power"] and match["power"].isdecimal() and unit.dimensions != (("m", 1),):
        return None  # "3T3" is no cubed tesla; a bare figure is an exponent after lengths only
    if unit is None or (following.isalnum() and following < "\u2e80"):  # CJK goes on without a space
        return None
    return (_raise(unit, _power(match["power"])) if match["power"] else unit), end


@lru_cache(maxsize=4096)
def _lookup(word: str) -> Unit | None:
    return _UNITS.get(word) or (_NAMES.get(word.lower()) if len(word) > 3 else None)


def _power(written: str) -> int:
    return int(written.strip("()^").translate(_SUPERSCRIPTS))


def _raise(unit: Unit, power: int) -> Unit:
    if power == 1:
        return unit
    dimensions = tuple((base, exponent * power) for base, exponent in unit.dimensions)
    return Unit(unit.name + str(power), unit.factor**power, dimensions)


def _combine(left: Unit, right: Unit, divided: bool) -> Unit:
    """The product or quotient, written with one slash for each division: "mg/kg/day", also for "mg kg-1 day-1"."""
    name, negative = right.name, right.name.endswith(("-1", "-2", "-3"))
    if negative:
        name = name[:-2] + ("" if name.endswith("-1") else name[-1])
    powers = dict(left.dimensions)
    for base, exponent in right.dimensions:
        powers[base] = powers.get(base, 0) + (-exponent if divided else exponent)
    dimensions = tuple(sorted((base, exponent) for base, exponent in powers.items() if exponent))
    factor = left.factor / right.factor if divided else left.factor * right.factor
    return Unit(f"{left.name}{'/' if divided != negative else '·'}{name}", factor, dimensions)
