/*
 * encode - digests and Base64; the only user of nettle.
 *
 * For the hash chain of a transcript, the names of executed sources, pictures, and the keys of a
 * server. No side effects.
 */
#ifndef GLOVEBOX_BASE_ENCODE_H
#define GLOVEBOX_BASE_ENCODE_H

#include "base/buf.h"

#define DIGEST_HEX 65 /* 64 digits and their NUL */

/* SHA-256 in lower-case hexadecimal. */
void digest_hex(const void *bytes, size_t length, char out[DIGEST_HEX]);

/* SHA-256 itself. */
#define DIGEST_BYTES 32
void digest_bytes(const void *bytes, size_t length, uint8_t out[DIGEST_BYTES]);

/* The same, incrementally. digest_end() frees it. */
struct digest;
struct digest *digest_begin(void);
void digest_add(struct digest *d, const void *bytes, size_t length);
void digest_end(struct digest *d, char out[DIGEST_HEX]);

#define HMAC_BYTES 32

/* HMAC-SHA-256 (RFC 2104). */
void hmac_bytes(const void *key, size_t key_length, const void *bytes, size_t length,
		uint8_t out[HMAC_BYTES]);

/* Lower-case hexadecimal; `out` holds 2 * length + 1 bytes. */
void encode_hex(const void *bytes, size_t length, char *out);

/* The same back, with a NUL behind it; `out` holds half of the text, and the NUL. Errors: -1. */
int decode_hex(const char *text, char *out);

/* Whether they are equal, in a time that does not depend on where they differ. */
bool secret_is(const void *a, const void *b, size_t length);

/* Append Base64 (RFC 4648) to *out. */
void encode_base64(const void *bytes, size_t length, struct buf *out);

/* The same for URLs: "-" and "_", no padding (section 5 there). */
void encode_base64url(const void *bytes, size_t length, struct buf *out);

/* Decode Base64, with or without line ends and padding; -1 for anything else. */
int decode_base64(const char *text, struct buf *out);

/* Receives decoded bytes; 0, or -1 to stop. */
typedef int decode_taker(void *context, const void *bytes, size_t length);

/* Decode in parts, without copying a large text. -1 also if the taker returned -1. */
int decode_base64_parts(const char *text, decode_taker *take, void *context);

#endif
