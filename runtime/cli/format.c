/*
 * format - the subset of docker's --format templates that scripts use.
 */
#include "cli/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/json_put.h"
#include "base/nearest.h"
#include "base/own.h"
#include "cli/command.h"
#include "flags/setting_words.h"

#define MAP ".Actor.Attributes."

const struct setting format_settings[] = {
	{"format", 'f', "TEMPLATE", GROUP_RESULT, FACE_RUN, SETTING_TEXT, 0, NULL,
	 .help = "text with {{.Name}} in it, or json"},
	SETTING_END,
};

/* Returns the index of the operands, or -1. */
static int format_operands(int argc, char **argv, const char **out_template, struct err *e)
{
	const struct settings settings = {.face = FACE_RUN,
					  .grammar = WORDS_ANYWHERE,
					  .tables = {{format_settings, out_template, NULL}},
					  .hint = ""};
	int used;

	if (setting_words(&settings, argc - 1, argv + 1, &used, e))
		return err_prefix(e, "%s", argv[0]);
	return used + 1;
}

int format_option(int argc, char **argv, const char **out_template, struct err *e)
{
	int at = format_operands(argc, argv, out_template, e);

	if (at < 0 || at >= argc)
		return at < 0 ? -1 : 0;
	return err_input(e, "%s: unknown argument %.100s", argv[0], argv[at]);
}

/* docker's status of a template that it cannot use, in the place of ours. */
static int format_fail(const struct err *e)
{
	const int status = fail_with(e);

	return invoked_as_docker() ? 1 : status;
}

static const struct format_field *format_lookup(const struct format_field *fields, const char *name,
						size_t length)
{
	for (const struct format_field *f = fields; f->name; f++) {
		if (strlen(f->name) == length && !strncmp(f->name, name, length))
			return f;
	}
	return NULL;
}

/* Whether other fields are members of this one: "Config" of "Config.User". */
static bool format_is_object(const struct format_field *fields, const struct format_field *of)
{
	const size_t length = strlen(of->name);

	for (const struct format_field *f = fields; f->name; f++) {
		if (!strncmp(f->name, of->name, length) && f->name[length] == '.')
			return true;
	}
	return false;
}

/* Write numbers as docker does, which writes even sizes of images as text. */
static void format_add_json_value(struct buf *out, const struct format_field *f)
{
	if (!strcmp(f->name, "NCPU") || !strcmp(f->name, "MemTotal"))
		buf_text(out, f->value);
	else
		buf_json_text(out, f->value);
}

/* "Server.Version" is a member of an object "Server"; rows of one object follow each other. */
static void format_add_json(struct buf *out, const struct format_field *fields)
{
	size_t open = 0; /* length of the current object's name */

	buf_text(out, "{"); /* no comma, whatever the template has before it */
	for (const struct format_field *f = fields; f->name; f++) {
		const char *dot = strchr(f->name, '.');
		size_t group = dot ? (size_t)(dot - f->name) : 0;
		bool same = f > fields && group == open && !strncmp(f->name, f[-1].name, group);

		if (format_is_object(fields, f))
			continue; /* its members follow */
		if (open && !same)
			json_put_end(out, '}');
		if (group && !same) {
			auto_free char *name = own_strndup(f->name, group);

			json_put_begin(out, name, '{');
		}
		json_put_key(out, dot ? dot + 1 : f->name);
		format_add_json_value(out, f);
		open = group;
	}
	if (open)
		json_put_end(out, '}');
	json_put_end(out, '}');
}

static void format_trim(const char **text, size_t *length)
{
	while (*length && **text == ' ')
		++*text, --*length;
	while (*length && (*text)[*length - 1] == ' ')
		--*length;
}

/* Print a value that is JSON: a text as it is, anything else as JSON. */
static void format_add_document_value(struct buf *out, const char *value)
{
	struct err ignored;
	auto_json struct json *document = json_parse(value, strlen(value), &ignored);
	const char *text = document ? json_string(document) : NULL;

	escape_line(text ? text : value, strlen(text ? text : value), out);
}

/* The field that may be meant; NULL: none is near. */
static const char *format_nearest(const struct format_field *fields, const char *text,
				  size_t length)
{
	const char *name = text + strspn(text, " ");
	size_t bytes;
	struct nearest near;

	name += strncmp(name, "json ", 5) ? 0 : 4 + strspn(name + 4, " ");
	bytes = *name == '.' && name < text + length ? strcspn(name + 1, " }") : 0;
	near = nearest_to(name + 1, bytes);
	for (const struct format_field *f = fields; bytes && f->name; f++)
		nearest_try(&near, f->name);
	return bytes ? near.name : NULL;
}

static int format_refuse(const struct format_field *fields, const char *text, size_t length,
			 struct err *e)
{
	const char *meant = format_nearest(fields, text, length);

	return err_input(e, "--format: \"{{%.*s}}\" is not known here%s%s%s", (int)length, text,
			 meant ? ": is {{." : "", meant ? meant : "", meant ? "}} meant?" : "");
}

