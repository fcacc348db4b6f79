/*
 * named_files - find the files of /output that an answer names.
 */
#include "agent/reply/named_files.h"

#include <string.h>

#include "agent/data/text.h"
#include "agent/reply/fences.h"
#include "base/own.h"

#define FOLDER "/output/"
#define ENDS   " \t\r\n\"'`,;:!?()<>|"
#define QUOTES "\"'`"

static bool named_files_in_code(const struct fences *fences, size_t at)
{
	for (size_t i = 0; i < fences->count; i++) {
		if (at >= fences->items[i].outer && at < fences->items[i].after)
			return true;
	}
	return false;
}

/* "./output/x" and "/output/x" count; "/home/me/output/x" is another directory. */
static bool named_files_begins(const char *answer, const char *at)
{
	if (at > answer && at[-1] == '.')
		at--;
	return at == answer || !(text_is_word(at[-1]) || strchr("/.-", at[-1]));
}

static size_t named_files_length(const char *answer, const char *at, const char *name)
{
	const char quote = at > answer && strchr(QUOTES, at[-1]) ? at[-1] : '\0';
	const char *closed = quote ? strchr(name, quote) : NULL;
	size_t length = strcspn(name, ENDS);

	if (closed && (size_t)(closed - name) < strcspn(name, "\n"))
		return (size_t)(closed - name);
	while (length && strchr(".*_]", name[length - 1]))
		length--;
	return length;
}

static void named_files_add(const char *name, size_t length, struct list *out)
{
	auto_free char *file = own_strndup(name, length);

	if (length && !strpbrk(file, "*?{}<>$%[]") && out->count < NAMED_FILES_MAX &&
	    !list_has(out, file))
		list_add(out, file);
}

void named_files_find(const char *answer, struct list *out)
{
	struct fences fences;

	fences_find(answer, strlen(answer), &fences);
	for (const char *at = answer; (at = strstr(at, FOLDER)); at += strlen(FOLDER)) {
		const char *name = at + strlen(FOLDER);

		if (!named_files_in_code(&fences, (size_t)(at - answer)) &&
		    named_files_begins(answer, at))
			named_files_add(name, named_files_length(answer, at, name), out);
	}
}
