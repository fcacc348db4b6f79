/*
 * server_url - turn OLLAMA_HOST, in all the forms that people write, into one base URL.
 */
#include "agent/server/server_url.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

/* The parts of "HOST[:PORT]"; empty if absent. */
struct authority {
	char host[256];
	char port[16];
};

/* Trim white space and quotes, as the official client does. */
static int server_url_trim(const char *text, char *out, size_t size, struct err *e)
{
	static const char around[] = " \t\r\n\"'";
	size_t length;

	text += strspn(text, around);
	length = strlen(text);
	while (length && strchr(around, text[length - 1]))
		length--;
	if (length >= size)
		return err_input(e, "server URL is longer than %zu bytes", size - 1);
	for (size_t i = 0; i < length; i++)
		if (text[i] <= ' ' || text[i] >= 0x7f || strchr("\\\"'<>^`{|}?#", text[i]))
			return err_input(e, "server URL \"%.100s\" has a character no URL can have",
					 text);
	memcpy(out, text, length);
	out[length] = '\0';
	return 0;
}

static bool server_url_is_ipv6(const char *text)
{
	struct in6_addr address;

	return inet_pton(AF_INET6, text, &address) == 1;
}

/* Remove the brackets. Not 0: they are empty. */
static int server_url_unbracket(char *host)
{
	size_t length = strlen(host);

	if (host[0] != '[')
		return 0;
	if (length < 2 || host[length - 1] != ']')
		return -1;
	memmove(host, host + 1, length - 2);
	host[length - 2] = '\0';
	return server_url_is_ipv6(host) ? 0 : -1;
}

static bool server_url_is_name(const char *host)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";

	return host[strspn(host, letters)] == '\0';
}

/* The port begins at the last colon, unless that is within an IPv6 address. */
static int server_url_split(const char *text, size_t length, struct authority *out, struct err *e)
{
	char whole[256];
	char *colon;

	if (length >= sizeof(whole) || memchr(text, '@', length))
		return err_input(e, length >= sizeof(whole)
					    ? "server URL: the name of the host is too long"
					    : "server URL: no user name or password can be given");
	memcpy(whole, text, length);
	whole[length] = '\0';
	colon = strrchr(whole, ':');
	*out = (struct authority){0};
	if (colon && !server_url_is_ipv6(whole) && !strchr(colon, ']')) {
		snprintf(out->port, sizeof(out->port), "%.15s", colon[1] ? colon + 1 : "none");
		*colon = '\0';
	}
	snprintf(out->host, sizeof(out->host), "%s", whole);
	if (server_url_unbracket(out->host) ||
	    !(server_url_is_name(out->host) || server_url_is_ipv6(out->host)))
		return err_input(e, "server URL: \"%.100s\" is not a host name", whole);
	return 0;
}

/* Replace an address that only a server can listen on by one that a client can reach. */
static const char *server_url_reachable(const char *host)
{
	struct in6_addr six;

	if (!host[0] || !strcmp(host, "0.0.0.0"))
		return "127.0.0.1";
	if (inet_pton(AF_INET6, host, &six) == 1 && IN6_IS_ADDR_UNSPECIFIED(&six))
		return "::1";
	return host;
}

static bool server_url_is_loopback(const char *host)
{
	struct in6_addr six;
	struct in_addr four;

	if (inet_pton(AF_INET, host, &four) == 1)
		return ntohl(four.s_addr) >> 24 == 127;
	if (inet_pton(AF_INET6, host, &six) == 1)
		return IN6_IS_ADDR_LOOPBACK(&six);
	return !strcasecmp(host, "localhost");
}

static unsigned server_url_port_of(const struct authority *a, unsigned usual,
				   struct server_url *out)
{
	struct err ignored;
	int64_t port;

	if (!a->port[0])
		return usual;
	if (!parse_int(a->port, 1, 65535, &port, &ignored))
		return (unsigned)port;
	snprintf(out->warning, sizeof(out->warning),
		 "invalid port \"%s\" in the server URL: using %u", a->port, usual);
	return usual;
}

/*
 * Read the scheme before "://", or apply the default. Returns the rest, and in *usual the port for
 * a rest without one; NULL: another scheme.
 */
static char *server_url_take_scheme(char *whole, struct server_url *out, unsigned *usual,
				    struct err *e)
{
	char *end = strstr(whole, "://");

	*usual = 11434;
	if (!end) {
		out->https = !strcmp(whole, "ollama.com");
		if (out->https)
			*usual = 443;
		return whole;
	}
	*end = '\0';
	out->https = !strcasecmp(whole, "https");
	if (!out->https && strcasecmp(whole, "http") != 0) {
		err_input(e, "server URL: \"%.50s\" is not http or https", whole);
		return NULL;
	}
	*usual = out->https ? 443 : 80;
	return end + 3;
}

int server_url_parse(const char *text, struct server_url *out, struct err *e)
{
	char whole[400];
	char *rest;
	char *path;
	struct authority a;
	unsigned usual;
	unsigned port;
	const char *host;

	*out = (struct server_url){0};
	if (server_url_trim(text ? text : "", whole, sizeof(whole), e))
		return -1;
	rest = server_url_take_scheme(whole, out, &usual, e);
	if (!rest)
		return -1;
	path = rest + strcspn(rest, "/");
	if (server_url_split(rest, (size_t)(path - rest), &a, e))
		return -1;
	for (size_t length = strlen(path); length && path[length - 1] == '/'; length--)
		path[length - 1] = '\0';
	host = server_url_reachable(a.host);
	port = server_url_port_of(&a, usual, out);
	out->loopback = server_url_is_loopback(host);
	out->port_80 = usual == 80 && !a.port[0];
	snprintf(out->base, sizeof(out->base), "%s://%s%s%s:%u%s", out->https ? "https" : "http",
		 strchr(host, ':') ? "[" : "", host, strchr(host, ':') ? "]" : "", port, path);
	return 0;
}
