/*
 * ps_filter - which rows `ps --filter` shows, in docker's words.
 */
#include "container/ps_filter.h"

#include <string.h>

#include "base/parse.h"
#include "cli/filter.h"

static bool ps_filter_begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool ps_filter_name(const struct ps_row *r, const char *value)
{
	return strstr(r->name, value + (*value == '/'));
}

static bool ps_filter_id(const struct ps_row *r, const char *value)
{
	return ps_filter_begins(r->entry->id, value);
}

/* NAME is that of NAME:latest, too. */
static bool ps_filter_ancestor(const struct ps_row *r, const char *value)
{
	const char *image = r->entry->image;
	const size_t length = strlen(value);

	return ps_filter_begins(image, value) &&
	       (!image[length] || !strcmp(image + length, ":latest"));
}

static const char *ps_filter_state(const struct ps_row *r)
{
	if (!r->record)
		return "running";
	if (r->record->state == RECORD_LOST)
		return "dead";
	return r->record->state == RECORD_STARTING ? "created"
						   : record_state_name(r->record->state);
}

/* To docker one that hibernates is paused. */
static bool ps_filter_status(const struct ps_row *r, const char *value)
{
	const char *state = ps_filter_state(r);

	return !strcmp(state, value) || (!strcmp(value, "paused") && !strcmp(state, "hibernated"));
}

static bool ps_filter_exited(const struct ps_row *r, const char *value)
{
	struct err ignored;
	int64_t code;

	return r->record && r->record->state == RECORD_EXITED &&
	       !parse_int(value, 0, 255, &code, &ignored) && record_exit_code(r->record) == code;
}

static bool ps_filter_label(const struct ps_row *r, const char *value)
{
	const struct json *labels = r->record ? json_get(r->record->what, "labels") : NULL;
	const size_t length = strlen(value);

	for (const struct json *l = labels ? json_first(labels) : NULL; l; l = json_next(l)) {
		const char *label = json_string(l) ? json_string(l) : "";

		if (ps_filter_begins(label, value) &&
		    (!label[length] || (label[length] == '=' && !strchr(value, '='))))
			return true;
	}
	return false;
}

/* Behind "||": docker's, which none of ours has. */
#define STATUSES "created|running|paused|hibernated|exited|dead||restarting|removing"

static const struct {
	const char *key;
	bool (*matches)(const struct ps_row *r, const char *value);
	bool all;          /* each of several must hold */
	const char *words; /* a value can be (cli/filter.h); NULL: any */
} ps_filters[] = {
	{"name=",     ps_filter_name,     false, NULL    },
	{"id=",       ps_filter_id,       false, NULL    },
	{"ancestor=", ps_filter_ancestor, false, NULL    },
	{"status=",   ps_filter_status,   false, STATUSES},
	{"exited=",   ps_filter_exited,   false, NULL    },
	{"label=",    ps_filter_label,    true,  NULL    },
};

#define FILTERS (sizeof(ps_filters) / sizeof(ps_filters[0]))

static int ps_filter_check_exited(const char *filter, struct err *e)
{
	int64_t code;

	return parse_int(filter + strlen("exited="), 0, 255, &code, e)
		       ? err_prefix(e, "--filter: exited")
		       : 0;
}

static int ps_filter_check_one(const char *filter, struct err *e)
{
	size_t i = 0;

	while (i < FILTERS && !ps_filter_begins(filter, ps_filters[i].key))
		i++;
	if (i == FILTERS)
		return err_input(e,
				 "--filter: \"%.100s\" is not known here: name=, id=, "
				 "ancestor=, status=, exited= and label= are",
				 filter);
	if (ps_filters[i].matches == ps_filter_exited)
		return ps_filter_check_exited(filter, e);
	return ps_filters[i].words ? filter_check_word(filter, ps_filters[i].words, e) : 0;
}

int ps_filter_check(const struct list *filters, struct err *e)
{
	for (size_t i = 0; i < filters->count; i++) {
		if (ps_filter_check_one(filters->items[i], e))
			return -1;
	}
	return 0;
}

bool ps_filter_wants_ended(const struct list *filters)
{
	for (size_t i = 0; i < filters->count; i++) {
		const char *filter = filters->items[i];

		if (ps_filter_begins(filter, "exited=") || ps_filter_begins(filter, "status="))
			return true;
	}
	return false;
}

/* Whether the filters of one key let it pass. */
static bool ps_filter_holds(const struct list *filters, size_t kind, const struct ps_row *r)
{
	unsigned given = 0;
	unsigned met = 0;

	for (size_t i = 0; i < filters->count; i++) {
		const char *filter = filters->items[i];

		if (!ps_filter_begins(filter, ps_filters[kind].key))
			continue;
		given++;
		met += ps_filters[kind].matches(r, filter + strlen(ps_filters[kind].key));
	}
	return ps_filters[kind].all ? met == given : !given || met;
}

bool ps_filter_passes(const struct list *filters, const struct ps_row *r)
{
	bool passes = true;

	for (size_t i = 0; i < FILTERS; i++)
		passes &= ps_filter_holds(filters, i, r);
	return passes;
}
