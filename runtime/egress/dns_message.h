/*
 * dns_message - queries of DNS as stub resolvers send them, and answers to them.
 *
 * Only what a resolver of names needs is understood: one question, asked by a client (RFC 1035),
 * with EDNS (RFC 6891). No byte of a query goes anywhere else: the name is read in its canonical
 * spelling, options are skipped, and the only place to which the client's own spelling returns is
 * its answer, where resolvers look for it (draft-vixie-dnsext-dns0x20).
 *
 * Over TCP the two bytes of length are the caller's.
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_DNS_MESSAGE_H
#define GLOVEBOX_EGRESS_DNS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/address.h"
#include "base/hostname.h"

#define DNS_QUESTION_MAX (255 + 4)
#define DNS_UDP_MIN      512  /* RFC 1035: what every client takes */
#define DNS_UDP_MAX      1232 /* more is not sent in one datagram */
#define DNS_TCP_MAX      65535

enum {
	DNS_CLASS_IN = 1,
	DNS_TYPE_A = 1,
	DNS_TYPE_SOA = 6,
	DNS_TYPE_TXT = 16,
	DNS_TYPE_AAAA = 28,
	DNS_TYPE_SRV = 33,
	DNS_TYPE_OPT = 41,
	DNS_TYPE_SVCB = 64,
	DNS_TYPE_HTTPS = 65,
};

enum dns_outcome {
	DNS_ADDRESSES, /* those of the type that was asked for; without one it is DNS_NODATA */
	DNS_NODATA,    /* the name exists, and has nothing of this type */
	DNS_NXDOMAIN, /* the name does not exist; for what is not listed, clients give up at once */
	DNS_REFUSED,  /* clients ask again, or ask another server */
	DNS_SERVFAIL, /* the same */
	DNS_NOTIMP,
	DNS_FORMERR,
};

struct dns_query {
	bool has_id;              /* -1: it can be answered, with `outcome` */
	enum dns_outcome outcome; /* -1: DNS_FORMERR or DNS_NOTIMP */
	uint16_t id;
	uint16_t flags;
	uint16_t type;
	uint16_t class;            /* the caller refuses all but DNS_CLASS_IN */
	char name[HOST_NAME_SIZE]; /* canonical; empty: a name that no host has, such as "." or "a
				    * b.org"
				    */
	uint8_t question[DNS_QUESTION_MAX]; /* as it was asked */
	size_t question_size;
	bool has_edns;
	bool wants_dnssec;
	uint16_t udp_size; /* the room for an answer over UDP: DNS_UDP_MIN to DNS_UDP_MAX */
};

/*
 * dns_query_parse - read one whole message.
 *
 * @bytes  borrowed, hostile; a datagram, or a message of TCP without its length.
 * @out    always set.
 *
 * Returns 0, or -1 for what is not one well-formed question of a client: another opcode, counts
 * that are not those of a query, compression, labels or options that do not fit, records other than
 * OPT, bytes behind the end. Then `has_id` tells whether an answer may be sent: none is to an
 * answer, or two servers could answer each other without end.
 */
int dns_query_parse(const uint8_t *bytes, size_t size, struct dns_query *out)
	__attribute__((nonnull(3)));

/*
 * dns_answer - write the answer to a query.
 *
 * @query      from dns_query_parse(), whatever that returned, if has_id.
 * @addresses  borrowed, for DNS_ADDRESSES; those of the other family are left out.
 * @ttl        in seconds: of the addresses, and for how long an absence may be believed.
 * @room       of `out`: the query's udp_size for UDP, DNS_TCP_MAX for TCP.
 *
 * What says that there is nothing comes with an SOA, without which stub resolvers do not keep it.
 * If not all addresses fit, none is there, and TC asks the client to come over TCP.
 *
 * Returns the size, or 0 if not even the question fits, which DNS_UDP_MIN bytes exclude.
 */
size_t dns_answer(const struct dns_query *query, enum dns_outcome outcome,
		  const struct address *addresses, size_t count, uint32_t ttl, uint8_t *out,
		  size_t room) __attribute__((nonnull(1, 6)));

#endif
