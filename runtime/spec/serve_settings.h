/*
 * serve_settings - the flags of `glovebox serve` beside the limits of a run, one row each.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_SERVE_SETTINGS_H
#define GLOVEBOX_SPEC_SERVE_SETTINGS_H

#include "base/list.h"
#include "spec/setting.h"
#include "spec/spec.h"

enum serve_log { SERVE_LOG_PLAIN, SERVE_LOG_JSON };

struct serve_options {
	const char *config; /* file; NULL: none */
	const char *listen; /* HOST:PORT, or unix:PATH; NULL: of the two below */
	const char *host;
	uint64_t port;
	const char *image;
	bool trust_image;
	const char *preload;       /* NULL: the image's */
	uint64_t pool;             /* cells that wait */
	uint64_t runs_max;         /* at once */
	uint64_t queue_ms;         /* the longest wait for a place */
	uint64_t retry_s;          /* said when there was none */
	uint64_t capacity_retry_s; /* said when there is no cell */
	uint64_t timeout_max_ms;   /* of one run */
	uint64_t output_max;       /* bytes of each stream */
	uint64_t memory_mb;        /* of one run; 0: --memory counts */
	uint64_t drain_ms;
	uint64_t mcp_sessions_max; /* clients of /mcp that have an id */
	uint64_t connections_max;
	uint64_t flight_max;       /* bytes of bodies and replies in memory */
	uint64_t headers_ms;       /* within which those of a request have come */
	uint64_t still_ms;         /* the longest that a body, or a reply, stands still */
	int log_format;            /* enum serve_log */
	struct written_path audit; /* file; NULL: none */
	int access_log;            /* 1: a line per request */
	bool is_quiet;             /* --log-level: none of these all the same */
	struct written_path files; /* directory; NULL: below the state */
	uint64_t file_max_mb;      /* of one file */
	uint64_t files_max;        /* bytes of all; 0: the disk's */
	uint64_t file_ttl_s;
	const char *node;     /* a label in the names of sessions (serve/handle.h); NULL: none */
	const char *as;       /* the user that it becomes; NULL: nobody else */
	const char *tls_cert; /* file; NULL: no TLS */
	const char *tls_key;
	const char *keys;    /* file; NULL: nobody needs a key */
	const char *ceiling; /* file; NULL: policy/ceiling.json as it was compiled in */
	struct list hosts;   /* names for Host, beside those of loopback */
	struct list origins; /* of pages that may use it */
};

/* These and the limits of a run; @spec gets the latter. */
struct settings serve_all_settings(struct sandbox_spec *spec, struct serve_options *options);

extern const struct setting serve_settings[]; /* ends with a null name */

#endif
