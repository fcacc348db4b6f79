/*
 * filter - `--filter KEY=VALUE` where only some values can be.
 */
#include "cli/filter.h"

#include <string.h>

#include "base/buf.h"

int filter_check_word(const char *filter, const char *words, struct err *e)
{
	const size_t key = strcspn(filter, "=");
	const char *value = filter + key + (filter[key] == '=');
	const char *hidden = strstr(words, "||");
	auto_buf struct buf named = {0};

	for (const char *word = words; *word; word += strspn(word, "|")) {
		const size_t length = strcspn(word, "|");

		if (strlen(value) == length && !strncmp(word, value, length))
			return 0;
		if (!hidden || word < hidden)
			buf_printf(&named, "%s%.*s", named.length ? ", " : "", (int)length, word);
		word += length;
	}
	return err_input(e, "--filter: \"%.100s\" can never be: %.*s is one of %s", filter,
			 (int)key, filter, buf_string(&named));
}
