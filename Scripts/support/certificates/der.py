"""Encodes ASN.1 in DER, and the names and extensions of certificates (RFC 5280)."""

import base64
import calendar
import ipaddress
import time

UTF8, PRINTABLE, IA5 = 0x0C, 0x13, 0x16

ATTRIBUTES = {
    "CN": "2.5.4.3", "C": "2.5.4.6", "L": "2.5.4.7", "O": "2.5.4.10", "OU": "2.5.4.11", "E": "1.2.840.113549.1.9.1",
}


def length(count):
    if count < 128:
        return bytes([count])
    digits = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(digits)]) + digits


def tagged(tag, content):
    return bytes([tag]) + length(len(content)) + content


def sequence(*members):
    return tagged(0x30, b"".join(members))


def set_of(*members):
    return tagged(0x31, b"".join(sorted(members)))


def integer(number):
    if isinstance(number, bytes):
        return tagged(0x02, number)
    return tagged(0x02, number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True))


def boolean(value):
    return tagged(0x01, b"\xff" if value else b"\x00")


def octets(content):
    return tagged(0x04, content)


def bits(content, unused=0):
    return tagged(0x03, bytes([unused]) + content)


def null():
    return b"\x05\x00"


def oid(text):
    first, second, *rest = [int(part) for part in text.split(".")]
    content = b""
    for arc in [first * 40 + second, *rest]:
        digits = [arc & 0x7F]
        while arc := arc >> 7:
            digits.append(0x80 | arc & 0x7F)
        content += bytes(reversed(digits))
    return tagged(0x06, content)


def text(value, tag=UTF8):
    return tagged(tag, value if isinstance(value, bytes) else value.encode())


def name(parts, tag=UTF8):
    """Encodes a name: `CN=a,O=b` in the order of the text, or a list of pairs. A text without `=` is a common name."""
    if isinstance(parts, bytes):
        return parts
    if isinstance(parts, str):
        parts = [("CN", parts)] if parts and "=" not in parts else [
            tuple(part.split("=", 1)) for part in parts.split(",") if part]
    return sequence(*[
        set_of(sequence(oid(ATTRIBUTES[kind]), text(value, PRINTABLE if kind == "C" else IA5 if kind == "E" else tag)))
        for kind, value in parts
    ])


def moment(seconds):
    """Encodes a time as RFC 5280 §4.1.2.5 wants it: UTCTime until 2049, GeneralizedTime from 2050 on."""
    if isinstance(seconds, bytes):
        return seconds
    parts = time.gmtime(seconds)
    if 1950 <= parts.tm_year < 2050:
        return tagged(0x17, time.strftime("%y%m%d%H%M%SZ", parts).encode())
    return generalized(seconds)


def generalized(seconds):
    parts = time.gmtime(seconds)
    return tagged(0x18, f"{parts.tm_year:04}{time.strftime('%m%d%H%M%SZ', parts)}".encode())


def seconds(year, month=1, day=1, hour=0, minute=0, second=0):
    return calendar.timegm((year, month, day, hour, minute, second))


# General names, RFC 5280 §4.2.1.6.


def dns(value):
    return tagged(0x82, value if isinstance(value, bytes) else value.encode("latin-1"))


def email(value):
    return tagged(0x81, value.encode())


def uri(value):
    return tagged(0x86, value.encode())


def ip(value):
    """Encodes an address, or a range such as 10.0.0.0/8 for name constraints. Bytes are taken as they are."""
    if isinstance(value, bytes):
        return tagged(0x87, value)
    if "/" in value:
        network = ipaddress.ip_network(value)
        return tagged(0x87, network.network_address.packed + network.netmask.packed)
    return tagged(0x87, ipaddress.ip_address(value).packed)


def directory(value):
    return tagged(0xA4, name(value))


def registered(value):
    return tagged(0x88, oid(value)[2:])


def other_name(kind, value):
    return tagged(0xA0, oid(kind) + tagged(0xA0, text(value)))


def general(value):
    """Encodes a host or an address as a general name. Bytes are general names already."""
    if isinstance(value, bytes):
        return value
    try:
        return ip(value)
    except ValueError:
        return dns(value)


# Extensions, RFC 5280 §4.2.

USAGES = [
    "digitalSignature", "nonRepudiation", "keyEncipherment", "dataEncipherment", "keyAgreement", "keyCertSign",
    "cRLSign", "encipherOnly", "decipherOnly",
]
PURPOSES = {
    "server": "1.3.6.1.5.5.7.3.1", "client": "1.3.6.1.5.5.7.3.2", "code": "1.3.6.1.5.5.7.3.3",
    "email": "1.3.6.1.5.5.7.3.4", "ocsp": "1.3.6.1.5.5.7.3.9", "any": "2.5.29.37.0",
    "netscape": "2.16.840.1.113730.4.1",
}


def extension(identifier, value, critical=False):
    return sequence(oid(identifier), boolean(True) if critical else b"", octets(value))


def basic(authority=True, path=None, critical=True):
    members = (boolean(True) if authority else b"") + (b"" if path is None else integer(path))
    return extension("2.5.29.19", sequence(members), critical)


def usage(*names, critical=True):
    value = [0, 0]
    for item in names:
        index = USAGES.index(item)
        value[index // 8] |= 0x80 >> index % 8
    content = bytes(value).rstrip(b"\0")
    unused = (content[-1] & -content[-1]).bit_length() - 1 if content else 0
    return extension("2.5.29.15", bits(content, unused), critical)


def purposes(*names, critical=False):
    return extension("2.5.29.37", sequence(*[oid(PURPOSES.get(item, item)) for item in names]), critical)


def alternative(*names, critical=False):
    return extension("2.5.29.17", sequence(*[general(item) for item in names]), critical)


def key_identifier(value, critical=False):
    return extension("2.5.29.14", octets(value), critical)


def issuer_identifier(value=None, issuer=None, serial=None):
    content = b"" if value is None else tagged(0x80, value)
    if issuer is not None:
        content += tagged(0xA1, directory(issuer)) + tagged(0x82, integer(serial)[2:])
    return extension("2.5.29.35", sequence(content))


def subtrees(names, suffix=b""):
    return b"".join(sequence(item if isinstance(item, bytes) else general_range(item), suffix) for item in names)


def general_range(value):
    try:
        return ip(value)
    except ValueError:
        return dns(value)


def constraints(permitted=(), excluded=(), critical=True, suffix=b""):
    members = (tagged(0xA0, subtrees(permitted, suffix)) if permitted else b"") + (
        tagged(0xA1, subtrees(excluded, suffix)) if excluded else b"")
    return extension("2.5.29.30", sequence(members), critical)


def pem(der):
    body = base64.b64encode(der).decode()
    lines = [body[index:index + 64] for index in range(0, len(body), 64)]
    return "\n".join(["-----BEGIN CERTIFICATE-----", *lines, "-----END CERTIFICATE-----", ""])
