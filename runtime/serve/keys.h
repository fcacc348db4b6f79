/*
 * keys - who may use a server, as whom, and how much of it.
 *
 * A key is "gbx_" and 43 characters, base64url of 32 random bytes; it is shown once. The file holds
 * its SHA-256 only:
 *
 *   {"keys": [
 *     {"name": "alice", "sha256": "…", "created": "2026-11-24T00:00:00Z", "operator": true,
 *      "ceiling": {…}}
 *   ]}
 *
 * One round of a fast hash is enough here. A slow hash makes guessing dear where people choose what
 * is hashed; nobody finds one of 2^256 random values by guessing, at any speed. And a slow one
 * would cost each request what a whole run costs.
 *
 * The hash is the key's id as well: sessions and files belong to it. A key that is made anew under
 * the same name is another one, and has none of them.
 *
 * Runs: serve (`glovebox serve key` as well). Needs: read access to the file; the commands write
 * it.
 */
#ifndef GLOVEBOX_SERVE_KEYS_H
#define GLOVEBOX_SERVE_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/encode.h"
#include "serve/admission.h"
#include "serve/ceiling.h"
#include "serve/flight.h"
#include "serve/quota.h"

struct recent;

#define KEY_PREFIX    "gbx_"
#define KEY_BYTES     48 /* 47 characters and their NUL */
#define KEY_NAME_MOST 32
#define KEY_ID_SHOWN  8
#define KEY_LOCAL     "local" /* the id of key_of_local(): no hash is that */

struct key {
	char name[KEY_NAME_MOST + 1];
	char id[DIGEST_HEX];
	char created[CLOCK_UTC_SIZE];
	bool is_operator;       /* sees what all keys do together: /metrics */
	char *ceiling_text;     /* as it was given, JSON; NULL: none; owned */
	struct ceiling ceiling; /* the least of it and what lies above it */
	struct quota_use use;
	struct flight flight;         /* of its requests */
	struct admission_line runs;   /* its tickets for server->admission */
	struct admission_line upkeep; /* ... and for server->upkeep */
	struct recent *recent;        /* executions (serve/recent.h); NULL: there was none; owned */
	unsigned holders;
	bool removed; /* it was in the file once */
};

struct keys {
	struct key **items; /* pointers stay the same when they are read anew */
	size_t count;
};

/*
 * keys_load - read the file; strict.
 *
 * @above  which ceilings must not be looser than; NULL: nobody asks (a listing).
 * @out    end it with keys_fini(), after an error as well.
 * Errors: ERR_INPUT and ERR_LIMIT in one line that names the file and the key; ERR_NOT_FOUND if
 * there is no file.
 */
int keys_load(const char *path, const struct ceiling *above, struct keys *out, struct err *e);
void keys_fini(struct keys *keys);

/*
 * keys_reload - read it anew (SIGHUP).
 *
 * A key that is still there keeps its address and what it has at the moment.
 * @gone  out: those that are not, marked as removed. keys_fini() frees each when nobody holds it
 *        any more.
 * Errors: as keys_load(); the old keys stay in force as they were, and *gone is empty.
 */
int keys_reload(const char *path, const struct ceiling *above, struct keys *keys, struct keys *gone,
		struct err *e);

/*
 * keys_find - whose key this is; NULL: nobody's.
 *
 * @token  what stood behind "Bearer ", from a stranger; need not be terminated.
 * It takes the same time for each key, and for none. Borrowed: hold it beyond the next reload.
 */
struct key *keys_find(const struct keys *keys, const char *token, size_t length);

/* keys_find_bearer - the same for the value of Authorization (RFC 6750); NULL: there is none. */
struct key *keys_find_bearer(const struct keys *keys, const char *authorization);

/* keys_by_id - the owner of what is on the disk; NULL: he was removed. */
struct key *keys_by_id(const struct keys *keys, const char *id);

/* keys_by_name - the key of that name; NULL: there is none. */
struct key *keys_by_name(const struct keys *keys, const char *name);

/* A key that is held is not freed. For a request; runs and sessions hold theirs (serve/quota.h). */
void key_hold(struct key *key);
void key_release(struct key *key);

/*
 * key_of_local - everybody, where no key is asked for (loopback, a unix socket).
 * @above  becomes its ceiling. Owned: key_free().
 */
struct key *key_of_local(const struct ceiling *above);

/* What lies above a key without a ceiling of its own has changed. */
void key_lower(struct key *key, const struct ceiling *above);
void key_free(struct key *key);

/* key_name_is_valid - [a-z0-9-]{1,32}, and no dash in front, as if it were a flag. */
bool key_name_is_valid(const char *name);

/*
 * keys_file_default - $XDG_CONFIG_HOME/glovebox/keys.json, for root /etc/glovebox/keys.json.
 * Returns the path, which the caller frees, or NULL with *e.
 */
char *keys_file_default(struct err *e);

/*
 * keys_file_lock - be the only one that changes the file, until the descriptor is closed.
 *
 * @make  make the directory around it, if that is missing.
 * The lock is PATH.lock, which stays. It is waited for, but not for ever (ERR_BUSY).
 * Returns an owned descriptor, or -1.
 */
int keys_file_lock(const char *path, bool make, struct err *e);

/* keys_file_save - replace the file, mode 0600 if it is new; it is then on the disk. */
int keys_file_save(const char *path, const struct keys *keys, struct err *e);

/*
 * key_make - a new key of that name, at the end of *keys.
 *
 * @ceiling  a document, checked by the caller; NULL: none.
 * @token    out: the key itself, which is nowhere else.
 */
void key_make(struct keys *keys, const char *name, bool is_operator, const struct json *ceiling,
	      char token[KEY_BYTES]);

/* keys_drop - take a key out, and free it when nobody holds it. */
void keys_drop(struct keys *keys, struct key *key);

#endif
