/*
 * create_mounts - HostConfig.Mounts as words of `docker create`.
 */
#include <inttypes.h>
#include <string.h>

#include "base/own.h"
#include "engine/answer.h"
#include "engine/create.h"

/* A comma would begin another key of --mount. */
static int create_mounts_key(const struct create_words *w, const char *key, const char *text,
			     struct buf *out)
{
	if (strchr(text, ',') || strchr(text, '"'))
		return err_input(w->e, "Mounts: a comma or a quote in %s", key);
	if (*text)
		buf_printf(out, "%s%s=%s", out->length ? "," : "", key, text);
	return 0;
}

static int create_mounts_one(const struct create_words *w, const struct json *mount,
			     struct buf *out)
{
	const struct json *tmpfs = answer_member(mount, "TmpfsOptions");
	const struct json *size = tmpfs ? answer_member(tmpfs, "SizeBytes") : NULL;
	const struct json *mode = tmpfs ? answer_member(tmpfs, "Mode") : NULL;
	const struct json *volume = answer_member(mount, "VolumeOptions");
	const struct json *driver = volume ? answer_member(volume, "DriverConfig") : NULL;
	const char *type = answer_member_text(mount, "Type");
	const char *source = answer_member_text(mount, "Source");
	uint64_t number;

	if (driver && json_count(driver))
		return err_input(w->e,
				 "Mounts: VolumeOptions.DriverConfig: a volume is a directory of "
				 "glovebox's own");
	if (volume && *answer_member_text(volume, "Subpath"))
		return err_input(w->e,
				 "Mounts: VolumeOptions.Subpath: a volume is mounted as a whole");
	if (tmpfs && answer_member(tmpfs, "Options"))
		return err_input(w->e, "Mounts: TmpfsOptions.Options: HostConfig.Tmpfs takes them");
	if (!strcmp(type, "bind") ? *source != '/' : create_is_relative(source))
		return err_input(w->e,
				 "Mounts: Source must be an absolute path or the name of a volume");
	if (create_mounts_key(w, "type", *type ? type : "volume", out) ||
	    create_mounts_key(w, "source", source, out) ||
	    create_mounts_key(w, "target", answer_member_text(mount, "Target"), out))
		return -1;
	if (answer_member_is_true(mount, "ReadOnly"))
		buf_text(out, ",readonly");
	if (size && !json_number(size, &number) && number)
		buf_printf(out, ",tmpfs-size=%" PRIu64, number);
	if (mode && !json_number(mode, &number) && number)
		buf_printf(out, ",tmpfs-mode=%" PRIo64, number);
	return 0;
}

static int create_mounts_add(const struct create_words *w, const struct create_field *f,
			     const struct json *mount)
{
	auto_buf struct buf text = {0};

	if (!json_is_object(mount))
		return create_wrong(w, f, "a list of objects");
	if (create_mounts_one(w, mount, &text))
		return -1;
	list_addf(w->out, "--%s=%s", f->flag, buf_string(&text));
	return 0;
}

int create_mounts(const struct create_words *w, const struct create_field *f,
		  const struct json *value)
{
	return create_each(w, f, value, "a list of objects", create_mounts_add);
}
