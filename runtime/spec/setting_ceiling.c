/*
 * setting_ceiling - bound what a remote caller may ask for.
 */
#include "spec/setting_ceiling.h"

#include "spec/run_settings.h"
#include "spec/setting_sources.h"
#include "spec/setting_value.h"

struct settings settings_of_caller(struct sandbox_spec *spec)
{
	return (struct settings){.face = FACE_HTTP,
				 .tables = {run_settings_table(spec)},
				 .keeper = spec,
				 .sections = true};
}

uint64_t *setting_ceiling_field(const void *target, const struct setting *row)
{
	return (uint64_t *)((char *)target + row->at);
}

static void setting_ceiling_open(const struct setting_table *table)
{
	for (const struct setting *row = table->rows; row && row->name; row++) {
		if (row->ceiling)
			*setting_ceiling_field(table->target, row) = SPEC_UNLIMITED;
	}
}

int settings_read_ceiling_with(const struct json *document, struct sandbox_spec *out,
			       struct setting_table more, struct err *e)
{
	struct settings settings = settings_of_caller(out);

	settings.face |= FACE_SERVE;
	settings.tables[1] = more;
	setting_ceiling_open(&settings.tables[0]);
	setting_ceiling_open(&more);
	return settings_from_json(&settings, document, e);
}

int settings_read_ceiling(const struct json *document, struct sandbox_spec *out, struct err *e)
{
	return settings_read_ceiling_with(document, out, (struct setting_table){NULL, NULL, NULL},
					  e);
}

int setting_ceiling_refuse(const char *name, const struct setting *row, uint64_t asked,
			   uint64_t largest, const char *where, struct err *e)
{
	auto_buf struct buf given = {0};
	auto_buf struct buf most = {0};

	setting_value_write(row, asked, &given);
	setting_value_write(row, largest, &most);
	return err_set(e, ERR_LIMIT, "%s: %s is more than the ceiling of %s%.300s", name,
		       buf_string(&given), buf_string(&most), where);
}

/* Refuse a value, named by its path in JSON. */
static int setting_ceiling_refuse_json(const struct setting *row, uint64_t asked, uint64_t largest,
				       struct err *e)
{
	const struct settings settings = settings_of_caller(NULL);
	auto_buf struct buf name = {0};

	buf_text(&name, "\"");
	setting_json_path(&settings, row, &name);
	buf_text(&name, "\"");
	return setting_ceiling_refuse(buf_string(&name), row, asked, largest, "", e);
}

int settings_check_ceiling_of(struct setting_table asked, const void *ceiling, struct err *e)
{
	for (const struct setting *row = asked.rows; row->name; row++) {
		uint64_t *value = setting_ceiling_field(asked.target, row);
		uint64_t largest;

		if (!row->ceiling) /* the field of other rows may have another type */
			continue;
		largest = *setting_ceiling_field(ceiling, row);
		if (*value <= largest)
			continue;
		if (setting_given(asked.rows, asked.given, row->name))
			return setting_ceiling_refuse_json(row, *value, largest, e);
		*value = largest;
	}
	return 0;
}

int settings_check_ceiling(struct sandbox_spec *asked, const struct sandbox_spec *ceiling,
			   struct err *e)
{
	return settings_check_ceiling_of(run_settings_table(asked), ceiling, e);
}
