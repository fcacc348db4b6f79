/*
 * setting_environment - read settings from environment variables.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "spec/setting_sources.h"

static const char *setting_environment_get(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static void setting_environment_name(const char *prefix, const char *name, struct buf *out)
{
	buf_text(out, prefix);
	for (; *name; name++) {
		char c = *name == '-' ? '_' : (char)toupper((unsigned char)*name);

		buf_add(out, &c, 1);
	}
}

static int setting_environment_read(const struct settings *s, const char *prefix,
				    struct setting_found found, struct err *e)
{
	auto_buf struct buf name = {0};
	const char *value;

	setting_environment_name(prefix, found.row->name, &name);
	value = setting_environment_get(buf_string(&name));
	if (!value && found.row->variable) {
		buf_cut(&name, 0);
		buf_text(&name, found.row->variable);
		value = setting_environment_get(found.row->variable);
	}
	if (!value || !setting_apply(s, found, value, e))
		return 0;
	return err_prefix(e, "%s", buf_string(&name));
}

int settings_from_environment(const struct settings *s, const char *prefix, struct err *e)
{
	for (const struct setting_table *t = s->tables; t->rows; t++) {
		for (const struct setting *row = t->rows; row->name; row++) {
			struct setting_found found = setting_find(s, row->name, strlen(row->name));

			/*
			 * Skip a row that another table's row of that name hides, or that the face
			 * does not know.
			 */
			if (found.row == row && setting_environment_read(s, prefix, found, e))
				return -1;
		}
	}
	return 0;
}
