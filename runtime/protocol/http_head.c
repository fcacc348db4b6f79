/*
 * http_head - judge that every reader of a head (HTTP/1.x) takes it for the same host.
 */
#include "protocol/http_head.h"

#include <string.h>
#include <strings.h>

#include "protocol/http_text.h"

#define METHOD_MAX 32
#define DIGITS_MAX 18 /* of a length: cannot overflow, and longer than real ones */

/* -- the request line ------------------------------------------------------------------------- */

static const char *http_head_method(struct http_head *head, struct http_text method)
{
	if (!method.size || method.size > METHOD_MAX)
		return "not a request of HTTP";
	for (size_t i = 0; i < method.size; i++) {
		if (!http_is_token(method.at[i]))
			return "not a request of HTTP";
	}
	if (http_text_is_like(method, "CONNECT"))
		return "CONNECT";
	if (http_text_is_like(method, "PRI"))
		return "HTTP/2 without TLS";
	head->is_get = http_text_is(method, "GET");
	return NULL;
}

static const char *http_head_target(const struct http_host *host, struct http_text method,
				    struct http_text target)
{
	for (size_t i = 0; i < target.size; i++) {
		unsigned char c = (unsigned char)target.at[i];

		if (c <= ' ' || c == 0x7f)
			return "an odd request line";
	}
	if (http_text_is(target, "*"))
		return http_text_is(method, "OPTIONS") ? NULL : "a target that is not a path";
	if (target.size && target.at[0] == '/')
		return NULL;
	return http_host_is_of_url(host, target) ? NULL : "a target of another host";
}

const char *http_head_request(struct http_head *head, const struct http_host *host,
			      const char *line, size_t size)
{
	const char *first = memchr(line, ' ', size);
	const char *last = memrchr(line, ' ', size);
	struct http_text method;
	struct http_text target;
	struct http_text version;
	const char *why;

	if (!first)
		return "not a request of HTTP";
	method = (struct http_text){line, (size_t)(first - line)};
	why = http_head_method(head, method);
	if (why)
		return why;
	if (first == last)
		return "a request line without a version";
	target = (struct http_text){first + 1, (size_t)(last - first - 1)};
	version = (struct http_text){last + 1, size - (size_t)(last + 1 - line)};
	head->is_http10 = http_text_is(version, "HTTP/1.0");
	if (!head->is_http10 && !http_text_is(version, "HTTP/1.1"))
		return "not HTTP/1.0 or HTTP/1.1";
	return http_head_target(host, method, target);
}

/* -- fields ----------------------------------------------------------------------------------- */

static const char *http_head_host(struct http_head *head, const struct http_host *host,
				  struct http_text value)
{
	if (head->has_host)
		return "more than one Host";
	head->has_host = true;
	return http_host_is(host, value.at, value.size) ? NULL : "Host is another";
}

static const char *http_head_length(struct http_head *head, const struct http_host *host,
				    struct http_text value)
{
	(void)host;
	if (head->has_length)
		return "more than one Content-Length";
	if (!value.size || value.size > DIGITS_MAX || (value.at[0] == '0' && value.size > 1))
		return "an odd Content-Length";
	for (size_t i = 0; i < value.size; i++) {
		if (!http_is_digit(value.at[i]))
			return "an odd Content-Length";
		head->length = 10 * head->length + (uint64_t)(value.at[i] - '0');
	}
	head->has_length = true;
	return NULL;
}

static const char *http_head_encoding(struct http_head *head, const struct http_host *host,
				      struct http_text value)
{
	(void)host;
	if (head->is_chunked)
		return "more than one Transfer-Encoding";
	head->is_chunked = http_text_is(value, "chunked");
	return head->is_chunked ? NULL : "a Transfer-Encoding that is not \"chunked\"";
}

static const char *http_head_upgrade(struct http_head *head, const struct http_host *host,
				     struct http_text value)
{
	(void)host;
	if (head->is_upgrade)
		return "more than one Upgrade";
	head->is_upgrade = http_text_is_like(value, "websocket");
	return head->is_upgrade ? NULL : "an Upgrade that is not \"websocket\"";
}

static const char *http_head_settings(struct http_head *head, const struct http_host *host,
				      struct http_text value)
{
	(void)head;
	(void)host;
	(void)value;
	return "HTTP2-Settings";
}

/*
 * Refuse a Connection that names other fields: a proxy removes the fields named there, such as a
 * body's length.
 */
static const char *http_head_connection(struct http_head *head, const struct http_host *host,
					struct http_text value)
{
	struct http_text word;

	(void)head;
	(void)host;
	while (http_text_next(&value, ',', &word)) {
		if (!http_text_is_like(word, "close") && !http_text_is_like(word, "keep-alive") &&
		    !http_text_is_like(word, "upgrade") && !http_text_is_like(word, "te"))
			return "a Connection that names other fields";
	}
	return NULL;
}

/*
 * In these fields a proxy names the requested host to a server. Some servers prefer them to Host,
 * and do not check that a proxy sent them.
 */
static const char http_head_another[] = "a forwarding field that names another host";
static const char http_head_odd[] = "an odd Forwarded";

/* Judge a list of hosts: X-Forwarded-Host. */
static const char *http_head_forwarded_hosts(struct http_head *head, const struct http_host *host,
					     struct http_text value)
{
	struct http_text name;

	(void)head;
	while (http_text_next(&value, ',', &name)) {
		if (!http_host_is(host, name.at, name.size))
			return http_head_another;
	}
	return NULL;
}

