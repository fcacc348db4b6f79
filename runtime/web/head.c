/*
 * head - parse the head of a request (RFC 9112), so that every reader of it understands the same.
 */
#include "web/head.h"

#include <string.h>
#include <strings.h>

#define TOKEN      "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS     "0123456789"
#define BLANKS     " \t"
#define MAX_DIGITS 18 /* of a length */

/* Headers of identity, origin and framing: at most one of each. */
static const char *const singles[] = {
	"Host",           "Origin",         "Authorization",
	"Content-Type",   "Content-Length", "Transfer-Encoding",
	"Mcp-Session-Id", "X-API-Key",
};

static void head_refuse(struct head *head, unsigned status, const char *wrong)
{
	if (head->status)
		return;
	head->status = status;
	head->wrong = wrong;
}

size_t head_size(const char *bytes, size_t length, size_t *seen)
{
	for (size_t i = *seen; i < length; i++) {
		if (bytes[i] != '\n')
			continue;
		if (!i || bytes[i - 1] != '\r' || i == 1 || (i > 2 && bytes[i - 2] == '\n'))
			return i + 1;
	}
	*seen = length;
	return 0;
}

/* -- lines ----------------------------------------------------------------------------------- */

/* Cut the next line off, and its CR LF; NULL: it does not end so. */
static char *head_line(char **rest, char *end)
{
	char *line = *rest;
	char *newline = memchr(line, '\n', (size_t)(end - line));

	if (!newline || newline == line || newline[-1] != '\r')
		return NULL;
	newline[-1] = '\0';
	*rest = newline + 1;
	return line + strlen(line) == newline - 1 ? line : NULL; /* else it has a NUL */
}

/* Cut a word off that a single blank ends. */
static char *head_word(char **rest)
{
	char *word = *rest;
	size_t length = strcspn(word, " ");

	*rest = word + length + (word[length] == ' ');
	word[length] = '\0';
	return word;
}

static bool head_is_target(const char *target)
{
	for (const char *p = target; *p; p++) {
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return false;
	}
	return *target == '/';
}

static void head_request_line(struct head *head, char *line)
{
	char *rest = line;
	const char *method = head_word(&rest);
	char *target = head_word(&rest);

	head->method = method;
	head->path = target;
	head->is_http10 = !strcmp(rest, "HTTP/1.0");
	if (!*method || method[strspn(method, TOKEN)] || strncmp(rest, "HTTP/", 5) != 0)
		head_refuse(head, 400, "the first line of a request is METHOD PATH HTTP/1.1");
	else if (!head->is_http10 && strcmp(rest, "HTTP/1.1") != 0)
		head_refuse(head, 505, "HTTP/1.1 and HTTP/1.0 are understood");
	else if (!head_is_target(target))
		head_refuse(head, 400,
			    "a path begins with / and has no blank or control character");
	head->query = target + strcspn(target, "?");
	if (*head->query)
		*(char *)head->query++ = '\0';
}

/* RFC 9110, 5.1 and 5.5 */
static void head_add_field(struct head *head, char *line)
{
	size_t name = strspn(line, TOKEN);
	char *value = line + name + 1;
	char *end;

	if (!name || line[name] != ':') {
		head_refuse(head, 400, "a line of the headers is not NAME: VALUE");
		return;
	}
	if (head->count == HEAD_FIELDS) {
		head_refuse(head, 431, "the request has too many headers");
		return;
	}
	line[name] = '\0';
	value += strspn(value, BLANKS);
	for (char *p = end = value; *p; p++) {
		if (((unsigned char)*p < ' ' && *p != '\t') || *p == 0x7f)
			head_refuse(head, 400, "a header has a control character");
		if (!strchr(BLANKS, *p))
			end = p + 1;
	}
	*end = '\0';
	head->fields[head->count++] = (struct head_field){line, value};
}

/* -- headers --------------------------------------------------------------------------------- */

const char *head_field(const struct head *head, const char *name)
{
	for (unsigned i = 0; i < head->count; i++) {
		if (!strcasecmp(head->fields[i].name, name))
			return head->fields[i].value;
	}
	return NULL;
}

unsigned head_field_count(const struct head *head, const char *name)
{
	unsigned count = 0;

	for (unsigned i = 0; i < head->count; i++)
		count += !strcasecmp(head->fields[i].name, name);
	return count;
}

bool head_list_has(const char *list, const char *word)
{
	const size_t wanted = strlen(word);

	while (*list) {
		size_t length;

		list += strspn(list, BLANKS ",");
		length = strcspn(list, BLANKS ",");
		if (length == wanted && !strncasecmp(list, word, length))
			return true;
		list += length;
	}
	return false;
}

/* -- what they say together ------------------------------------------------------------------ */

static void head_look_for_doubles(struct head *head)
{
	for (size_t i = 0; i < sizeof(singles) / sizeof(singles[0]); i++) {
		if (head_field_count(head, singles[i]) > 1)
			head_refuse(head, 400, "a header that may be there once is there twice");
	}
}

static void head_look_at_length(struct head *head, const char *length)
{
	size_t digits = strspn(length, DIGITS);

	head->has_length = true;
	if (!digits || length[digits]) {
		head_refuse(head, 400, "Content-Length is not a number");
		return;
	}
	if (digits > MAX_DIGITS) {
		head_refuse(head, 413, "Content-Length is more than any body has");
		return;
	}
	for (size_t i = 0; i < digits; i++)
		head->length = head->length * 10 + (uint64_t)(length[i] - '0');
}

/* RFC 9112, 6.1 */
static void head_look_at_body(struct head *head)
{
	const char *encoding = head_field(head, "Transfer-Encoding");
	const char *length = head_field(head, "Content-Length");

	if (length)
		head_look_at_length(head, length);
	if (!encoding)
		return;
	head->is_chunked = true;
	if (length)
		head_refuse(head, 400, "a body has one length");
	if (strcasecmp(encoding, "chunked") != 0 || head->is_http10)
		head_refuse(head, 400,
			    "of transfer encodings only \"chunked\" is understood, in HTTP/1.1");
}

static void head_look_at_connection(struct head *head)
{
	const char *expect = head_field(head, "Expect");

	head->is_last = head->is_http10;
	for (unsigned i = 0; i < head->count; i++) {
		if (!strcasecmp(head->fields[i].name, "Connection"))
			head->is_last |= head_list_has(head->fields[i].value, "close");
	}
	head->asks_first = expect && !strcasecmp(expect, "100-continue") && !head->is_http10;
	if (!head->is_http10 && !head_field(head, "Host"))
		head_refuse(head, 400, "a request has a header Host");
}

void head_parse(char *text, size_t length, struct head *out)
{
	char *const end = text + length;
	char *line = head_line(&text, end);

	memset(out, 0, sizeof(*out));
	out->method = out->path = out->query = "";
	if (line)
		head_request_line(out, line);
	while (line && text < end) {
		line = head_line(&text, end);
		if (line && *line)
			head_add_field(out, line);
	}
	if (!line)
		head_refuse(out, 400,
			    "a line of the request has a NUL, or does not end with CR LF");
	head_look_for_doubles(out);
	head_look_at_body(out);
	head_look_at_connection(out);
	out->is_last |= out->status != 0;
}
