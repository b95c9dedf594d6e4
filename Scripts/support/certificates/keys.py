"""Keys of certificates: RSA, ECDSA and Ed25519, in Python alone.

Each key is derived from a label, and each signature from the key and the message, so that every run makes the same
certificates. Nothing here is safe against observers. The keys protect nothing.
"""

import functools
import hashlib
import hmac
import itertools
import math
import random

from certificates import der

HASHES = {"md5": "1.2.840.113549.2.5", "sha1": "1.3.14.3.2.26", "sha256": "2.16.840.1.101.3.4.2.1",
          "sha384": "2.16.840.1.101.3.4.2.2", "sha512": "2.16.840.1.101.3.4.2.3"}
PSS = "1.2.840.113549.1.1.10"
RSA_SIGNATURES = {"md5": 4, "sha1": 5, "sha256": 11, "sha384": 12, "sha512": 13}
EC_SIGNATURES = {"sha1": "1.2.840.10045.4.1", "sha256": "1.2.840.10045.4.3.2", "sha384": "1.2.840.10045.4.3.3",
                 "sha512": "1.2.840.10045.4.3.4"}


def digest(function, message):
    return hashlib.new(function, message, usedforsecurity=False).digest()


def seed(label, size):
    return hashlib.shake_256(label.encode()).digest(size)


# ECDSA, SEC 1.


