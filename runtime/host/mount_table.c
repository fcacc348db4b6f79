/*
 * mount_table - read the mounts of this mount namespace from mountinfo.
 */
#include "host/mount_table.h"

#include <fcntl.h>
#include <linux/stat.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"

#define MAX_BYTES (16u << 20)

int mount_table_open(struct err *e)
{
	int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? err_sys(e, "open /proc/self/mountinfo") : fd;
}

static bool mount_table_is_octal(const char *p)
{
	return p[0] >= '0' && p[0] <= '3' && p[1] >= '0' && p[1] <= '7' && p[2] >= '0' &&
	       p[2] <= '7';
}

/*
 * mountinfo writes space, tab, line feed, backslash and '#' as \040 and so on
 * (proc_pid_mountinfo(5)).
 */
static void mount_table_decode(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++) {
		if (*p == '\\' && mount_table_is_octal(p + 1)) {
			*to++ = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
			p += 3;
		} else {
			*to++ = *p;
		}
	}
	*to = '\0';
}

/* The next field of a line, terminated; NULL at the end. */
static char *mount_table_next_field(char **rest)
{
	char *field = strsep(rest, " ");

	return field && *field ? field : NULL;
}

/* "36 35 98:0 /root /point options optional:1 - type source options" */
static int mount_table_parse_line(char *line, struct mount_entry *out)
{
	char *id = mount_table_next_field(&line);
	char *parent = mount_table_next_field(&line);
	char *device = mount_table_next_field(&line);
	char *root = mount_table_next_field(&line);
	char *point = mount_table_next_field(&line);
	char *type = line ? strstr(line, " - ") : NULL;
	char *minor = device ? strchr(device, ':') : NULL;

	if (!id || !parent || !minor || !root || !point || !type)
		return -1;
	type += strlen(" - ");
	type[strcspn(type, " ")] = '\0';
	mount_table_decode(point);
	mount_table_decode(root);
	*out = (struct mount_entry){
		.id = strtoull(id, NULL, 10),
		.parent = strtoull(parent, NULL, 10),
		.device = makedev((unsigned)strtoul(device, NULL, 10),
				  (unsigned)strtoul(minor + 1, NULL, 10)),
		.root = root,
		.point = point,
		.type = type,
	};
	return 0;
}

int mount_table_parse(struct mount_table *t, struct err *e)
{
	char *rest = t->text.data;
	char *line;
	size_t lines = 0;

	for (size_t i = 0; i < t->text.length; i++)
		lines += rest[i] == '\n';
	t->items = own_zeroed(lines + 1, sizeof(*t->items));
	while ((line = strsep(&rest, "\n"))) {
		if (*line && mount_table_parse_line(line, &t->items[t->count++]))
			return err_set(e, ERR_SYSTEM, "/proc/self/mountinfo is not understood");
	}
	return 0;
}

int mount_table_read(int fd, struct mount_table *out, struct err *e)
{
	*out = (struct mount_table){0};
	if (lseek(fd, 0, SEEK_SET) < 0)
		return err_sys(e, "read /proc/self/mountinfo");
	return io_read_fd(fd, "/proc/self/mountinfo", MAX_BYTES, &out->text, e) ||
			       mount_table_parse(out, e)
		       ? -1
		       : 0;
}

void mount_table_fini(struct mount_table *t)
{
	free(t->items);
	buf_fini(&t->text);
	*t = (struct mount_table){0};
}

int mount_table_id(int fd, uint64_t *out, struct err *e)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st))
		return err_sys(e, "find the mount of a descriptor");
	if (!(st.stx_mask & STATX_MNT_ID))
		return err_set(e, ERR_UNSUPPORTED, "volumes need Linux 5.8 or newer");
	*out = st.stx_mnt_id;
	return 0;
}

const struct mount_entry *mount_table_find(const struct mount_table *t, uint64_t id)
{
	for (size_t i = 0; i < t->count; i++) {
		if (t->items[i].id == id)
			return &t->items[i];
	}
	return NULL;
}

static bool mount_table_hangs_below(const struct mount_table *t, const struct mount_entry *entry)
{
	const struct mount_entry *parent =
		entry->parent == entry->id ? NULL : mount_table_find(t, entry->parent);

	return parent && parent->below;
}

/*
 * Lines mostly follow their parents', so two passes suffice; but a line can precede its parent's.
 */
void mount_table_mark(struct mount_table *t, uint64_t id)
{
	bool found = true;

	for (size_t i = 0; i < t->count; i++)
		t->items[i].below = t->items[i].id == id;
	while (found) {
		found = false;
		for (size_t i = 0; i < t->count; i++) {
			if (t->items[i].below || !mount_table_hangs_below(t, &t->items[i]))
				continue;
			t->items[i].below = found = true;
		}
	}
}

bool mount_table_has_device(const struct mount_table *t, dev_t device)
{
	for (size_t i = 0; i < t->count; i++) {
		if (t->items[i].device == device)
			return true;
	}
	return false;
}

bool mount_table_is_kernels(const char *type)
{
	static const char *const types[] = {
		"proc",      "sysfs",   "cgroup",     "cgroup2", "devtmpfs",   "devpts",
		"debugfs",   "tracefs", "securityfs", "bpf",     "configfs",   "efivarfs",
		"pstore",    "mqueue",  "nsfs",       "nfsd",    "rpc_pipefs", "binfmt_misc",
		"selinuxfs", "smackfs", "fusectl",    "resctrl", "binder",     "functionfs",
		"xenfs",     "cpuset",  "pidfs",
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!strcmp(type, types[i]))
			return true;
	}
	return false;
}
