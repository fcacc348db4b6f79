/*
 * content_hash - the SHA-256 of an uploaded file, piece by piece; the store names contents by it.
 *
 * GnuTLS hashes, which the server links for TLS, instead of nettle (base/encode.h): hashing takes
 * most of an upload's time, and on CPUs with AVX2 but without SHA-256 instructions GnuTLS is 1.4 to
 * 1.7 times as fast.
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

/* Hash a piece. Errors: ERR_SYSTEM; then only content_hash_abandon() may follow. */
int content_hash_add(struct content_hash *h, const void *bytes, size_t length, struct err *e);

/* Write the hash in lower-case hexadecimal, and free *h. */
void content_hash_end(struct content_hash *h, char out[DIGEST_HEX]);

/* Free it. Safe on NULL. */
void content_hash_abandon(struct content_hash *h);

#endif
