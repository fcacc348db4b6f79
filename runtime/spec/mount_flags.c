/*
 * mount_flags - -v, --mount, --tmpfs, --workspace and --output into mount rows.
 */
#include "spec/mount_flags.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/own.h"
#include "base/parse.h"
#include "base/path.h"
#include "spec/source_hint.h"
#include "spec/volume.h"

#define MIB             (1024ull * 1024)
#define MAX_TMPFS_BYTES (1ull << 46)

/* "/a//b/./c/" becomes "/a/b/c". ".." is an error: its meaning depends on links. */
static int mount_flags_normalise(const struct sandbox_spec *s, const char *text, char **out,
				 struct err *e)
{
	char *path = spec_strdup(s, text);
	char *to = path;

	for (const char *p = text; *p;) {
		size_t length;

		while (*p == '/')
			p++;
		length = strcspn(p, "/");
		if (length == 2 && !strncmp(p, "..", 2))
			return err_input(e, "%.200s contains \"..\": give the path itself", text);
		if (length > NAME_MAX)
			return err_input(e, "%.100s...: a path component is longer than %d bytes",
					 text, NAME_MAX);
		if (length && !(length == 1 && *p == '.')) {
			*to++ = '/';
			memmove(to, p, length);
			to += length;
		}
		p += length;
	}
	if (to == path)
		*to++ = '/';
	*to = '\0';
	*out = path;
	return 0;
}

int mount_target(const struct sandbox_spec *s, const char *text, char **out, struct err *e)
{
	static const char *const reserved[] = {"/proc", "/sys", "/dev"};

	if (text[0] != '/')
		return err_input(e, "%.200s: the path inside must be absolute", text);
	if (strlen(text) >= PATH_MAX)
		return err_input(e, "%.50s...: path longer than %d bytes", text, PATH_MAX - 1);
	if (mount_flags_normalise(s, text, out, e))
		return -1;
	if (!strcmp(*out, "/"))
		return err_input(e, "invalid specification: destination can't be '/'");
	for (size_t i = 0; i < 3; i++) {
		if (path_is_at_or_below(*out, reserved[i]) && strcmp(*out, "/dev/shm"))
			return err_input(e, "%.200s: nothing can be mounted at or below %s", *out,
					 reserved[i]);
	}
	return 0;
}

/* A host path: a relative one starts at the current directory. */
static int mount_flags_host_path(const struct sandbox_spec *s, const char *text, char **out,
				 struct err *e)
{
	char cwd[PATH_MAX];

	if (!*text)
		return err_input(e, "empty source path");
	if (strlen(text) >= PATH_MAX)
		return err_input(e, "%.50s...: path longer than %d bytes", text, PATH_MAX - 1);
	if (text[0] == '/') {
		*out = spec_strdup(s, text);
		return 0;
	}
	if (source_hint(text, e))
		return -1;
	if (!getcwd(cwd, sizeof(cwd)))
		return err_sys(e, "find the current directory for %.200s", text);
	*out = spec_printf(s, "%s/%s", cwd, text);
	return 0;
}

static int mount_flags_bind(struct sandbox_spec *s, const char *source, const char *target,
			    struct mount_spec **out, struct err *e)
{
	char *from;
	char *to;

	if (mount_flags_host_path(s, source, &from, e) || mount_target(s, target, &to, e))
		return -1;
	*out = spec_add_mount(s, MOUNT_BIND, to);
	(*out)->source = from;
	(*out)->exec = true;
	return 0;
}

static int mount_flags_named(struct sandbox_spec *s, const char *name, const char *target,
			     struct mount_spec **out, struct err *e)
{
	auto_free char *source = volume_source(name, e);

	if (!source || mount_flags_bind(s, source, target, out, e))
		return -1;
	(*out)->volume = spec_strdup(s, name);
	return 0;
}

static int mount_flags_volume_option(struct mount_spec *m, const char *option, struct err *e)
{
	/* SELinux labels, copy-up and consistency do not apply to a bind mount here. */
	static const char *const harmless[] = {"z",      "Z",         "nocopy",  "consistent",
					       "cached", "delegated", "private", "rprivate"};

	if (!strcmp(option, "ro") || !strcmp(option, "rw")) {
		m->read_only = option[1] == 'o' && option[0] == 'r';
		return 0;
	}
	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++) {
		if (!strcmp(option, harmless[i]))
			return 0;
	}
	if (strstr(option, "shared") || strstr(option, "slave"))
		return err_set(e, ERR_UNSUPPORTED,
			       "mount propagation (%.50s) is not supported: mounts never leave or "
			       "enter a running sandbox",
			       option);
	return err_input(e,
			 "\"%.50s\" is not a volume option: ro, rw, z, Z, nocopy, consistent, "
			 "cached, delegated, private, rprivate",
			 option);
}

