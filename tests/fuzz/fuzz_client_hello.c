/*
 * fuzz_client_hello - a verdict on the first bytes of TLS is the same however they come, and a name
 * that is found stands in them.
 *
 * Input: one byte (0: a first hello, 1: one behind a HelloRetryRequest, 2: a server's answer; more:
 * the size of the pieces), the stream.
 */
#include "fuzz.h"

#include <strings.h>

#include "protocol/client_hello.h"

static struct hello_reader whole;
static struct hello_reader cut;

static bool holds(const uint8_t *data, size_t size, const char *name)
{
	size_t length = strlen(name);

	for (size_t at = 0; at + length <= size; at++) {
		if (!strncasecmp((const char *)data + at, name, length))
			return true;
	}
	return false;
}

static void check_name(const uint8_t *data, size_t size)
{
	char again[HOST_NAME_SIZE];

	MUST(whole.used >= 5 + 4 && whole.used <= size && whole.used <= HELLO_WIRE_MAX);
	MUST(memchr(whole.name, '\0', sizeof(whole.name)));
	MUST(!host_name_canonical(whole.name, strlen(whole.name), again));
	MUST(!strcmp(again, whole.name));
	/* Cut into records it need not stand there in one. */
	MUST(whole.records > 1 || holds(data, whole.used, whole.name));
	MUST(!strcmp(cut.name, whole.name) && cut.used == whole.used);
}

static void check_client(const uint8_t *data, size_t size, size_t piece, bool may_skip)
{
	memset(&whole, 0, sizeof(whole));
	memset(&cut, 0, sizeof(cut));
	whole.may_skip_ccs = cut.may_skip_ccs = may_skip;
	MUST(hello_feed(&whole, data, size) == whole.state);
	for (size_t at = 0; at < size; at += piece)
		(void)hello_feed(&cut, data + at, size - at < piece ? size - at : piece);
	MUST(cut.state == whole.state);
	MUST(cut.why == whole.why);
	MUST((whole.state == HELLO_REFUSED) == (whole.why != NULL));
	MUST(whole.state != HELLO_MORE || whole.used == size);
	if (whole.state == HELLO_NAMED)
		check_name(data, size);
}

static void check_server(const uint8_t *data, size_t size, size_t piece)
{
	struct server_hello_reader at_once = {0};
	struct server_hello_reader pieces = {0};

	(void)server_hello_feed(&at_once, data, size);
	for (size_t at = 0; at < size; at += piece)
		(void)server_hello_feed(&pieces, data + at, size - at < piece ? size - at : piece);
	MUST(pieces.state == at_once.state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t piece;

	if (!size)
		return 0;
	piece = 1 + data[0] / 3;
	if (data[0] % 3 == 2)
		check_server(data + 1, size - 1, piece);
	else
		check_client(data + 1, size - 1, piece, data[0] % 3 == 1);
	return 0;
}
