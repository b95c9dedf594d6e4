"""Generates valid and invalid HTTP/1.1 responses. Equal seeds yield equal responses."""

import random

# Follows every response, as if the server sent the next response too early.
SECOND = b"HTTP/1.1 203 Second\r\nX-Second: 1\r\nContent-Length: 8\r\n\r\nSENTINEL"

STATUS_LINES = [
    "HTTP/1.1 200 OK", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK", "HTTP/1.1 404 Not Found", "HTTP/1.1 204 No Content",
    "HTTP/1.1 500 ", "HTTP/1.1 304 Not Modified", "HTTP/1.0 200 OK", "HTTP/1.1 205 Reset Content",
]
ODD_STATUS_LINES = [
    "HTTP/1.1 200", "HTTP/1.2 200 OK", "HTTP/2.0 200 OK", "HTTP/0.9 200 OK", "HTTP/1.1 99 Low", "HTTP/1.1 099 Low",
    "HTTP/1.1 999 High", "HTTP/1.1 1000 High", "HTTP/1.1  200 OK", "HTTP/1.1 200  OK", "HTTP/1.1 200\tOK",
    "HTTP/1.1 200 t\xe4b\tin", "http/1.1 200 OK", "HTTP/1.1 101 Switching Protocols", "HTTP/1.1", "ICY 200 OK",
    "\r\nHTTP/1.1 200 OK", "\nHTTP/1.1 200 OK", "HTTP/1.10 200 OK", "HTTP/1.1 200 O\rK", "HTTP/11 200 OK",
    "HTTP/1.1 200 O\nK", " HTTP/1.1 200 OK",
]
FIELDS = [
    "Server: nginx", "Date: Sat, 21 Nov 2026 05:29:39 GMT", "Content-Type: text/plain; charset=utf-8",
    'ETag: "abc"', "Connection: keep-alive", "Connection: close", "X-A: b", "x-lower:v", "Vary: *", "A:",
    "Set-Cookie: a=b; Path=/", "Trailer: Digest", "X-Blank:   in  the middle\t ", "Upgrade: websocket",
]
ODD_FIELDS = [
    "A : b", ": b", "A", " fold", "\tfold", " ", "A B: c", "A\tB: c", "A: \0", "A: \x01", "A: \x7f", "A: \xe4",
    "\xe4: b", "A:: b", "A(: b", "A: b\rc", "A: b\nC: d", '"A": b', "A;: b", "Connection: , ,close,",
    "Connection: keep-alive,\r\n close", "Connection: Upgrade", "Host: a", "Content-Encoding: identity", "A: \x0bb",
    "A: b\r\n c", "A:\r\n\tb", "A: b\r\n ", "A: b\r\n \r\n c", "A: b\n c", "A\r\n : b", "A: b\r\r\n c",
    "X-Long: " + "v" * 300,
]
FRAMING_FIELDS = [
    "Content-Length: 5", "Content-Length: 5, 5", "Content-Length: 5,6", "Content-Length: -5", "Content-Length: +5",
    "Content-Length: 5 5", "Content-Length:", "Content-Length: 0x5", "Content-Length: 99999999999999999999",
    "Content-Length: 18446744073709551615", "Content-Length: 9223372036854775808", "Content-Length: 05",
    "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5_0",
    "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
    "Content-Length: 5\r\n ", "Content-Length:\r\n 5", "Content-Length: 1\r\n 2", "Content-Length : 5",
    "Content-Length: 5\nX-A: b", "Content-Length: 5\n",
    "Transfer-Encoding: gzip", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, gzip",
    "Transfer-Encoding: CHUNKED", "Transfer-Encoding: chunked ", "Transfer-Encoding: xchunked",
    "Transfer-Encoding: chunkedx", "Transfer-Encoding: identity", "Transfer-Encoding: Identity\r\nContent-Length: 5",
    "Transfer-Encoding: identity, chunked", "Transfer-Encoding: chunked, identity", "Transfer-Encoding:",
    "Transfer-Encoding: ,chunked", "Transfer-Encoding : chunked", "Transfer-Encoding: chunked\nX-A: b",
    "Transfer-Encoding:\r\n chunked", "Transfer-Encoding: chunked\r\n ", "Transfer-Encoding: chun\r\n ked",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked, chunked",
    "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", 'Transfer-Encoding: "chunked"',
    "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked", "Transfer-Encoding: \x0bchunked",
]
EXTENSIONS = [""] * 15 + [
    ";a", ";a=b", ';a="b c"', " ;a", ";", " ", "\t", "     ", ';a="b\\""', ";\xe4", ";a\tb", ";a = b", ';a="\xe4"', ";a;b",
    ";a=b;c=d", ";a=", ";=b", ";a;", "; a", ";a ", ';a="\n"', ' ;a="\r\n0\r\n\r\n"',
]
SIZES = ["{:x}", "{:x}", "{:x}", "{:X}", "0{:x}", "000{:x}"]
ODD_SIZES = ["+{:x}", "-{:x}", "0x{:x}", " {:x}", "{:x}g", "{:x}_0", "{:016x}", "{:017x}", "ffffffffffffffff", ""]
LINE_ENDS = ["\n", "\r", "\r\r\n", "\n\r", " \r\n", "\r\n ", "\r\n\t", "\n ", ""]
INTERESTING = b"\r\n \t\0\x01\x0b\x1f\x7f\x80\xff:,;\"+-01" + b"59AFGafgx/.H"