int mount_flag_volume(void *spec, const char *value, struct err *e)
{
	struct sandbox_spec *s = spec;
	char *text = spec_strdup(s, value);
	char *target = strchr(text, ':');
	char *options = NULL;
	struct mount_spec *m;
	int modes = 0;

	if (source_hint(value, e))
		return -1;
	if (!target)
		return volume_refuse_anonymous(text, e);
	*target++ = '\0';
	options = strchr(target, ':');
	if (options)
		*options++ = '\0';
	if (options && strchr(options, ':'))
		return err_input(e,
				 "%.200s: invalid volume specification: SRC:DST[:OPTIONS], with "
				 "commas between options",
				 value);
	if (text[0] != '/' && text[0] != '.' ? mount_flags_named(s, text, target, &m, e)
					     : mount_flags_bind(s, text, target, &m, e))
		return -1;
	m->create_source = s->is_docker && !m->volume;
	for (char *o = options ? strtok(options, ",") : NULL; o; o = strtok(NULL, ",")) {
		if (mount_flags_volume_option(m, o, e))
			return -1;
		modes += !strcmp(o, "ro") || !strcmp(o, "rw");
	}
	if (modes > 1)
		return err_input(e, "%.200s: invalid mode: ro or rw, once", value);
	return 0;
}

int mount_flag_workspace(void *spec, const char *value, struct err *e)
{
	struct sandbox_spec *s = spec;
	struct mount_spec *m;

	if (mount_flags_bind(s, value, "/data", &m, e))
		return -1;
	m->read_only = true;
	m->workspace = m->is_place = true;
	return 0;
}

static int mount_flags_tmpfs_option(struct mount_spec *m, const char *option, struct err *e)
{
	const char *value = strchr(option, '=');
	int64_t id;

	value = value ? value + 1 : "";
	if (!strcmp(option, "ro") || !strcmp(option, "rw")) {
		m->read_only = !strcmp(option, "ro");
		return 0;
	}
	if (!strcmp(option, "exec") || !strcmp(option, "noexec")) {
		m->exec = !strcmp(option, "exec");
		return 0;
	}
	if (!strcmp(option, "nosuid") || !strcmp(option, "nodev"))
		return 0;
	if (!strncmp(option, "size=", 5))
		return parse_size(value, 4096, MAX_TMPFS_BYTES, &m->size_bytes, e);
	if (!strncmp(option, "nr_inodes=", 10))
		return parse_size(value, 1, 1u << 30, &m->inodes, e);
	if (!strncmp(option, "mode=", 5))
		return parse_octal(value, 07777, &m->mode, e);
	if (!strncmp(option, "uid=", 4) || !strncmp(option, "gid=", 4)) {
		if (parse_int(value, 0, UINT32_MAX - 1, &id, e))
			return -1;
		*(option[0] == 'u' ? &m->uid : &m->gid) = id;
		return 0;
	}
	if (!strcmp(option, "suid") || !strcmp(option, "dev"))
		return err_set(e, ERR_UNSUPPORTED,
			       "%s is refused: nosuid and nodev hold everywhere", option);
	return err_input(e,
			 "\"%.50s\" is not a tmpfs option: size, nr_inodes, mode, uid, gid, exec, "
			 "noexec, ro, rw",
			 option);
}

static struct mount_spec *mount_flags_add_tmpfs(struct sandbox_spec *s, enum mount_kind kind,
						const char *target)
{
	struct mount_spec *m = spec_add_mount(s, kind, target);

	m->size_bytes = DEFAULT_TMPFS_BYTES;
	m->inodes = DEFAULT_TMPFS_INODES;
	m->mode = 01777;
	return m;
}

int mount_flag_tmpfs(void *spec, const char *value, struct err *e)
{
	struct sandbox_spec *s = spec;
	char *text = spec_strdup(s, value);
	char *options = strchr(text, ':');
	struct mount_spec *m;
	char *target;

	if (options)
		*options++ = '\0';
	if (mount_target(s, text, &target, e))
		return -1;
	m = mount_flags_add_tmpfs(s, MOUNT_TMPFS, target);
	for (char *o = options ? strtok(options, ",") : NULL; o; o = strtok(NULL, ",")) {
		if (mount_flags_tmpfs_option(m, o, e))
			return -1;
	}
	return 0;
}

/* @options  changed: commas become NULs. */
static int mount_flags_output_options(struct mount_spec *m, char *options, struct err *e)
{
	for (char *o = strtok(options, ","); o; o = strtok(NULL, ",")) {
		int bad;

		if (!strncmp(o, "size=", 5))
			bad = parse_size(o + 5, 4096, MAX_TMPFS_BYTES, &m->size_bytes, e);
		else if (!strncmp(o, "files=", 6))
			bad = parse_size(o + 6, 1, 1u << 24, &m->inodes, e);
		else
			bad = err_input(e, "\"%.50s\" is not an option of it: " DEFAULT_OUTPUT, o);
		if (bad)
			return -1;
	}
	return 0;
}

