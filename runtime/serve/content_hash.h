/*
 * content_hash - the SHA-256 of an uploaded file, piece by piece: what it is stored under.
 *
 * By GnuTLS, which the server has for TLS, and not by nettle (base/encode.h): hashing is most of
 * the time that an upload takes, and on a CPU with AVX2 and without instructions for SHA-256
 * GnuTLS is 1.4 to 1.7 times as fast.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_CONTENT_HASH_H
#define GLOVEBOX_SERVE_CONTENT_HASH_H

#include "base/encode.h"
#include "base/err.h"

struct content_hash;

/* @out  owned: content_hash_end() or content_hash_abandon(). Errors: ERR_SYSTEM. */
int content_hash_begin(struct content_hash **out, struct err *e);

/* The next piece. Errors: ERR_SYSTEM; then only content_hash_abandon() is left. */
int content_hash_add(struct content_hash *h, const void *bytes, size_t length, struct err *e);

/* In lower-case hexadecimal; frees it. */
void content_hash_end(struct content_hash *h, char out[DIGEST_HEX]);

/* Free it. Safe on NULL. */
void content_hash_abandon(struct content_hash *h);

#endif
