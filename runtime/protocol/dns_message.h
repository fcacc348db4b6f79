/*
 * dns_message - parse DNS queries of stub resolvers, and write the answers.
 *
 * It accepts what a stub resolver sends: one question of a client (RFC 1035), with EDNS (RFC 6891).
 * No byte of a query leaves this process: names are read in canonical spelling, and options are
 * skipped. Only the answer repeats the client's own spelling, because resolvers compare it
 * (draft-vixie-dnsext-dns0x20).
 *
 * Over TCP the caller handles the two bytes of length.
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_PROTOCOL_DNS_MESSAGE_H
#define GLOVEBOX_PROTOCOL_DNS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/address.h"
#include "net/hostname.h"

#define DNS_QUESTION_MAX (255 + 4)
#define DNS_UDP_MIN      512  /* RFC 1035: every client accepts this many bytes */
#define DNS_UDP_MAX      1232 /* the most bytes of one datagram of ours */
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
	DNS_ADDRESSES, /* the addresses of the requested type; without one DNS_NODATA */
	DNS_NODATA,    /* the name exists, but has no record of this type */
	DNS_NXDOMAIN,  /* the name does not exist; for unlisted names, so clients give up at once */
	DNS_REFUSED,   /* clients retry, or ask another server */
	DNS_SERVFAIL,  /* clients do the same */
	DNS_NOTIMP,
	DNS_FORMERR,
};

struct dns_query {
	bool has_id;              /* after -1: answer it with `outcome` */
	enum dns_outcome outcome; /* after -1: DNS_FORMERR or DNS_NOTIMP */
	uint16_t id;
	uint16_t flags;
	uint16_t type;
	uint16_t class;            /* the caller refuses all but DNS_CLASS_IN */
	char name[HOST_NAME_SIZE]; /* canonical; empty: a name that no host has, such as "." or "a
				    * b.org"
				    */
	uint8_t question[DNS_QUESTION_MAX]; /* in the client's spelling */
	size_t question_size;
	bool has_edns;
	bool wants_dnssec;
	uint16_t udp_size; /* room for an answer over UDP: DNS_UDP_MIN to DNS_UDP_MAX */
};

/*
 * dns_query_parse - read one whole message.
 *
 * @bytes  borrowed, hostile; a datagram, or a message of TCP without its length.
 * @out    always set.
 *
 * Returns 0, or -1 unless it is one well-formed question of a client: another opcode, counts that
 * are not those of a query, compression, labels or options that do not fit, records other than OPT,
 * bytes after the end. Then `has_id` tells whether to answer: never answer an answer, or two
 * servers could do so forever.
 */
int dns_query_parse(const uint8_t *bytes, size_t size, struct dns_query *out)
	__attribute__((nonnull(3)));

/*
 * dns_answer - write the answer to a query.
 *
 * @query      from dns_query_parse(), also after -1, if has_id.
 * @addresses  borrowed, for DNS_ADDRESSES; those of the other family are left out.
 * @ttl        in seconds: of the addresses, or of an absence.
 * @room       of `out`: the query's udp_size for UDP, DNS_TCP_MAX for TCP.
 *
 * A negative answer carries an SOA, without which stub resolvers do not cache it. If not all
 * addresses fit, the answer has none, and TC tells the client to retry over TCP.
 *
 * Returns the size, or 0 if the question does not fit, which cannot happen with DNS_UDP_MIN bytes.
 */
size_t dns_answer(const struct dns_query *query, enum dns_outcome outcome,
		  const struct address *addresses, size_t count, uint32_t ttl, uint8_t *out,
		  size_t room) __attribute__((nonnull(1, 6)));

#endif
