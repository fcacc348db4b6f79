"""attacks_egress - the table of attacks on the network of a sandbox: one row per attack.

Like that of attacks.py; the programs are functions in egress/. A world of the tests' own stands for
the Internet (support/outside.py), and what has reached it is evidence, too: a name that its resolver
was asked for, or one that a server of it believed.
"""

from dataclasses import dataclass

from attacks_elsewhere import Shown

V4, V6, OTHER, OTHER6 = "93.184.216.34", "2606:2800::34", "93.184.216.35", "2606:2800::35"
METADATA = "169.254.169.254"
OWN = "93.184.216.99"  # of the host itself, and looks public
TRANSLATED = "64:ff9b::5db8:d863"  # the same through NAT64

NET, GATE, FLOW = "runtime/egress/net.c", "runtime/egress/gate.c", "runtime/egress/flow.c"
NETWORK_FILES = {
    "egress-list": NET,
    "egress-judge": f"{NET}, runtime/net/address.c, runtime/egress/host_addresses.c",
    "egress-dns": f"{NET}, runtime/egress/stub.c",
    "egress-wildcard": f"{NET}, runtime/egress/meter.c",
    "egress-sni": f"{GATE}, runtime/protocol/client_hello.c",
    "egress-second-hello": f"{GATE}, runtime/protocol/client_hello.c",
    "egress-host": f"{GATE}, runtime/protocol/http_request.c, runtime/protocol/http_head.c",
    "egress-bounds": f"{FLOW}, runtime/egress/flow_relay.c",
    "egress-buffers": "runtime/egress/buffers.c",
    "egress-group": "runtime/cgroup/cgroup_network.c, runtime/sandbox/egress_process.c",
    "egress-cage": "runtime/egress/cage.c, policy/egress.json",
    "capabilities": "runtime/inside/caps.c",
    "seccomp": "policy/python.json, runtime/inside/seccomp.c",
}


@dataclass(frozen=True)
class NetworkAttack:
    """One attack. `omit` names the layers, comma-separated, without which it succeeds."""

    name: str
    threat: str
    program: str  # of egress/: TOPIC NAME WORD...; @run is another word in each of the two runs
    egress: str  # the list, and further flags
    omit: str = ""
    why: str = ""  # nothing can be left out: what the defence is instead
    files: str = ""  # where that is
    walls: str = ""  # which layers of `omit` stop it alone; "each": every one does
    always: str = ""  # left out in both runs, to look at the wall behind
    flags: tuple[str, ...] = ()
    asked: str = ""  # evidence: a word in names that the resolver outside was asked for
    asked_most: int = 0  # of which so many are none
    believed: str = ""  # evidence: a name that a server outside took for its own
    expect: tuple[str, ...] = ()  # words that the control's evidence must have
    on_host: bool = False  # the control runs the program plainly, in the network outside

    @property
    def sources(self) -> str:
        """Where its layers live."""
        names = [NETWORK_FILES[layer] for layer in filter(None, self.omit.split(","))]
        return ", ".join(dict.fromkeys(", ".join([*names, *filter(None, [self.files])]).split(", ")))

    @property
    def shown(self) -> str:
        """Its layers, those in bold that stop it alone."""
        alone = self.omit.split(",") if self.walls == "each" else self.walls.split(",")
        bold = [f"**{layer}**" if layer in alone else layer for layer in self.omit.split(",")]
        return ", ".join(bold) if self.omit else self.why


A = NetworkAttack
WEB, RAW, SECURE = "api.example:80", "api.example:5432", "api.example:443"