/* The text between {{ and }}. @document: the values of the fields are JSON. */
static int format_add_action(struct buf *out, const char *text, size_t length,
			     const struct format_field *fields, bool document, struct err *e)
{
	const char *const action = text;
	const size_t action_length = length;
	const struct format_field *field;
	bool json;

	format_trim(&text, &length);
	json = length > 5 && !strncmp(text, "json ", 5);
	if (json) {
		text += 5, length -= 5;
		format_trim(&text, &length);
	}
	if (json && length == 1 && *text == '.') {
		format_add_json(out, fields);
		return 0;
	}
	field = length > 1 && *text == '.' ? format_lookup(fields, text + 1, length - 1) : NULL;
	if (!field && document && length > strlen(MAP) && !strncmp(text, MAP, strlen(MAP))) {
		buf_text(out, "<no value>"); /* as a map of Go's says of a key that is not there */
		return 0;
	}
	if (!field)
		return format_refuse(fields, action, action_length, e);
	if (format_is_object(fields, field) && !json)
		return err_input(e, "--format: {{.%s}} has parts: {{json .%s}} prints them",
				 field->name, field->name);
	if (json && (document || format_is_object(fields, field)))
		buf_text(out, field->value);
	else if (document)
		format_add_document_value(out, field->value);
	else if (json)
		format_add_json_value(out, field);
	else
		escape_line(field->value, strlen(field->value), out);
	return 0;
}

static int format_render(const char *template, const struct format_field *fields, bool document,
			 struct buf *out, struct err *e)
{
	if (!strcmp(template, "json"))
		template = "{{json .}}";
	for (const char *p = template; *p;) {
		const char *open = strstr(p, "{{");
		const char *close = open ? strstr(open, "}}") : NULL;

		if (open && !close)
			return err_input(e, "--format: \"%s\" has no }} at its end", open);
		if (!open) {
			buf_text(out, p);
			break;
		}
		buf_add(out, p, (size_t)(open - p));
		if (format_add_action(out, open + 2, (size_t)(close - open - 2), fields, document,
				      e))
			return -1;
		p = close + 2;
	}
	return 0;
}

static int format_print_fields(const char *template, const struct format_field *fields,
			       bool document)
{
	auto_buf struct buf out = {0};
	struct err e;

	if (format_render(template, fields, document, &out, &e))
		return format_fail(&e);
	puts(buf_string(&out));
	return 0;
}

int format_print(const char *template, const struct format_field *fields)
{
	return format_print_fields(template, fields, false);
}

int format_check(const char *template, const struct format_field *fields)
{
	auto_buf struct buf ignored = {0};
	struct err e;

	return template && format_render(template, fields, false, &ignored, &e) ? format_fail(&e)
										: 0;
}

struct fields {
	struct format_field *items; /* owned, with the name and the value of each */
	size_t count;
};

static void format_add_member(struct fields *out, const char *above, const struct json *node)
{
	auto_buf struct buf value = {0};
	struct format_field *f;

	json_write(node, &value);
	out->items = own_grow(out->items, out->count, sizeof(*out->items));
	f = &out->items[out->count++];
	*f = (struct format_field){.name = *above ? own_printf("%s.%s", above, json_key(node))
						  : own_strdup(json_key(node)),
				   .value = own_strdup(buf_string(&value))};
}

/* Members of members, too: an object comes before its own. */
static void format_add_members(struct fields *out, const char *above, const struct json *object)
{
	for (const struct json *node = json_first(object); node; node = json_next(node)) {
		format_add_member(out, above, node);
		if (json_is_object(node))
			format_add_members(out, out->items[out->count - 1].name, node);
	}
}

static void format_read_document(const struct json *document, struct fields *out)
{
	format_add_members(out, "", document);
	out->items = own_grow(out->items, out->count, sizeof(*out->items));
	out->items[out->count] = (struct format_field){0};
}

static void format_free_fields(struct fields *f)
{
	for (size_t i = 0; i < f->count; i++) {
		free((char *)f->items[i].name);
		free((char *)f->items[i].value);
	}
	free(f->items);
}

int format_print_document(const char *template, const struct buf *text, struct err *e)
{
	auto_json struct json *document = json_parse(buf_string(text), text->length, e);
	struct fields fields = {0};
	auto_buf struct buf whole = {0};
	int status;

	if (!document)
		return -1;
	if (!strcmp(template, "json") || !strcmp(template, "{{json .}}")) {
		json_write(document, &whole);
		puts(buf_string(&whole));
		return 0;
	}
	format_read_document(document, &fields);
	status = format_print_fields(template, fields.items, true);
	format_free_fields(&fields);
	return status;
}

int format_check_document(const char *template, const struct buf *text, struct err *e)
{
	auto_json struct json *document = json_parse(buf_string(text), text->length, e);
	struct fields fields = {0};
	auto_buf struct buf ignored = {0};
	struct err refused;
	int bad;

	if (!document)
		return -1;
	format_read_document(document, &fields);
	bad = format_render(template, fields.items, true, &ignored, &refused);
	format_free_fields(&fields);
	return bad ? format_fail(&refused) : 0;
}

bool format_of_list(const char *text, char **out_template)
{
	bool table = !text || !strncmp(text, "table", 5);
	char *to;

	if (text && table)
		text += strspn(text + 5, " ") + 5;
	*out_template = text && *text ? own_strdup(text) : NULL;
	to = *out_template;
	for (const char *p = to; p && *p; p++) {
		bool tab = p[0] == '\\' && p[1] == 't';
		bool line = p[0] == '\\' && p[1] == 'n';

		*to++ = tab ? '\t' : line ? '\n' : *p;
		p += tab || line;
	}
	if (to)
		*to = '\0';
	return table;
}
