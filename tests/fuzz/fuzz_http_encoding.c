/*
 * fuzz_http_encoding - Accept-Encoding: nothing is packed for who did not ask, and what stands
 * behind a list changes nothing of what it says of gzip.
 */
#include "fuzz.h"

#include "base/buf.h"
#include "serve/http_encoding.h"

static bool accepts(const char *text, const char *behind)
{
	auto_buf struct buf more = {0};

	buf_printf(&more, "%s%s", text, behind);
	return http_encoding_has_gzip(buf_string(&more));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	const bool has_gzip = http_encoding_has_gzip(text);

	if (has_gzip)
		MUST(strchr(text, '*') || strcasestr(text, "gzip"));
	MUST(accepts(text, ", br") == has_gzip);
	if (!strcasestr(text, "gzip"))
		MUST(accepts(text, ", gzip") && !accepts(text, ", gzip;q=0"));
	free(text);
	return 0;
}
