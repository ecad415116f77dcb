"""A webhook's receiver and a mail server, on this machine, that keep what they took."""

import datetime
import ipaddress
import ssl
import time
from contextlib import contextmanager
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Event, Thread

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from browser import free_port
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from listening import Handler, listening


class Hook:
    """What was posted: fields and bodies; `answers` are the next statuses, then 204."""

    def __init__(self):
        self.taken, self.answers, self.url = [], [], ""


@contextmanager
def hook():
    """A receiver that listens."""
    kept = Hook()

    class Receiver(Handler):
        def do_POST(self):
            kept.taken.append((dict(self.headers), self.body()))
            self.answer(kept.answers.pop(0) if kept.answers else 204)

    with listening(Receiver) as address:
        kept.url = f"{address}/hook?team=night"
        yield kept


@contextmanager
def mail_server(folder, user=b"ldp", password=b"a word that is long"):
    """A mail server with STARTTLS that asks for a login: its port, what it trusts, and its mail."""
    certificate, key = certificate_in(folder)
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(certificate, key)
    taken = []

    class Handler:
        async def handle_DATA(self, _, __, envelope):
            taken.append(envelope)
            return "250 taken"

    def known(server, session, envelope, mechanism, data):
        good = (data.login, data.password) == (user, password)
        return AuthResult(success=good, handled=False)

    controller = Controller(
        Handler(),
        hostname="127.0.0.1",
        port=free_port(),
        tls_context=own,
        require_starttls=True,
        auth_required=True,
        authenticator=known,
    )
    controller.start()
    try:
        yield controller.port, ssl.create_default_context(cafile=certificate), taken
    finally:
        controller.stop()


@contextmanager
def dripping(line):
    """A server that says a line again and again: its port, and whether its client was gone first.

    It has an end, so that who waits for it fails in the end.
    """
    gone = Event()

    class Dripping(BaseRequestHandler):
        def handle(self):
            try:
                for _ in range(600):
                    self.request.sendall(line)
                    time.sleep(0.05)
            except OSError:
                gone.set()

    with ThreadingTCPServer(("127.0.0.1", 0), Dripping) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server.server_address[1], gone
        server.shutdown()


def certificate_in(folder):
    """A certificate of this machine, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    names = [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost")]
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(1))
        .not_valid_after(now + datetime.timedelta(1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    parts = {
        "tls.pem": certificate.public_bytes(serialization.Encoding.PEM),
        "tls.key": key.private_bytes(serialization.Encoding.PEM, form, plain),
    }
    for file, content in parts.items():
        (folder / file).write_bytes(content)
    return folder / "tls.pem", folder / "tls.key"
