/*
 * egress - which hosts a sandbox may reach, and which of its ports are published: decided, not
 * done.
 *
 * Lists are read by spec/egress_list.h, whole settings by spec/egress_flags.h, and what disagrees
 * is found by spec/egress_finish.h.
 *
 * No side effects.
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
#include "base/trusted_path.h"

#define EGRESS_MAX_RULES       1024 /* of a sandbox, presets included */
#define EGRESS_MAX_PORTS       64   /* different ones in all rules */
#define EGRESS_MAX_PUBLISHED   32
#define EGRESS_MAX_CONNECTIONS 4096
#define EGRESS_CONNECTIONS     256          /* unless somebody says how many */
#define EGRESS_LOG_BYTES       (1u << 20)   /* of a log, at most */
#define EGRESS_MAX_JSON        (120u << 10) /* bytes of what egress_to_json() writes */
#define EGRESS_DNS_PORT        53           /* the sandbox's own resolver listens there */

/* What stands for the loopback of the host, of --allow-host. */
#define EGRESS_HOST_NAME   "host.glovebox.internal"
#define EGRESS_DOCKER_NAME "host.docker.internal"

enum egress_kind {
	EGRESS_TLS,  /* the name in each ClientHello must be the rule's */
	EGRESS_HTTP, /* the Host of each request must be the rule's */
	EGRESS_RAW,  /* opaque */
};

/* One host at one port. What was written as a host with two ports is two rules. */
struct egress_rule {
	const char *name;   /* canonical, perhaps beginning with "*."; NULL: `net` */
	struct address net; /* with `prefix`; its bits behind that are 0, and `kind` is raw */
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

/*
 * Everything about the network of one sandbox. Of a spec the names and the path live in its arena,
 * and the arrays on the heap until spec_fini().
 */
struct egress_spec {
	bool has_list;   /* --egress or --allow-host: there are a resolver and routes inside */
	bool is_none;    /* --egress none: nothing but --allow-host may stand beside it */
	bool is_session; /* its list may change: it listens on 80, 443, 8080 and 8443 anyway */
	struct egress_rule *rules; /* the first that fits decides: see egress_finish() */
	size_t rule_count;
	struct egress_published *published;
	size_t published_count;
	uint64_t rate_bytes;     /* a second, both ways together; 0: no limit */
	uint64_t total_bytes;    /* both ways together; 0: no limit */
	uint64_t connections;    /* at once; 1 to EGRESS_MAX_CONNECTIONS */
	struct written_path log; /* host path; NULL: none */
	const char *proxy;  /* URL (spec/egress_proxy.h) of the one to go through; NULL: none */
	uint64_t log_bytes; /* of the log, at most */
};

/* Whether the sandbox has anything but loopback. */
static inline bool egress_is_wanted(const struct egress_spec *s)
{
	return s->has_list || s->published_count;
}

/*
 * egress_ports - the different ports that the sandbox listens on for its list, ascending: those of
 * the rules, and those that a session always has. None without a list.
 *
 * Returns how many; more than EGRESS_MAX_PORTS are never written (spec_finish() refuses them).
 */
size_t egress_ports(const struct egress_spec *s, uint16_t out[EGRESS_MAX_PORTS]);

/*
 * egress_add_rule - append a rule, unless it is there.
 *
 * @rule  its name is kept as it is: owned by whoever owns `s`.
 * Errors: ERR_INPUT if it is there with another kind, or there are too many.
 */
int egress_add_rule(struct egress_spec *s, const struct egress_rule *rule, struct err *e);

/* Append a published port. Errors: ERR_INPUT if there are too many. */
int egress_add_published(struct egress_spec *s, const struct egress_published *p, struct err *e);

/* Whether both are about the same hosts, whatever their ports. */
bool egress_same_host(const struct egress_rule *a, const struct egress_rule *b);

/* "tls", "http" or "raw", and back: -1 if it is none of them. */
const char *egress_kind_name(enum egress_kind kind);
int egress_kind_of(const char *name);

/* Append the host of a rule as a list would name it: "*.example.org", "10.0.0.0/8", "[fd00::1]". */
void egress_write_host(const struct egress_rule *rule, struct buf *out);

/* Append what a port outside is, as people write it: "127.0.0.1:8080", "[::1]:8080". */
void egress_write_endpoint(const struct address *address, uint16_t port, struct buf *out);

/*
 * egress_to_json, egress_from_json - what glovebox-egress is told, as members of one object:
 * "has_list", "rules", "published", "rate_bytes", "total_bytes", "connections", "log_bytes",
 * "proxy".
 *
 * @object  borrowed; members of other names are not looked at, and a missing one is as nothing, or
 *          as the default. Strings of *out are copied with own_strdup() and live until
 *          egress_free(); on failure there is nothing to free.
 * Errors: ERR_INPUT, naming the key.
 */
void egress_to_json(const struct egress_spec *s, struct buf *out);
int egress_from_json(const struct json *object, struct egress_spec *out, struct err *e);
void egress_free(struct egress_spec *s); /* of what egress_from_json() made */

#endif
