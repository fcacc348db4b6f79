/*
 * options - what can be set about the agent: the command line, over all other places.
 */
#include "agent/options.h"

#include <stdlib.h>
#include <string.h>

#include "spec/setting.h"

static int set_defaults(struct agent_options *o, struct err *e)
{
	for (const struct option_row *row = option_rows; row->name; row++) {
		if (row->fallback && option_row_apply(row, row->fallback, o, e))
			return err_prefix(e, "the default of --%s", row->name);
	}
	return 0;
}

struct words {
	int count;
	char *const *items;
	int at;
};

/* The value of a flag that needs one: behind "=", or the next word. */
static const char *take_value(struct words *w, const char *attached, const char *flag,
			      struct err *e)
{
	if (attached)
		return attached;
	if (w->at + 1 < w->count)
		return w->items[++w->at];
	err_input(e, "flag needs an argument: %.60s", flag);
	return NULL;
}

static int apply_row(const struct option_row *row, const char *value, struct agent_options *o,
		     struct err *e)
{
	if (!strcmp(row->name, "workspace"))
		o->workspace_given = true;
	return option_row_apply(row, value, o, e) ? err_prefix(e, "--%s", row->name) : 0;
}

static bool stands_alone(const struct option_row *row)
{
	return row->kind == OPTION_SWITCH || row->kind == OPTION_ON_OFF;
}

/* Of an OPTION_ON_OFF: the next word, if it is one of the choices; else it stands alone. */
static const char *take_choice(const struct option_row *row, struct words *w)
{
	const char *next = w->at + 1 < w->count ? w->items[w->at + 1] : "";
	struct agent_options tried;
	struct err ignored;

	if (option_row_apply(row, next, &tried, &ignored))
		return "on";
	w->at++;
	return next;
}

static int take_row(const struct option_row *row, struct words *w, const char *attached,
		    struct agent_options *o, struct err *e)
{
	const char *value = attached;

	if (!value && stands_alone(row))
		value = row->kind == OPTION_SWITCH ? "true" : take_choice(row, w);
	else
		value = take_value(w, attached, w->items[w->at], e);
	return value ? apply_row(row, value, o, e) : -1;
}

static int take_long(struct words *w, struct agent_options *o, struct err *e)
{
	const char *name = w->items[w->at] + 2;
	const char *equals = strchr(name, '=');
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const char *attached = equals ? equals + 1 : NULL;
	const struct option_row *row = option_row_find(name, length);
	const struct setting *limit = option_limit_find(name, length);
	const char *value;

	if (row)
		return take_row(row, w, attached, o, e);
	if (!strncmp(name, "no-", 3) && !attached) {
		row = option_row_find(name + 3, length - 3);
		if (row && stands_alone(row))
			return apply_row(row, "false", o, e);
	}
	if (!strcmp(name, "help")) {
		o->help = true;
		return 0;
	}
	if (option_limit_refuse(name, length, e))
		return err_prefix(e, "--%.*s", (int)length, name);
	if (!limit)
		return err_input(e, "unknown flag: --%.*s; \"glovebox agent --help\" lists them",
				 (int)(length < 60 ? length : 60), name);
	value = take_value(w, attached, w->items[w->at], e);
	if (!value)
		return -1;
	return option_limit_add(o, limit, value, e) ? err_prefix(e, "--%s", limit->name) : 0;
}

/* "-v", "-m NAME", "-mNAME". */
static int take_short(struct words *w, struct agent_options *o, struct err *e)
{
	const char *word = w->items[w->at];
	const struct option_row *row = option_rows;

	if (!strcmp(word, "-h")) {
		o->help = true;
		return 0;
	}
	while (row->name && row->letter != word[1])
		row++;
	if (!row->name || (word[2] && stands_alone(row)))
		return err_input(e, "unknown flag: %.60s; \"glovebox agent --help\" lists them",
				 word);
	return take_row(row, w, word[2] ? word + 2 : NULL, o, e);
}

static void add_operand(struct agent_options *o, const char *word)
{
	auto_buf struct buf task = {0};

	if (o->task)
		buf_printf(&task, "%s ", o->task);
	buf_text(&task, word);
	free(o->task);
	o->task = buf_take(&task);
}

/* Who reads JSON is told of a wrong flag in it, too, wherever it stands. */
static void find_json(const struct words *w, struct agent_options *o)
{
	for (int i = w->at; i < w->count && strcmp(w->items[i], "--") != 0; i++)
		o->json = o->json || !strcmp(w->items[i], "--json");
}

static int read_words(struct words *w, struct agent_options *o, struct err *e)
{
	bool flags = true;

	for (w->at = 1; w->at < w->count; w->at++) {
		const char *word = w->items[w->at];
		int bad = 0;

		if (flags && !strcmp(word, "--"))
			flags = false;
		else if (flags && !strncmp(word, "--", 2))
			bad = take_long(w, o, e);
		else if (flags && word[0] == '-' && word[1])
			bad = take_short(w, o, e);
		else
			add_operand(o, word);
		if (bad) {
			find_json(w, o);
			return -1;
		}
	}
	return 0;
}

int agent_options_read(int argc, char *const *argv, struct agent_options *out, struct err *e)
{
	struct words words = {.count = argc, .items = argv, .at = 1};

	*out = (struct agent_options){0};
	if (set_defaults(out, e))
		return -1;
	if (option_sources_read(out, e)) {
		find_json(&words, out);
		return -1;
	}
	return read_words(&words, out, e);
}

void agent_options_fini(struct agent_options *o)
{
	for (const struct option_row *row = option_rows; row->name; row++) {
		if (row->kind == OPTION_TEXT || row->kind == OPTION_LEASE)
			free(*(char **)((char *)o + row->offset));
	}
	for (size_t i = 0; i < o->limit_count; i++)
		free(o->limits[i]);
	free(o->limits);
	free(o->task);
	*o = (struct agent_options){0};
}
