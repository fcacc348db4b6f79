/*
 * mount_source - open the source of a bind mount once, then judge and clone it by descriptor.
 */
#include "root/mount_source.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd_path.h"
#include "base/own.h"
#include "base/path.h"
#include "fs/trusted_path.h"
#include "host/mount_bound.h"
#include "host/mount_table.h"

static int mount_source_refuse_kernels(const char *path, const char *of, struct err *e)
{
	return err_set(e, ERR_UNSUPPORTED, "%.200s cannot be mounted: it would show the host's %s",
		       path, of);
}

static int mount_source_read_path(int fd, char real[PATH_MAX], struct err *e)
{
	if (fd_path_read(fd, real))
		return err_sys(e, "read where %s leads", fd_path(fd).text);
	if (*real != '/')
		return err_input(e, "%.300s is outside of our root directory", real);
	return 0;
}

static int mount_source_refuse_by_path(const char *path, struct err *e)
{
	static const char *const refused[] = {"/proc", "/sys", "/dev"};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		if (path_is_at_or_below(path, refused[i]) || !strcmp(path, "/"))
			return mount_source_refuse_kernels(path, refused[i], e);
	}
	return 0;
}

/* In a chroot the mount table may lack our mount; the file system's magic number always tells. */
static int mount_source_refuse_by_magic(const struct mount_source *s, struct err *e)
{
	static const struct {
		long magic;
		const char *type;
	} refused[] = {
		{PROC_SUPER_MAGIC,    "proc"      },
                {SYSFS_MAGIC,         "sysfs"     },
		{CGROUP_SUPER_MAGIC,  "cgroup"    },
                {CGROUP2_SUPER_MAGIC, "cgroup2"   },
		{DEVPTS_SUPER_MAGIC,  "devpts"    },
                {DEBUGFS_MAGIC,       "debugfs"   },
		{TRACEFS_MAGIC,       "tracefs"   },
                {SECURITYFS_MAGIC,    "securityfs"},
		{BPF_FS_MAGIC,        "bpf"       },
                {NSFS_MAGIC,          "nsfs"      },
	};
	struct statfs fs;

	if (fstatfs(s->fd, &fs))
		return err_sys(e, "find the file system of %.300s", s->path);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		if (fs.f_type == refused[i].magic)
			return mount_source_refuse_kernels(s->path, refused[i].type, e);
	}
	return 0;
}

/*
 * A bind includes the mounts below; the kernel's own file systems must not come in that way (a
 * chroot with a proc in it). This compares names, for the message. If a racer makes us miss one
 * here, the source counts as one without mounts below, and is cloned alone.
 */
static int mount_source_look_below(struct mount_source *s, const struct mount_table *table,
				   struct err *e)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct mount_entry *entry = &table->items[i];

		if (!path_is_below(entry->point, s->path))
			continue;
		if (mount_table_is_kernels(entry->type))
			return err_set(e, ERR_UNSUPPORTED,
				       "%.200s cannot be mounted: %.200s below it would show the "
				       "host's %s",
				       s->path, entry->point, entry->type);
		s->nested = true;
	}
	return 0;
}

static int mount_source_refuse_by_mount(struct mount_source *s, struct err *e)
{
	auto_mount_table struct mount_table table = {0};
	auto_fd int fd = mount_table_open(e);
	const struct mount_entry *mount;
	uint64_t id;

	if (fd < 0 || mount_table_read(fd, &table, e) || mount_table_id(s->fd, &id, e))
		return -1;
	mount = mount_table_find(&table, id);
	if (mount && mount_table_is_kernels(mount->type))
		return mount_source_refuse_kernels(s->path, mount->type, e);
	return S_ISDIR(s->st.st_mode) ? mount_source_look_below(s, &table, e) : 0;
}

/* Like docker we make a missing directory; one named docker.sock would be in a daemon's way. */
static int mount_source_make(const struct mount_spec *m, struct err *e)
{
	const char *path = m->source;
	size_t length = strlen(path);

	if (length >= 5 && !strcmp(path + length - 5, ".sock"))
		return err_input(e,
				 "bind source path does not exist: %.300s; there is no daemon here "
				 "that would listen there",
				 path);
	return mount_bound_make(m, e);
}

/* Refuse a link of another user, who would choose where the program can write. */
static int mount_source_find(const struct mount_spec *m, struct err *e)
{
	int fd;

	if (m->source_fd < 0 && (!m->read_only || m->create_source))
		return trusted_path_find(m->source, LINKS_OF_CALLER, e);
	fd = m->source_fd >= 0 ? fcntl(m->source_fd, F_DUPFD_CLOEXEC, 0)
			       : open(m->source, O_PATH | O_CLOEXEC);
	return fd < 0 ? err_sys(e, "open mount source %.300s", m->source) : fd;
}

static int mount_source_open_once(const struct mount_spec *m, struct err *e)
{
	int fd = mount_source_find(m, e);

	if (fd < 0 && e->number == ENOENT && m->create_source)
		fd = mount_source_make(m, e);
	else if (fd < 0 && e->number == ENOENT)
		err_input(e,
			  "%sbind source path does not exist: %.300s; for an empty "
			  "directory, mkdir it first",
			  m->workspace ? "--workspace: " : "", m->source);
	if (fd < 0)
		(void)mount_bound_missing(m, e);
	return fd;
}

int mount_source_open(const struct mount_spec *m, struct mount_source *out, struct err *e)
{
	auto_fd int fd = mount_source_open_once(m, e);

	if (fd < 0)
		return -1;
	if (mount_bound_check(m, fd, e))
		return -1;
	out->fd = fd;
	out->nested = false;
	if (fstat(fd, &out->st))
		return err_sys(e, "open mount source %.300s", m->source);
	if (mount_source_read_path(fd, out->path, e) || mount_source_refuse_by_path(out->path, e))
		return -1;
	if (m->workspace && !S_ISDIR(out->st.st_mode))
		return err_input(e,
				 "--workspace: %.300s is not a directory; -v FILE:/data/NAME:ro "
				 "mounts a file",
				 out->path);
	if (!S_ISDIR(out->st.st_mode) && !S_ISREG(out->st.st_mode))
		return err_set(e, ERR_UNSUPPORTED,
			       "%.300s cannot be mounted: only files and directories can",
			       out->path);
	if (mount_source_refuse_by_magic(out, e) || mount_source_refuse_by_mount(out, e))
		return -1;
	take_fd(&fd);
	return 0;
}
