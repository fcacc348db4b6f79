/*
 * multipart - parse a body of multipart/form-data (RFC 7578) part by part, as it arrives.
 *
 * A delimiter is CR LF, two dashes and the boundary. Its first byte occurs nowhere else in it, so
 * after a mismatch the search resumes at the mismatched byte. The CR LF may also be the start of
 * the body, or the end of a part's headers (RFC 2046, 5.1.1): there it counts as matched, and
 * belongs to no content.
 */
#include "web/multipart.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "web/multipart_header.h"

#define LINE_END "\r\n"
#define DASHES   "--"

enum multipart_state {
	MULTIPART_CONTENT,   /* of a part, or the preamble */
	MULTIPART_DELIMITED, /* behind a boundary */
	MULTIPART_PADDED,    /* in blanks behind a boundary */
	MULTIPART_DELIMITER_CR,
	MULTIPART_DASH,       /* behind a boundary and a dash */
	MULTIPART_LINE_BEGIN, /* of a header, or of its continuation */
	MULTIPART_LINE,
	MULTIPART_LINE_CR,
	MULTIPART_HEAD_CR, /* of the empty line behind headers */
	MULTIPART_CLOSED,  /* behind the last boundary */
	MULTIPART_EPILOGUE,
};

struct multipart {
	multipart_taker *take;
	void *context;
	enum multipart_state state;
	char delimiter[sizeof(LINE_END DASHES) + MULTIPART_BOUNDARY_MAX];
	size_t delimiter_length;
	size_t matched; /* bytes of the delimiter matched */
	size_t implied; /* of the matched ones, those that did not arrive here */
	bool has_begun; /* the taker knows the part */
	struct multipart_part part;
	unsigned parts;
	unsigned headers;
	size_t head_length;
	size_t line_length;
	char line[MULTIPART_HEAD_MAX + 1];
};

/* -- content --------------------------------------------------------------------------------- */

static void multipart_begin_content(struct multipart *m)
{
	m->state = MULTIPART_CONTENT;
	m->matched = m->implied = strlen(LINE_END);
}

static void multipart_begin_part(struct multipart *m)
{
	m->has_begun = true;
	m->take(m->context, m->part.name, m->part.filename, "", 0);
}

static void multipart_pass_on(struct multipart *m, const char *bytes, size_t length)
{
	if (!length || !m->part.name)
		return;
	if (!m->has_begun)
		multipart_begin_part(m);
	m->take(m->context, m->part.name, m->part.filename, bytes, length);
}

/* The delimiter ends the content, and its part. */
static void multipart_end_content(struct multipart *m)
{
	multipart_part_fini(&m->part);
	m->has_begun = false;
	m->headers = 0;
	m->head_length = 0;
	m->state = MULTIPART_DELIMITED;
}

/* Returns how many bytes were content or delimiter. */
static size_t multipart_take_content(struct multipart *m, const char *bytes, size_t length)
{
	size_t carried = m->matched; /* matched before these bytes */
	size_t at = 0;

	while (at < length && m->matched < m->delimiter_length) {
		const char *cr = m->matched ? NULL : memchr(bytes + at, '\r', length - at);

		if (!m->matched) {
			at = cr ? (size_t)(cr - bytes) : length;
			m->matched = cr ? 1 : 0;
			at += m->matched;
		} else if (bytes[at] == m->delimiter[m->matched]) {
			m->matched++;
			at++;
		} else {
			multipart_pass_on(m, m->delimiter + m->implied, carried - m->implied);
			m->matched = m->implied = carried = 0;
		}
	}
	multipart_pass_on(m, bytes, at - (m->matched - carried));
	if (m->matched == m->delimiter_length)
		multipart_end_content(m);
	return at;
}

/* -- headers --------------------------------------------------------------------------------- */

static int multipart_end_line(struct multipart *m, struct err *e)
{
	if (!m->line_length)
		return 0;
	if (++m->headers > MULTIPART_HEADERS)
		return err_input(e, "a part has more than %d headers", MULTIPART_HEADERS);
	m->line[m->line_length] = '\0';
	m->line_length = 0;
	return multipart_header_take(&m->part, m->line, e);
}

static int multipart_add_to_line(struct multipart *m, char c, struct err *e)
{
	if (!c || c == '\n')
		return err_input(e, "the headers of a part have a %s: lines end with CR LF",
				 c ? "LF without a CR" : "NUL");
	if (++m->head_length > MULTIPART_HEAD_MAX)
		return err_input(e, "the headers of a part have more than %d bytes",
				 MULTIPART_HEAD_MAX);
	m->line[m->line_length++] = c;
	m->state = MULTIPART_LINE;
	return 0;
}

