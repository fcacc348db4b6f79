/*
 * fuzz_origin - on loopback only our own names pass, and nothing is changed for a foreign page.
 *
 * An input is four lines: where we listen (0 to 2), the method, Host and Origin; "-" is none.
 */
#include "fuzz.h"

#include <ctype.h>
#include <strings.h>

#include "web/origin.h"

#define GIVEN_HOST "box.example"
#define GIVEN_PAGE "https://tools.example"

static const char *next_line(char **rest)
{
	char *line = strsep(rest, "\n");

	return line && strcmp(line, "-") != 0 ? line : NULL;
}

static bool begins(const char *text, const char *with)
{
	return !strncasecmp(text, with, strlen(with));
}

/* Looser than the rule, and another way to say it: nothing that a stranger can register. */
static bool could_be_ours(const char *host)
{
	size_t length = strcspn(host, ":");
	const char *end = host + length;

	if (*host == '[')
		return !strpbrk(host, "ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ/%@");
	if (begins(host, "127.") && strspn(host, "0123456789.") == length)
		return true;
	if (length == strlen(GIVEN_HOST) && begins(host, GIVEN_HOST))
		return true;
	return length >= 9 && begins(end - 9, "localhost") && (length == 9 || end[-10] == '.');
}

static void check(const struct origin_request *r, const char *cors)
{
	static const char *const safe[] = {"GET", "HEAD", "OPTIONS"};
	bool changes = true;

	for (size_t i = 0; i < 3; i++)
		changes = changes && strcmp(r->method, safe[i]) != 0;
	if (r->host && r->listen == LISTEN_LOOPBACK)
		MUST(could_be_ours(r->host));
	if (r->host)
		MUST(*r->host && !strpbrk(r->host, "/@ \t\r,?#\\%"));
	if (cors)
		MUST(r->origin && !strcasecmp(r->origin, GIVEN_PAGE));
	if (!r->origin || !changes || cors)
		return;
	/* "scheme://" and the name of Host. */
	MUST(begins(r->origin, "http://") || begins(r->origin, "https://"));
	MUST(r->host);
	if (*r->host != '[')
		MUST(!strncasecmp(strstr(r->origin, "//") + 2, r->host, strcspn(r->host, ":")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	char *rest = text;
	const char *listen = next_line(&rest);
	const char *method = next_line(&rest);
	struct origin_rules rules = {0};
	struct origin_request request = {.listen = listen ? (unsigned char)*listen % 3 : 0,
					 .method = method ? method : ""};
	const char *cors = "";
	const char *again = "";
	struct err e = {0};
	int bad;

	request.host = next_line(&rest);
	request.origin = next_line(&rest);
	MUST(!origin_add_host(&rules, GIVEN_HOST, &e) && !origin_add_cors(&rules, GIVEN_PAGE, &e));
	bad = origin_check(&rules, &request, &cors, &e);
	if (bad) {
		MUST(!cors && (e.kind == ERR_DENIED || e.kind == ERR_INPUT));
		fuzz_check_error(&e);
	} else {
		check(&request, cors);
	}
	/* Host is compared without case. */
	for (char *c = (char *)request.host; c && *c; c++)
		*c = (char)toupper((unsigned char)*c);
	MUST(origin_check(&rules, &request, &again, &e) == bad && again == cors);
	/* What is given as a flag is checked the same way. */
	if (request.host && origin_add_host(&rules, request.host, &e))
		fuzz_check_error(&e);
	if (request.origin && origin_add_cors(&rules, request.origin, &e))
		fuzz_check_error(&e);
	origin_rules_fini(&rules);
	free(text);
	return 0;
}
