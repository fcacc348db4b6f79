/*
 * sha256 - SHA-256 as FIPS 180-4 has it, written as lower-case hexadecimal.
 *
 * For the chain of a transcript and the names of codes that ran: no library that this
 * program links has one. No side effects.
 */
#ifndef GLOVEBOX_AGENT_SHA256_H
#define GLOVEBOX_AGENT_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_HEX 65 /* 64 digits and their NUL */

struct sha256 {
	uint32_t state[8];
	uint64_t length; /* bytes so far */
	unsigned char block[64];
};

/* Piece by piece; after its end *s must be begun anew. */
void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t length);
void sha256_end(struct sha256 *s, char out[SHA256_HEX]);

/* All at once. */
void sha256_text(const void *bytes, size_t length, char out[SHA256_HEX]);

#endif
