/*
 * encode - digests and Base64; the only user of nettle.
 */
#include "base/encode.h"

#include <stdlib.h>
#include <string.h>

#include <nettle/base16.h>
#include <nettle/base64.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>

#include "base/own.h"

#define PART_BYTES ((size_t)48 << 10)

struct digest {
	struct sha256_ctx sha;
};

struct digest *digest_begin(void)
{
	struct digest *d = own_resize(NULL, 1, sizeof(*d));

	sha256_init(&d->sha);
	return d;
}

void digest_add(struct digest *d, const void *bytes, size_t length)
{
	sha256_update(&d->sha, length, bytes);
}

void digest_end(struct digest *d, char out[DIGEST_HEX])
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_digest(&d->sha, sizeof(digest), digest);
	encode_hex(digest, sizeof(digest), out);
	free(d);
}

void digest_bytes(const void *bytes, size_t length, uint8_t out[DIGEST_BYTES])
{
	struct sha256_ctx hash;

	sha256_init(&hash);
	sha256_update(&hash, length, bytes);
	sha256_digest(&hash, DIGEST_BYTES, out);
}

void digest_hex(const void *bytes, size_t length, char out[DIGEST_HEX])
{
	struct digest *d = digest_begin();

	digest_add(d, bytes, length);
	digest_end(d, out);
}

void hmac_bytes(const void *key, size_t key_length, const void *bytes, size_t length,
		uint8_t out[HMAC_BYTES])
{
	struct hmac_sha256_ctx hmac;

	hmac_sha256_set_key(&hmac, key_length, key);
	hmac_sha256_update(&hmac, length, bytes);
	hmac_sha256_digest(&hmac, HMAC_BYTES, out);
}

void encode_hex(const void *bytes, size_t length, char *out)
{
	base16_encode_update(out, length, bytes);
	out[2 * length] = '\0';
}

bool secret_is(const void *a, const void *b, size_t length)
{
	return memeql_sec(a, b, length);
}

void encode_base64(const void *bytes, size_t length, struct buf *out)
{
	size_t text_length = BASE64_ENCODE_RAW_LENGTH(length);
	auto_free char *text = own_resize(NULL, text_length + 1, 1);

	base64_encode_raw(text, length, bytes);
	buf_add(out, text, text_length);
}

void encode_base64url(const void *bytes, size_t length, struct buf *out)
{
	size_t text_length = BASE64_ENCODE_LENGTH(length) + BASE64_ENCODE_FINAL_LENGTH;
	auto_free char *text = own_resize(NULL, text_length, 1);
	struct base64_encode_ctx encoder;
	size_t used;

	base64url_encode_init(&encoder);
	used = base64_encode_update(&encoder, text, length, bytes);
	used += base64_encode_final(&encoder, text + used);
	while (used && text[used - 1] == '=')
		used--;
	buf_add(out, text, used);
}

int decode_base64_parts(const char *text, decode_taker *take, void *context)
{
	struct base64_decode_ctx decoder;
	uint8_t bytes[BASE64_DECODE_LENGTH(PART_BYTES)];
	size_t length;

	/* Refuse white space that nettle would skip. */
	if (text[strcspn(text, " \t\v\f")])
		return -1;
	base64_decode_init(&decoder);
	for (size_t part; *text; text += part) {
		part = strnlen(text, PART_BYTES);
		length = sizeof(bytes);
		if (!base64_decode_update(&decoder, &length, bytes, part, text) ||
		    (length && take(context, bytes, length)))
			return -1;
	}
	/* nettle requires padding, we do not. */
	while (!base64_decode_final(&decoder)) {
		length = sizeof(bytes);
		if (!base64_decode_update(&decoder, &length, bytes, 1, "="))
			return -1;
	}
	return 0;
}

static int encode_add_decoded(void *out, const void *bytes, size_t length)
{
	buf_add(out, bytes, length);
	return 0;
}

int decode_base64(const char *text, struct buf *out)
{
	const size_t before = out->length;
	int bad = decode_base64_parts(text, encode_add_decoded, out);

	if (bad)
		buf_cut(out, before);
	return bad;
}

int decode_hex(const char *text, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (; *text; text += 2) {
		const char *high = strchr(digits, text[0]);
		const char *low = text[1] ? strchr(digits, text[1]) : NULL;

		if (!high || !low)
			return -1;
		*out++ = (char)((high - digits) << 4 | (low - digits));
	}
	*out = '\0';
	return 0;
}
