/*
 * address - an IP address, and whether a connection may ever go there.
 *
 * The kinds follow IANA's registries of special-purpose addresses (RFC 6890, RFC 8190):
 *
 *   https://www.iana.org/assignments/iana-ipv4-special-registry
 *   https://www.iana.org/assignments/iana-ipv6-special-registry
 *   https://www.iana.org/assignments/ipv6-address-space        (only 2000::/3 is global unicast)
 *   https://www.iana.org/assignments/multicast-addresses
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_ADDRESS_H
#define GLOVEBOX_BASE_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#define ADDRESS_TEXT_SIZE 46 /* the longest text of an address, and its NUL */

struct address {
	uint8_t bytes[16]; /* network order; an IPv4 address is the first four */
	bool is_v4;
};

/* The worse kind is the greater one. */
enum address_kind {
	ADDRESS_GLOBAL,  /* on the internet */
	ADDRESS_PRIVATE, /* networks of one's own, documentation, benchmarks: by a named exception
			  */
	ADDRESS_SPECIAL, /* everything else, such as loopback, link-local and metadata: never */
};

/*
 * address_parse - four decimals without leading zeros, or the text of an IPv6 address (RFC 4291)
 * without brackets or zone. Octal, hexadecimal and short forms ("127.1") are not addresses.
 *
 * Returns 0, or -1 and *out is untouched.
 */
int address_parse(const char *text, struct address *out) __attribute__((nonnull));

/* address_text - the text of an address as RFC 5952 writes it. */
void address_text(const struct address *address, char out[ADDRESS_TEXT_SIZE])
	__attribute__((nonnull));

/* Whether both are the same address of the same family. ::ffff:1.2.3.4 is not 1.2.3.4. */
bool address_equal(const struct address *a, const struct address *b) __attribute__((nonnull));

/*
 * address_in - whether an address lies in a network. Bits of `net` behind the prefix do not matter.
 * An address of the other family never does, and a prefix longer than the address holds nothing.
 */
bool address_in(const struct address *address, const struct address *net, unsigned prefix)
	__attribute__((nonnull));

/*
 * address_canonical - the IPv4 address that an IPv6 address carries, else the address itself.
 *
 * Unwrapped are ::ffff:a.b.c.d (IPv4-mapped), ::a.b.c.d (IPv4-compatible; :: and ::1 are none),
 * 64:ff9b::/96 and 64:ff9b:1::/48 (NAT64, RFC 6052; in the latter the forms of a /48 and of a /96,
 * anything else stays as it is), 2002::/16 (6to4) and 2001::/32 (Teredo: the client).
 *
 * To decide about a connection, judge the address that is connected to, not what is in it:
 * address_kind() looks at both.
 *
 * @out  may be the same as `address`.
 */
void address_canonical(const struct address *address, struct address *out) __attribute__((nonnull));

/*
 * address_kind - the kind of an address. With an IPv4 address inside it is the worse of the kinds
 * of both: 64:ff9b::10.0.0.1 is private. An IPv4-mapped address, which IANA calls not globally
 * reachable, is special whatever it carries; for the peer of a dual-stack socket, which the kernel
 * spells so, ask address_canonical() first.
 */
enum address_kind address_kind(const struct address *address) __attribute__((nonnull));

/* The block that decides the kind, in a word or two for people: "loopback", "private", "global". */
const char *address_what(const struct address *address) __attribute__((nonnull));

#endif
