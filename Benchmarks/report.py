"""Prints the report: a table of at most 100 columns."""

import statistics

from works import WORKS

PEERS = (("go", "×go"), ("async-http-client", "×ahc"), ("urlsession", "×url"), ("curl", "×curl"), ("wrk", "×wrk"),
         ("h2load", "×h2l"),
         ("foundation", "×fnd"))
PRIMARY = {"requests": "cpuMicrosecondsPerRequest", "volume": "cpuSecondsPerGigabyte", "memory": "residentBytesPerItem"}
HEADINGS = {
    "requests": ("µs CPU/req", "requests/s"),
    "volume": ("s CPU/GB", "GB/s"),
    "memory": ("KiB/item", "MiB resident"),
}
MEBIBYTE = 1 << 20

# The performance targets: work, client, measurement, reference, and the maximum factor (for a rate, the minimum). The
# reference is a client of the same work, pairs of work and client whose sum is compared, or None for an absolute limit.
TARGETS = (
    ("get-100B-c32", "apus-loop", "cpuMicrosecondsPerRequest", "go", 0.75),
    ("get-100B-c32", "apus-task", "cpuMicrosecondsPerRequest", "go", 0.9),
    ("get-100B-c32", "apus-task", "cpuMicrosecondsPerRequest", "async-http-client", 0.5),
    ("get-100B-c32", "apus-task", "cpuMicrosecondsPerRequest", "urlsession", 0.09),
    ("get-100B-c32", "apus-handle", "cpuMicrosecondsPerRequest", "go", 1.15),
    *(("furnished-get-100B-c32", client, "cpuMicrosecondsPerRequest", (("get-100B-c32", client),), 1.2)
      for client in ("apus-loop", "apus-task", "apus-handle")),
    ("get-100B-c1", "apus-loop", "requestsPerSecond", "go", 1.0),
    ("get-100B-c1", "apus-loop", "cpuMicrosecondsPerRequest", "go", 1.0),
    ("down-1GiB", "apus-loop", "gigabytesPerSecond", "curl", 1.0),
    ("down-1GiB", "apus-loop", "cpuSecondsPerGigabyte", "curl", 1.0),
    ("down-1GiB", "apus-loop", "residentGrowthBytes", None, 16 * MEBIBYTE),
    *((f"{prefix}down-1GiB-file", client, key, "curl", 1.0) for prefix in ("", "tls-", "h2-")
      for client in ("apus-loop", "apus-task") for key in ("gigabytesPerSecond", "cpuSecondsPerGigabyte")),
    *(("observed-down-1GiB-file", client, "cpuSecondsPerGigabyte", (("down-1GiB-file", client),), 1.05)
      for client in ("apus-loop", "apus-task")),
    ("tls-down-1GiB", "apus-loop", "cpuSecondsPerGigabyte", "curl", 1.0),
    ("up-256MiB", "apus-loop", "cpuSecondsPerGigabyte", "curl", 1.0),
    ("tls-get-100B-c32", "apus-loop", "cpuMicrosecondsPerRequest", "go", 1.25),
    ("tls-down-1GiB", "apus-loop", "cpuSecondsPerGigabyte", "go", 1.0),
    ("handshake-c8", "apus-loop", "cpuMicrosecondsPerRequest", "go", 1.0),
    ("handshake-c8", "apus-task", "cpuMicrosecondsPerRequest", "go", 1.1),
    *(("proxy-get-100B-c32", client, "cpuMicrosecondsPerRequest", (("get-100B-c32", client),), 1.1)
      for client in ("apus-loop", "apus-task", "apus-handle")),
    *(("tunnel-get-100B-c32", client, "cpuMicrosecondsPerRequest", (("relayed-get-100B-c32", client),), 1.05)
      for client in ("apus-loop", "apus-task", "apus-handle")),
    ("h2-get-100B-c32", "apus-loop", "cpuMicrosecondsPerRequest", "go", 1.1),
    ("h2-get-100B-c32", "apus-task", "cpuMicrosecondsPerRequest", "go", 1.4),
    ("h2-get-100B-c32", "apus-handle", "cpuMicrosecondsPerRequest", "go", 1.7),
    ("h2-get-100B-c32", "apus-loop", "cpuMicrosecondsPerRequest", "async-http-client", 0.4),
    ("h2-down-1GiB", "apus-loop", "cpuSecondsPerGigabyte", "curl", 1.0),
    ("h2-down-1GiB", "apus-loop", "gigabytesPerSecond", "go", 1.0),
    ("h2-up-256MiB", "apus-loop", "cpuSecondsPerGigabyte", "go", 1.0),
    ("queued-10000", "apus-task", "residentBytesPerItem", None, 4096),
    # One at a time: of 32 plain requests many share an iteration of the event loop, but decoded ones rarely do.
    *(("json-8KB-c1", client, "cpuMicrosecondsPerRequest",
       (("get-8KB-c1", client), ("decode-json-8KB", "foundation")), 1.1)
      for client in ("apus-loop", "apus-task", "apus-handle")),
    # The reference also decodes with the library, and between requests, since decoding alone has warm caches.
    *(("json-8KB-c1", client, "cpuMicrosecondsPerRequest", (("apart-json-8KB-c1", client),), 1.1)
      for client in ("apus-loop", "apus-task", "apus-handle")),
    ("encode-json-50", "apus-task", "cpuMicrosecondsPerRequest", "foundation", 1.0),
    ("encode-form-50", "apus-task", "cpuMicrosecondsPerRequest", (("encode-json-50", "foundation"),), 2.0),
    ("up-multipart-1GiB", "apus-task", "gigabytesPerSecond", "curl", 0.9),
    ("up-multipart-1GiB", "apus-task", "residentGrowthBytes", None, 16 * MEBIBYTE),
)
NAMES = {
    "cpuMicrosecondsPerRequest": "CPU per request",
    "requestsPerSecond": "requests per second",
    "gigabytesPerSecond": "rate",
    "cpuSecondsPerGigabyte": "CPU per gigabyte",
    "residentGrowthBytes": "memory above idle",
    "residentBytesPerItem": "memory per queued request",
}


