/*
 * http_host - compare a request's host with the host of its connection.
 */
#include "protocol/http_host.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

void http_host_set(struct http_host *host, const char *name, uint16_t port)
{
	*host = (struct http_host){.port = port};
	host->is_address = !address_parse(name, &host->address);
	if (!host->is_address && host_name_canonical(name, strlen(name), host->name))
		host->name[0] = '\0';
}

static bool http_host_is_port(struct http_text text, uint16_t port)
{
	char written[8];

	snprintf(written, sizeof(written), "%u", (unsigned)port);
	return http_text_is(text, written);
}

static bool http_host_is_address(const struct address *address, struct http_text text)
{
	char written[ADDRESS_TEXT_SIZE];
	struct address found;

	if (!address->is_v4) {
		if (text.size < 2 || text.at[0] != '[' || text.at[text.size - 1] != ']')
			return false;
		text = (struct http_text){text.at + 1, text.size - 2};
	}
	if (text.size >= sizeof(written))
		return false;
	memcpy(written, text.at, text.size);
	written[text.size] = '\0';
	return !address_parse(written, &found) && address_equal(&found, address);
}

bool http_host_is(const struct http_host *host, const char *text, size_t size)
{
	struct http_text name = {text, size};
	char found[HOST_NAME_SIZE];
	size_t digits = 0;

	while (digits < size && http_is_digit(text[size - 1 - digits]))
		digits++;
	/*
	 * A bracket in last place ends an IPv6 address: colon and digits inside of it are not a
	 * port.
	 */
	if (digits < size && text[size - 1 - digits] == ':') {
		if (!http_host_is_port((struct http_text){text + size - digits, digits},
				       host->port))
			return false;
		name.size -= digits + 1;
	}
	if (host->is_address)
		return http_host_is_address(&host->address, name);
	return !host_name_canonical(name.at, name.size, found) && !strcmp(found, host->name);
}

/* The host ends at the path, the query or the end of the text. */
bool http_host_is_of_url(const struct http_host *host, struct http_text url)
{
	const size_t scheme = strlen("http://");
	size_t end = scheme;

	if (url.size < scheme || strncasecmp(url.at, "http://", scheme) != 0)
		return false;
	while (end < url.size && url.at[end] != '/' && url.at[end] != '?')
		end++;
	return http_host_is(host, url.at + scheme, end - scheme);
}
