"""What runs in containers is looked at where none run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

deployment = pytest.importorskip("scripts.deployment")
ROOT = Path(__file__).resolve().parents[3]


def test_every_step_of_the_deployment_can_work(capsys):
    assert deployment.main() == 0, capsys.readouterr().out


@pytest.mark.parametrize(("step", "fault"), [
    ("FROM python", "name a version"),
    ("COPY nowhere.txt ./", "there is no nowhere.txt"),
    ("COPY docs ./", ".dockerignore leaves docs out"),
    ("COPY --from=nobody /a /b", "no stage of that name"),
    ("ENV LITLOOP_SERVER__HSOT=0.0.0.0", "no setting called server.hsot"),
    ("ENV LITLOOP_SERVER__PORT=many", "server.port is wrong"),
    ("RUN pip install x.whl)[wings]", "no extra called wings"),
    ('ENTRYPOINT ["litloop"]\nCMD ["serve", "--fly"]', "no option --fly"),
    ('ENTRYPOINT ["litloop"]\nCMD ["fly"]', "no command called fly"),
])  # fmt: skip
def test_a_step_that_cannot_work_is_found(tmp_path, step, fault):
    file = tmp_path / "Dockerfile"
    file.write_text(f"# a comment\n{step}\n", encoding="utf-8")
    assert any(re.search(re.escape(fault), said) for said in deployment.dockerfile_faults(file))


def test_a_service_that_cannot_work_is_found(tmp_path):
    file = tmp_path / "compose.yaml"
    file.write_text(
        "services:\n  a:\n    image: qdrant/qdrant\n    ports: ['8000:8000']\n    volumes: ['x:/x']\n    depends_on: [b]\n"
        "    environment: {OTHER: 1}\nvolumes: {}\n",
        encoding="utf-8",
    )
    assert len(list(deployment.compose_faults(file))) == 4
