/*
 * http_forwarded - judge the fields in which a proxy names the requested host to a server.
 */
#include "egress/http_forwarded.h"

#include <string.h>

static const char another[] = "a forwarding field that names another host";
static const char odd[] = "an odd Forwarded";

const char *http_forwarded_hosts(const struct http_host *host, struct http_text value)
{
	struct http_text name;

	while (http_text_next(&value, ',', &name)) {
		if (!http_host_is(host, name.at, name.size))
			return another;
	}
	return NULL;
}

/*
 * Judge a path or a whole URL. Some servers take "//host/path" for a path, others for a host; some
 * take a backslash for a slash.
 */
const char *http_forwarded_url(const struct http_host *host, struct http_text value)
{
	if (value.size && value.at[0] == '/' &&
	    (value.size == 1 || (value.at[1] != '/' && value.at[1] != '\\')))
		return NULL;
	return http_host_is_of_url(host, value) ? NULL : another;
}

/* Judge one parameter of Forwarded: for=192.0.2.1, host="a.example". */
static const char *http_forwarded_parameter(const struct http_host *host, struct http_text text)
{
	struct http_text name = {text.at, 0};
	struct http_text value;

	while (name.size < text.size && http_is_token(text.at[name.size]))
		name.size++;
	if (!name.size || name.size == text.size || text.at[name.size] != '=')
		return odd;
	value = (struct http_text){text.at + name.size + 1, text.size - name.size - 1};
	if (value.size >= 2 && value.at[0] == '"' && value.at[value.size - 1] == '"')
		value = (struct http_text){value.at + 1, value.size - 2};
	if (memchr(value.at, '"', value.size) || memchr(value.at, '\\', value.size))
		return odd;
	return http_text_is_like(name, "host") && !http_host_is(host, value.at, value.size)
		       ? another
		       : NULL;
}

/* Judge Forwarded (RFC 7239): one element per proxy, each with parameters. */
const char *http_forwarded(const struct http_host *host, struct http_text value)
{
	struct http_text element;
	struct http_text parameter;
	const char *why = NULL;

	while (!why && http_text_next(&value, ',', &element)) {
		while (!why && http_text_next(&element, ';', &parameter))
			why = http_forwarded_parameter(host, parameter);
	}
	return why;
}
