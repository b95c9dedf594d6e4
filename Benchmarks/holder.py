"""A server behind nginx that delays its responses, to keep connections busy."""

import asyncio
import os
import threading

RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\n" + b"h" * 100


class Holder:
    """Holds every request until the file `release` exists.

    The measured client creates that file. So the measurement does not depend on the speed of the
    machine or the client.
    """

    def __init__(self, port, release):
        self.port = port
        self.release = release
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def start(self):
        self.thread.start()

    def run(self):
        asyncio.set_event_loop(self.loop)
        server = asyncio.start_server(self.hold, "127.0.0.1", self.port, backlog=4096)
        self.loop.run_until_complete(server)
        self.loop.run_forever()

    async def hold(self, reader, writer):
        try:
            await reader.readuntil(b"\r\n\r\n")
            while not os.path.exists(self.release):
                await asyncio.sleep(0.25)
            writer.write(RESPONSE)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def stop(self):
        if not self.thread.is_alive():
            return
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(5)
