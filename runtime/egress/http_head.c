/*
 * http_head - whether a head of HTTP/1.x means one host only, to every reader.
 */
#include "egress/http_head.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define METHOD_MAX 32
#define DIGITS_MAX 18 /* of a length: no overflow, and more than anybody sends */

struct http_head_text {
	const char *at;
	size_t size;
};

static bool http_head_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool http_head_is_token(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || http_head_is_digit(c) ||
	       (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool http_head_is(struct http_head_text text, const char *word)
{
	return text.size == strlen(word) && !memcmp(text.at, word, text.size);
}

/* The same in any case of letters. */
static bool http_head_is_like(struct http_head_text text, const char *word)
{
	return text.size == strlen(word) && !strncasecmp(text.at, word, text.size);
}

/* -- the host --------------------------------------------------------------------------------- */

void http_host_set(struct http_host *host, const char *name, uint16_t port)
{
	*host = (struct http_host){.port = port};
	host->is_address = !address_parse(name, &host->address);
	if (!host->is_address && host_name_canonical(name, strlen(name), host->name))
		host->name[0] = '\0';
}

static bool http_head_is_port(struct http_head_text text, uint16_t port)
{
	char written[8];

	snprintf(written, sizeof(written), "%u", (unsigned)port);
	return http_head_is(text, written);
}

static bool http_head_is_address(const struct address *address, struct http_head_text text)
{
	char written[ADDRESS_TEXT_SIZE];
	struct address found;

	if (!address->is_v4) {
		if (text.size < 2 || text.at[0] != '[' || text.at[text.size - 1] != ']')
			return false;
		text = (struct http_head_text){text.at + 1, text.size - 2};
	}
	if (text.size >= sizeof(written))
		return false;
	memcpy(written, text.at, text.size);
	written[text.size] = '\0';
	return !address_parse(written, &found) && address_equal(&found, address);
}

bool http_host_is(const struct http_host *host, const char *text, size_t size)
{
	struct http_head_text name = {text, size};
	char found[HOST_NAME_SIZE];
	size_t digits = 0;

	while (digits < size && http_head_is_digit(text[size - 1 - digits]))
		digits++;
	/* Inside of brackets a colon and digits are none of a port: the bracket comes last. */
	if (digits < size && text[size - 1 - digits] == ':') {
		if (!http_head_is_port((struct http_head_text){text + size - digits, digits},
				       host->port))
			return false;
		name.size -= digits + 1;
	}
	if (host->is_address)
		return http_head_is_address(&host->address, name);
	return !host_name_canonical(name.at, name.size, found) && !strcmp(found, host->name);
}

/* -- the request line ------------------------------------------------------------------------- */

/* "http://host/path": what is before the path, the query or the end is the host. */
static bool http_head_is_ours(const struct http_host *host, struct http_head_text target)
{
	const size_t scheme = strlen("http://");
	size_t end = scheme;

	if (target.size < scheme || strncasecmp(target.at, "http://", scheme) != 0)
		return false;
	while (end < target.size && target.at[end] != '/' && target.at[end] != '?')
		end++;
	return http_host_is(host, target.at + scheme, end - scheme);
}

static const char *http_head_method(struct http_head *head, struct http_head_text method)
{
	if (!method.size || method.size > METHOD_MAX)
		return "not a request of HTTP";
	for (size_t i = 0; i < method.size; i++) {
		if (!http_head_is_token(method.at[i]))
			return "not a request of HTTP";
	}
	if (http_head_is_like(method, "CONNECT"))
		return "CONNECT";
	if (http_head_is_like(method, "PRI"))
		return "HTTP/2 without TLS";
	head->is_get = http_head_is(method, "GET");
	return NULL;
}

static const char *http_head_target(const struct http_host *host, struct http_head_text method,
				    struct http_head_text target)
{
	for (size_t i = 0; i < target.size; i++) {
		unsigned char c = (unsigned char)target.at[i];

		if (c <= ' ' || c == 0x7f)
			return "an odd request line";
	}
	if (http_head_is(target, "*"))
		return http_head_is(method, "OPTIONS") ? NULL : "a target that is no path";
	if (target.size && target.at[0] == '/')
		return NULL;
	return http_head_is_ours(host, target) ? NULL : "a target of another host";
}

const char *http_head_request(struct http_head *head, const struct http_host *host,
			      const char *line, size_t size)
{
	const char *first = memchr(line, ' ', size);
	const char *last = memrchr(line, ' ', size);
	struct http_head_text method;
	struct http_head_text target;
	struct http_head_text version;
	const char *why;

	if (!first)
		return "not a request of HTTP";
	method = (struct http_head_text){line, (size_t)(first - line)};
	why = http_head_method(head, method);
	if (why)
		return why;
	if (first == last)
		return "a request line without a version";
	target = (struct http_head_text){first + 1, (size_t)(last - first - 1)};
	version = (struct http_head_text){last + 1, size - (size_t)(last + 1 - line)};
	head->is_http10 = http_head_is(version, "HTTP/1.0");
	if (!head->is_http10 && !http_head_is(version, "HTTP/1.1"))
		return "not HTTP/1.0 or HTTP/1.1";
	return http_head_target(host, method, target);
}

/* -- fields ----------------------------------------------------------------------------------- */

static const char *http_head_host(struct http_head *head, const struct http_host *host,
				  struct http_head_text value)
{
	if (head->has_host)
		return "more than one Host";
	head->has_host = true;
	return http_host_is(host, value.at, value.size) ? NULL : "Host is another";
}

static const char *http_head_length(struct http_head *head, const struct http_host *host,
				    struct http_head_text value)
{
	(void)host;
	if (head->has_length)
		return "more than one Content-Length";
	if (!value.size || value.size > DIGITS_MAX || (value.at[0] == '0' && value.size > 1))
		return "an odd Content-Length";
	for (size_t i = 0; i < value.size; i++) {
		if (!http_head_is_digit(value.at[i]))
			return "an odd Content-Length";
		head->length = 10 * head->length + (uint64_t)(value.at[i] - '0');
	}
	head->has_length = true;
	return NULL;
}

static const char *http_head_encoding(struct http_head *head, const struct http_host *host,
				      struct http_head_text value)
{
	(void)host;
	if (head->is_chunked)
		return "more than one Transfer-Encoding";
	head->is_chunked = http_head_is(value, "chunked");
	return head->is_chunked ? NULL : "a Transfer-Encoding that is not \"chunked\"";
}

static const char *http_head_upgrade(struct http_head *head, const struct http_host *host,
				     struct http_head_text value)
{
	(void)host;
	if (head->is_upgrade)
		return "more than one Upgrade";
	head->is_upgrade = http_head_is_like(value, "websocket");
	return head->is_upgrade ? NULL : "an Upgrade that is not \"websocket\"";
}

static const char *http_head_settings(struct http_head *head, const struct http_host *host,
				      struct http_head_text value)
{
	(void)head;
	(void)host;
	(void)value;
	return "HTTP2-Settings";
}

static const struct {
	const char *name;
	const char *(*judge)(struct http_head *head, const struct http_host *host,
			     struct http_head_text value);
} http_head_fields[] = {
	{"host",              http_head_host    },
	{"content-length",    http_head_length  },
	{"transfer-encoding", http_head_encoding},
	{"upgrade",           http_head_upgrade },
	{"http2-settings",    http_head_settings},
};

#define FIELDS (sizeof(http_head_fields) / sizeof(http_head_fields[0]))

/* "content_length" is the same to a server that makes variables of fields, and not to others. */
static bool http_head_is_alike(struct http_head_text name, const char *word)
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

/* Which of the fields that matter it is, or FIELDS. */
static size_t http_head_find(struct http_head_text name)
{
	size_t i = 0;

	while (i < FIELDS && !http_head_is_alike(name, http_head_fields[i].name))
		i++;
	return i;
}

/* Take a line apart. Returns NULL, or why it is refused. */
static const char *http_head_split(struct http_head *head, const char *line, size_t size,
				   struct http_head_text *name, struct http_head_text *value)
{
	size_t colon = 0;
	size_t end = size;

	if (++head->fields > HTTP_FIELDS_MAX)
		return "too many fields";
	if (size && (line[0] == ' ' || line[0] == '\t'))
		return "a field on more than one line";
	while (colon < size && http_head_is_token(line[colon]))
		colon++;
	if (!colon || colon == size || line[colon] != ':')
		return "an odd field";
	*name = (struct http_head_text){line, colon};
	do {
		colon++;
	} while (colon < end && (line[colon] == ' ' || line[colon] == '\t'));
	while (end > colon && (line[end - 1] == ' ' || line[end - 1] == '\t'))
		end--;
	*value = (struct http_head_text){line + colon, end - colon};
	return NULL;
}

const char *http_head_field(struct http_head *head, const struct http_host *host, const char *line,
			    size_t size)
{
	struct http_head_text name;
	struct http_head_text value;
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
	struct http_head_text name;
	struct http_head_text value;
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
