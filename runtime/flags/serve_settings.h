/*
 * serve_settings - the flags of `glovebox serve` besides the limits of a run, one row each.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_FLAGS_SERVE_SETTINGS_H
#define GLOVEBOX_FLAGS_SERVE_SETTINGS_H

#include "base/list.h"
#include "spec/setting.h"
#include "spec/spec.h"

enum serve_log { SERVE_LOG_PLAIN, SERVE_LOG_JSON };

struct serve_options {
	const char *config; /* file; NULL: none */
	const char *listen; /* HOST:PORT, or unix:PATH; NULL: built from --host and --port */
	const char *host;
	uint64_t port;
	const char *image;
	bool trust_image;
	const char *preload;       /* NULL: the image's */
	uint64_t pool;             /* idle cells kept ready */
	uint64_t runs_max;         /* concurrent runs */
	uint64_t queue_ms;         /* the longest wait for a free place */
	uint64_t retry_s;          /* Retry-After when no place became free */
	uint64_t capacity_retry_s; /* Retry-After when no cell could be had */
	uint64_t timeout_max_ms;   /* of one run */
	uint64_t output_max;       /* bytes of each stream */
	uint64_t memory_mb;        /* of one run; 0: --memory holds */
	uint64_t drain_ms;
	uint64_t mcp_sessions_max; /* concurrent MCP sessions of /mcp */
	uint64_t connections_max;
	uint64_t flight_max;       /* bytes of bodies and replies in memory */
	uint64_t headers_ms;       /* deadline for a request's headers */
	uint64_t still_ms;         /* the longest that a body or a reply may stall */
	int log_format;            /* enum serve_log */
	struct written_path audit; /* file; NULL: none */
	int access_log;            /* 1: a line per request */
	bool is_quiet;             /* --log-level warning or above: no request lines */
	struct written_path files; /* directory; NULL: below the state */
	uint64_t file_max_mb;      /* of one file */
	uint64_t files_max;        /* bytes of all files; 0: the disk's size */
	uint64_t file_ttl_s;
	const char *node;     /* a label in the names of sessions (tenant/handle.h); NULL: none */
	const char *as;       /* the user that the server switches to; NULL: stays as it is */
	const char *tls_cert; /* file; NULL: no TLS */
	const char *tls_key;
	const char *keys;    /* file; NULL: requests need no key */
	const char *ceiling; /* file; NULL: the built-in policy/ceiling.json */
	struct list faces;   /* NAME=WHERE of other APIs (serve/faces.h) */
	struct list hosts;   /* accepted Host names besides those of loopback */
	struct list origins; /* origins of web pages that may call the server */
};

/* Bind these rows to @options, and the limits of a run to @spec. */
struct settings serve_all_settings(struct sandbox_spec *spec, struct serve_options *options);

extern const struct setting serve_settings[]; /* ends with a null name */

#endif
