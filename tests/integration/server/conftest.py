"""One library and one server for all tests of a module that change nothing in it."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from support.served import neurology_library, served


@pytest.fixture(scope="module")
def pdf_file(tmp_path_factory) -> Path:
    """Two pages; the second one is cropped and turned by a quarter."""
    import pypdfium2
    from fpdf import FPDF

    pdf = FPDF(unit="pt", format=(600, 800))
    pdf.set_font("Helvetica", size=12)
    pdf.add_page()
    pdf.text(100, 100, "Thalamic uptake was raised in every patient with fatal insomnia.")
    pdf.text(100, 120, "Sleep was recorded over seven nights.")
    pdf.add_page()
    pdf.text(100, 700, "The cerebellum was spared until the last year of the disease.")
    path = tmp_path_factory.mktemp("pdf") / "insomnia.pdf"
    pdf.output(str(path))
    document = pypdfium2.PdfDocument(path.read_bytes())
    document[1].set_cropbox(50, 40, 550, 760)
    document[1].set_rotation(90)
    document.save(str(path))
    document.close()
    return path


@pytest.fixture(scope="module")
def library(tmp_path_factory, pdf_file):
    limits = {"query_limit": "", "atlas_limit": ""}  # a module asks more often than a person
    with neurology_library(tmp_path_factory.mktemp("served") / "library", server=limits) as held:
        held.add(pdf_file, collection="neurology")
        yield held


@pytest.fixture(scope="module")
def url(library):
    with served(library) as base:
        yield base


@pytest.fixture
def client(url):
    with httpx.Client(base_url=url, timeout=60) as made:
        yield made