class Curve:
    def __init__(self, identifier, p, a, b, order, x, y):
        self.identifier, self.p, self.a, self.b, self.order, self.base = identifier, p, a, b, order, (x, y, 1)
        self.size = (p.bit_length() + 7) // 8

    def double(self, point):
        x, y, z = point
        p = self.p
        if not z:
            return point
        square = y * y % p
        s = 4 * x * square % p
        m = (3 * x * x + self.a * z * z * z * z) % p
        x3 = (m * m - 2 * s) % p
        return x3, (m * (s - x3) - 8 * square * square) % p, 2 * y * z % p

    def add(self, one, other):
        if not one[2]:
            return other
        if not other[2]:
            return one
        (x1, y1, z1), (x2, y2, z2), p = one, other, self.p
        z1z1, z2z2 = z1 * z1 % p, z2 * z2 % p
        u1, u2 = x1 * z2z2 % p, x2 * z1z1 % p
        s1, s2 = y1 * z2 * z2z2 % p, y2 * z1 * z1z1 % p
        if u1 == u2:
            return self.double(one) if s1 == s2 else (1, 1, 0)
        h, r = u2 - u1, s2 - s1
        h2 = h * h % p
        h3, v = h * h2 % p, u1 * h2 % p
        x3 = (r * r - h3 - 2 * v) % p
        return x3, (r * (v - x3) - s1 * h3) % p, h * z1 * z2 % p

    @functools.cached_property
    def table(self):
        """The multiples of the base point by 1 to 15 for each digit of 4 bits."""
        rows, point = [], self.base
        for _ in range(self.order.bit_length() // 4 + 1):
            row = [(1, 1, 0)]
            for _ in range(15):
                row.append(self.add(row[-1], point))
            rows.append(row)
            point = self.add(row[-1], point)
        return rows

    def multiple(self, scalar):
        """Returns the affine coordinates of a multiple of the base point."""
        point = (1, 1, 0)
        for index, row in enumerate(self.table):
            point = self.add(point, row[scalar >> 4 * index & 15])
        inverse = pow(point[2], -1, self.p)
        return point[0] * inverse * inverse % self.p, point[1] * inverse * inverse * inverse % self.p


def curve(identifier, p, b, order, x, y, a=-3):
    p, b, order, x, y = (int(value.replace(" ", ""), 16) for value in (p, b, order, x, y))
    return Curve(identifier, p, a, b, order, x, y)


CURVES = {
    "p224": curve(
        "1.3.132.0.33", "ffffffffffffffffffffffffffffffff000000000000000000000001",
        "b4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4",
        "ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d",
        "b70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21",
        "bd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34"),
    "p256": curve(
        "1.2.840.10045.3.1.7", "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
        "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b",
        "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
        "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"),
    "p384": curve(
        "1.3.132.0.34",
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff",
        "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef",
        "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
        "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7",
        "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f"),
    "p521": curve(
        "1.3.132.0.35", "1ff" + "f" * 128,
        "051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573d"
        "f883d2c34f1ef451fd46b503f00",
        "1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8"
        "899c47aebb6fb71e91386409",
        "c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1"
        "856a429bf97e7e31c2e5bd66",
        "11839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c708"
        "6a272c24088be94769fd16650"),
    "secp256k1": curve(
        "1.3.132.0.10", "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f", "7",
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
        "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
        "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8", a=0),
}


class ECKey:
    def __init__(self, label, curve):
        self.curve = curve
        self.secret = int.from_bytes(seed(label, curve.size + 8), "big") % (curve.order - 1) + 1
        self.function = {"p384": "sha384", "p521": "sha512"}.get(
            next(key for key, value in CURVES.items() if value is curve), "sha256")
        self.x, self.y = curve.multiple(self.secret)

    def point(self, compressed=False):
        x = self.x.to_bytes(self.curve.size, "big")
        return bytes([2 + self.y % 2]) + x if compressed else b"\4" + x + self.y.to_bytes(self.curve.size, "big")

    def public(self, compressed=False):
        algorithm = der.sequence(der.oid("1.2.840.10045.2.1"), der.oid(self.curve.identifier))
        return der.sequence(algorithm, der.bits(self.point(compressed)))

    def algorithm(self, function):
        return der.sequence(der.oid(EC_SIGNATURES[function]))

    def sign(self, message, function):
        order, value = self.curve.order, digest(function, message)
        number = int.from_bytes(value, "big") >> max(0, len(value) * 8 - order.bit_length())
        for attempt in itertools.count():
            nonce = hmac.new(self.secret.to_bytes(80, "big"), message + bytes([attempt]), "sha512").digest() * 2
            k = int.from_bytes(nonce, "big") % (order - 1) + 1
            r = self.curve.multiple(k)[0] % order
            s = pow(k, -1, order) * (number + r * self.secret) % order
            if r and s:
                return der.sequence(der.integer(r), der.integer(s))


# Ed25519, RFC 8032.

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
BASE_Y = 4 * pow(5, -1, P) % P


def edwards_add(one, other):
    a, b = (one[1] - one[0]) * (other[1] - other[0]) % P, (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def edwards_base():
    square = (BASE_Y * BASE_Y - 1) * pow(D * BASE_Y * BASE_Y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    x = P - x if x % 2 else x
    return x, BASE_Y, 1, x * BASE_Y % P


def edwards_multiple(scalar):
    point, power = (0, 1, 1, 0), edwards_base()
    while scalar:
        if scalar & 1:
            point = edwards_add(point, power)
        power = edwards_add(power, power)
        scalar >>= 1
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


class EdKey:
    function = "ed25519"

    def __init__(self, label):
        value = hashlib.sha512(seed(label, 32)).digest()
        self.scalar = int.from_bytes(value[:32], "little") & (1 << 254) - 8 | 1 << 254
        self.prefix = value[32:]
        self.bytes = edwards_multiple(self.scalar)

    def public(self):
        return der.sequence(der.sequence(der.oid("1.3.101.112")), der.bits(self.bytes))

    def algorithm(self, _):
        return der.sequence(der.oid("1.3.101.112"))

    def sign(self, message, _):
        r = int.from_bytes(hashlib.sha512(self.prefix + message).digest(), "little") % L
        point = edwards_multiple(r)
        k = int.from_bytes(hashlib.sha512(point + self.bytes + message).digest(), "little") % L
        return point + ((r + k * self.scalar) % L).to_bytes(32, "little")


# RSA, RFC 8017.

SMALL_PRIMES = [number for number in range(3, 5000, 2) if all(number % other for other in range(3, number, 2))]


def is_prime(number, source):
    if any(number % prime == 0 for prime in SMALL_PRIMES):
        return False
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for _ in range(6):
        value = pow(source.randrange(2, number - 1), odd, number)
        if value in (1, number - 1):
            continue
        for _ in range(twos - 1):
            value = value * value % number
            if value == number - 1:
                break
        else:
            return False
    return True


def prime(size, source):
    while True:
        # The two upper bits are set, so that the product of two primes has the whole size.
        number = source.getrandbits(size) | 3 << size - 2 | 1
        if math.gcd(number - 1, 65537) == 1 and is_prime(number, source):
            return number


def rsa_public(modulus, exponent, algorithm=None):
    key = der.sequence(der.integer(modulus), der.integer(exponent))
    return der.sequence(algorithm or der.sequence(der.oid("1.2.840.113549.1.1.1"), der.null()), der.bits(key))


def pss_parts(function):
    """Splits `pss-sha256`, with the length of the salt and the hash function of the mask: `pss-sha256-20-sha1`."""
    _, name, *rest = function.split("-")
    return name, int(rest[0]) if rest else len(digest(name, b"")), rest[1] if len(rest) > 1 else name


def pss(function, salt_length, mask_function, trailer=b"", null=b"\5\0", mask="1.2.840.113549.1.1.8"):
    """Encodes the algorithm of RSASSA-PSS, RFC 4055 §3.1, with a hash function whose parameters are `null`."""
    return der.sequence(der.oid(PSS), der.sequence(
        der.tagged(0xA0, der.sequence(der.oid(HASHES[function]), null)),
        der.tagged(0xA1, der.sequence(der.oid(mask), der.sequence(der.oid(HASHES[mask_function]), null))),
        der.tagged(0xA2, der.integer(salt_length)),
        trailer,
    ))


class RSAKey:
    function = "sha256"

    def __init__(self, label, size, exponent=65537):
        source = random.Random(label)
        while True:
            p, q = prime((size + 1) // 2, source), prime(size // 2, source)
            self.modulus = p * q
            if self.modulus.bit_length() == size:
                break
        self.exponent = exponent
        self.secret = pow(exponent, -1, math.lcm(p - 1, q - 1))
        self.size = (size + 7) // 8

    def public(self):
        return rsa_public(self.modulus, self.exponent)

    def algorithm(self, function):
        if function.startswith("pss-"):
            return pss(*pss_parts(function))
        return der.sequence(der.oid(f"1.2.840.113549.1.1.{RSA_SIGNATURES[function]}"), der.null())

    def sign(self, message, function):
        if function.startswith("pss-"):
            encoded = self.probabilistic(message, *pss_parts(function))
        else:
            info = der.sequence(
                der.sequence(der.oid(HASHES[function]), der.null()), der.octets(digest(function, message)))
            encoded = b"\0\1" + b"\xff" * (self.size - len(info) - 3) + b"\0" + info
        return pow(int.from_bytes(encoded, "big"), self.secret, self.modulus).to_bytes(self.size, "big")

    def probabilistic(self, message, function, salt_length, mask_function):
        hashed = digest(function, message)
        salt = seed(hashed.hex(), salt_length)
        check = digest(function, bytes(8) + hashed + salt)
        count = self.size - len(check) - 1
        block = bytes(count - len(salt) - 1) + b"\1" + salt
        # The shortest hash has 16 bytes.
        mask = b"".join(
            digest(mask_function, check + index.to_bytes(4, "big")) for index in range(count // 16 + 1))[:count]
        masked = bytearray(one ^ other for one, other in zip(block, mask))
        # The highest bit must be clear, since the number must be less than the modulus.
        masked[0] &= 0x7F
        return bytes(masked) + check + b"\xbc"


@functools.cache
def rsa(size):
    """Returns the RSA key of a size. There is only one, since it takes a second to find the primes."""
    return RSAKey(f"rsa{size}", size)


@functools.cache
def key(label, kind="p256"):
    """Returns the key with this label: `p256`, another curve, `ed25519`, or `rsa2048` with any size."""
    if kind.startswith("rsa"):
        return rsa(int(kind[3:]))
    return EdKey(label) if kind == "ed25519" else ECKey(label, CURVES[kind])