NETWORK = (
    A("host", "an unlisted host", "places host", WEB, "egress-dns,egress-list", walls="each",
      expect=("other.example /secret",)),
    A("port", "a listed host at another's port", "places port", "api.example:443,other.example:5432", "egress-list",
      expect=("hello",)),
    A("address", "an address in place of a name", f"places address {OTHER}", WEB, "egress-list", expect=(f"at {OTHER}",)),
    A("address_v6", "an IPv6 address in place of a name", f"places address {OTHER6}", WEB, "egress-list",
      expect=(f"at {OTHER6}",)),
    A("spellings", "octal, hexadecimal, short and mapped spellings of an address", f"places spellings {OTHER}", WEB,
      "egress-list", expect=("7 of 7",)),
    A("loopback", "the host's loopback, in any spelling", "places spellings 127.0.0.1", WEB, "egress-list,egress-judge",
      walls="each", expect=("7 of 7",)),
    A("metadata", "the metadata address", f"places address {METADATA}", WEB, "egress-list,egress-judge", walls="each",
      expect=(f"at {METADATA}",)),
    A("network_of_all", "a list of a network in which the host's own addresses are", "places address 127.0.0.1",
      "0.0.0.0/0:80", "egress-judge", expect=("at 127.0.0.1",)),
    A("name_of_loopback", "a listed name that is the host's loopback", "places name loop.example 80", "loop.example:80",
      "egress-judge", expect=("at 127.0.0.1",)),
    A("name_of_metadata", "a listed name that is the metadata address", "places name meta.example 80", "meta.example:80",
      "egress-judge", expect=(f"at {METADATA}",)),
    A("name_of_private", "a listed name of a private network", "places name db.internal 80", "db.internal:80",
      "egress-judge", expect=("at 10.1.2.3",)),
    A("name_of_this_host", "a listed name that is an address of the host", "places name own.example 80", "own.example:80",
      "egress-judge", expect=(f"at {OWN}",)),
    A("name_translated", "a listed name that is an address of the host, by way of NAT64", "places name translated.example 80",
      "translated.example:80", "egress-judge", expect=(f"at {TRANSLATED}",)),
    A("address_of_this_host", "a listed network in which an address of the host is", f"places address {OWN}",
      "93.184.216.0/24:80", "egress-judge", expect=(f"at {OWN}",)),
    A("name_mapped", "a listed name whose IPv6 address is the host's loopback, mapped", "places name mapped.example 80",
      "mapped.example:80", "egress-judge", expect=("127.0.0.1",)),
    A("name_in_hosts", "a name that /etc/hosts of the host has", "places name hosts.example 80", "hosts.example:80",
      "egress-judge", expect=("at 127.0.0.1",)),
    A("second_address", "a name with a good address, where nobody answers, and a bad one", "places name both.example 80",
      "both.example:80", "egress-judge", expect=("at 127.0.0.1",)),
    A("rebinding", "DNS rebinding: another address at the second look-up", "places rebound @run.rebind.example",
      "*.rebind.example:80", "egress-judge", always="egress-belief", expect=("at 127.0.0.1",)),
    A("borrowed_address", "the address that a name has in another sandbox", "places borrowed 198.18.0.2", "other.example:80",
      why="one process for each sandbox: an address is a name's of that sandbox", files=f"{NET}, runtime/egress/main.c"),
    A("ports_taken", "a program that binds the ports of the list first", "places ports_taken", "api.example:8080",
      why="they are bound before the program is there, without SO_REUSEADDR", files="runtime/inside/egress.c", on_host=True),
    A("datagrams", "UDP to a listed host", f"places datagrams {V4}", "api.example:9000",
      why="nothing takes UDP but the resolver", files="runtime/inside/egress.c", on_host=True),
    A("fronted_sni", "fronting by SNI", "tls fronted", SECURE, "egress-sni", believed="other.example"),
    A("nameless", "a TLS hello without a name", "tls nameless", SECURE, "egress-sni"),
    A("encrypted_hello", "an encrypted ClientHello (ECH)", "tls encrypted", SECURE, "egress-sni"),
    A("no_tls", "another protocol at a port of TLS", "tls no_tls", "api.example:9443:tls", "egress-sni"),
    A("second_hello", "a second hello, after a HelloRetryRequest, for another host", "tls second_hello", "api.example:8443",
      "egress-second-hello", believed="two.example"),
    A("fronted_host", "fronting by Host", "heads host", WEB, "egress-host"),
    A("pipelined", "HTTP/1.1 pipelining to a second host", "heads second", WEB, "egress-host"),
    A("smuggled", "request smuggling: what two readers understand differently", "heads odd", WEB, "egress-host",
      expect=("9 of 9",)),
    A("forwarded", "fronting by X-Forwarded-Host and other fields of proxies", "heads forwarded", WEB, "egress-host",
      expect=("11 of 11",)),
    A("upgrade_h2c", "Upgrade: h2c", "heads upgrade", WEB, "egress-host", expect=("api.example /secret",)),
    A("upgrade_declined", "a request for another host behind an Upgrade that is declined", "heads declined", WEB,
      "egress-host"),
    A("connect", "CONNECT; HTTP/2 without TLS", "heads tunnel", WEB, "egress-host", expect=("CONNECT", "PRI")),
    A("tunnel", "DNS tunnelling in unlisted names, of any type, over UDP and TCP, to any server", "carried names", WEB,
      "egress-dns", asked="secret"),
    A("tunnel_spelling", "DNS tunnelling in a listed name's letters, options, and what is behind a question",
      "carried spelling", WEB, why="a question that goes out is made anew", files="runtime/egress/resolver.c, "
      "runtime/protocol/dns_message.c", asked="X"),
    A("flood_of_names", "a flood of names below a wildcard", "carried many_names", "*.wild.example:80", "egress-wildcard",
      asked=".wild.example", asked_most=120),
    A("long_name", "much data in one name below a wildcard", "carried long_names", "*.wild.example:80", "egress-wildcard",
      asked="secret"),
    A("flood_of_connections", "a flood of connections", "carried connections", RAW, "egress-bounds",
      flags=("--egress-connections", "8"), expect=("40 at once",)),
    A("bytes", "more bytes than were allowed", "carried bytes_", WEB, "egress-bounds", flags=("--egress-bytes", "200k")),
    A("netlink", "addresses and routes changed from inside", "kernel routes", WEB, "seccomp,capabilities",
      walls="each", flags=("-u", "0"), expect=("changed",)),
    A("raw_sockets", "ICMP, raw sockets, packets, vsock", "kernel sockets", WEB, "seccomp,capabilities",
      walls="seccomp", flags=("-u", "0"), expect=("2/3/1=opened", "17/2/0=opened", "40/1/0")),
)  # fmt: skip

