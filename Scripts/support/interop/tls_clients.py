"""Checks of client certificates, against the servers of tls_peers.py. Each check is a name and a function."""

from .credentials import HOST, PASSPHRASE
from .tls_peers import NO_CLIENT_CERTIFICATE, served


def clients(t, site, both):
    """Client certificates in PEM."""
    path = site.credentials.path
    ada = ["--cert", path("ada.pem"), "--cert-key", path("ada.key")]
    same = ["--cert", path("ada.pem"), "--key", path("ada.key")]
    for name, port in (("required", site.required), ("optional", site.optional)):
        def run(words, flags=(), curl=(), port=port, **options):
            return lambda: both.run(port, flags, words=words, curl=curl, **options)

        yield f"{name}: presented", run("SUCCESS CN=Ada\n", ada, same)
        yield f"{name}: a file of both", run(
            "SUCCESS CN=Ada\n", ["--cert", path("both.pem")], ["--cert", path("both.pem")])
        yield f"{name}: with its chain", run(
            "SUCCESS CN=Ada Below\n", ["--cert", path("below.pem")], ["--cert", path("below.pem")])
        # curl takes the first certificate for that of the client.
        yield f"{name}: behind its chain", run(
            "SUCCESS CN=Ada Below\n", ["--cert", path("last.pem")], ["--cert", path("last.pem")],
            curl_code=NO_CLIENT_CERTIFICATE)
        for version in ("tls1.2", "tls1.3"):
            curl = ["--tls-max", "1.2"] if version == "tls1.2" else ["--tlsv1.3"]
            yield f"{name}: {version}", run("SUCCESS CN=Ada\n", [*ada, f"--ssl={version}"], [*same, *curl])
        yield f"{name}: of an unknown authority", run(
            "The SSL certificate error", ["--cert", path("eve.pem"), "--cert-key", path("eve.key")],
            ["--cert", path("eve.pem"), "--key", path("eve.key")])
    yield "required: none", lambda: both.run(site.required, words="No required SSL certificate was sent")
    yield "required: none, with --check-status", lambda: both.run(
        site.required, ["--check-status"], code=4, curl=["--fail"], curl_code=22)
    yield "optional: none", lambda: both.run(site.optional, words="NONE \n")
    yield "presented to a server that does not ask", lambda: both.run(
        site.tls, ada, words=f"for {HOST}\n", curl=same)

    secret = [f"--cert-key-pass={PASSPHRASE}"]

    def encrypted(certificate, key, words, flags=(), curl=(), code=0):
        return lambda: both.run(
            site.required, ["--cert", path(certificate), "--cert-key", path(key), *flags], words=words, code=code,
            curl=None if curl is None else ["--cert", path(certificate), "--key", path(key), *curl],
            curl_code=NO_CLIENT_CERTIFICATE if code else 0)

    yield "an encrypted key", encrypted("ada.pem", "ada-secret.key", "SUCCESS CN=Ada\n", secret, ["--pass", PASSPHRASE])
    yield "an encrypted key of the old form", encrypted(
        "ada-rsa.pem", "ada-rsa-old.key", "SUCCESS CN=Ada RSA\n", secret, ["--pass", PASSPHRASE])
    yield "a key of the old form", encrypted("ada.pem", "ada-old.key", "SUCCESS CN=Ada\n")
    for key, certificate in (("ada-secret.key", "ada.pem"), ("ada-rsa-old.key", "ada-rsa.pem")):
        yield f"another passphrase for {key}", encrypted(
            certificate, key, "its passphrase is wrong, or it is damaged", ["--cert-key-pass=other"],
            ["--pass", "other"], 1)
        # curl would ask on the terminal.
        yield f"no passphrase for {key}", encrypted(
            certificate, key, "is encrypted; add --cert-key-pass", curl=None, code=1)
    yield "the key of another certificate", encrypted(
        "ada.pem", "ada-rsa.key", "does not belong to the certificate", code=1)
    yield "no key", lambda: both.run(
        site.required, ["--cert", path("ada.pem")], words="has no private key in PEM", code=1,
        curl=["--cert", path("ada.pem")], curl_code=NO_CLIENT_CERTIFICATE)
    yield "no file", lambda: both.run(
        site.required, ["--cert=missing.pem"], words="missing.pem", code=1, curl=["--cert", "missing.pem"],
        curl_code=NO_CLIENT_CERTIFICATE)
    # curl sends it, and nginx refuses it.
    yield "an expired one", encrypted(
        "late.pem", "late.key", "can't be used: it expired on 2021-05-03T00:00:00Z", curl=None, code=1)
    yield "--cert-key alone", lambda: both.run(
        site.required, ["--cert-key", path("ada.key")], words="add --cert FILE", code=1, curl=None)

    for version in ("-tls1_2", "-tls1_3"):
        demanding = served(
            site, "good", version, "-Verify", "4", "-verify_return_error", "-verifyCAfile", path("root.pem"))
        yield f"s_server {version}: presented", demanding(
            lambda port: both.run(port, ada, words="Cipher is ", curl=same))
        yield f"s_server {version}: none", demanding(
            lambda port: both.run(
                port, words=f"{HOST} requires a client certificate; name one with --cert FILE", code=1))
        yield f"s_server {version}: of an unknown authority", demanding(
            lambda port: both.run(
                port, ["--cert", path("eve.pem"), "--cert-key", path("eve.key")],
                words=f"{HOST} refused the client's certificate: the certificate is of an authority that it does not "
                "trust; name another one with --cert FILE",
                code=1, curl=["--cert", path("eve.pem"), "--key", path("eve.key")]))


def bundles(t, site, both):
    """Client certificates in PKCS#12."""
    path = site.credentials.path

    def run(name, words="SUCCESS CN=Ada\n", code=0, passphrase=PASSPHRASE, curl_code=None):
        flags = ["--cert", path(name)] + ([f"--cert-key-pass={passphrase}"] if passphrase else [])
        curl = ["--cert-type", "P12", "--cert", path(name), "--pass", passphrase]
        return lambda: both.run(site.required, flags, words=words, code=code, curl=curl, curl_code=curl_code)

    yield "AES", run("modern.p12")
    # OpenSSL 3 does not read RC2 without its legacy provider.
    yield "RC2", run("legacy.p12", curl_code=(0, NO_CLIENT_CERTIFICATE))
    yield "Triple DES, as .pfx", run("triple.pfx")
    yield "with its chain", run("below.p12", "SUCCESS CN=Ada Below\n")
    yield "without a passphrase", run("open.p12", passphrase="")
    for name in ("modern.p12", "legacy.p12"):
        yield f"another passphrase for {name}", run(
            name, "has another passphrase", 1, "other", NO_CLIENT_CERTIFICATE)
        yield f"no passphrase for {name}", run(
            name, "needs a passphrase", 1, "", NO_CLIENT_CERTIFICATE)
    yield "without a key", run("keyless.p12", "has no private key", 1, curl_code=NO_CLIENT_CERTIFICATE)

    def damaged():
        with open(path("modern.p12"), "rb") as file:
            content = file.read()
        for name, changed in (("cut.p12", content[:-40]), ("text.p12", b"a text"), ("empty.p12", b"")):
            with open(path(name), "wb") as file:
                file.write(changed)
            run(name, "--cert can't be used", 1, curl_code=NO_CLIENT_CERTIFICATE)()

    yield "damaged ones", damaged
