/*
 * option_sources - options from the user's file and from the environment.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/options.h"
#include "base/io.h"
#include "base/json.h"
#include "base/own.h"
#include "spec/setting.h"

#define FILE_BYTES 65536
#define PREFIX     "GLOVEBOX_AGENT_"
#define NAME_BYTES 64

/* ~/.config/glovebox/agent.json, or what XDG_CONFIG_HOME says; false without a home. */
static bool file_path(char *out, size_t size)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	int n;

	if (config && *config)
		n = snprintf(out, size, "%s/glovebox/agent.json", config);
	else if (home && *home)
		n = snprintf(out, size, "%s/.config/glovebox/agent.json", home);
	else
		return false;
	return n > 0 && (size_t)n < size;
}

/* -- the file ------------------------------------------------------------------------------ */

/* As it would be written for the flag. -1: neither text, number nor truth. */
static int value_text(const struct json *node, struct buf *out)
{
	double number;

	if (json_string(node))
		buf_text(out, json_string(node));
	else if (json_is_bool(node))
		buf_text(out, json_is_true(node) ? "true" : "false");
	else if (!json_double(node, &number))
		buf_printf(out, "%.12g", number);
	else
		return -1;
	return 0;
}

static int apply_member(const struct json *node, struct agent_options *o, struct err *e)
{
	const char *key = json_key(node);
	auto_buf struct buf value = {0};
	char name[NAME_BYTES];
	const struct option_row *row;
	const struct setting *limit;
	size_t length = 0;

	for (; key[length] && length + 1 < sizeof(name); length++)
		name[length] = key[length] == '_' ? '-' : key[length];
	name[length] = '\0';
	row = option_row_find(name, length);
	if (option_limit_refuse(name, length, e))
		return err_prefix(e, "\"%.60s\"", key);
	limit = option_limit_find(name, length);
	if (!row && !limit)
		return err_input(e, "there is no option \"%.60s\"", key);
	if (value_text(node, &value))
		return err_input(e, "\"%.60s\" must be a text, a number, or true or false", key);
	if (row ? option_row_apply(row, buf_string(&value), o, e)
		: option_limit_add(o, limit, buf_string(&value), e))
		return err_prefix(e, "\"%.60s\"", key);
	if (row && !strcmp(row->name, "workspace"))
		o->workspace_given = true;
	return 0;
}

static int read_file(struct agent_options *o, struct err *e)
{
	auto_json struct json *document = NULL;
	auto_buf struct buf text = {0};
	char path[PATH_MAX];

	if (!file_path(path, sizeof(path)))
		return 0;
	if (io_read_file(AT_FDCWD, path, FILE_BYTES, &text, e))
		return e->kind == ERR_SYSTEM && (e->number == ENOENT || e->number == ENOTDIR) ? 0
											      : -1;
	document = json_parse(buf_string(&text), text.length, e);
	if (!document)
		return err_prefix(e, "%.200s", path);
	if (!json_is_object(document))
		return err_input(e, "%.200s must hold one JSON object", path);
	for (const struct json *n = json_first(document); n; n = json_next(n)) {
		if (apply_member(n, o, e))
			return err_prefix(e, "%.200s", path);
	}
	return 0;
}

/* -- the environment ----------------------------------------------------------------------- */

/* NULL: not set, or set to nothing. */
static const char *variable_of(const char *name, char out[NAME_BYTES])
{
	const char *value;
	size_t length = strlen(PREFIX);

	memcpy(out, PREFIX, length);
	for (; *name && length + 1 < NAME_BYTES; name++)
		out[length++] = *name == '-' ? '_' : (char)toupper((unsigned char)*name);
	out[length] = '\0';
	value = getenv(out);
	return value && *value ? value : NULL;
}

static int read_variable(const struct option_row *row, struct agent_options *o, struct err *e)
{
	char name[NAME_BYTES];
	const char *shown = name;
	const char *value = variable_of(row->name, name);

	if (!value && row->also) {
		shown = row->also;
		value = getenv(row->also);
	}
	if (!value || !*value)
		return 0;
	if (!strcmp(row->name, "workspace"))
		o->workspace_given = true;
	return option_row_apply(row, value, o, e) ? err_prefix(e, "%s", shown) : 0;
}

static int read_limit(const struct setting *s, struct agent_options *o, struct err *e)
{
	size_t length = strlen(s->name);
	char name[NAME_BYTES];
	const char *value = variable_of(s->name, name);

	if (!value)
		return 0;
	if (option_limit_refuse(s->name, length, e))
		return err_prefix(e, "%s", name);
	if (option_limit_find(s->name, length) && option_limit_add(o, s, value, e))
		return err_prefix(e, "%s", name);
	return 0;
}

int option_sources_read(struct agent_options *o, struct err *e)
{
	if (read_file(o, e))
		return -1;
	for (const struct option_row *row = option_rows; row->name; row++) {
		if (read_variable(row, o, e))
			return -1;
	}
	for (const struct setting *s = run_settings; s->name; s++) {
		if (read_limit(s, o, e))
			return -1;
	}
	return 0;
}
