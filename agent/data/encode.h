/*
 * encode - digests and base64: the only user of nettle.
 *
 * For the hash chain of a transcript, the names of codes that ran, and pictures. No side effects.
 */
#ifndef GLOVEBOX_AGENT_ENCODE_H
#define GLOVEBOX_AGENT_ENCODE_H

#include "base/buf.h"

#define DIGEST_HEX 65 /* 64 digits and their NUL */

/* SHA-256 in lower-case hexadecimal. */
void digest_hex(const void *bytes, size_t length, char out[DIGEST_HEX]);

/* Append Base64 (RFC 4648) to *out. */
void encode_base64(const void *bytes, size_t length, struct buf *out);

/* Decode it, with or without line ends and padding; -1 for anything else. */
int decode_base64(const char *text, struct buf *out);

#endif
