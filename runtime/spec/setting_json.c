/*
 * setting_json - read settings from a JSON object.
 */
#include <string.h>

#include "spec/setting_sources.h"

#define NAME_BYTES 64

/* Groups whose members stand in an object of their own. */
static const char *const sections[GROUP_COUNT] = {[GROUP_LIMITS] = "limits"};

static void setting_json_swap(char *text, char from, char to)
{
	for (; (text = strchr(text, from)); text++)
		*text = to;
}

void setting_json_path(const struct settings *s, const struct setting *row, struct buf *out)
{
	size_t before = out->length;

	if (s->sections && sections[row->group])
		buf_printf(out, "%s.", sections[row->group]);
	buf_text(out, row->name);
	setting_json_swap(out->data + before, '-', '_');
}

/* The value in a flag's syntax; NULL: *wanted says which type it must have. */
static const char *setting_json_text(const struct setting *row, const struct json *node,
				     struct buf *out)
{
	bool counts = row->kind != SETTING_FLAG && row->kind != SETTING_TEXT &&
		      row->kind != SETTING_WRITTEN && row->kind != SETTING_CHOICE &&
		      row->kind != SETTING_ON_OFF && row->kind != SETTING_LIST;
	bool is_truth =
		row->kind == SETTING_FLAG || row->kind == SETTING_ON_OFF || !row->arg || row->alone;
	uint64_t whole;
	double number;

	if (json_string(node))
		buf_text(out, json_string(node));
	else if (is_truth && json_is_bool(node))
		buf_text(out, json_is_true(node) ? "true" : "false");
	else if (counts && !json_number(node, &whole))
		buf_printf(out, "%llu", (unsigned long long)whole);
	else if (counts && !json_double(node, &number))
		json_write_number(number, out);
	else
		return is_truth ? "true or false" : counts ? "a number or a text" : "a text";
	return NULL;
}

static int setting_json_apply(const struct settings *s, struct setting_found found,
			      const struct json *node, struct err *e)
{
	auto_buf struct buf value = {0};
	const char *wanted = setting_json_text(found.row, node, &value);

	if (wanted)
		return err_input(e, "it must be %s%s", wanted,
				 found.row->repeated ? ", or several in an array" : "");
	return setting_apply(s, found, buf_string(&value), e);
}

static int setting_json_apply_all(const struct settings *s, struct setting_found found,
				  const struct json *node, struct err *e)
{
	if (!found.row->repeated || !json_is_array(node))
		return setting_json_apply(s, found, node, e);
	for (const struct json *n = json_first(node); n; n = json_next(n)) {
		if (setting_json_apply(s, found, n, e))
			return -1;
	}
	return 0;
}

/* Find the row of a key; keys contain no dashes. A row of another section does not match. */
static struct setting_found setting_json_find(const struct settings *s, const char *section,
					      const char *key)
{
	struct setting_found found = {NULL, NULL};
	char name[NAME_BYTES];
	size_t length = strlen(key);

	if (length >= sizeof(name) || strchr(key, '-'))
		return found;
	memcpy(name, key, length + 1);
	setting_json_swap(name, '_', '-');
	found = setting_find(s, name, length);
	if (found.row && s->sections && sections[found.row->group] != section)
		found.row = NULL;
	return found;
}

static const char *setting_json_section(const struct settings *s, const struct json *node)
{
	for (int i = 0; s->sections && i < GROUP_COUNT; i++) {
		if (sections[i] && !strcmp(sections[i], json_key(node)))
			return sections[i];
	}
	return NULL;
}

static int setting_json_members(const struct settings *s, const char *section,
				const struct json *object, struct err *e);

static int setting_json_member(const struct settings *s, const char *section,
			       const struct json *node, struct err *e)
{
	const char *key = json_key(node);
	const char *below = section ? NULL : setting_json_section(s, node);
	struct setting_found found = setting_json_find(s, section, key);

	if (below && json_is_object(node))
		return setting_json_members(s, below, node, e);
	if (below)
		return err_input(e, "\"%s\": it must be an object", below);
	if (!found.row)
		return err_input(e, "there is no option \"%s%s%.60s\"%s", section ? section : "",
				 section ? "." : "", key,
				 strchr(key, '-') ? ": a key has underscores" : "");
	if (!setting_json_apply_all(s, found, node, e))
		return 0;
	return err_prefix(e, "\"%s%s%.60s\"", section ? section : "", section ? "." : "", key);
}

/*
 * Refuse a duplicate key: parsers differ in which one counts. Only the few known keys before it are
 * compared.
 */
static int setting_json_check_once(const struct json *object, const struct json *node,
				   struct err *e)
{
	for (const struct json *n = json_first(object); n != node; n = json_next(n)) {
		if (!strcmp(json_key(n), json_key(node)))
			return err_input(e, "\"%.60s\" is there twice", json_key(n));
	}
	return 0;
}

static int setting_json_members(const struct settings *s, const char *section,
				const struct json *object, struct err *e)
{
	for (const struct json *n = json_first(object); n; n = json_next(n)) {
		if (setting_json_check_once(object, n, e) || setting_json_member(s, section, n, e))
			return -1;
	}
	return 0;
}

int settings_from_json(const struct settings *s, const struct json *object, struct err *e)
{
	if (!json_is_object(object))
		return err_input(e, "there must be one JSON object");
	return setting_json_members(s, NULL, object, e);
}
