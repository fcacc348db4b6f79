/*
 * query - the parameters behind the question mark of a path.
 */
#include "web/query.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "web/percent.h"

/* A part of the query, decoded; owned; NULL: it has a NUL, or an invalid percent sign. */
static char *query_decode(const char *text, size_t length)
{
	char *out = own_strndup(text, length);

	for (char *p = out; *p; p++)
		*p = *p == '+' ? ' ' : *p;
	if (!percent_decode(out))
		return out;
	free(out);
	return NULL;
}

void query_list(const char *query, const char *name, struct list *out)
{
	while (*query) {
		const size_t length = strcspn(query, "&");
		const size_t key_length = strcspn(query, "=&");
		const size_t behind = key_length + (key_length < length);
		auto_free char *key = query_decode(query, key_length);
		auto_free char *value = query_decode(query + behind, length - behind);

		if (key && value && !strcmp(key, name))
			list_add(out, value);
		query += length + (query[length] == '&');
	}
}

char *query_text(const char *query, const char *name)
{
	char *found = NULL;

	while (*query) {
		const size_t length = strcspn(query, "&");
		const size_t key_length = strcspn(query, "=&");
		auto_free char *key = query_decode(query, key_length);

		if (key && !strcmp(key, name)) {
			free(found);
			found = key_length < length ? query_decode(query + key_length + 1,
								   length - key_length - 1)
						    : own_strdup("");
		}
		query += length + (query[length] == '&');
	}
	return found;
}

bool query_is_true(const char *query, const char *name, bool otherwise)
{
	auto_free char *text = query_text(query, name);

	return text ? !strcasecmp(text, "true") || !strcmp(text, "1") : otherwise;
}
