/*
 * origin - whether a request may come from its web page and to its Host.
 */
#include "web/origin.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#define HOST_MOST     253 /* of a name (RFC 1035) */
#define DIGITS        "0123456789"
#define LETTERS       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define LOOPBACK_NET  127
#define LOCALHOST     "localhost"
#define HTTP          "http://"
#define HTTPS         "https://"
#define HTTP_DEFAULT  80
#define HTTPS_DEFAULT 443

/* "name[:port]", split. */
struct origin_place {
	char name[HOST_MOST + 1]; /* an IPv6 address without brackets */
	bool bracketed;
	unsigned port; /* 0: not given */
};

/* -- host and port --------------------------------------------------------------------------- */

/* Parse the text behind the colon. */
static bool origin_port(const char *text, unsigned *out)
{
	size_t digits = strspn(text, DIGITS);
	unsigned port = 0;

	if (!digits || digits > 5 || text[digits])
		return false;
	while (*text)
		port = port * 10 + (unsigned)(*text++ - '0');
	*out = port;
	return port && port <= 65535;
}

/* False: malformed. */
static bool origin_place_read(const char *text, struct origin_place *out)
{
	struct in6_addr address;
	size_t length;

	*out = (struct origin_place){.bracketed = *text == '['};
	text += out->bracketed;
	length = strspn(text, out->bracketed ? DIGITS ":.abcdefABCDEF" : DIGITS LETTERS "-._");
	if (!length || length > HOST_MOST)
		return false;
	memcpy(out->name, text, length);
	text += length;
	if (out->bracketed && (*text++ != ']' || inet_pton(AF_INET6, out->name, &address) != 1))
		return false;
	return !*text || (*text == ':' && origin_port(text + 1, &out->port));
}

static bool origin_is_localhost(const char *name)
{
	size_t length = strlen(name);
	size_t local = strlen(LOCALHOST);

	if (length < local || strcasecmp(name + length - local, LOCALHOST) != 0)
		return false;
	return length == local || (name[length - local - 1] == '.' && *name != '.');
}

/* Compare full spellings only: browsers normalise all others. */
static bool origin_is_loopback(const struct origin_place *place)
{
	struct in6_addr six;
	struct in_addr four;

	if (place->bracketed)
		return inet_pton(AF_INET6, place->name, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
	if (inet_pton(AF_INET, place->name, &four) == 1)
		return ntohl(four.s_addr) >> 24 == LOOPBACK_NET;
	return origin_is_localhost(place->name);
}

/* -- Origin ---------------------------------------------------------------------------------- */

/* Parse "scheme://host[:port]"; without a port, the scheme's. */
static bool origin_read(const char *text, struct origin_place *out, unsigned *default_port)
{
	bool plain = !strncasecmp(text, HTTP, strlen(HTTP));

	if (!plain && strncasecmp(text, HTTPS, strlen(HTTPS)) != 0)
		return false;
	*default_port = plain ? HTTP_DEFAULT : HTTPS_DEFAULT;
	return origin_place_read(text + strlen(plain ? HTTP : HTTPS), out);
}

/* The page was served from the host that this request goes to. */
static bool origin_is_own(const struct origin_rules *rules, const char *origin,
			  const struct origin_place *host)
{
	struct origin_place page;
	unsigned port;

	return origin_read(origin, &page, &port) && !(rules->is_tls && port != HTTPS_DEFAULT) &&
	       page.bracketed == host->bracketed && !strcasecmp(page.name, host->name) &&
	       (page.port ? page.port : port) == (host->port ? host->port : port);
}

/* -- flags ----------------------------------------------------------------------------------- */

void origin_rules_fini(struct origin_rules *rules)
{
	list_fini(&rules->hosts);
	list_fini(&rules->cors);
}

int origin_add_host(struct origin_rules *rules, const char *name, struct err *e)
{
	struct origin_place place;

	if (!origin_place_read(name, &place) || place.port)
		return err_input(e, "\"%.100s\" is not a host name without a port", name);
	list_add(&rules->hosts, place.name);
	return 0;
}

/* Require the spelling of browsers, so that a comparison of texts suffices. */
int origin_add_cors(struct origin_rules *rules, const char *origin, struct err *e)
{
	struct origin_place place;
	unsigned port;

	if (!origin_read(origin, &place, &port) || place.port == port)
		return err_input(e,
				 "\"%.100s\" is not an origin: name each, as https://host or "
				 "https://host:port",
				 origin);
	list_add(&rules->cors, origin);
	return 0;
}

static const char *origin_find(const struct list *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!strcasecmp(list->items[i], text))
			return list->items[i];
	}
	return NULL;
}

/* -- the check ------------------------------------------------------------------------------- */

/* A name with a dot in front stands for all below it. */
static bool origin_is_allowed(const struct origin_rules *rules, const char *name)
{
	const size_t length = strlen(name);

	for (size_t i = 0; i < rules->hosts.count; i++) {
		const char *host = rules->hosts.items[i];
		const size_t tail = strlen(host);

		if (*host == '.' && length > tail && !strcasecmp(name + length - tail, host))
			return true;
	}
	return origin_find(&rules->hosts, name) != NULL;
}

static bool origin_changes_something(const char *method)
{
	return strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0 &&
	       strcmp(method, "OPTIONS") != 0;
}

int origin_check(const struct origin_rules *rules, const struct origin_request *request,
		 const char **cors, struct err *e)
{
	struct origin_place host = {0};

	*cors = NULL;
	if (request->host && !origin_place_read(request->host, &host))
		return err_input(e, "the Host header is malformed");
	if (request->listen == LISTEN_LOOPBACK && request->host && !origin_is_loopback(&host) &&
	    !origin_is_allowed(rules, host.name))
		return err_set(
			e, ERR_DENIED,
			"the Host header does not name this machine (--allow-host adds a name)");
	if (!request->origin)
		return 0;
	*cors = origin_find(&rules->cors, request->origin);
	if (*cors || !origin_changes_something(request->method) ||
	    (request->host && origin_is_own(rules, request->origin, &host)))
		return 0;
	return err_set(e, ERR_DENIED,
		       "a page of another origin may change nothing here (--cors allows one)");
}
