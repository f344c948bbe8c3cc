"""The status page, which shows in a browser what the server is doing."""

from __future__ import annotations

import base64
import hashlib
import time

from flask import Response
from jinja2 import Environment
from markupsafe import Markup

from ggp.server.protocol import PlayerProtocol

__all__ = ["status_page"]

_STYLE = """
:root { color-scheme: light dark; font-family: system-ui, sans-serif;
  --line: color-mix(in srgb, currentColor 25%, transparent); }
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: start; padding: 0.5rem 0; }
th, td { text-align: start; padding: 0.3rem 0.7rem; border-bottom: 1px solid var(--line); }
td.number, th.number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
.any { overflow-wrap: anywhere; min-width: 6rem; }
/* On a narrow screen each match is a card: a line for each value, with its name before it. */
@media (max-width: 60rem) {
  table, tbody { display: block; }
  caption { display: block; }
  thead { display: none; }
  tbody tr { display: grid; grid-template-columns: 1fr; padding: 0.5rem 0;
    border-bottom: 1px solid var(--line); }
  tbody th, tbody td, td.number { border: 0; padding: 0.1rem 0; text-align: start; }
  td[data-name]::before { content: attr(data-name) ": "; }
}
"""

# Jinja escapes all values: ids, roles and moves come from outside.
_PAGE = Environment(autoescape=True).from_string("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="5">
<title>{{ name }}: status</title>
<style>{{ style }}</style>
</head>
<body>
<h1>{{ name }}</h1>
<p>{{ matches|length }} of {{ limits.matches }} matches; {{ "busy" if is_full else "available" }}.
The margin is widened by {{ "%.2f"|format(delay) }} s, for the delays of this machine.</p>
{% if ended %}<p>Matches that have ended:
{% for how, count in ended|dictsort %}{{ count }} {{ how }}{{ "" if loop.last else ", " }}
{%- endfor %}.</p>{% endif %}
<table role="table">
<caption>Matches as of {{ now }}</caption>
<thead><tr><th scope="col">match</th><th scope="col">role</th><th scope="col">phase</th>
<th scope="col" class="number">turn</th><th scope="col">last answer</th>
<th scope="col">clocks</th><th scope="col" class="number">age</th>
<th scope="col" class="number">silent for</th><th scope="col">manager</th>
<th scope="col">addressed as</th><th scope="col">processes</th>
<th scope="col">preparation</th></tr></thead>
<tbody role="rowgroup">
{% macro cell(name, kind="") %}<td role="cell" data-name="{{ name }}"
{%- if kind %} class="{{ kind }}"{% endif %}>{{ caller() }}</td>{% endmacro %}
{% for match in matches %}<tr role="row"><th role="rowheader" class="any">{{ match.id }}</th>
{% call cell("role", "any") %}{{ match.role }}{% endcall %}
{% call cell("phase") %}{{ match.phase }}{% endcall %}
{% call cell("turn", "number") %}{{ match.turn if match.turn >= 0 else "" }}{% endcall %}
{% call cell("last answer", "any") %}{{ match.answer|truncate(80) }}{% endcall %}
{% call cell("clocks") %}{{ "%g s, %g s"|format(match.start_clock, match.play_clock) }}{% endcall %}
{% call cell("age", "number") %}{{ "%.0f"|format(match.age) }} s{% endcall %}
{% call cell("silent for", "number") %}{{ "%.0f"|format(match.silence) }} s{% endcall %}
{% call cell("manager", "any") %}{{ match.peer }}{% endcall %}
{% call cell("addressed as", "any") %}{{ match.address }}{% endcall %}
{% call cell("processes") %}{{ match.processes|join(" ") }}{% endcall %}
{% call cell("preparation", "any") %}{{ match.note }}{% endcall %}</tr>
{% else %}<tr role="row"><td role="cell" colspan="12">none</td></tr>
{% endfor %}</tbody>
</table>
</body>
</html>
""")

_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_HEADERS = {
    # The policy allows the page's style only, so that injected markup could do nothing.
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_HASH}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def status_page(protocol: PlayerProtocol) -> Response:
    """Return the page, without waiting for any match."""
    matches = protocol.matches()
    page = _PAGE.render(
        style=Markup(_STYLE),
        name=protocol.name,
        matches=matches,
        limits=protocol.limits,
        is_full=protocol.is_full,
        delay=2 * protocol.delay,
        ended=protocol.ended(),
        now=time.strftime("%H:%M:%S"),
    )
    return Response(page, content_type="text/html; charset=utf-8", headers=_HEADERS)
