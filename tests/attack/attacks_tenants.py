"""attacks_tenants - the fourth table: attacks of one tenant of a server on the others.

Each row is what a hostile client does, with its own key or without one, while another key is
served. An attack is a function of a Hostile (tenant_case.py). It returns when the server is under
attack; what the hostile client holds is let go of when the test ends the attack. Rows say what the
other key is served meanwhile, and what must hold of the server.
"""

from tenant_case import Hostile, Tenant

BODY = 1 << 20

# -- ends in the middle -----------------------------------------------------------------------


def _close_in_the_middle(hostile: Hostile) -> None:
    """Send half of each kind of body, at once with the end of the connection."""
    session = hostile.session()
    for head in (
        hostile.head("POST", "/v1/execute", "Content-Type: application/json", length=BODY),
        hostile.head("POST", "/v1/execute", "Content-Type: application/json"),
        hostile.head("POST", "/v1/files", "Content-Type: multipart/form-data; boundary=part", length=BODY),
        hostile.head("PUT", f"/v1/sessions/{session}/files/x", length=BODY),
        hostile.head("PUT", "/v1/sessions/nobodys/files/x", length=BODY),
        hostile.head("GET", "/v1/files", length=50000),
        hostile.head("POST", "/nothing", length=100000),
    ):
        for _ in range(25):
            client = hostile.connect()
            client.sendall(head + b"fffff\r\n" + b"x" * 30000)
            client.close()


ENDS = (
    Tenant(
        "bodies_that_end_in_the_middle",
        "a client closes in the middle of an upload: its descriptor and its place stay",
        _close_in_the_middle,
        "connection",
        ("--stall-timeout", "1h", "--header-timeout", "1h"),
        leaves=True,
    ),
)

# -- connections ------------------------------------------------------------------------------

CONNECTIONS = 60  # of the server
FEW = ("--max-connections", str(CONNECTIONS), "--stall-timeout", "1h", "--header-timeout", "1h")


def _fill(hostile: Hostile, request: bytes, receive: int = 0) -> None:
    """Send a request on each connection that is to be had, and on more of them."""
    for _ in range(2 * CONNECTIONS):
        hostile.connect(receive).sendall(request)


def _read_no_reply(hostile: Hostile) -> None:
    """Ask for a file of 8 MiB, again and again, and read nothing."""
    file = hostile.uploaded(b"x" * (8 << 20))
    _fill(hostile, hostile.head("GET", f"/v1/files/{file}", length=0), 4096)


def _read_no_page(hostile: Hostile) -> None:
    """Ask for a page without a key, more often than the kernel keeps, and read nothing."""
    _fill(hostile, hostile.head("GET", "/openapi.json", length=0, key=False) * 60, 4096)


def _send_no_end(hostile: Hostile) -> None:
    """Send a body that does not come to its end."""
    _fill(hostile, hostile.head("POST", "/v1/execute", "Content-Type: application/json", length=16 << 20) + b"{")


def _send_nothing(hostile: Hostile) -> None:
    """Connect, and say nothing."""
    _fill(hostile, b"")


def _send_bodies_without_a_key(hostile: Hostile) -> None:
    """Send a body that is refused, and read on meanwhile, as it comes without a key."""
    _fill(hostile, hostile.head("POST", "/v1/execute", length=900000, key=False) + b"x" * 1000)


HOLDERS = (
    Tenant("replies_that_are_not_read", "a key reads no reply, on every connection", _read_no_reply, "connection", FEW, ceiling='{"concurrency": 1}'),
    Tenant("pages_that_are_not_read", "a client without a key reads no page, on every connection", _read_no_page, "connection", FEW),
    Tenant("bodies_without_an_end", "a key sends no whole body, on every connection", _send_no_end, "connection", FEW),
    Tenant("silence_on_every_connection", "a client without a key says nothing", _send_nothing, "connection", FEW),
    Tenant("refused_bodies_without_an_end", "a client without a key sends no whole body", _send_bodies_without_a_key, "connection", FEW),
)

# -- bytes ------------------------------------------------------------------------------------

LARGE = 16 << 20  # as large as a body may be
MANY = 40
PATIENT = ("--stall-timeout", "1h", "--header-timeout", "1h")
# All that is printed becomes six times as long.
PRINTS = b'{"code": "import sys\\nfor f in sys.stdout, sys.stderr: f.write(chr(1) * 1000000)", "timeout_ms": 60000}'


def _send_all_but_the_end(hostile: Hostile) -> None:
    """Send large bodies without their last bytes; those that are refused are cut."""
    head = hostile.head("POST", "/v1/execute", "Content-Type: application/json", length=LARGE)
    for _ in range(MANY):
        hostile.send(hostile.connect(), head, b"x" * (LARGE - 2))


def _send_chunks_without_an_end(hostile: Hostile) -> None:
    """The same, of a length that is not said before."""
    head = hostile.head("POST", "/v1/sessions", "Content-Type: application/json")
    for _ in range(MANY):
        hostile.send(hostile.connect(), head, *[b"100000\r\n" + b"x" * (1 << 20) + b"\r\n"] * 15)


def _read_no_output(hostile: Hostile, path: str = "/v1/execute") -> None:
    """Run what prints much, one after the other, and read nothing."""
    request = hostile.head("POST", path, "Content-Type: application/json", length=len(PRINTS)) + PRINTS
    for _ in range(MANY):
        client = hostile.connect(4096)
        client.sendall(request)
        client.recv(1)  # its run is over, or has begun to print
        hostile.await_idle()


def _read_no_stream(hostile: Hostile) -> None:
    """The same with streams."""
    _read_no_output(hostile, "/v1/execute/stream")


def _send_long_bodies(hostile: Hostile) -> None:
    """Send bodies that take long to be read, as many as are let in, and all of their ends at once."""
    body = b'{"code": "#' + rb"\u00e9" * 2600000 + b'", "timeout_ms": 1e9}'
    clients = [hostile.connect() for _ in range(7)]
    for client in clients:
        hostile.send(client, hostile.head("POST", "/v1/execute", "Content-Type: application/json", length=len(body)) + body[:-1])
    for client in clients:
        hostile.send(client, body[-1:])
    hostile.waiting = clients


BYTES = (
    Tenant("large_bodies_without_an_end", "bodies of one key fill the memory", _send_all_but_the_end, "bytes", PATIENT, memory_mib=200),
    Tenant("chunked_bodies_without_an_end", "bodies in chunks fill the memory", _send_chunks_without_an_end, "bytes", PATIENT, memory_mib=200),
    Tenant("large_replies_that_are_not_read", "replies fill the memory", _read_no_output, "bytes", PATIENT, ceiling='{"concurrency": 1}', memory_mib=120),
    Tenant("large_replies_of_a_key_without_storage", "the same, where no file may have them", _read_no_output, "bytes", PATIENT, ceiling='{"concurrency": 1, "storage": "1m"}', memory_mib=250),
    Tenant("streams_that_are_not_read", "events fill the memory", _read_no_stream, "bytes", PATIENT, ceiling='{"concurrency": 1}', memory_mib=250),
    Tenant("long_bodies_one_after_the_other", "reading the bodies of one key takes the only thread", _send_long_bodies, "turns", PATIENT, served=("listing",), waits=3),
)

TABLE = ENDS + HOLDERS + BYTES
