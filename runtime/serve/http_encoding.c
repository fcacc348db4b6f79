/*
 * http_encoding - whether a reply may come packed (RFC 9110, 12.5.3).
 */
#include "serve/http_encoding.h"

#include <string.h>
#include <strings.h>

#define BLANK " \t"
#define DIGIT "0123456789"

/* One of the list, between commas. */
struct coding {
	const char *name;
	size_t length;
	bool is_wanted;
};

static size_t http_encoding_blank(const char *p)
{
	return strspn(p, BLANK);
}

/* "0", "0.5", "1.000": anything above zero. What is no weight wants nothing. */
static bool http_encoding_weight(const char *text, size_t length)
{
	const size_t whole = strspn(text, DIGIT);
	const size_t rest = whole == 1 && text[1] == '.' ? 1 + strspn(text + 2, DIGIT) : 0;

	if (whole != 1 || rest > 4 || whole + rest != length || text[0] > '1')
		return false;
	return strcspn(text, "123456789") < length;
}

/* @end  of the parameters: nothing, or "; q=0.5". */
static bool http_encoding_wants(const char *p, const char *end)
{
	p += http_encoding_blank(p);
	if (p >= end)
		return true;
	if (*p++ != ';')
		return false;
	p += http_encoding_blank(p);
	if (strncasecmp(p, "q=", 2) != 0)
		return false;
	p += 2;
	while (end > p && strchr(BLANK, end[-1]))
		end--;
	return http_encoding_weight(p, (size_t)(end - p));
}

/* Returns what follows; NULL: the list is over. */
static const char *http_encoding_next(const char *p, struct coding *out)
{
	const char *end;

	p += strspn(p, BLANK ",");
	if (!*p)
		return NULL;
	end = p + strcspn(p, ",");
	out->name = p;
	out->length = strcspn(p, BLANK ",;");
	out->is_wanted = http_encoding_wants(p + out->length, end);
	return end;
}

static bool http_encoding_is(const struct coding *c, const char *name)
{
	return c->length == strlen(name) && !strncasecmp(c->name, name, c->length);
}

bool http_encoding_has_gzip(const char *accepted)
{
	struct coding c;
	bool any = false;

	for (const char *p = accepted ? accepted : ""; (p = http_encoding_next(p, &c));) {
		if (http_encoding_is(&c, "gzip") || http_encoding_is(&c, "x-gzip"))
			return c.is_wanted;
		if (http_encoding_is(&c, "*"))
			any = c.is_wanted;
	}
	return any;
}
