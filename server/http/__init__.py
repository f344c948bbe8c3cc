"""HTTP as game managers speak it."""

from ggp.server.http.server import HEADERS, LEAVING, LOCAL, RECEIVED, KifServer

__all__ = ["HEADERS", "LEAVING", "LOCAL", "RECEIVED", "KifServer"]
