/*
 * egress - which hosts a sandbox may reach, and which of its ports are published: decided, not done.
 *
 * No side effects, except where a list names a preset, which is read from a file (spec/egress_preset.h).
 */
#ifndef GLOVEBOX_SPEC_EGRESS_H
#define GLOVEBOX_SPEC_EGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/address.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

#define EGRESS_MAX_RULES       1024 /* of a sandbox, presets included */
#define EGRESS_MAX_PORTS       64   /* different ones in all rules */
#define EGRESS_MAX_PUBLISHED   32
#define EGRESS_MAX_CONNECTIONS 4096

struct spec_arena;

enum egress_kind {
	EGRESS_TLS,  /* the name in each ClientHello must be the rule's */
	EGRESS_HTTP, /* the Host of each request must be the rule's */
	EGRESS_RAW,  /* opaque */
};

/* One host at one port. What was written as a host with two ports is two rules. */
struct egress_rule {
	const char *name;   /* canonical, perhaps beginning with "*."; NULL: `net` */
	struct address net; /* with `prefix` */
	unsigned prefix;
	uint16_t port;
	enum egress_kind kind;
	bool allow_private; /* its addresses may be private ones (ADDRESS_PRIVATE) */
	bool on_host;       /* --allow-host: a service on the loopback of the host */
};

/* A port inside that is reached through one outside. */
struct egress_published {
	struct address address; /* outside; 127.0.0.1 unless said otherwise */
	uint16_t host_port;     /* 0: any that is free */
	uint16_t port;
};

/* Everything about the network of one sandbox. Strings live in the spec's arena. */
struct egress_spec {
	bool has_list; /* --egress or --allow-host: there are a resolver and routes inside */
	struct egress_rule *rules;
	size_t rule_count;
	struct egress_published *published;
	size_t published_count;
	uint64_t rate_bytes;  /* a second, both ways together; 0: no limit */
	uint64_t total_bytes; /* both ways together; 0: no limit */
	unsigned connections; /* at once */
	const char *log;      /* host path; NULL: none */
	uint64_t log_bytes;   /* of the log, at most */
};

/* Whether the sandbox has anything but loopback. */
static inline bool egress_is_wanted(const struct egress_spec *s)
{
	return s->has_list || s->published_count;
}

/* The different ports of the rules, ascending; at most EGRESS_MAX_PORTS (checked when parsed). */
size_t egress_ports(const struct egress_spec *s, uint16_t out[EGRESS_MAX_PORTS]);

/*
 * egress_to_json, egress_from_json - what glovebox-egress is told, as members of one object:
 * "rules", "published", "rate_bytes", "total_bytes", "connections", "log_bytes".
 *
 * @object  borrowed; strings of *out are copied with own_strdup() and live until egress_free().
 * Errors: ERR_INPUT, naming the key.
 */
void egress_to_json(const struct egress_spec *s, struct buf *out);
int egress_from_json(const struct json *object, struct egress_spec *out, struct err *e);
void egress_free(struct egress_spec *s); /* of what egress_from_json() made */

#endif
