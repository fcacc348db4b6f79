/*
 * content_hash - the SHA-256 of an uploaded file, piece by piece.
 */
#include "serve/content_hash.h"

#include <gnutls/crypto.h>
#include <stdlib.h>

#include "base/own.h"

#define SHA256_BYTES 32

struct content_hash {
	gnutls_hash_hd_t sha;
};

static int content_hash_refuse(int bad, struct err *e)
{
	return bad ? err_set(e, ERR_SYSTEM, "hash a file: %s", gnutls_strerror(bad)) : 0;
}

int content_hash_begin(struct content_hash **out, struct err *e)
{
	auto_free struct content_hash *h = own_zeroed(1, sizeof(*h));

	if (content_hash_refuse(gnutls_hash_init(&h->sha, GNUTLS_DIG_SHA256), e))
		return -1;
	*out = take_ptr(&h);
	return 0;
}

int content_hash_add(struct content_hash *h, const void *bytes, size_t length, struct err *e)
{
	return content_hash_refuse(gnutls_hash(h->sha, bytes, length), e);
}

void content_hash_end(struct content_hash *h, char out[DIGEST_HEX])
{
	unsigned char hash[SHA256_BYTES];

	gnutls_hash_deinit(h->sha, hash);
	encode_hex(hash, sizeof(hash), out);
	free(h);
}

void content_hash_abandon(struct content_hash *h)
{
	char ignored[DIGEST_HEX];

	if (h)
		content_hash_end(h, ignored);
}
