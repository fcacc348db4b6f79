/*
 * volume_inspect - a volume in docker's fields.
 */
#include "base/json_put.h"
#include "cli/format.h"
#include "cli/inspected.h"
#include "container/volume_seen.h"

static void volume_inspect_put_part(const struct volume_seen *s, const char *key, const char *part,
				    struct buf *out)
{
	json_put_key(out, key);
	if (volume_part(s, part))
		json_write(volume_part(s, part), out);
	else
		buf_text(out, "null");
}

void volume_inspect_put(const struct volume_seen *s, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "CreatedAt", s->created);
	json_put_text(out, "Driver", "local");
	volume_inspect_put_part(s, "Labels", "labels", out);
	json_put_text(out, "Mountpoint", s->path);
	json_put_text(out, "Name", s->name);
	volume_inspect_put_part(s, "Options", "options", out);
	json_put_text(out, "Scope", "local");
	json_put_end(out, '}');
}

int inspect_volume(const char *word, const char *template, struct buf *out, struct err *e)
{
	auto_seen struct volume_seen s;
	auto_buf struct buf text = {0};

	if (volume_see(word, &s, e))
		return -1;
	volume_inspect_put(&s, template ? &text : out);
	return template ? format_print_document(template, &text, e) : 0;
}
