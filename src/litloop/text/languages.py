"""Which language a question is in, by its script or by its function words: enough to name it, not to read it."""

from __future__ import annotations

import re
from collections.abc import Mapping

_WORD = re.compile(r"[^\W\d_]+")
_READ = 2000  # characters: a question's language shows at its beginning
_LEAST = 2  # function words of a language, more than of English, that a question holds

_SCRIPTS = (
    ("Japanese", re.compile("[\u3040-\u30ff]")),  # before Chinese, whose characters it uses as well
    ("Korean", re.compile("[\uac00-\ud7af\u1100-\u11ff]")),
    ("Chinese", re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("Ukrainian", re.compile("[\u0456\u0457\u0454\u0491]")),
    ("Russian", re.compile("[\u0400-\u04ff]")),
    ("Greek", re.compile("[\u0370-\u03ff]")),
    ("Hebrew", re.compile("[\u0590-\u05ff]")),
    ("Arabic", re.compile("[\u0600-\u06ff]")),
    ("Hindi", re.compile("[\u0900-\u097f]")),
    ("Thai", re.compile("[\u0e00-\u0e7f]")),
)
_SCRIPT_SHARE = 0.3  # of the letters: "TGF-β" and "Δ9-THC" are no Greek

_FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "English": "the a an of in on at to for with by from and or not is are was were be been do does did has "
        "have had what which who whom whose when where why how can could should would may this that these those it its "
        "there than as if between after before during about into under over",
        "German": "der die das den dem des ein eine einen einem einer und oder nicht ist sind war waren wird werden "
        "wurde wurden hat haben hatte was wer wen wem welche welcher welches welchen wann wo warum wie "
        "wieviel kann können soll sollte mit von vom zu zum zur bei beim für auf aus nach über unter zwischen "
        "durch gegen ohne im am es sie er wir sich auch noch nur als wenn dass gibt man",
        "Spanish": "el la los las un una unos unas y o no es son era fue ser está están hay qué que quién quiénes cuál "
        "cuáles cuándo dónde cómo cuánto cuánta cuántos cuántas por para con sin de del en al se su sus entre "
        "sobre según desde hasta como más cuando donde si lo le muestra tiene puede cual cuales",
        "French": "le la les un une des du de et ou ne pas est sont était sera être a ont quel quelle quels "
        "quelles qui que quoi quand où pourquoi comment combien avec sans dans sur sous par pour entre chez au aux ce "
        "cette ces il elle ils elles on se sa son ses plus en peut y",
        "Italian": "il lo la gli le un uno una e o non è sono era fu essere che chi quale quali quando dove "
        "perché come quanto quanti quante con senza di del della dei delle da dal in nel nella su sul per tra fra si "
        "al alla ai cosa qual può mostra",
        "Portuguese": "o a os as um uma uns umas e ou não é são era foi ser está que quem qual quais quando onde como "
        "quanto quantos por para com sem de do da dos das em no na nos nas ao à se seu sua entre sobre mais "
        "pode há",
        "Dutch": "de het een en of niet is zijn was waren wordt worden werd heeft hebben wat wie welke wanneer waar "
        "waarom hoe hoeveel kan kunnen met van voor op in aan bij naar uit door tussen over zonder te er die "
        "dat deze dit ook",
    }.items()
}
# Marks that one language has and the others here have not. They count as a function word.
_MARKS = (
    ("German", re.compile("[äöüß]")),
    ("Spanish", re.compile("[ñ¿¡]")),
    ("French", re.compile(r"[èêëîïûœ]|\b[cdjlmnqst]['’](?=\w)|\bqu['’]")),
    ("Portuguese", re.compile("[ãõ]")),
)


def foreign_language(text: str) -> str | None:
    """The English name of the language of `text` where it is surely another than English; else None.

    A name or a term from elsewhere ("in vivo", "de novo", "El Niño") makes no text foreign.
    """
    lowered = text[:_READ].casefold()
    letters = sum(map(str.isalpha, lowered))
    for language, script in _SCRIPTS:
        found = len(script.findall(lowered))
        if found and found >= _SCRIPT_SHARE * letters:
            return language
    words = set(_WORD.findall(lowered))
    held = {language: len(words & known) for language, known in _FUNCTION_WORDS.items()}
    english = held.pop("English")
    for language, marks in _MARKS:
        held[language] += bool(marks.search(lowered))
    best = max(held, key=lambda language: held[language])
    return best if held[best] >= _LEAST and held[best] > english else None
