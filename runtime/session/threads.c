/*
 * threads - read a checkpoint's list of lost threads.
 */
#include "session/threads.h"

#include <stdio.h>

#include "base/json.h"
#include "base/json_put.h"
#include "base/say.h"

/* NULL: not JSON. */
static struct json *threads_parse(const struct buf *answer)
{
	struct err ignored;

	return answer->length ? json_parse(buf_string(answer), answer->length, &ignored) : NULL;
}

void threads_put(const struct buf *answer, struct buf *out)
{
	auto_json struct json *said = threads_parse(answer);
	const struct json *all = said ? json_get(said, "threads") : NULL;

	json_put_begin(out, "threads", '[');
	for (const struct json *n = all ? json_first(all) : NULL; n; n = json_next(n)) {
		const char *name = json_string_at(n, "name");
		const struct json *remade = json_get(n, "remade");

		if (!name || !remade)
			continue;
		json_put_begin(out, NULL, '{');
		json_put_text(out, "name", name);
		json_put_uint(out, "count", json_uint_at(n, "count", 1));
		json_put_bool(out, "remade", json_is_true(remade));
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
}

bool threads_refuse(const char *ends, bool force, struct err *e)
{
	if (!*ends || force)
		return false;
	err_set(e, ERR_EXISTS,
		"not rolled back: that ends %s, and code that waits for them hangs, or costs the "
		"session; force (--force) does it all the same",
		ends);
	return true;
}

void threads_warn(const struct buf *answer)
{
	auto_json struct json *said = threads_parse(answer);
	const char *ends = said ? json_string_at(said, "ends") : NULL;

	if (!ends)
		return;
	fputs("glovebox: a rollback to this checkpoint would end ", stderr);
	say_line(stderr, ends);
	fputs(": it is refused without --force\n", stderr);
}
