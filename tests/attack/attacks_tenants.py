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

TABLE = ENDS
