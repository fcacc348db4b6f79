"""tls - a connection to a listed host that names another one in TLS."""

import socket

from wire import LISTED, OTHER, PATIENCE, Hello, exchange, get, is_server_hello, record, with_extension

ENCRYPTED = 0xFE0D  # encrypted_client_hello
RETRY = bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")


def fronted() -> str:
    """Fronting by SNI."""
    return "a ServerHello" if is_server_hello(exchange(LISTED, 443, Hello(OTHER).next())) else ""


def nameless() -> str:
    """A hello that names nobody, and so the server's default."""
    return "a ServerHello" if is_server_hello(exchange(LISTED, 443, Hello("").next())) else ""


def encrypted() -> str:
    """A hello with another one in it, encrypted (ECH)."""
    hello = with_extension(Hello(LISTED).next(), ENCRYPTED, b"\0\0\1\0\1\0" + bytes(34))
    return "a ServerHello" if is_server_hello(exchange(LISTED, 443, hello)) else ""


def no_tls() -> str:
    """Another protocol at the port of TLS."""
    return get(LISTED, 9443, OTHER)


def second_hello() -> str:
    """A second hello, after a HelloRetryRequest, that names another host."""
    client = Hello(LISTED)
    with socket.create_connection((LISTED, 8443), PATIENCE) as connection:
        connection.sendall(client.next())
        retry = record(connection)
        assert RETRY in retry, retry
        # The server cannot know that its client has said something else to itself.
        second = client.next(retry).replace(LISTED.encode(), b"two.example")
        assert b"two.example" in second
        try:
            connection.sendall(second)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            return ""
        while came := record(connection):
            if is_server_hello(came):
                return "a ServerHello"
    return ""
