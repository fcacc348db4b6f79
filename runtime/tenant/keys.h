/*
 * keys - the keys of a server: who may use it, and how much of it.
 *
 * A key is "gbx_" and 43 characters, base64url of 32 random bytes; it is shown once, when it is
 * made. The file holds only its SHA-256:
 *
 *   {"keys": [
 *     {"name": "alice", "sha256": "…", "created": "2026-11-24T00:00:00Z", "operator": true,
 *      "ceiling": {…}}
 *   ]}
 *
 * One round of a fast hash is enough: slow hashes protect what people choose, but nobody guesses
 * one of 2^256 random values. And a slow hash would cost each request as much as a whole run.
 *
 * The hash is the key's id as well: sessions and files belong to it. A key that is made again under
 * the same name has a new id, and owns none of the old one's.
 *
 * Runs: serve (`glovebox serve key` as well). Needs: read access to the file; the commands write
 * it.
 */
#ifndef GLOVEBOX_TENANT_KEYS_H
#define GLOVEBOX_TENANT_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/encode.h"
#include "loop/clock.h"
#include "tenant/admission.h"
#include "tenant/ceiling.h"
#include "tenant/quota.h"
#include "web/flight.h"

struct recent;

#define KEY_PREFIX    "gbx_"
#define KEY_BYTES     48 /* 47 characters and their NUL */
#define KEY_NAME_MOST 32
#define KEY_ID_SHOWN  8
#define KEY_LOCAL     "local" /* id of key_of_local(), which no hash equals */

struct key {
	char name[KEY_NAME_MOST + 1];
	char id[DIGEST_HEX];
	char created[CLOCK_UTC_SIZE];
	bool is_operator;       /* may read /metrics, which cover all keys */
	char *ceiling_text;     /* owned; JSON as given; NULL: none */
	struct ceiling ceiling; /* ceiling_text within the server's ceiling */
	struct quota_use use;
	struct flight flight;         /* amounts held by its requests */
	struct admission_line runs;   /* its tickets in server->admission */
	struct admission_line upkeep; /* its tickets in server->upkeep */
	struct recent *recent;        /* owned; executions (tenant/recent.h); NULL: none yet */
	unsigned holders;
	bool removed; /* no longer in the file */
};

struct keys {
	struct key **items; /* pointers stay valid across keys_reload() */
	size_t count;
};

/*
 * keys_load - read the file, strictly.
 *
 * @above  which ceilings must not exceed; NULL: not checked (a listing).
 * @out    end it with keys_fini(), after an error as well.
 * Errors: ERR_INPUT and ERR_LIMIT in one line that names the file and the key; ERR_NOT_FOUND: the
 * file is missing.
 */
int keys_load(const char *path, const struct ceiling *above, struct keys *out, struct err *e);
void keys_fini(struct keys *keys);

/*
 * keys_reload - read the file again (SIGHUP).
 *
 * A key that is still there keeps its address and its usage.
 * @gone  out: keys no longer in the file, marked as removed. keys_fini() frees each once nothing
 *        holds it.
 * Errors: as keys_load(); the old keys then stay in force, and *gone is empty.
 */
int keys_reload(const char *path, const struct ceiling *above, struct keys *keys, struct keys *gone,
		struct err *e);

/*
 * keys_find - find the key of a token; NULL: unknown.
 *
 * @token  what stands behind "Bearer ", from a client; need not be terminated.
 * Takes the same time for every token. Borrowed: hold it beyond the next reload.
 */
struct key *keys_find(const struct keys *keys, const char *token, size_t length);

/* keys_find_bearer - the same for the value of Authorization (RFC 6750); NULL: unknown, or none. */
struct key *keys_find_bearer(const struct keys *keys, const char *authorization);

/* keys_by_id - the owner of stored files; NULL: the key was removed. */
struct key *keys_by_id(const struct keys *keys, const char *id);

/* keys_by_name - NULL: unknown. */
struct key *keys_by_name(const struct keys *keys, const char *name);

/* Keep a key from being freed, during a request; runs and sessions do the same (tenant/quota.h). */
void key_hold(struct key *key);
void key_release(struct key *key);

/*
 * key_of_local - the key of all requests where keys are not used (loopback, a unix socket).
 * @above  becomes its ceiling. Owned: key_free().
 */
struct key *key_of_local(const struct ceiling *above);

/* Apply a changed ceiling of the server to a key without a ceiling of its own. */
void key_lower(struct key *key, const struct ceiling *above);
void key_free(struct key *key);

/* key_name_is_valid - [a-z0-9-]{1,32}, without a leading dash, which would look like a flag. */
bool key_name_is_valid(const char *name);

/*
 * keys_file_default - $XDG_CONFIG_HOME/glovebox/keys.json, for root /etc/glovebox/keys.json.
 * Returns the path, which the caller frees, or NULL with *e.
 */
char *keys_file_default(struct err *e);

/*
 * keys_file_lock - lock the file against other writers, until the descriptor is closed.
 *
 * @make  create its directory if it is missing.
 * The lock is PATH.lock, which stays. Waits for it, for a bounded time (ERR_BUSY).
 * Returns an owned descriptor, or -1.
 */
int keys_file_lock(const char *path, bool make, struct err *e);

/* keys_file_save - replace the file and sync it; mode 0600 if it is new. */
int keys_file_save(const char *path, const struct keys *keys, struct err *e);

/*
 * key_make - make a key of that name, and append it to *keys.
 *
 * @ceiling  a document, checked by the caller; NULL: none.
 * @token    out: the key itself, which is stored nowhere.
 */
void key_make(struct keys *keys, const char *name, bool is_operator, const struct json *ceiling,
	      char token[KEY_BYTES]);

/* keys_drop - remove a key, and free it once nothing holds it. */
void keys_drop(struct keys *keys, struct key *key);

#endif
