/*
 * address - an IP address, and whether a connection to it may be allowed.
 */
#include "net/address.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>

#define V4_BYTES 4
#define V6_BYTES 16

struct address_block {
	const char *net;
	unsigned prefix;
	enum address_kind kind;
	const char *what;
};

/*
 * The first match counts. Globally reachable blocks inside of blocks that are not (192.0.0.9 and
 * 192.0.0.10, anycast for NAT traversal) have no entry: names do not resolve to them. Addresses
 * outside of 169.254.0.0/16 at which clouds give a machine its credentials have entries: no
 * exception reaches them. "reserved": unassigned, or IPv4-compatible.
 */
static const struct address_block address_blocks[] = {
	{"0.0.0.0",         8,   ADDRESS_SPECIAL, "this network"       },
	{"100.100.100.200", 32,  ADDRESS_SPECIAL, "cloud metadata"     },
	{"168.63.129.16",   32,  ADDRESS_SPECIAL, "cloud metadata"     },
	{"10.0.0.0",        8,   ADDRESS_PRIVATE, "private"            },
	{"100.64.0.0",      10,  ADDRESS_PRIVATE, "shared by a carrier"},
	{"127.0.0.0",       8,   ADDRESS_SPECIAL, "loopback"           },
	{"169.254.0.0",     16,  ADDRESS_SPECIAL, "link-local"         },
	{"172.16.0.0",      12,  ADDRESS_PRIVATE, "private"            },
	{"192.0.0.0",       24,  ADDRESS_SPECIAL, "IETF protocols"     },
	{"192.0.2.0",       24,  ADDRESS_PRIVATE, "documentation"      },
	{"192.88.99.0",     24,  ADDRESS_SPECIAL, "6to4 relay"         },
	{"192.168.0.0",     16,  ADDRESS_PRIVATE, "private"            },
	{"198.18.0.0",      15,  ADDRESS_PRIVATE, "benchmarking"       },
	{"198.51.100.0",    24,  ADDRESS_PRIVATE, "documentation"      },
	{"203.0.113.0",     24,  ADDRESS_PRIVATE, "documentation"      },
	{"224.0.0.0",       4,   ADDRESS_SPECIAL, "multicast"          },
	{"255.255.255.255", 32,  ADDRESS_SPECIAL, "broadcast"          },
	{"240.0.0.0",       4,   ADDRESS_SPECIAL, "reserved"           },
	{"0.0.0.0",         0,   ADDRESS_GLOBAL,  "global"             },

	{"::",              128, ADDRESS_SPECIAL, "unspecified"        },
	{"::1",             128, ADDRESS_SPECIAL, "loopback"           },
	{"::ffff:0.0.0.0",  96,  ADDRESS_SPECIAL, "IPv4-mapped"        },
	{"64:ff9b::",       96,  ADDRESS_GLOBAL,  "global"             },
	{"64:ff9b:1::",     48,  ADDRESS_SPECIAL, "translated locally" },
	{"100::",           64,  ADDRESS_SPECIAL, "discard-only"       },
	{"100:0:0:1::",     64,  ADDRESS_SPECIAL, "dummy"              },
	{"2001::",          32,  ADDRESS_SPECIAL, "Teredo"             },
	{"2001::",          23,  ADDRESS_SPECIAL, "IETF protocols"     },
	{"2001:db8::",      32,  ADDRESS_PRIVATE, "documentation"      },
	{"2002::",          16,  ADDRESS_SPECIAL, "6to4"               },
	{"3fff::",          20,  ADDRESS_PRIVATE, "documentation"      },
	{"2000::",          3,   ADDRESS_GLOBAL,  "global"             },
	{"5f00::",          16,  ADDRESS_SPECIAL, "segment routing"    },
	{"fd00:ec2::",      32,  ADDRESS_SPECIAL, "cloud metadata"     },
	{"fd20:ce::",       32,  ADDRESS_SPECIAL, "cloud metadata"     },
	{"fd00:42::",       32,  ADDRESS_SPECIAL, "cloud metadata"     },
	{"fc00::",          7,   ADDRESS_PRIVATE, "private"            },
	{"fe80::",          10,  ADDRESS_SPECIAL, "link-local"         },
	{"fec0::",          10,  ADDRESS_SPECIAL, "site-local"         },
	{"ff00::",          8,   ADDRESS_SPECIAL, "multicast"          },
	{"::",              0,   ADDRESS_SPECIAL, "reserved"           },
};

