/*
 * egress_host - parse one host of a list: a name, a pattern, an address, a network.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_NETPOLICY_EGRESS_HOST_H
#define GLOVEBOX_NETPOLICY_EGRESS_HOST_H

#include "net/hostname.h"
#include "netpolicy/egress.h"

#define EGRESS_MAX_ENTRY 320 /* bytes of one entry; a name has 253 at most */

/* A host with the port and kind that followed it. */
struct egress_entry {
	char name[HOST_NAME_SIZE]; /* canonical; "": `net` */
	struct address net;
	unsigned prefix;
	uint16_t port; /* 0: the default ports */
	int kind;      /* -1: the port's usual kind */
};

/*
 * egress_entry_parse - NAME[:PORT[:KIND]], where NAME may be *.NAME, ADDRESS or ADDRESS/BITS, and
 * an IPv6 address or network stands in brackets.
 *
 * Errors: ERR_INPUT, also for addresses that no sandbox may reach: loopback, link-local, multicast.
 */
int egress_entry_parse(const char *text, struct egress_entry *out, struct err *e);

/* The same without a port. */
int egress_host_parse(const char *text, struct egress_entry *out, struct err *e);

/* Make a rule of an entry. @name: borrowed; NULL for an address. */
struct egress_rule egress_entry_rule(const struct egress_entry *entry, const char *name,
				     uint16_t port);

#endif
