"""Word lists that the rules of this package read."""

from __future__ import annotations


def words(listing: str) -> frozenset[str]:
    """The words of a listing separated by white space."""
    return frozenset(listing.split())


# Abbreviations that stand before something and so never end a sentence.
NEVER_LAST = words(
    """
    dr drs mr mrs ms mx prof fig figs eq eqs ref refs vs e.g i.e eg ie viz cf ca approx resp vol vols pp tab
    chap sect suppl subsp var cv ser ed eds st mt ft gen col capt lt rev hon sci med biol chem phys proc natl
    acad soc int j
    """
)

# Abbreviations before a number, otherwise ordinary words ("the answer was no.").
LAST_UNLESS_NUMBER = words(
    """
    no nos n p para sec art ver jan feb mar apr jun jul aug sep sept oct nov dec about est min max
    """
)

# Abbreviations that end a sentence only where the next word can begin one.
SELDOM_LAST = words(
    """
    al etc inc ltd co corp jr sr sp spp dept univ assoc bros dist wt i.v i.p i.m s.c p.o
    """
)

# A capital after one of these names a thing: "vitamin C." can end a sentence, "by J." cannot.
NAMED_BY_LETTER = words(
    """
    vitamin vitamins hepatitis type types group groups class factor protein proteins phase stage grade panel
    panels influenza immunoglobulin cyclosporin cyclosporine cytochrome schedule category part section
    appendix site strain subtype complex arm cohort domain region isoform chain amphotericin botulinum toxin
    coenzyme haemoglobin
    """
)

# Words that begin sentences far more often than they are names.
STARTERS = words(
    """
    the this these those that there they their we our i it its he she his her a an in on at by for from of to
    as with within without when where while which who what why how if since because although though however
    thus therefore hence moreover furthermore additionally finally first second third also both each all no
    none some such most many several few one two three four five six seven eight nine ten here after before
    during among between under over using based given despite compared following until once only other another
    whereas whether nevertheless background objective objectives aim aims purpose introduction methods method
    materials design setting settings patients participants subjects interventions intervention measurements
    main outcome outcomes results result findings conclusion conclusions discussion interpretation
    significance limitations data study context importance evidence animals mice cells individuals women men
    children adults can do does is are was were has have
    """
)

# Words that turn a statement round.
NEGATIONS = words(
    """
    no not never none nor neither nobody nothing nowhere without cannot n't lack lacks lacked lacking absent absence
    fail fails failed failing failure free non unable hardly scarcely rarely seldom
    """
)

# Words that carry no content of their own. Negations are not among them.
FUNCTION_WORDS = words(
    """
    a an the this that these those there here it its he she they them their his her we our us you your i my me who whom
    whose which what when where while how why and or but if then than so as at by for from in into of on onto to with
    within via per upon about above below after before between among during over under through across against along is
    are was were be been being am do does did done has have had having can could may might will would shall should must
    also both each all any some such more most other another only own same very just too e.g i.e et al etc however thus
    therefore moreover furthermore hence although though because since whether either respectively
    """
)

# Words that are capitalised without being names of what a paper is about.
CAPITALISED_WORDS = words(
    """
    january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday figure fig table section chapter appendix supplementary equation reference phase
    type grade stage class group part day week month year study trial university hospital department institute journal
    society committee national international american dr prof professor patient case disease syndrome abstract
    hypothesis rationale primary secondary registration funding trials yes no not note overall registry measures
    measure analysis review systematic randomized randomised controlled cohort search strategy selection criteria
    extraction synthesis sources source
    """
)