/* A line that begins with a blank continues the one before. */
static int multipart_begin_line(struct multipart *m, char c, struct err *e)
{
	const bool is_folded = m->line_length && (c == ' ' || c == '\t');

	if (!is_folded && multipart_end_line(m, e))
		return -1;
	if (c != '\r')
		return multipart_add_to_line(m, c, e);
	m->state = MULTIPART_HEAD_CR;
	return 0;
}

static int multipart_end_head(struct multipart *m, struct err *e)
{
	if (multipart_header_end(&m->part, e))
		return -1;
	if (++m->parts > MULTIPART_PARTS)
		return err_input(e, "a form has more than %d fields", MULTIPART_PARTS);
	multipart_begin_content(m);
	if (!m->part.filename || *m->part.filename)
		multipart_begin_part(m);
	return 0;
}

/* -- states ---------------------------------------------------------------------------------- */

/* Single bytes between lines and behind boundaries: what may follow, and the next state. */
static const struct {
	enum multipart_state from;
	char c;
	enum multipart_state to;
} multipart_steps[] = {
	{MULTIPART_DELIMITED,    '\r', MULTIPART_DELIMITER_CR},
	{MULTIPART_DELIMITED,    ' ',  MULTIPART_PADDED      },
	{MULTIPART_DELIMITED,    '\t', MULTIPART_PADDED      },
	{MULTIPART_DELIMITED,    '-',  MULTIPART_DASH        },
	{MULTIPART_PADDED,       '\r', MULTIPART_DELIMITER_CR},
	{MULTIPART_PADDED,       ' ',  MULTIPART_PADDED      },
	{MULTIPART_PADDED,       '\t', MULTIPART_PADDED      },
	{MULTIPART_DELIMITER_CR, '\n', MULTIPART_LINE_BEGIN  },
	{MULTIPART_DASH,         '-',  MULTIPART_CLOSED      },
	{MULTIPART_CLOSED,       '\r', MULTIPART_EPILOGUE    },
	{MULTIPART_CLOSED,       '\n', MULTIPART_EPILOGUE    },
	{MULTIPART_CLOSED,       ' ',  MULTIPART_CLOSED      },
	{MULTIPART_CLOSED,       '\t', MULTIPART_CLOSED      },
	{MULTIPART_LINE,         '\r', MULTIPART_LINE_CR     },
	{MULTIPART_LINE_CR,      '\n', MULTIPART_LINE_BEGIN  },
};

static int multipart_step(struct multipart *m, char c, struct err *e)
{
	for (size_t i = 0; i < sizeof(multipart_steps) / sizeof(multipart_steps[0]); i++) {
		if (multipart_steps[i].from != m->state || multipart_steps[i].c != c)
			continue;
		m->state = multipart_steps[i].to;
		return 0;
	}
	if (m->state == MULTIPART_LINE_CR || m->state == MULTIPART_HEAD_CR)
		return err_input(e, "a header of a part has a CR without a LF behind it");
	return err_input(e,
			 "behind a boundary stands neither CR LF nor \"--\": write one of them, or "
			 "use a boundary that is not in a file");
}

static int multipart_take_byte(struct multipart *m, char c, struct err *e)
{
	if (m->state == MULTIPART_LINE_BEGIN)
		return multipart_begin_line(m, c, e);
	if (m->state == MULTIPART_LINE && c != '\r')
		return multipart_add_to_line(m, c, e);
	if (m->state == MULTIPART_HEAD_CR && c == '\n')
		return multipart_end_head(m, e);
	return multipart_step(m, c, e);
}

int multipart_add(struct multipart *m, const char *bytes, size_t length, struct err *e)
{
	size_t at = 0;

	while (at < length && m->state != MULTIPART_EPILOGUE) {
		if (m->state == MULTIPART_CONTENT)
			at += multipart_take_content(m, bytes + at, length - at);
		else if (multipart_take_byte(m, bytes[at++], e))
			return -1;
	}
	return 0;
}

/* -- beginning and end ----------------------------------------------------------------------- */

int multipart_open(const char *content_type, multipart_taker *take, void *context,
		   struct multipart **out, struct err *e)
{
	auto_free struct multipart *m = own_zeroed(1, sizeof(*m));
	char boundary[MULTIPART_BOUNDARY_MAX + 1];

	if (multipart_header_boundary(content_type, boundary, e))
		return -1;
	m->take = take;
	m->context = context;
	m->delimiter_length = (size_t)snprintf(m->delimiter, sizeof(m->delimiter), "%s%s%s",
					       LINE_END, DASHES, boundary);
	multipart_begin_content(m);
	*out = take_ptr(&m);
	return 0;
}

int multipart_end(const struct multipart *m, struct err *e)
{
	if (m->state == MULTIPART_CLOSED || m->state == MULTIPART_EPILOGUE)
		return 0;
	return err_input(e, "the form ends before its last boundary: send %s--",
			 m->delimiter + strlen(LINE_END));
}

void multipart_close(struct multipart *m)
{
	if (!m)
		return;
	multipart_part_fini(&m->part);
	free(m);
}
