"""The status page, which shows in a browser what the server is doing."""

from __future__ import annotations

import base64
import hashlib
import time

from flask import Response, render_template_string
from markupsafe import Markup

from ggp.server.protocol import PlayerProtocol

__all__ = ["status_page"]

_STYLE = """
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: start; padding: 0.5rem 0; }
th, td { text-align: start; padding: 0.3rem 0.7rem; border-bottom: 1px solid color-mix(in srgb,
  currentColor 25%, transparent); overflow-wrap: anywhere; }
td.number, th.number { text-align: end; font-variant-numeric: tabular-nums; }
"""

# Jinja escapes all values: ids, roles and moves come from outside.
_PAGE = """<!doctype html>
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
<table>
<caption>Matches as of {{ now }}</caption>
<thead><tr><th scope="col">match</th><th scope="col">role</th><th scope="col">phase</th>
<th scope="col" class="number">turn</th><th scope="col">last answer</th>
<th scope="col">clocks</th><th scope="col" class="number">age</th>
<th scope="col" class="number">silent for</th><th scope="col">addressed as</th>
<th scope="col">processes</th></tr></thead>
<tbody>
{% for match in matches %}<tr><th scope="row">{{ match.id }}</th><td>{{ match.role }}</td>
<td>{{ match.phase }}</td><td class="number">{{ match.turn if match.turn >= 0 else "" }}</td>
<td>{{ match.answer|truncate(80) }}</td>
<td>{{ "%g"|format(match.start_clock) }} s, {{ "%g"|format(match.play_clock) }} s</td>
<td class="number">{{ "%.0f"|format(match.age) }} s</td>
<td class="number">{{ "%.0f"|format(match.silence) }} s</td><td>{{ match.address }}</td>
<td>{{ match.processes|join(" ") }}</td></tr>
{% else %}<tr><td colspan="10">none</td></tr>
{% endfor %}</tbody>
</table>
</body>
</html>
"""

_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_HEADERS = {
    # The policy allows the page's style only, so that injected markup could do nothing.
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_HASH}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def status_page(protocol: PlayerProtocol) -> Response:
    """Return the page, without waiting for any match."""
    matches = protocol.matches()
    page = render_template_string(
        _PAGE,
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
