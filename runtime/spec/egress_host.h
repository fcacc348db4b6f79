/*
 * egress_host - one host as somebody writes it in a list: a name, a pattern, an address, a network.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_EGRESS_HOST_H
#define GLOVEBOX_SPEC_EGRESS_HOST_H

#include "base/hostname.h"
#include "spec/egress.h"

#define EGRESS_MAX_ENTRY 320 /* bytes of one entry; a name has 253 at most */

/* A host, and what was behind it. */
struct egress_entry {
	char name[HOST_NAME_SIZE]; /* canonical; "": `net` */
	struct address net;
	unsigned prefix;
	uint16_t port; /* 0: the default ones */
	int kind;      /* -1: what belongs to the port */
};

/*
 * egress_entry_parse - NAME[:PORT[:KIND]], where NAME may be *.NAME, ADDRESS or ADDRESS/BITS, and
 * an IPv6 address or network stands in brackets.
 *
 * Errors: ERR_INPUT, also for what can never be reached: loopback, link-local, multicast.
 */
int egress_entry_parse(const char *text, struct egress_entry *out, struct err *e);

/* The same without a port. */
int egress_host_parse(const char *text, struct egress_entry *out, struct err *e);

/* The rule of an entry. @name: its name as it is to be kept, NULL for an address. */
struct egress_rule egress_entry_rule(const struct egress_entry *entry, const char *name,
				     uint16_t port);

#endif
