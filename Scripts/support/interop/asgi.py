"""The application that hypercorn serves for the checks of HTTP/2. APUS_INTEROP_WWW is the folder of its files."""

import asyncio
import hashlib
import os

WWW = os.environ.get("APUS_INTEROP_WWW", ".")
PIECE = 1 << 16


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        return
    path = scope["path"]
    if path == "/origin/up":
        await up(receive, send)
    elif path == "/origin/trailers":
        await trailers(send)
    elif path == "/origin/hints":
        await send({"type": "http.response.early_hint", "links": [b"</style.css>; rel=preload"]})
        await respond(send, 200, b"after the hints\n")
    elif path == "/origin/pause":
        await asyncio.sleep(0.02)
        await respond(send, 200, scope["method"].encode() + b"\n")
    elif path == "/moved":
        await respond(send, 302, b"", (b"location", b"/small.txt"))
    else:
        await file(os.path.join(WWW, path.strip("/").replace("..", "")), send)


async def respond(send, status, content, *fields):
    fields = [(b"content-length", str(len(content)).encode()), *fields]
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": content})


async def up(receive, send):
    """Responds with the digest of the body and its length."""
    digest, count, more = hashlib.sha256(), 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        digest.update(message.get("body", b""))
        count += len(message.get("body", b""))
        more = message.get("more_body", False)
    await respond(send, 200, f"{digest.hexdigest()} {count}\n".encode())


async def trailers(send):
    """Responds with a body in two parts and a trailer field, which hypercorn sends if the request has TE."""
    await send({"type": "http.response.start", "status": 200, "headers": [], "trailers": True})
    await send({"type": "http.response.body", "body": b"a swift does everything ", "more_body": True})
    await send({"type": "http.response.body", "body": b"in the air\n"})
    await send({"type": "http.response.trailers", "headers": [(b"x-swift", b"apus")]})


async def file(path, send):
    if not os.path.isfile(path):
        return await respond(send, 404, b"not found\n")
    size = str(os.path.getsize(path)).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", size)]})
    with open(path, "rb") as source:
        while piece := source.read(PIECE):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