int address_parse(const char *text, struct address *out)
{
	struct address found = {0};

	if (inet_pton(AF_INET, text, found.bytes) == 1)
		found.is_v4 = true;
	else if (inet_pton(AF_INET6, text, found.bytes) != 1)
		return -1;
	*out = found;
	return 0;
}

void address_text(const struct address *address, char out[ADDRESS_TEXT_SIZE])
{
	out[0] = '\0';
	(void)inet_ntop(address->is_v4 ? AF_INET : AF_INET6, address->bytes, out,
			ADDRESS_TEXT_SIZE);
}

bool address_equal(const struct address *a, const struct address *b)
{
	return a->is_v4 == b->is_v4 && !memcmp(a->bytes, b->bytes, a->is_v4 ? V4_BYTES : V6_BYTES);
}

bool address_in(const struct address *address, const struct address *net, unsigned prefix)
{
	const unsigned whole = prefix / 8;
	const unsigned rest = prefix % 8;

	if (address->is_v4 != net->is_v4 || prefix > 8 * (address->is_v4 ? V4_BYTES : V6_BYTES))
		return false;
	if (memcmp(address->bytes, net->bytes, whole) != 0)
		return false;
	return !rest || (address->bytes[whole] ^ net->bytes[whole]) >> (8 - rest) == 0;
}

static bool address_is_zero(const uint8_t *bytes, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		if (bytes[i])
			return false;
	}
	return true;
}

/* :: and ::1 do not contain an IPv4 address. */
static bool address_is_compatible(const uint8_t *b)
{
	return address_is_zero(b, 0, 12) && !(address_is_zero(b, 12, 15) && b[15] <= 1);
}

/* Find the IPv4 address in an IPv6 address. Returns false if it has none. */
static bool address_inner(const uint8_t *b, uint8_t out[V4_BYTES])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	static const uint8_t nat64[12] = {0x00, 0x64, 0xff, 0x9b};
	static const uint8_t nat64_local[6] = {0x00, 0x64, 0xff, 0x9b, 0x00, 0x01};
	static const uint8_t teredo[4] = {0x20, 0x01};
	bool is_local = !memcmp(b, nat64_local, 6);

	if (!memcmp(b, mapped, 12) || !memcmp(b, nat64, 12) || address_is_compatible(b) ||
	    (is_local && address_is_zero(b, 6, 12))) {
		memcpy(out, b + 12, V4_BYTES);
		return true;
	}
	/* RFC 6052, 2.2: with a /48 the middle byte is not part of the address. */
	if (is_local && !b[8] && address_is_zero(b, 11, 16)) {
		memcpy(out, b + 6, 2);
		memcpy(out + 2, b + 9, 2);
		return true;
	}
	if (b[0] == 0x20 && b[1] == 0x02) {
		memcpy(out, b + 2, V4_BYTES);
		return true;
	}
	if (memcmp(b, teredo, 4) != 0)
		return false;
	for (size_t i = 0; i < V4_BYTES; i++) /* RFC 4380, 4: inverted */
		out[i] = b[12 + i] ^ 0xff;
	return true;
}

void address_canonical(const struct address *address, struct address *out)
{
	struct address inner = {.is_v4 = true};

	if (!address->is_v4 && address_inner(address->bytes, inner.bytes))
		*out = inner;
	else
		*out = *address;
}

static const struct address_block *address_block_of(const struct address *address)
{
	const struct address_block *block = address_blocks;

	for (;; block++) {
		struct address net;

		/* The last block of each family contains every address of it. */
		if (!address_parse(block->net, &net) && address_in(address, &net, block->prefix))
			return block;
	}
}

/* The block that decides: that of the address, or of the IPv4 address in it if that is worse. */
static const struct address_block *address_judge(const struct address *address)
{
	const struct address_block *outer = address_block_of(address);
	const struct address_block *inner;
	struct address v4;

	address_canonical(address, &v4);
	inner = address_block_of(&v4);
	return inner->kind > outer->kind ? inner : outer;
}

enum address_kind address_kind(const struct address *address)
{
	return address_judge(address)->kind;
}

const char *address_what(const struct address *address)
{
	return address_judge(address)->what;
}