def pairs(work, peer):
    """Returns the pairs of work and client that a target refers to."""
    return [(work, peer)] if isinstance(peer, str) else peer


def text(result):
    """Returns the report of a run."""
    found = {(row["work"], row["client"]): row for row in result["rows"]}
    machine = result["machine"]
    lines = [
        "",
        f"{machine['processor']}, {machine['cores']} cores, Linux {machine['kernel']}; load before: "
        f"{machine['loadBefore']:.2f}",
        f"{machine['nginx']} | {machine['go']}",
        f"Medians of {result['rounds']} alternating runs of each client. ± is half the range between the minimum and",
        "the maximum. The client runs on one core, one nginx worker on another. ×go and the other",
        "columns on the right: CPU (or memory) as a multiple of that client's. A GB is 10⁹ bytes.",
    ]
    for work in WORKS:
        lines += block(work, [found[work.name, client] for client in work.clients if (work.name, client) in found])
    lines += verdicts(found)
    return "\n".join(lines)


def block(work, rows):
    if not rows:
        return []
    key = PRIMARY[work.kind]
    first, second = HEADINGS[work.kind]
    others = {row["client"]: row[key] for row in rows}
    heads = "".join(f"{head:>7}" for name, head in PEERS)
    lines = ["", f"{work.name}: {work.title}", f"  {'client':<18}{first:>11}{'±':>7}{second:>13}{'±':>7}{heads}"]
    for row in rows:
        lines.append(
            f"  {row['client']:<18}{first_value(work, row):>11}{spread(row, key):>7}"
            f"{second_value(work, row):>13}{spread(row, second_key(work)):>7}"
            + "".join(f"{ratio(row[key], others.get(name)):>7}" for name, _ in PEERS))
    return lines


def second_key(work):
    return {"requests": "requestsPerSecond", "volume": "gigabytesPerSecond", "memory": "residentBytes"}[work.kind]


def first_value(work, row):
    if work.kind == "memory":
        return f"{row['residentBytesPerItem'] / 1024:.2f}"
    return f"{row[PRIMARY[work.kind]]:.{2 if work.kind == 'requests' else 3}f}"


def second_value(work, row):
    value = row[second_key(work)]
    if work.kind == "requests":
        return f"{value:,.0f}"
    return f"{value:.2f}" if work.kind == "volume" else f"{value / MEBIBYTE:.1f}"


def spread(row, key):
    return f"±{row['spread'].get(key, 0) * 100:.1f}%"


def ratio(value, other):
    if not other or other <= 0:
        return "–"
    quotient = value / other
    return f"{quotient:.2f}" if quotient < 100 else f"{quotient:.0f}"


def median_quotient(values, others):
    """Returns the median of the quotients of each round, since a disturbance affects both runs of a round."""
    return statistics.median(value / sum(parts) for value, *parts in zip(values, *others))


def verdicts(found):
    """Returns a line for each target that this run measured, with the result."""
    lines = []
    for work, client, key, peer, limit in TARGETS:
        row = found.get((work, client))
        others = [] if peer is None else [found.get(pair) for pair in pairs(work, peer)]
        if not row or key not in row or not all(others):
            continue
        rate = key in ("requestsPerSecond", "gigabytesPerSecond")
        if peer:
            value = median_quotient(row["runs"][key], [other["runs"][key] for other in others])
            name = peer if isinstance(peer, str) else " + ".join(f"{work} {client}" for work, client in peer)
            comparison = f"{value:.2f} × {name} ({'≥' if rate else '≤'} {limit:.2f})"
        else:
            value = row[key]
            comparison = f"{value / 1024:,.1f} KiB (≤ {limit // 1024:,} KiB)"
        met = value >= limit if rate else value <= limit
        lines.append(f"  {'met' if met else 'MISSED':<8}{work + ' ' + client:<36}{NAMES[key]}: {comparison}")
    return ["", "Performance targets, each with the median over the rounds:", *lines] if lines else []
