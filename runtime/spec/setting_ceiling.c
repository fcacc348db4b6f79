/*
 * setting_ceiling - how far a caller from elsewhere may go.
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

static uint64_t *setting_ceiling_field(const struct sandbox_spec *s, const struct setting *row)
{
	return (uint64_t *)((char *)s + row->at);
}

int settings_read_ceiling(const struct json *document, struct sandbox_spec *out, struct err *e)
{
	const struct settings settings = settings_of_caller(out);
	const struct setting *given = NULL;

	for (const struct setting *row = run_settings; row->name; row++) {
		if (row->ceiling)
			*setting_ceiling_field(out, row) = SPEC_UNLIMITED;
	}
	if (settings_from_json(&settings, document, e))
		return -1;
	while ((given = setting_next_given(run_settings, out->given, given))) {
		if (!given->ceiling)
			return err_input(e, "\"%s\" has no ceiling", given->name);
	}
	return 0;
}

static int setting_ceiling_refuse(const struct setting *row, uint64_t asked, uint64_t largest,
				  struct err *e)
{
	const struct settings settings = settings_of_caller(NULL);
	auto_buf struct buf path = {0};
	auto_buf struct buf given = {0};
	auto_buf struct buf most = {0};

	setting_json_path(&settings, row, &path);
	setting_value_write(row, asked, &given);
	setting_value_write(row, largest, &most);
	return err_set(e, ERR_LIMIT, "\"%s\": %s is more than the ceiling of %s", buf_string(&path),
		       buf_string(&given), buf_string(&most));
}

int settings_check_ceiling(struct sandbox_spec *asked, const struct sandbox_spec *ceiling,
			   struct err *e)
{
	for (const struct setting *row = run_settings; row->name; row++) {
		uint64_t *value = setting_ceiling_field(asked, row);
		uint64_t largest = *setting_ceiling_field(ceiling, row);

		if (!row->ceiling || *value <= largest)
			continue;
		if (setting_given(run_settings, asked->given, row->name))
			return setting_ceiling_refuse(row, *value, largest, e);
		*value = largest;
	}
	return 0;
}
