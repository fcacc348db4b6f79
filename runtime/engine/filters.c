/*
 * filters - the filters of a query as words of a command.
 */
#include "engine/filters.h"

#include <string.h>

#include "base/json.h"
#include "base/own.h"
#include "web/query.h"

static int filters_key(const struct json *values, struct list *out, struct err *e)
{
	const char *key = json_key(values);

	if (!json_is_object(values) && !json_is_array(values))
		return err_input(e, "invalid filter '%.100s'", key);
	for (const struct json *v = json_first(values); v; v = json_next(v)) {
		const char *value = json_is_array(values) ? json_string(v) : json_key(v);

		if (!value)
			return err_input(e, "invalid filter '%.100s'", key);
		list_addf(out, "--filter=%s=%s", key, value);
	}
	return 0;
}

int filters_words(const char *query, struct list *out, struct err *e)
{
	auto_free char *text = query_text(query, "filters");
	auto_json struct json *filters = NULL;

	if (!text || !*text)
		return 0;
	filters = json_parse(text, strlen(text), e);
	if (!filters || !json_is_object(filters))
		return err_input(e, "invalid filters: an object of lists is needed");
	for (const struct json *f = json_first(filters); f; f = json_next(f)) {
		if (filters_key(f, out, e))
			return -1;
	}
	return 0;
}
