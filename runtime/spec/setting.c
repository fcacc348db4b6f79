/*
 * setting - find the row of a name, check that the face has it, record that it was given.
 */
#include "spec/setting.h"

#include <stdlib.h>
#include <string.h>

#include "spec/setting_value.h"

const char *const setting_group_titles[GROUP_COUNT] = {
	[GROUP_PROGRAM] = "The program",
	[GROUP_FILES] = "Files",
	[GROUP_LIMITS] = "Limits",
	[GROUP_NETWORK] = "The network",
	[GROUP_CONFINEMENT] = "Confinement",
	[GROUP_RESULT] = "Results",
	[GROUP_DOCKER] = "Accepted as docker run has them",
	[GROUP_REFUSED] = "Refused, by reason",
	[GROUP_ALIAS] = "Other spellings",
};

/* The face has the row, or refuses it by name: `*fits` tells which. */
static bool setting_is_known(const struct settings *s, const struct setting *row, bool *fits)
{
	*fits = row->faces & s->face;
	return *fits || (s->unfit && !(row->faces & s->needs));
}

static bool setting_is_called(const struct setting *row, const char *name, size_t length)
{
	return strlen(row->name) == length && !strncmp(row->name, name, length);
}

struct setting_found setting_find(const struct settings *s, const char *name, size_t length)
{
	bool fits;

	for (const struct setting_table *t = s->tables; t->rows; t++) {
		for (const struct setting *row = t->rows; row->name; row++) {
			if (setting_is_called(row, name, length) && setting_is_known(s, row, &fits))
				return (struct setting_found){row, t};
		}
	}
	return (struct setting_found){NULL, NULL};
}

struct setting_found setting_find_letter(const struct settings *s, char letter)
{
	bool fits;

	for (const struct setting_table *t = s->tables; t->rows; t++) {
		for (const struct setting *row = t->rows; row->name; row++) {
			if (row->letter == letter && setting_is_known(s, row, &fits))
				return (struct setting_found){row, t};
		}
	}
	return (struct setting_found){NULL, NULL};
}

static void setting_note(const struct setting_table *t, const struct setting *row)
{
	size_t n = (size_t)(row - t->rows);

	if (t->given)
		t->given[n / 64] |= 1ull << (n % 64);
}

int setting_apply(const struct settings *s, struct setting_found found, const char *value,
		  struct err *e)
{
	const struct setting *row = found.row;
	bool fits;

	setting_is_known(s, row, &fits);
	if (!fits)
		return err_input(e, "%s%s%s", s->unfit, row->unfit ? ": " : "",
				 row->unfit ? row->unfit : "");
	if (setting_value_parse(row, found.table->target, s->keeper, value, e))
		return -1;
	setting_note(found.table, row);
	return 0;
}

void setting_defaults(const struct setting_table *table, const struct sandbox_spec *keeper)
{
	struct err e;

	for (const struct setting *row = table->rows; row->name; row++) {
		if (row->fallback &&
		    setting_value_parse(row, table->target, keeper, row->fallback, &e))
			abort();
	}
}

const struct setting *setting_next_given(const struct setting *rows, const uint64_t *given,
					 const struct setting *after)
{
	for (const struct setting *row = after ? after + 1 : rows; row->name; row++) {
		size_t n = (size_t)(row - rows);

		if (given[n / 64] >> (n % 64) & 1)
			return row;
	}
	return NULL;
}

bool setting_given(const struct setting *rows, const uint64_t *given, const char *name)
{
	const struct setting *row = NULL;

	while ((row = setting_next_given(rows, given, row))) {
		if (!strcmp(row->name, name))
			return true;
	}
	return false;
}
