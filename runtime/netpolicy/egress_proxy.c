/*
 * egress_proxy - the URL of an HTTP proxy through which hosts of a list are reached.
 */
#include "netpolicy/egress_proxy.h"

#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/parse.h"

#define SCHEME   "http://"
#define MAX_PORT 65535

static int egress_proxy_is_wrong(struct err *e, const char *why)
{
	return err_input(e, "%s: a proxy is http://HOST:PORT or http://USER:PASSWORD@HOST:PORT",
			 why);
}

/* -- who we are to it ------------------------------------------------------------------------- */

/* Take one byte, or "%XX", off the front; -1: the byte may not stand there. */
static int egress_proxy_byte(const char **at, const char *end)
{
	const unsigned char c = (unsigned char)*(*at)++;
	int byte = c;

	if (c == '%' && end - *at >= 2) {
		const int high = hex_digit((*at)[0]);
		const int low = hex_digit((*at)[1]);

		byte = high < 0 || low < 0 ? -1 : high * 16 + low;
		*at += 2;
	} else if (c <= ' ' || c >= 0x7f || strchr("%@/?#", c)) {
		byte = -1;
	}
	return byte < ' ' || byte == 0x7f ? -1 : byte;
}

/* A colon separates user and password, so a user cannot contain one (RFC 7617). */
static int egress_proxy_secret(const char *at, const char *end, struct egress_proxy *out,
			       struct err *e)
{
	size_t length = 0;
	bool is_password = false;

	while (at < end) {
		const bool parts = *at == ':' && !is_password;
		const int byte = egress_proxy_byte(&at, end);

		if (byte < 0 || (byte == ':' && !is_password && !parts))
			return egress_proxy_is_wrong(e,
						     "an odd user or password (%XX spells any "
						     "byte but controls)");
		is_password = is_password || parts;
		/* Leave room for the colon that follows a user without a password. */
		if (length + 2 >= sizeof(out->secret))
			return egress_proxy_is_wrong(e, "a user and password that are too long");
		out->secret[length++] = (char)byte;
	}
	if (!length || out->secret[0] == ':')
		return egress_proxy_is_wrong(e, "no user");
	if (!is_password)
		out->secret[length] = ':';
	return 0;
}

/* -- where it is ------------------------------------------------------------------------------ */

static int egress_proxy_host(const char *text, size_t size, struct egress_proxy *out, struct err *e)
{
	const bool is_v6 = size > 2 && text[0] == '[' && text[size - 1] == ']';
	char host[HOST_NAME_SIZE];

	if (is_v6) {
		text++;
		size -= 2;
	}
	if (size >= sizeof(host))
		return egress_proxy_is_wrong(e, "a host that is too long");
	memcpy(host, text, size);
	host[size] = '\0';
	if (!address_parse(host, &out->address) && out->address.is_v4 != is_v6)
		return 0;
	if (is_v6 || host_name_canonical(host, size, out->name))
		return egress_proxy_is_wrong(e, "neither a host name nor an address");
	return 0;
}

static int egress_proxy_place(const char *at, struct egress_proxy *out, struct err *e)
{
	char digits[8] = "";
	size_t size = strlen(at);
	const char *colon;
	int64_t port;

	if (size && at[size - 1] == '/')
		size--;
	colon = memrchr(at, ':', size);
	if (!colon || (size_t)(at + size - colon) > sizeof(digits))
		return egress_proxy_is_wrong(e, "no port");
	memcpy(digits, colon + 1, (size_t)(at + size - colon - 1));
	if (digits[strspn(digits, "0123456789")] || parse_int(digits, 1, MAX_PORT, &port, e))
		return egress_proxy_is_wrong(e, "no port");
	out->port = (uint16_t)port;
	return egress_proxy_host(at, (size_t)(colon - at), out, e);
}

int egress_proxy_parse(const char *url, struct egress_proxy *out, struct err *e)
{
	const char *at = url + strlen(SCHEME);
	const char *host;

	*out = (struct egress_proxy){0};
	if (strlen(url) > EGRESS_PROXY_URL)
		return egress_proxy_is_wrong(e, "a URL that is too long");
	if (strncmp(url, SCHEME, strlen(SCHEME)) != 0)
		return egress_proxy_is_wrong(e, "no URL of http");
	host = strrchr(at, '@');
	if (host && egress_proxy_secret(at, host, out, e))
		return -1;
	return egress_proxy_place(host ? host + 1 : at, out, e);
}

void egress_proxy_write(const char *url, struct buf *out)
{
	const char *host = strrchr(url, '@');

	host = host ? host + 1 : url + strlen(SCHEME);
	buf_printf(out, SCHEME "%.*s", (int)strcspn(host, "/"), host);
}
