from pathlib import Path

from litloop.core.settings import ALIASES
from litloop.core.settings.reference import dotenv_example, setting_rows

ROOT = Path(__file__).resolve().parents[3]


def test_the_example_file_is_up_to_date():
    # If this fails: python -m litloop.core.settings.reference > .env.example
    assert (ROOT / ".env.example").read_text(encoding="utf-8") == dotenv_example()


def test_every_alias_is_in_the_example_file():
    text = dotenv_example()
    assert all(f"# {alias}=" in text for alias in ALIASES)


def test_no_line_of_the_example_sets_anything():
    assert all(not line or line.startswith("#") for line in dotenv_example().splitlines())


def test_every_setting_has_a_variable_of_its_own():
    variables = [row.variable for row in setting_rows()]
    assert len(set(variables)) == len(variables)
    assert "LITLOOP_PATHS__PROXY__BASE_URL" in variables


def test_every_setting_says_what_it_means():
    assert [row.variable for row in setting_rows() if not row.description] == []
