/*
 * format - the small part of docker's --format templates that scripts use.
 */
#include "cli/format.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "cli/command.h"

int format_option(int argc, char **argv, const char **out_template, struct err *e)
{
	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "--format=", 9))
			*out_template = argv[i] + 9;
		else if ((!strcmp(argv[i], "--format") || !strcmp(argv[i], "-f")) && i + 1 < argc)
			*out_template = argv[++i];
		else
			return err_input(e, "%s: unknown argument %.100s", argv[0], argv[i]);
	}
	return 0;
}

static const char *lookup(const struct format_field *fields, const char *name, size_t length)
{
	for (const struct format_field *f = fields; f->name; f++) {
		if (strlen(f->name) == length && !strncmp(f->name, name, length))
			return f->value;
	}
	return NULL;
}

/* "Server.Version" is a member of an object "Server"; rows of one object stand together. */
static void add_json(struct buf *out, const struct format_field *fields)
{
	size_t open = 0; /* length of the object's name that is being written */

	buf_text(out, "{");
	for (const struct format_field *f = fields; f->name; f++) {
		const char *dot = strchr(f->name, '.');
		size_t group = dot ? (size_t)(dot - f->name) : 0;
		bool same = f > fields && group == open && !strncmp(f->name, f[-1].name, group);

		if (open && !same)
			buf_text(out, "}");
		buf_text(out, f == fields ? "" : ",");
		if (group && !same) {
			buf_json_string(out, f->name, group);
			buf_text(out, ":{");
		}
		buf_json_text(out, dot ? dot + 1 : f->name);
		buf_text(out, ":");
		buf_json_text(out, f->value);
		open = group;
	}
	buf_text(out, open ? "}}" : "}");
}

/* What stands between {{ and }}. */
static int add_action(struct buf *out, const char *text, size_t length,
		      const struct format_field *fields)
{
	const char *value;

	while (length && *text == ' ')
		text++, length--;
	while (length && text[length - 1] == ' ')
		length--;
	if (length == 6 && !strncmp(text, "json .", 6)) {
		add_json(out, fields);
		return 0;
	}
	value = length > 1 && *text == '.' ? lookup(fields, text + 1, length - 1) : NULL;
	if (!value)
		return -1;
	escape_line(value, strlen(value), out);
	return 0;
}

int format_print(const char *template, const struct format_field *fields)
{
	auto_buf struct buf out = {0};
	struct err e;

	if (!strcmp(template, "json"))
		template = "{{json .}}";
	for (const char *p = template; *p;) {
		const char *open = strstr(p, "{{");
		const char *close = open ? strstr(open, "}}") : NULL;

		if (!close) {
			buf_text(&out, p);
			break;
		}
		buf_add(&out, p, (size_t)(open - p));
		if (add_action(&out, open + 2, (size_t)(close - open - 2), fields)) {
			err_input(&e, "--format: \"%.*s\" is not known here",
				  (int)(close - open + 2), open);
			return fail_with(&e);
		}
		p = close + 2;
	}
	puts(buf_string(&out));
	return 0;
}
