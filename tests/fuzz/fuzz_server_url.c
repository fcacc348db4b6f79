/*
 * fuzz_server_url - what is accepted is one plain URL, and is accepted as itself.
 */
#include "fuzz.h"

#include "agent/server/server_url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct server_url url;
	struct server_url again;
	struct err e = {0};

	if (server_url_parse(text, &url, &e)) {
		fuzz_check_error(&e);
		free(text);
		return 0;
	}
	MUST(!strncmp(url.base, url.https ? "https://" : "http://", url.https ? 8 : 7));
	for (const char *p = url.base; *p; p++)
		MUST(*p > ' ' && *p < 0x7f && !strchr("\\\"<>^`{|}?#", *p));
	MUST(!memchr(url.base, '@', strcspn(url.base + 8, "/") + 8));
	MUST(url.base[strlen(url.base) - 1] != '/');
	MUST(!server_url_parse(url.base, &again, &e));
	MUST(!strcmp(url.base, again.base));
	MUST(url.loopback == again.loopback && url.https == again.https);
	MUST(!again.warning[0]);
	free(text);
	return 0;
}
