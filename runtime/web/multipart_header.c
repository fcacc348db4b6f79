/*
 * multipart_header - parse headers of multipart/form-data: the boundary in Content-Type, and the
 * headers of a part (RFC 7578, RFC 2183).
 */
#include "web/multipart_header.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/own.h"
#include "base/utf8.h"
#include "web/media_type.h"
#include "web/parameter.h"
#include "web/percent.h"

#define EXTENDED "filename*"

/* -- Content-Type of the request ------------------------------------------------------------- */

static int multipart_header_copy_boundary(const char *value, char out[MULTIPART_BOUNDARY_MAX + 1],
					  struct err *e)
{
	const size_t length = strlen(value);

	if (!length || length > MULTIPART_BOUNDARY_MAX)
		return err_input(e, "the boundary has %zu characters: 1 to %d are needed", length,
				 MULTIPART_BOUNDARY_MAX);
	for (size_t i = 0; i < length; i++) {
		if (value[i] < ' ' || value[i] > '~' || (value[i] == ' ' && !value[i + 1]))
			return err_input(e,
					 "the boundary may have printable ASCII only, and no "
					 "blank at its end");
	}
	memcpy(out, value, length + 1);
	return 0;
}

int multipart_header_boundary(const char *content_type, char out[MULTIPART_BOUNDARY_MAX + 1],
			      struct err *e)
{
	auto_free char *text = own_strdup(content_type);
	char *at = parameter_skip_blank(text + strcspn(text, "; \t"));
	struct parameter p = {0};
	int more;

	*out = '\0';
	while ((more = parameter_next(&at, &p, e)) == 1) {
		if (strcasecmp(p.key, "boundary") != 0)
			continue;
		if (*out)
			return err_input(e, "Content-Type names two boundaries: write one");
		if (multipart_header_copy_boundary(p.value, out, e))
			return -1;
	}
	if (more)
		return -1;
	return *out ? 0
		    : err_input(e,
				"Content-Type names no boundary: write multipart/form-data; "
				"boundary=...");
}

/* -- Content-Disposition --------------------------------------------------------------------- */

/*
 * Browsers escape quote, CR and LF so, and nothing else (HTML Standard, "Multipart form data"). In
 * place.
 */
static void multipart_header_unescape(char *text)
{
	static const char *const escapes[] = {"%22", "%0D", "%0A"};
	char *to = text;

	for (; *text; text++) {
		*to = *text;
		for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
			if (strncasecmp(text, escapes[i], 3) != 0)
				continue;
			*to = "\"\r\n"[i];
			text += 2;
			break;
		}
		to++;
	}
	*to = '\0';
}

/* NULL: not CHARSET'LANGUAGE'ENCODED (RFC 5987, 3.2), or not in UTF-8. Decodes in place. */
static char *multipart_header_decode_extended(char *value)
{
	char *language = strchr(value, '\'');
	char *text = language ? strchr(language + 1, '\'') : NULL;
	struct buf out = {0};
	char bytes[4];

	if (!text || percent_decode(++text))
		return NULL;
	*language = '\0';
	if (!strcasecmp(value, "UTF-8"))
		return own_strdup(text);
	if (strcasecmp(value, "ISO-8859-1") != 0)
		return NULL;
	for (; *text; text++)
		buf_add(&out, bytes, utf8_encode((unsigned char)*text, bytes));
	return buf_take(&out);
}

static int multipart_header_take_parameter(struct multipart_part *part, const struct parameter *p,
					   struct err *e)
{
	char **to = NULL;

	if (!strcasecmp(p->key, "name"))
		to = &part->name;
	else if (!strcasecmp(p->key, "filename"))
		to = &part->filename;
	else if (!strcasecmp(p->key, EXTENDED))
		to = &part->extended_filename;
	else if (!strncasecmp(p->key, EXTENDED, strlen(EXTENDED)))
		return err_input(e,
				 "%.40s is a piece of a name (RFC 2231): write all of it as "
				 "filename",
				 p->key);
	if (to && *to)
		return err_input(e, "Content-Disposition has %s twice: write it once", p->key);
	if (to && p->was_quoted)
		multipart_header_unescape(p->value);
	if (to)
		*to = own_strdup(p->value);
	return 0;
}

static int multipart_header_take_disposition(struct multipart_part *part, char *value,
					     struct err *e)
{
	char *at = parameter_skip_blank(value + strcspn(value, "; \t"));
	struct parameter p = {0};
	int more;

	if (part->has_disposition)
		return err_input(e, "a part has Content-Disposition twice: write it once");
	part->has_disposition = true;
	if (!media_type_is(value, "form-data"))
		return err_input(e, "the disposition of a part is %.40s: write form-data", value);
	while ((more = parameter_next(&at, &p, e)) == 1) {
		if (multipart_header_take_parameter(part, &p, e))
			return -1;
	}
	return more;
}

/* -- all headers ----------------------------------------------------------------------------- */

static int multipart_header_take_encoding(const char *value, struct err *e)
{
	if (media_type_is(value, "7bit") || media_type_is(value, "8bit") ||
	    media_type_is(value, "binary"))
		return 0;
	return err_input(e,
			 "Content-Transfer-Encoding %.40s is not decoded: send the bytes as "
			 "they are (RFC 7578, 4.7)",
			 value);
}

int multipart_header_take(struct multipart_part *part, char *line, struct err *e)
{
	const size_t length = strcspn(line, ": \t");
	char *value = line + length + strspn(line + length, " \t");

	if (!length || *value != ':')
		return err_input(e, "a header of a part has no name or no colon: %.60s", line);
	value = parameter_skip_blank(value + 1);
	line[length] = '\0';
	if (!strcasecmp(line, "Content-Disposition"))
		return multipart_header_take_disposition(part, value, e);
	if (!strcasecmp(line, "Content-Transfer-Encoding"))
		return multipart_header_take_encoding(value, e);
	if (!strcasecmp(line, "Content-Type"))
		part->is_mixed = media_type_is(value, "multipart/mixed");
	return 0;
}

static int multipart_header_prefer_extended(struct multipart_part *part, struct err *e)
{
	char *decoded = multipart_header_decode_extended(part->extended_filename);

	if (!decoded && !part->filename)
		return err_input(e,
				 "filename* cannot be decoded: write UTF-8'', and the name "
				 "percent-encoded (RFC 5987)");
	if (decoded) {
		free(part->filename);
		part->filename = decoded;
	}
	return 0;
}

int multipart_header_end(struct multipart_part *part, struct err *e)
{
	if (!part->has_disposition)
		return err_input(e,
				 "a part has no Content-Disposition: write form-data; "
				 "name=\"...\"");
	if (!part->name)
		return err_input(e, "a part has no name: write form-data; name=\"...\"");
	if (part->extended_filename && multipart_header_prefer_extended(part, e))
		return -1;
	if (part->is_mixed && !part->filename)
		return err_input(e,
				 "a part is multipart/mixed: send each file as a part of its "
				 "own (RFC 7578, 4.3)");
	return 0;
}

void multipart_part_fini(struct multipart_part *part)
{
	free(part->name);
	free(part->filename);
	free(part->extended_filename);
	*part = (struct multipart_part){0};
}
