"""Reading what files give of a work: the part of the catalogue behind the papers that are shown."""

from __future__ import annotations

from collections.abc import Iterator

from litloop.catalogue import contributions
from litloop.catalogue.connection import CatalogueDatabase
from litloop.catalogue.contributions import Contribution


class ContributedWorks:
    """What each file gives of each work, kept apart."""

    database: CatalogueDatabase

    def work_of(self, collection: int, given_id: str) -> str | None:
        """The id of the paper shown that a file knows under `given_id`; None when no file knows one."""
        found = self.database.read().execute(
            "SELECT min(work) AS work FROM contributions WHERE collection = ? AND given_id = ?", (collection, given_id)
        )
        row = found.fetchone()
        return row["work"] if row else None

    def contributions_to(self, collection: int, work: str) -> list[Contribution]:
        return contributions.contributions_to(self.database.read(), collection, work)

    def contributions(self, collection: int) -> Iterator[Contribution]:
        return contributions.all_contributions(self.database.read(), collection)

    def pending_work(self, collection: int) -> list[Contribution]:
        """The contributions among which a work has to be put together; empty when there is none."""
        read = self.database.read()
        first = contributions.first_pending(read, collection)
        return [] if first is None else contributions.connected_with(read, collection, first)

    def contribution_problems(self, collection: int) -> list[str]:
        """Works that wait to be put together, and what is shown without a file or given without being shown."""
        read, said = self.database.read(), []
        if waiting := contributions.pending_count(read, collection):
            said.append(f"{waiting} records have not been joined with their papers yet.")
        if missing := contributions.missing_members(read, collection):
            named = ", ".join(missing[:3]) + (" …" if len(missing) > 3 else "")
            said.append(f"{len(missing)} papers are not what their files give: {named}")
        return said