# Whose tests are none of the table.
NETWORK_ELSEWHERE = (
    Shown(
        "a glovebox-egress worth taking over: its ids, capabilities, files, environment, system calls",
        "egress-cage",
        ("attack/test_egress: Caged",),
        f"{NETWORK_FILES['egress-cage']}, runtime/sandbox/egress_process.c",
    ),
    Shown(
        "a glovebox-egress that was taken over opens a port of the host",
        "who publishes a port makes its socket; the filter has neither bind nor listen",
        ("unit/test_egress_filter: test_it_opens_no_port_of_the_host",),
        "policy/egress.json, runtime/sandbox/published.c",
    ),
    Shown(
        "one that was taken over answers the monitor with a socket whose close sleeps",
        "the filter refuses SO_LINGER",
        ("unit/test_egress_filter: test_no_close_waits_for_unsent_data",),
        "policy/egress.json, runtime/egress/flow.c",
    ),
    Shown(
        "a client of a server asks for hosts that no ceiling of its key names",
        "the ceiling of the key",
        ("serve/test_reach: test_runs, test_nothing_is_named, test_keys",),
        "runtime/request/terms.c, runtime/tenant/ceiling.c, runtime/spec/egress_within.c",
    ),
    Shown(
        "questions and connections for which glovebox-egress works beyond the sandbox's limits",
        "egress-group",
        ("attack/test_egress: Charged",),
        NETWORK_FILES["egress-group"],
    ),
    Shown(
        "readers that do not read: memory of the kernel that nobody is charged for",
        "egress-buffers",
        ("attack/test_egress: test_readers_that_do_not_read_hold_little_of_the_kernel",),
        NETWORK_FILES["egress-buffers"],
    ),
    Shown(
        "readers that do not read, clients that say nothing, or half of it; questions without end",
        "bounded queues, pipes and tables",
        ("attack/test_egress: Stubborn",),
        "runtime/egress/relay.c, runtime/egress/stub_sockets.c, runtime/egress/flow.c",
    ),
    Shown(
        "glovebox-egress is killed",
        "the sandbox has no other network",
        ("integration/test_egress: test_if_it_dies_the_program_goes_on_and_the_result_says_so",),
        "runtime/egress/main.c",
    ),
)