class Generator:
    """Generates cases: a method, and the bytes that a server sends in response."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def case(self):
        method = "HEAD" if self.chance(10) else "GET"
        data = ""
        while self.chance(8):
            fields = [self.field()] + ([self.pick(FRAMING_FIELDS)] if self.chance(10) else [])
            data += f"HTTP/1.1 {self.pick([100, 102, 103])} Early\r\n" + "".join(f + "\r\n" for f in fields) + "\r\n"
        data = bytearray((data + self.message()).encode("latin-1"))
        if self.chance(55):
            for _ in range(self.random.randint(1, 2)):
                self.damage(data)
        return method, bytes(data)

    def message(self):
        head = self.pick(STATUS_LINES if self.chance(93) else ODD_STATUS_LINES)
        body = self.pick(["x", "body ", "\r\n", "0\r\n", "\n", "HTTP/1.1 200 OK\r\n\r\n"]) * self.random.randint(0, 9)
        lines = [self.field() for _ in range(self.random.randint(0, 4))]
        content = body
        kind = self.random.randrange(10)
        if kind < 4:
            lines.append(f"Content-Length: {len(body)}")
        elif kind < 7:
            lines.append("Transfer-Encoding: chunked")
            content = self.chunks(body)
        elif kind == 7:
            lines.append(self.pick(FRAMING_FIELDS))
            if self.chance(50):
                content = self.chunks(body)
        elif kind == 8:
            lines.append(f"Content-Length: {len(body)}")
            lines.append(self.pick(FRAMING_FIELDS))
        self.random.shuffle(lines)
        return "\r\n".join([head] + lines) + "\r\n\r\n" + content

    def field(self):
        return self.pick(FIELDS if self.chance(93) else ODD_FIELDS)

    def chunks(self, body):
        text = ""
        while body:
            count = self.random.randint(1, len(body))
            size = self.pick(SIZES if self.chance(97) else ODD_SIZES).format(count)
            text += size + self.pick(EXTENSIONS) + "\r\n" + body[:count] + "\r\n"
            body = body[count:]
        text += self.pick(["0", "0", "0", "000"]) + self.pick(EXTENSIONS) + "\r\n"
        while self.chance(20):
            text += self.field() + "\r\n"
        return text + "\r\n"

    def damage(self, data):
        if not data:
            return
        # Damage near the start affects the framing most often.
        index = self.random.randrange(min(len(data), 120) if self.chance(70) else len(data))
        kind = self.random.randrange(10)
        if kind < 2:
            data[index] = self.pick(INTERESTING)
        elif kind < 4:
            data.insert(index, self.pick(INTERESTING))
        elif kind == 4:
            del data[index]
        elif kind == 5:
            data[index:index] = data[index:index + self.random.randint(1, 24)]
        elif kind < 9:
            places = [i for i in range(len(data) - 1) if data[i:i + 2] == b"\r\n"]
            if places:
                place = self.pick(places)
                data[place:place + 2] = self.pick(LINE_ENDS).encode()
        elif self.chance(30):
            del data[index:]
        else:
            data[index] ^= 1 << self.pick([0, 5, 7])

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def pick(self, elements):
        return elements[self.random.randrange(len(elements))]
