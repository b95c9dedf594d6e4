"""Makes the keys and certificates for the checks of TLS, with openssl."""

import base64
import os
import subprocess

from .servers import need

# The host that most certificates are for. No resolver knows it.
HOST = "peer.test"
PASSPHRASE = "open sesame"

P256 = ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
P384 = ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384")
P521 = ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521")
ED25519 = ("-algorithm", "ED25519")
PSS = ("-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048")


def rsa(bits):
    return ("-algorithm", "RSA", "-pkeyopt", f"rsa_keygen_bits:{bits}")


CONFIGURATION = """
[ca]
default_ca = interop
[interop]
database = {folder}/index.txt
new_certs_dir = {folder}
default_md = sha256
default_days = 2
policy = any
unique_subject = no
rand_serial = yes
[any]
commonName = optional
[req]
distinguished_name = none
[none]
"""

AUTHORITY = ("basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign")
SERVER = ("basicConstraints=CA:FALSE", "extendedKeyUsage=serverAuth")
CLIENT = ("basicConstraints=CA:FALSE", "extendedKeyUsage=clientAuth")


class Credentials:
    """A folder with keys and certificates: NAME.key, NAME.pem, and bundles of several certificates."""

    def __init__(self, folder):
        self.folder = folder
        self.openssl = need("openssl", "openssl")
        os.mkdir(folder)
        # The workers of nginx read it as another user.
        os.chmod(folder, 0o755)
        self.write("ca.conf", CONFIGURATION.format(folder=folder))
        self.write("index.txt", "")
        self.make_authorities()
        self.make_servers()
        self.make_clients()

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def join(self, name, *parts):
        """Writes a file with the contents of others."""
        return self.write(name, "".join(self.read(part) for part in parts))

    def run(self, *arguments, content=None):
        run = subprocess.run([self.openssl, *arguments], cwd=self.folder, input=content, capture_output=True)
        if run.returncode != 0:
            raise OSError(f"openssl {' '.join(arguments)}\n{run.stderr.decode(errors='replace')}")
        return run.stdout

    def issue(self, name, by, extensions, *, names=f"DNS:{HOST}", key=P256, subject=None, more=()):
        """Makes a key, and a certificate that an authority has issued. Without an authority it is self-signed."""
        self.run("genpkey", *key, "-out", f"{name}.key")
        subject = f"/CN={subject or name}"
        self.run("req", "-new", "-config", "ca.conf", "-key", f"{name}.key", "-subj", subject, "-out", f"{name}.csr")
        lines = [*extensions, "subjectKeyIdentifier=hash"] + ([f"subjectAltName={names}"] if names else [])
        self.write(f"{name}.ext", "\n".join(lines) + "\n")
        signer = ["-cert", f"{by}.pem", "-keyfile", f"{by}.key"] if by else ["-selfsign", "-keyfile", f"{name}.key"]
        self.run(
            "ca", "-batch", "-notext", "-config", "ca.conf", *signer, "-in", f"{name}.csr", "-out", f"{name}.pem",
            "-extfile", f"{name}.ext", *more)

    def make_authorities(self):
        old = ("-startdate", "20200101000000Z", "-enddate", "20210503000000Z")
        below = ("root", AUTHORITY)
        self.issue("root", None, AUTHORITY, names="", subject="Interop Root")
        self.issue("rsa-root", None, AUTHORITY, names="", key=rsa(2048), subject="Interop RSA Root")
        self.issue("stranger", None, AUTHORITY, names="", subject="Interop Stranger")
        self.issue("upper", *below, names="", subject="Interop Upper")
        self.issue("lower", "upper", AUTHORITY, names="", key=P384, subject="Interop Lower")
        self.issue("old", *below, names="", subject="Interop Old", more=old)
        self.issue(
            "limited", "root", (*AUTHORITY, "nameConstraints=critical,permitted;DNS:inside.test"), names="",
            subject="Interop Limited")
        self.issue("none", "root", ("basicConstraints=CA:FALSE",), names="", subject="Interop None")
        self.join("roots.pem", "root.pem", "rsa-root.pem")
        self.run("x509", "-in", "root.pem", "-outform", "der", "-out", "root.der")
        # OpenSSL finds the certificates of a folder by links, whose names are hashes.
        for name in ("authorities", "strangers", "texts"):
            os.mkdir(self.path(name))
        self.join("authorities/root.pem", "root.pem")
        for name in ("authorities", "texts"):
            self.write(f"{name}/README.txt", "no certificate\n")
        self.join("strangers/stranger.pem", "stranger.pem")
        for name in ("authorities", "strangers"):
            self.run("rehash", name)

    def make_servers(self):
        here = f"DNS:{HOST},DNS:localhost,IP:127.0.0.1,IP:::1"
        self.issue("good", "root", SERVER, names=here)
        self.issue("rsa", "root", SERVER, key=rsa(2048))
        self.issue("rsa-4096", "root", SERVER, key=rsa(4096))
        self.issue("p-384", "root", SERVER, key=P384)
        self.issue("p-521", "root", SERVER, key=P521)
        self.issue("ed25519", "root", SERVER, key=ED25519)
        self.issue("pss-key", "root", SERVER, key=PSS)
        padding = ("-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest")
        self.issue("pss-signature", "rsa-root", SERVER, more=padding)
        self.issue("sha-1", "rsa-root", SERVER, more=("-md", "sha1"))
        self.issue("rsa-1024", "root", SERVER, key=rsa(1024))
        self.issue("expired", "root", SERVER, more=("-startdate", "20200101000000Z", "-enddate", "20210503000000Z"))
        self.issue("future", "root", SERVER, more=("-startdate", "20990101000000Z", "-enddate", "20990503000000Z"))
        self.issue("other-host", "root", SERVER, names="DNS:other.test")
        self.issue("common-name", "root", SERVER, names="", subject=HOST)
        self.issue("for-clients", "root", CLIENT)
        self.issue("critical", "root", (*SERVER, "1.2.3.4=critical,ASN1:NULL"))
        self.issue("self-signed", None, SERVER)
        self.issue("must-staple", "root", (*SERVER, "tlsfeature=status_request"))
        self.issue("chained", "lower", SERVER)
        self.issue("of-old", "old", SERVER)
        self.issue("of-limited", "limited", SERVER)
        self.issue("inside", "limited", SERVER, names="DNS:a.inside.test")
        self.issue("of-none", "none", SERVER)
        self.issue("of-stranger", "stranger", SERVER)
        self.issue("a", "root", SERVER, names="DNS:a.test")
        self.issue("b", "root", SERVER, names="DNS:b.test", key=rsa(2048))
        self.issue("wild", "root", SERVER, names="DNS:*.wild.test")
        self.issue("revoked", "root", SERVER)
        self.join("forward.pem", "lower.pem", "upper.pem")
        self.join("backward.pem", "root.pem", "rsa-root.pem", "upper.pem", "stranger.pem", "lower.pem")
        self.run("ca", "-config", "ca.conf", "-cert", "root.pem", "-keyfile", "root.key", "-revoke", "revoked.pem")
        for name in ("good", "revoked", "must-staple"):
            # curl identifies a certificate by its issuer, which the server must send.
            self.join(f"{name}-chain.pem", f"{name}.pem", "root.pem")
            self.run(
                "ocsp", "-index", "index.txt", "-CA", "root.pem", "-rsigner", "root.pem", "-rkey", "root.key",
                "-issuer", "root.pem", "-cert", f"{name}.pem", "-ndays", "1", "-respout", f"{name}.ocsp")

    def make_clients(self):
        self.issue("ada", "root", CLIENT, names="", subject="Ada")
        self.issue("ada-rsa", "root", CLIENT, names="", key=rsa(2048), subject="Ada RSA")
        self.issue("ada-below", "lower", CLIENT, names="", subject="Ada Below")
        self.issue("eve", "stranger", CLIENT, names="", subject="Eve")
        self.issue(
            "late", "root", CLIENT, names="", subject="Late",
            more=("-startdate", "20200101000000Z", "-enddate", "20210503000000Z"))
        self.join("both.pem", "ada.pem", "ada.key")
        self.join("below.pem", "ada-below.pem", "lower.pem", "upper.pem", "ada-below.key")
        # The client's certificate may be the last one.
        self.join("last.pem", "upper.pem", "lower.pem", "ada-below.pem", "ada-below.key")
        secret = ("-passout", f"pass:{PASSPHRASE}")
        self.run("pkcs8", "-topk8", "-v2", "aes-256-cbc", "-in", "ada.key", "-out", "ada-secret.key", *secret)
        self.run("rsa", "-traditional", "-aes128", "-in", "ada-rsa.key", "-out", "ada-rsa-old.key", *secret)
        self.run("ec", "-in", "ada.key", "-out", "ada-old.key")
        bundle = ("pkcs12", "-export", "-in", "ada.pem", "-inkey", "ada.key")
        self.run(*bundle, "-out", "modern.p12", *secret)
        self.run(*bundle, "-legacy", "-out", "legacy.p12", *secret)
        self.run(*bundle, "-legacy", "-descert", "-out", "triple.pfx", *secret)
        self.run(*bundle, "-out", "open.p12", "-passout", "pass:")
        self.run("pkcs12", "-export", "-in", "ada.pem", "-nokeys", "-out", "keyless.p12", *secret)
        self.run(
            "pkcs12", "-export", "-in", "ada-below.pem", "-inkey", "ada-below.key", "-certfile", "forward.pem",
            "-out", "below.p12", *secret)

    def pin(self, name):
        """Returns the pin of a certificate's key, as the documentation of `PublicKeyPin` says."""
        key = self.run("x509", "-in", f"{name}.pem", "-pubkey", "-noout")
        der = self.run("pkey", "-pubin", "-outform", "der", content=key)
        return "sha256//" + base64.b64encode(self.run("dgst", "-sha256", "-binary", content=der)).decode()