int mount_flag_output(void *spec, const char *value, struct err *e)
{
	struct sandbox_spec *s = spec;
	char usual[] = DEFAULT_OUTPUT;
	char *text = spec_strdup(s, value);
	char *options = strchr(text, ',');
	struct mount_spec *m;
	char *source;

	if (options)
		*options++ = '\0';
	if (mount_flags_host_path(s, text, &source, e))
		return -1;
	m = mount_flags_add_tmpfs(s, MOUNT_STAGE, "/output");
	m->source = source;
	m->mode = 0755;
	if (mount_flags_output_options(m, usual, e) ||
	    (options && mount_flags_output_options(m, options, e)))
		return -1;
	m->inodes += 1; /* one more for the root directory */
	return 0;
}

/* The fields of one --mount value while it is read. */
struct mount_fields {
	const char *type;
	const char *source;
	const char *target;
	bool read_only;
	bool tmpfs_only; /* a tmpfs-... field was given */
	uint64_t size_bytes;
	uint32_t mode;
};

static int mount_flags_field(struct mount_fields *f, const char *key, const char *value,
			     struct err *e)
{
	f->tmpfs_only |= !strncmp(key, "tmpfs-", 6);
	if (!strcmp(key, "type"))
		f->type = value;
	else if (!strcmp(key, "source") || !strcmp(key, "src"))
		f->source = value;
	else if (!strcmp(key, "target") || !strcmp(key, "destination") || !strcmp(key, "dst"))
		f->target = value;
	else if (!strcmp(key, "readonly") || !strcmp(key, "ro"))
		return *value ? parse_bool(value, &f->read_only, e) : (f->read_only = true, 0);
	else if (!strcmp(key, "tmpfs-size"))
		return parse_size(value, 4096, MAX_TMPFS_BYTES, &f->size_bytes, e);
	else if (!strcmp(key, "tmpfs-mode"))
		return parse_octal(value, 07777, &f->mode, e);
	else if (!strcmp(key, "consistency") || !strcmp(key, "volume-nocopy") ||
		 (!strcmp(key, "volume-driver") && !strcmp(value, "local")) ||
		 (!strcmp(key, "bind-recursive") &&
		  (!strcmp(value, "enabled") || !strcmp(value, "writable"))) ||
		 (!strcmp(key, "bind-propagation") && strstr(value, "private")))
		return 0;
	else
		return err_input(e,
				 "\"%.50s\" is not a field of it: type, source, target, readonly, "
				 "tmpfs-size, tmpfs-mode",
				 key);
	return 0;
}

static int mount_flags_of_type(struct sandbox_spec *s, const struct mount_fields *f,
			       struct mount_spec **out, struct err *e)
{
	const bool bind = !strcasecmp(f->type, "bind");
	char *target;

	if (!strcasecmp(f->type, "tmpfs")) {
		if (f->source)
			return err_input(e, "a tmpfs has no source");
		if (mount_target(s, f->target, &target, e))
			return -1;
		*out = mount_flags_add_tmpfs(s, MOUNT_TMPFS, target);
		(*out)->size_bytes = f->size_bytes;
		(*out)->mode = f->mode;
		return 0;
	}
	if (!bind && strcasecmp(f->type, "volume") != 0)
		return err_set(e, ERR_UNSUPPORTED,
			       "type=%.50s is not supported: bind, volume or tmpfs", f->type);
	if (!f->source)
		return bind ? err_input(e, "a bind needs a source: source=/path")
			    : volume_refuse_anonymous(f->target, e);
	if (f->tmpfs_only)
		return err_input(e, "cannot mix 'tmpfs-...' options with mount type '%s'",
				 bind ? "bind" : "volume");
	return bind ? mount_flags_bind(s, f->source, f->target, out, e)
		    : mount_flags_named(s, f->source, f->target, out, e);
}

int mount_flag_mount(void *spec, const char *value, struct err *e)
{
	struct sandbox_spec *s = spec;
	struct mount_fields f = {
		.type = "volume", .size_bytes = DEFAULT_TMPFS_BYTES, .mode = 01777};
	char *text = spec_strdup(s, value);
	struct mount_spec *m = NULL;

	for (char *field = strtok(text, ","); field; field = strtok(NULL, ",")) {
		char *eq = strchr(field, '=');

		if (eq)
			*eq++ = '\0';
		if (mount_flags_field(&f, field, eq ? eq : "", e))
			return -1;
	}
	if (!f.target)
		return err_input(e, "a target is needed: target=/path");
	if (mount_flags_of_type(s, &f, &m, e) || !m)
		return -1;
	m->read_only = f.read_only;
	return 0;
}
