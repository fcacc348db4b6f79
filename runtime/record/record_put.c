/*
 * record_put - members of a record in Docker's fields, for whoever describes a sandbox.
 */
#include "record/record_put.h"

#include <string.h>

#include "base/json_put.h"
#include "base/own.h"

void record_put_mounts(const struct record *r, struct buf *out)
{
	const struct json *mounts = json_get(r->what, "mounts");

	json_put_begin(out, "Mounts", '[');
	for (const struct json *m = mounts ? json_first(mounts) : NULL; m; m = json_next(m)) {
		const char *name = json_string_at(m, "name");

		json_put_begin(out, NULL, '{');
		json_put_text(out, "Type", name ? "volume" : "bind");
		if (name)
			json_put_text(out, "Name", name);
		json_put_text(out, "Source", json_text_at(m, "source"));
		json_put_text(out, "Destination", json_text_at(m, "target"));
		if (name)
			json_put_text(out, "Driver", "local");
		json_put_text(out, "Mode", "");
		json_put_bool(out, "RW", !json_is_true(json_get(m, "read_only")));
		json_put_text(out, "Propagation", name ? "" : "rprivate");
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
}

void record_put_labels(const struct record *r, struct buf *out)
{
	const struct json *labels = json_get(r->what, "labels");

	json_put_begin(out, "Labels", '{');
	for (const struct json *l = labels ? json_first(labels) : NULL; l; l = json_next(l)) {
		const char *text = json_string(l) ? json_string(l) : "";
		const size_t length = strcspn(text, "=");
		auto_free char *key = own_strndup(text, length);

		json_put_text(out, key, text[length] ? text + length + 1 : "");
	}
	json_put_end(out, '}');
}
