"""The response cache: replies to requests that were made before, under everything that bears on them."""

from __future__ import annotations

import sqlite3
import time

from litloop.core.logs import Log
from litloop.llm.stored_replies import StoredReply
from litloop.runs.database import RunsDatabase

log = Log("cache")

MOST_REPLIES = 20_000  # a reply is a few kilobytes: at most some tens of megabytes


class ReplyCache:
    """A ReplyStore in runs.db. The oldest replies go when there are too many."""

    def __init__(self, database: RunsDatabase, *, most: int = MOST_REPLIES) -> None:
        self._database = database
        self._most = most

    def get(self, key: str) -> StoredReply | None:
        try:
            rows = self._database.rows("SELECT reply FROM cached_replies WHERE key = ?", (key,))
            return StoredReply.from_json(key, rows[0][0]) if rows else None
        except (sqlite3.Error, ValueError) as error:  # of another version, or damaged: ask the model
            log.warning("a cached reply was not read", reason=str(error))
            return None

    def put(self, reply: StoredReply) -> None:
        try:
            with self._database.transaction() as connection:
                connection.execute(
                    "INSERT OR REPLACE INTO cached_replies (key, reply, at) VALUES (?, ?, ?)",
                    (reply.key, reply.to_json(), time.time()),
                )
                connection.execute(
                    "DELETE FROM cached_replies WHERE key IN "
                    "(SELECT key FROM cached_replies ORDER BY at DESC, key LIMIT -1 OFFSET ?)",
                    (self._most,),
                )
        except sqlite3.Error as error:
            log.warning("a reply was not cached", reason=str(error))

    def clear(self) -> int:
        """Forget everything; how many replies that were."""
        with self._database.transaction() as connection:
            return connection.execute("DELETE FROM cached_replies").rowcount
