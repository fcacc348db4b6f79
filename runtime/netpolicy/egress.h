/*
 * egress - which hosts a sandbox may reach, and which of its ports are published: the decision
 * alone.
 *
 * spec/egress_list.h reads lists, spec/egress_flags.h reads the flags, and spec/egress_finish.h
 * refuses settings that contradict each other.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_NETPOLICY_EGRESS_H
#define GLOVEBOX_NETPOLICY_EGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "fs/trusted_path.h"
#include "net/address.h"

#define EGRESS_MAX_RULES       1024 /* of a sandbox, presets included */
#define EGRESS_MAX_PORTS       64   /* different ones in all rules */
#define EGRESS_MAX_PUBLISHED   32
#define EGRESS_MAX_CONNECTIONS 4096
#define EGRESS_CONNECTIONS     256          /* the default */
#define EGRESS_LOG_BYTES       (1u << 20)   /* of a log, at most */
#define EGRESS_MAX_JSON        (120u << 10) /* the most bytes that egress_to_json() writes */
#define EGRESS_DNS_PORT        53           /* the sandbox's own resolver listens there */

/* The name by which a sandbox reaches the host's loopback (--allow-host). */
#define EGRESS_HOST_NAME   "host.glovebox.internal"
#define EGRESS_DOCKER_NAME "host.docker.internal"

enum egress_kind {
	EGRESS_TLS,  /* the name in each ClientHello must be the rule's */
	EGRESS_HTTP, /* the Host of each request must be the rule's */
	EGRESS_RAW,  /* opaque */
};

/* One host at one port; an entry with two ports becomes two rules. */
struct egress_rule {
	const char *name;   /* canonical, perhaps beginning with "*."; NULL: `net` */
	struct address net; /* with `prefix`; host bits are 0, and `kind` is raw */
	unsigned prefix;
	uint16_t port;
	enum egress_kind kind;
	bool allow_private; /* its addresses may be private ones (ADDRESS_PRIVATE) */
	bool on_host;       /* --allow-host: a service on the loopback of the host */
};

/* A port of the sandbox that clients reach through a port of the host. */
struct egress_published {
	struct address address; /* of the host; the default is 127.0.0.1 */
	uint16_t host_port;     /* 0: the kernel chooses a free one */
	uint16_t port;
};

/*
 * The whole network of one sandbox. In a sandbox_spec the arena owns the names and the path, and
 * the heap the arrays until spec_fini().
 */
struct egress_spec {
	bool has_list;   /* --egress or --allow-host: the sandbox has a resolver and routes */
	bool is_none;    /* --egress none: only --allow-host may accompany it */
	bool is_session; /* its list may change, so it always listens on 80, 443, 8080 and 8443 */
	bool stays;      /* the same, on 80 and 443, where no program inside could */
	struct egress_rule *rules; /* the first match decides: see egress_finish() */
	size_t rule_count;
	struct egress_published *published;
	size_t published_count;
	uint64_t rate_bytes;     /* per second, both directions together; 0: no limit */
	uint64_t total_bytes;    /* both directions together; 0: no limit */
	uint64_t connections;    /* at once; 1 to EGRESS_MAX_CONNECTIONS */
	struct written_path log; /* host path; NULL: none */
	const char *proxy;       /* URL of the HTTP proxy (netpolicy/egress_proxy.h); NULL: none */
	uint64_t log_bytes;      /* of the log, at most */
};

/* Whether the sandbox has any network besides loopback. */
static inline bool egress_is_wanted(const struct egress_spec *s)
{
	return s->has_list || s->published_count;
}

/*
 * egress_ports - the distinct ports on which the sandbox listens for its list, ascending: those of
 * the rules, and the fixed ones of what may get another list. None without a list.
 *
 * Returns their count, but writes at most EGRESS_MAX_PORTS (spec_finish() refuses more).
 */
size_t egress_ports(const struct egress_spec *s, uint16_t out[EGRESS_MAX_PORTS]);

/* How many ports are fixed, whatever the list says. */
size_t egress_fixed_ports(const struct egress_spec *s);

/*
 * egress_add_rule - append a rule unless the list has it.
 *
 * @rule  its name is borrowed: the owner of `s` keeps it alive.
 * Errors: ERR_INPUT if the list has it with another kind, or is full.
 */
int egress_add_rule(struct egress_spec *s, const struct egress_rule *rule, struct err *e);

/* Append a published port. Errors: ERR_INPUT if there are too many. */
int egress_add_published(struct egress_spec *s, const struct egress_published *p, struct err *e);

/* Whether both rules name the same hosts, whatever their ports. */
bool egress_same_host(const struct egress_rule *a, const struct egress_rule *b);

/* Whether both are published at one port of the host: the same socket listens there. */
bool egress_same_place(const struct egress_published *a, const struct egress_published *b);

/* Whether both are one port, published at one place. */
bool egress_same_published(const struct egress_published *a, const struct egress_published *b);

/* The index of the first of `ports` that is the same, by one of the two above; `count`: none. */
size_t egress_find_published(const struct egress_published *ports, size_t count,
			     const struct egress_published *p,
			     bool (*same)(const struct egress_published *a,
					  const struct egress_published *b));

/* "tls", "http" or "raw", and back; -1: none of the three. */
const char *egress_kind_name(enum egress_kind kind);
int egress_kind_of(const char *name);

/* Append the host of a rule as a list would name it: "*.example.org", "10.0.0.0/8", "[fd00::1]". */
void egress_write_host(const struct egress_rule *rule, struct buf *out);

/* Append an address and port in the usual notation: "127.0.0.1:8080", "[::1]:8080". */
void egress_write_endpoint(const struct address *address, uint16_t port, struct buf *out);

/*
 * Append the list as people read it, a member of an object: ["example.org:443 tls", ...]; null: the
 * sandbox has none.
 */
void egress_put_list(const struct egress_spec *s, const char *key, struct buf *out);

/*
 * egress_to_json, egress_from_json - the network as glovebox-egress receives it, as members of one
 * object: "has_list", "rules", "published", "rate_bytes", "total_bytes", "connections",
 * "log_bytes", "proxy".
 *
 * @object  borrowed; unknown members are ignored, and a missing one takes its default. *out owns
 *          copies of the strings until egress_free(); on failure it owns nothing.
 * Errors: ERR_INPUT, naming the key.
 */
void egress_to_json(const struct egress_spec *s, struct buf *out);
int egress_from_json(const struct json *object, struct egress_spec *out, struct err *e);
void egress_free(struct egress_spec *s); /* frees what egress_from_json() made */

#endif
