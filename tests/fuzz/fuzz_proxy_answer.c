/*
 * fuzz_proxy_answer - what a proxy says to CONNECT means the same however it was cut, and opens a
 * connection only behind a whole head with a 200.
 *
 * Input: one byte (the size of the pieces), the stream.
 */
#include "fuzz.h"

#include "protocol/proxy_answer.h"

static size_t feed(struct proxy_answer *r, const uint8_t *data, size_t size, size_t piece)
{
	enum proxy_answer_state state = PROXY_MORE;
	size_t at = 0;
	size_t used;

	while (at < size && state == PROXY_MORE) {
		const size_t n = size - at < piece ? size - at : piece;

		state = proxy_answer_feed(r, data + at, n, &used);
		MUST(used <= n && (state != PROXY_MORE || used == n));
		at += used;
	}
	/* It is final. */
	if (state != PROXY_MORE) {
		MUST(proxy_answer_feed(r, data, size, &used) == state);
		MUST(!used);
	}
	return at;
}

static bool ends_with(const uint8_t *data, size_t size, const char *end)
{
	return size >= strlen(end) && !memcmp(data + size - strlen(end), end, strlen(end));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct proxy_answer whole = {0};
	struct proxy_answer pieces = {0};
	size_t used;

	if (!size)
		return 0;
	used = feed(&whole, data + 1, size - 1, size);
	MUST(feed(&pieces, data + 1, size - 1, data[0] % 32 + 1u) == used);
	MUST(whole.state == pieces.state && whole.why == pieces.why);
	MUST(whole.status.status == pieces.status.status);
	MUST(used <= PROXY_ANSWER_MAX + 1);
	if (whole.state == PROXY_OPEN) {
		MUST(used <= PROXY_ANSWER_MAX && !memcmp(data + 1, "HTTP/1.", 7));
		MUST(whole.status.status == 200 && ends_with(data + 1, used, "\r\n\r\n"));
	} else if (whole.state == PROXY_REFUSED) {
		MUST(whole.status.status != 200 && whole.status.status != 0);
		MUST((whole.status.status < 0) == (whole.why != NULL));
	}
	return 0;
}
