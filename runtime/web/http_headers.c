/*
 * http_headers - whether the headers of a request have one meaning only.
 */
#include "web/http_headers.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "web/http_exchange.h"

#define TOKEN "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* Headers of identity, origin and framing: at most one of each. */
static const char *const singles[] = {
	"Host",           "Origin",         "Authorization",
	"Content-Type",   "Content-Length", "Transfer-Encoding",
	"Mcp-Session-Id",
};

#define GAP     "a line of the headers has a NUL, goes on in the next one, or has no name"
#define SINGLES (sizeof(singles) / sizeof(singles[0]))

/*
 * Before 0.9.76 the library cuts a line at a NUL, joins folded lines, and takes a line that begins
 * with a colon for the end of the headers. It keeps the lines in place, so these leave a gap
 * between two headers.
 */
#define LAX_BEFORE "0.9.76"
#define LINE_END   2 /* CR LF */

struct headers {
	bool is_lax;
	uintptr_t end; /* of the previous line */
	unsigned counts[SINGLES];
	const char *problem;
};

/* RFC 9110, 5.1 and 5.5. The library would add a blank before the colon to the name. */
static const char *http_headers_line_problem(const char *name, size_t name_length,
					     const char *value, size_t length)
{
	if (!name_length || strspn(name, TOKEN) != name_length)
		return "the name of a header has a character that none may have";
	for (size_t i = 0; i < length; i++) {
		if (((unsigned char)value[i] < ' ' && value[i] != '\t') || value[i] == 0x7f)
			return "a header has a control character";
	}
	return NULL;
}

static enum MHD_Result http_headers_look(void *context, enum MHD_ValueKind kind, const char *name,
					 size_t name_length, const char *value, size_t length)
{
	struct headers *h = context;

	(void)kind;
	if (h->is_lax && (uintptr_t)name - h->end > LINE_END) {
		h->problem = GAP;
		return MHD_NO;
	}
	h->end = (uintptr_t)value + length;
	h->problem = http_headers_line_problem(name, name_length, value, value ? length : 0);
	for (size_t i = 0; i < SINGLES && !h->problem; i++) {
		if (!strcasecmp(name, singles[i]) && ++h->counts[i] > 1)
			h->problem = "a header that may be there once is there twice";
	}
	return h->problem ? MHD_NO : MHD_YES;
}

/* RFC 9112, 6.1 */
static const char *http_headers_length_problem(const struct request *r, const char *version)
{
	const char *encoding = request_header(r, "Transfer-Encoding");

	if (!encoding)
		return NULL;
	if (request_header(r, "Content-Length"))
		return "a body has one length";
	if (strcasecmp(encoding, "chunked") != 0 || !strcmp(version, "HTTP/1.0"))
		return "of transfer encodings only \"chunked\" is understood, in HTTP/1.1";
	return NULL;
}

static uintptr_t http_headers_end(const struct request *r)
{
	return (uintptr_t)r->method +
	       MHD_get_connection_info(r->state->connection,
				       MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)
		       ->header_size;
}

const char *http_headers_problem(const struct request *r, const char *version)
{
	struct headers h = {.is_lax = strverscmp(MHD_get_version(), LAX_BEFORE) < 0,
			    .end = (uintptr_t)version + strlen(version)};

	MHD_get_connection_values_n(r->state->connection, MHD_HEADER_KIND, http_headers_look, &h);
	if (!h.problem && h.is_lax && http_headers_end(r) - h.end > 2 * LINE_END)
		h.problem = GAP;
	return h.problem ? h.problem : http_headers_length_problem(r, version);
}