/*
 * Judge a path or a whole URL: X-Original-URL. Some servers take "//host/path" for a path, others
 * for a host; some take a backslash for a slash.
 */
static const char *http_head_forwarded_url(struct http_head *head, const struct http_host *host,
					   struct http_text value)
{
	(void)head;
	if (value.size && value.at[0] == '/' &&
	    (value.size == 1 || (value.at[1] != '/' && value.at[1] != '\\')))
		return NULL;
	return http_host_is_of_url(host, value) ? NULL : http_head_another;
}

/* Judge one parameter of Forwarded: for=192.0.2.1, host="a.example". */
static const char *http_head_parameter(const struct http_host *host, struct http_text text)
{
	struct http_text name = {text.at, 0};
	struct http_text value;

	while (name.size < text.size && http_is_token(text.at[name.size]))
		name.size++;
	if (!name.size || name.size == text.size || text.at[name.size] != '=')
		return http_head_odd;
	value = (struct http_text){text.at + name.size + 1, text.size - name.size - 1};
	if (value.size >= 2 && value.at[0] == '"' && value.at[value.size - 1] == '"')
		value = (struct http_text){value.at + 1, value.size - 2};
	if (memchr(value.at, '"', value.size) || memchr(value.at, '\\', value.size))
		return http_head_odd;
	return http_text_is_like(name, "host") && !http_host_is(host, value.at, value.size)
		       ? http_head_another
		       : NULL;
}

/* Judge Forwarded (RFC 7239): one element per proxy, each with parameters. */
static const char *http_head_forwarded(struct http_head *head, const struct http_host *host,
				       struct http_text value)
{
	struct http_text element;
	struct http_text parameter;
	const char *why = NULL;

	(void)head;
	while (!why && http_text_next(&value, ',', &element)) {
		while (!why && http_text_next(&element, ';', &parameter))
			why = http_head_parameter(host, parameter);
	}
	return why;
}

static const struct {
	const char *name;
	const char *(*judge)(struct http_head *head, const struct http_host *host,
			     struct http_text value);
} http_head_fields[] = {
	{"host",		 http_head_host           },
	{"content-length",       http_head_length         },
	{"transfer-encoding",    http_head_encoding       },
	{"upgrade",              http_head_upgrade        },
	{"http2-settings",       http_head_settings       },
	{"connection",           http_head_connection     },
	{"proxy-connection",     http_head_connection     },
	{"forwarded",            http_head_forwarded      },
	{"x-forwarded-host",     http_head_forwarded_hosts},
	{"x-forwarded-server",   http_head_forwarded_hosts},
	{"x-original-host",      http_head_forwarded_hosts},
	{"x-host",               http_head_forwarded_hosts},
	{"x-http-host-override", http_head_forwarded_hosts},
	{"x-original-url",       http_head_forwarded_url  },
	{"x-rewrite-url",        http_head_forwarded_url  },
};

#define FIELDS (sizeof(http_head_fields) / sizeof(http_head_fields[0]))

/*
 * Servers that turn fields into variables (CGI) read "content_length" as Content-Length; others do
 * not.
 */
static bool http_head_is_alike(struct http_text name, const char *word)
{
	if (name.size != strlen(word))
		return false;
	for (size_t i = 0; i < name.size; i++) {
		char c = name.at[i] == '_' ? '-' : name.at[i];

		if (strncasecmp(&c, &word[i], 1) != 0)
			return false;
	}
	return true;
}

/* The index of a field that matters, or FIELDS. */
static size_t http_head_find(struct http_text name)
{
	size_t i = 0;

	while (i < FIELDS && !http_head_is_alike(name, http_head_fields[i].name))
		i++;
	return i;
}

/* Split a line into name and value. Returns NULL, or why to refuse it. */
static const char *http_head_split(struct http_head *head, const char *line, size_t size,
				   struct http_text *name, struct http_text *value)
{
	size_t colon = 0;

	if (++head->fields > HTTP_FIELDS_MAX)
		return "too many fields";
	if (size && (line[0] == ' ' || line[0] == '\t'))
		return "a field on more than one line";
	while (colon < size && http_is_token(line[colon]))
		colon++;
	if (!colon || colon == size || line[colon] != ':')
		return "an odd field";
	*name = (struct http_text){line, colon};
	*value = http_text_trim((struct http_text){line + colon + 1, size - colon - 1});
	return NULL;
}

const char *http_head_field(struct http_head *head, const struct http_host *host, const char *line,
			    size_t size)
{
	struct http_text name;
	struct http_text value;
	const char *why = http_head_split(head, line, size, &name, &value);
	size_t i;

	if (why)
		return why;
	i = http_head_find(name);
	if (i == FIELDS)
		return NULL;
	if (memchr(name.at, '_', name.size))
		return "an odd field";
	return http_head_fields[i].judge(head, host, value);
}

const char *http_head_trailer(struct http_head *head, const char *line, size_t size)
{
	struct http_text name;
	struct http_text value;
	const char *why = http_head_split(head, line, size, &name, &value);

	if (why)
		return why;
	return http_head_find(name) == FIELDS ? NULL : "a field behind the body that is for a head";
}

const char *http_head_end(const struct http_head *head)
{
	if (!head->has_host)
		return "no Host";
	if (head->is_chunked && head->has_length)
		return "Content-Length with Transfer-Encoding";
	if (head->is_chunked && head->is_http10)
		return "Transfer-Encoding in HTTP/1.0";
	if (head->is_upgrade &&
	    (!head->is_get || head->is_http10 || head->is_chunked || head->length))
		return "an odd request for an Upgrade";
	return NULL;
}
