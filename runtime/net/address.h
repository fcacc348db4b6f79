/*
 * address - an IP address, and whether a connection to it may be allowed.
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
#ifndef GLOVEBOX_NET_ADDRESS_H
#define GLOVEBOX_NET_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#define ADDRESS_TEXT_SIZE 46 /* the longest text of an address, and its NUL */

struct address {
	uint8_t bytes[16]; /* network order; an IPv4 address is the first four */
	bool is_v4;
};

/* Ordered: the worse kind is greater. */
enum address_kind {
	ADDRESS_GLOBAL,  /* on the internet */
	ADDRESS_PRIVATE, /* private networks, benchmarks and the like: by a named exception */
	ADDRESS_SPECIAL, /* all others, such as loopback, link-local and metadata: never */
};

/*
 * address_parse - four decimals without leading zeros, or the text of an IPv6 address (RFC 4291)
 * without brackets or zone. Octal, hexadecimal and short forms ("127.1") are not addresses.
 *
 * Returns 0, or -1 with *out unchanged.
 */
int address_parse(const char *text, struct address *out) __attribute__((nonnull));

/* address_text - write an address as in RFC 5952. */
void address_text(const struct address *address, char out[ADDRESS_TEXT_SIZE])
	__attribute__((nonnull));

/* Whether both are the same address of the same family. ::ffff:1.2.3.4 is not 1.2.3.4. */
bool address_equal(const struct address *a, const struct address *b) __attribute__((nonnull));

/*
 * address_in - whether an address lies in a network. Bits of `net` behind the prefix are ignored.
 * An address of the other family does not; nor does any with a prefix longer than the address.
 */
bool address_in(const struct address *address, const struct address *net, unsigned prefix)
	__attribute__((nonnull));

/*
 * address_canonical - the IPv4 address in an IPv6 address, otherwise the address itself.
 *
 * It unwraps ::ffff:a.b.c.d (IPv4-mapped), ::a.b.c.d (IPv4-compatible; not :: and ::1),
 * 64:ff9b::/96 and 64:ff9b:1::/48 (NAT64, RFC 6052; in the latter the forms of a /48 and of a /96
 * only), 2002::/16 (6to4) and 2001::/32 (Teredo: the client).
 *
 * To decide about a connection, judge the outer address, not the inner one: address_kind() checks
 * both.
 *
 * @out  may be the same as `address`.
 */
void address_canonical(const struct address *address, struct address *out) __attribute__((nonnull));

/*
 * address_kind - the kind of an address; with an IPv4 address inside, the worse of both kinds:
 * 64:ff9b::10.0.0.1 is private. An IPv4-mapped address, which IANA lists as not globally reachable,
 * is special whatever it contains; for the peer of a dual-stack socket, which the kernel writes in
 * that form, call address_canonical() first.
 */
enum address_kind address_kind(const struct address *address) __attribute__((nonnull));

/* Name the block that decides the kind, in a word or two: "loopback", "private", "global". */
const char *address_what(const struct address *address) __attribute__((nonnull));

#endif
