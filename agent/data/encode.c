/*
 * encode - digests and base64: the only user of nettle.
 */
#include "agent/data/encode.h"

#include <string.h>

#include <nettle/base16.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>

#include "base/own.h"

void digest_hex(const void *bytes, size_t length, char out[DIGEST_HEX])
{
	struct sha256_ctx sha;
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_init(&sha);
	sha256_update(&sha, length, bytes);
	sha256_digest(&sha, sizeof(digest), digest);
	base16_encode_update(out, sizeof(digest), digest);
	out[DIGEST_HEX - 1] = '\0';
}

void encode_base64(const void *bytes, size_t length, struct buf *out)
{
	size_t text_length = BASE64_ENCODE_RAW_LENGTH(length);
	auto_free char *text = own_resize(NULL, text_length + 1, 1);

	base64_encode_raw(text, length, bytes);
	buf_add(out, text, text_length);
}

int decode_base64(const char *text, struct buf *out)
{
	size_t length = strlen(text);
	auto_free uint8_t *bytes = own_resize(NULL, BASE64_DECODE_LENGTH(length), 1);
	struct base64_decode_ctx decoder;
	size_t none;

	/* Refuse white space that nettle would skip. */
	if (text[strcspn(text, " \t\v\f")])
		return -1;
	base64_decode_init(&decoder);
	if (!base64_decode_update(&decoder, &length, bytes, length, text))
		return -1;
	/* nettle requires padding, we do not. */
	while (!base64_decode_final(&decoder)) {
		if (!base64_decode_update(&decoder, &none, bytes + length, 1, "="))
			return -1;
	}
	buf_add(out, bytes, length);
	return 0;
}
