/*
 * registry - a user's processes that go on: a locked file for each run, agent, server, prompt and
 * MCP connection.
 */
#include "client/registry.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "base/json_put.h"
#include "base/own.h"
#include "fs/names.h"
#include "fs/private_dir.h"
#include "loop/clock.h"
#include "loop/fd.h"

#define FOLDER      "running"
#define SHORT_ID    12
#define ENTRY_BYTES 8192
#define NAMES       100000  /* at most, of all that run */
#define SWEPT       32      /* at a start */
#define WRITING_US  100000  /* in which holders write the entries that are read meanwhile */
#define REMOVER_US  1000000 /* in which a remover lets go of a place, unless it is stopped */

/*
 * Two bytes of a file are locked. The holder of a place has the first alone. Whoever removes what a
 * killed holder left has the second alone, and shares the first: an enterer tells it from a holder.
 */
enum { BYTE_HOLDER, BYTE_REMOVER };

static int registry_lock(int fd, int byte, short type)
{
	const struct flock lock = {
		.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

	return fcntl(fd, F_SETLK, &lock);
}

/* The lock that keeps others from holding the place; F_UNLCK: none. *pid: whose it is. */
static short registry_locked(int fd, pid_t *pid)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = BYTE_HOLDER, .l_len = 1};

	if (fcntl(fd, F_GETLK, &lock))
		return F_UNLCK;
	*pid = lock.l_pid > 0 ? lock.l_pid : 0; /* -1: no lock of ours (fcntl(2), OFD locks) */
	return lock.l_type;
}

/* Root's places are one set for all of root, whatever a login's environment says. */
static int registry_path(bool make, char *out, size_t size, struct err *e)
{
	if (geteuid() != 0)
		return private_dir_of_user(make, out, size, e);
	snprintf(out, size, PRIVATE_DIR_ROOT);
	return 0;
}

/*
 * An owned descriptor of the directory, or -1.
 * @make  false: with ERR_NONE where nothing ever ran.
 */
static int registry_directory(bool make, struct err *e)
{
	char path[PATH_MAX];
	auto_free char *folder = NULL;
	auto_fd int above = -1;
	int fd;

	*e = (struct err){0};
	if (registry_path(make, path, sizeof(path), e))
		return -1;
	folder = own_printf("%s/" FOLDER, path);
	if (!make && access(folder, F_OK) && errno == ENOENT)
		return -1;
	above = private_dir_open(path, e);
	if (above < 0)
		return -1;
	if (mkdirat(above, FOLDER, 0700) && errno != EEXIST)
		return err_sys(e, "make %.300s", folder);
	fd = openat(above, FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? err_sys(e, "open %.300s", folder) : fd;
}

static int registry_open_place(int dir, const char *name, int flags)
{
	return openat(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0600);
}

/* -- entering -------------------------------------------------------------------------------- */

static int registry_taken(const char *name, struct err *e)
{
	return err_input(e,
			 "Conflict. The container name \"/%.100s\" is already in use: choose "
			 "another name, or remove or rename that",
			 name);
}

static int registry_take(int dir, const char *name, int *fd, struct err *e)
{
	const uint64_t end = monotonic_us() + REMOVER_US;

	for (;; sched_yield()) {
		auto_fd int file = registry_open_place(dir, name, O_CREAT);
		pid_t pid;

		if (file < 0)
			return err_sys(e, "open " FOLDER "/%.100s", name);
		if (registry_lock(file, BYTE_HOLDER, F_WRLCK)) {
			if (errno != EAGAIN && errno != EACCES)
				return err_sys(e, "lock " FOLDER "/%.100s", name);
			if (registry_locked(file, &pid) == F_WRLCK || monotonic_us() > end)
				return registry_taken(name, e);
			continue; /* a remover is at it, or the holder has just ended */
		}
		/* Its last holder may have removed it. */
		if (fd_is_named(file, dir, name)) {
			*fd = take_fd(&file);
			return 0;
		}
	}
}

void registry_write(const struct registration *r, const struct registry_entry *entry)
{
	auto_free char *command =
		own_strndup(entry->command ? entry->command : "", REGISTRY_COMMAND);
	auto_buf struct buf text = {0};

	json_put_begin(&text, NULL, '{');
	json_put_text(&text, "kind", entry->kind);
	json_put_text(&text, "id", entry->id);
	json_put_text(&text, "image", entry->image);
	json_put_text(&text, "command", command);
	json_put_text(&text, "memory", entry->memory);
	json_put_text(&text, "supervisor", entry->supervisor);
	json_put_uint(&text, "started_us", entry->started_us);
	json_put_end(&text, '}');
	if (pwrite(r->fd, text.data, text.length, 0) == (ssize_t)text.length)
		(void)!ftruncate(r->fd, (off_t)text.length);
}

/* The holder has ended without leaving. */
static void registry_remove(int dir, const char *name, int fd)
{
	if (!registry_lock(fd, BYTE_REMOVER, F_WRLCK) && !registry_lock(fd, BYTE_HOLDER, F_RDLCK) &&
	    fd_is_named(fd, dir, name))
		unlinkat(dir, name, 0);
}

/* Open a place that is held, or remove it. Returns an owned descriptor, or -1. *pid: whose it is.
 */
static int registry_open_held(int dir, const char *name, pid_t *pid)
{
	auto_fd int fd = registry_open_place(dir, name, 0);

	if (fd < 0 || registry_locked(fd, pid) == F_WRLCK)
		return take_fd(&fd);
	registry_remove(dir, name, fd);
	return -1;
}

/* Remove the entries of holders that were killed: the first of many, so that a start stays quick.
 */
static void registry_sweep(int dir)
{
	auto_list struct list names = {0};

	(void)names_read(dir, SWEPT, &names);
	for (size_t i = 0; i < names.count; i++) {
		pid_t pid;
		int fd = registry_open_held(dir, names.items[i], &pid);

		own_close(&fd);
	}
}

int registry_enter(const char *name, const struct registry_entry *entry, struct registration *out,
		   struct err *e)
{
	*out = registration_none();
	out->dir = registry_directory(true, e);
	if (name)
		snprintf(out->name, sizeof(out->name), "%s", name);
	else if (entry->id && *entry->id)
		snprintf(out->name, sizeof(out->name), "%.*s", SHORT_ID, entry->id);
	else
		snprintf(out->name, sizeof(out->name), "%s-%d", entry->kind, (int)getpid());
	/* Before this process holds a lock, which it would lose with any descriptor of the file. */
	if (out->dir >= 0)
		registry_sweep(out->dir);
	if (out->dir < 0 || registry_take(out->dir, out->name, &out->fd, e)) {
		own_close(&out->dir);
		return name ? -1 : 0;
	}
	registry_write(out, entry);
	return 0;
}

struct registration registry_enter_face(const char *kind, const char *image, const char *command)
{
	const struct registry_entry entry = {.kind = kind,
					     .id = "",
					     .image = image,
					     .command = command,
					     .memory = "",
					     .started_us = monotonic_us()};
	struct registration place;
	struct err ignored;

	(void)registry_enter(NULL, &entry, &place, &ignored);
	return place;
}

int registry_rename(struct registration *r, const char *name, struct err *e)
{
	pid_t pid;
	int held;

	if (r->fd < 0 || !strcmp(r->name, name))
		return 0;
	held = registry_open_held(r->dir, name, &pid); /* or remove what a killed holder left */
	own_close(&held);
	if (linkat(r->dir, r->name, r->dir, name, 0))
		return errno == EEXIST ? registry_taken(name, e)
				       : err_sys(e, "take the name %.100s", name);
	(void)unlinkat(r->dir, r->name, 0);
	snprintf(r->name, sizeof(r->name), "%s", name);
	return 0;
}

void registry_leave(struct registration *r)
{
	if (r->fd >= 0)
		unlinkat(r->dir, r->name, 0);
	own_close(&r->fd);
	own_close(&r->dir);
}

/* -- reading --------------------------------------------------------------------------------- */

/* A place that is read: its texts are the document's. */
struct found {
	struct registered r;
	struct json *document; /* owned */
};

/* An owned document, or NULL. @until: its holder may be writing it. */
static struct json *registry_parse(int fd, const char *name, uint64_t until)
{
	struct json *document = NULL;

	do {
		auto_buf struct buf text = {0};
		struct err ignored;

		if (!lseek(fd, 0, SEEK_SET) && !io_read_fd(fd, name, ENTRY_BYTES, &text, &ignored))
			document = json_parse(buf_string(&text), text.length, &ignored);
	} while (!document && monotonic_us() < until && !sched_yield());
	return document;
}

/* Its texts are the document's. */
static struct registry_entry registry_entry_from(const struct json *document)
{
	const char *supervisor = json_text_at(document, "supervisor");

	return (struct registry_entry){
		.kind = json_text_at(document, "kind"),
		.id = json_text_at(document, "id"),
		.image = json_text_at(document, "image"),
		.command = json_text_at(document, "command"),
		.memory = json_text_at(document, "memory"),
		.supervisor = *supervisor == '/' && strlen(supervisor) < REGISTRY_SUPERVISOR
				      ? supervisor
				      : "",
		.started_us = document ? json_uint_at(document, "started_us", 0) : 0};
}

void registry_name_supervisor(const struct registration *r, const char *where)
{
	struct json *document = r->fd < 0 ? NULL : registry_parse(r->fd, r->name, 0);
	struct registry_entry entry;

	if (!document)
		return;
	entry = registry_entry_from(document);
	entry.supervisor = where ? where : "";
	registry_write(r, &entry);
	json_free(document);
}

/* false: nobody holds it. */
static bool registry_read(int dir, const char *name, uint64_t until, struct found *out)
{
	pid_t pid = 0;
	auto_fd int fd = registry_open_held(dir, name, &pid);

	*out = (struct found){.r.pid = pid};
	if (fd < 0)
		return false;
	snprintf(out->r.name, sizeof(out->r.name), "%s", name);
	out->document = registry_parse(fd, name, until);
	out->r.entry = registry_entry_from(out->document);
	return true;
}

static int registry_by_age(const void *a, const void *b)
{
	uint64_t x = ((const struct found *)a)->r.entry.started_us;
	uint64_t y = ((const struct found *)b)->r.entry.started_us;

	return x < y ? 1 : x > y ? -1 : 0;
}

int registry_each(void (*tell)(void *context, const struct registered *r), void *context,
		  struct err *e)
{
	auto_fd int dir = registry_directory(false, e);
	auto_list struct list names = {0};
	auto_free struct found *all = NULL;
	const uint64_t until = monotonic_us() + WRITING_US;
	size_t count = 0;

	if (dir < 0)
		return e->kind == ERR_NONE ? 0 : -1;
	if (names_read(dir, NAMES, &names) < 0)
		return err_sys(e, "read " FOLDER);
	all = own_zeroed(names.count + 1, sizeof(*all));
	for (size_t i = 0; i < names.count; i++)
		count += registry_read(dir, names.items[i], until, &all[count]);
	qsort(all, count, sizeof(*all), registry_by_age);
	for (size_t i = 0; i < count; i++) {
		tell(context, &all[i].r);
		json_free(all[i].document);
	}
	return 0;
}

/* The process that holds the place now; 0: none. */
static pid_t registry_holder(const char *name)
{
	struct err ignored;
	auto_fd int dir = registry_directory(false, &ignored);
	auto_fd int fd = dir >= 0 ? registry_open_place(dir, name, 0) : -1;
	pid_t pid = 0;

	return fd >= 0 && registry_locked(fd, &pid) == F_WRLCK ? pid : 0;
}

int registry_open(const struct registered *r, struct err *e)
{
	auto_fd int pidfd = -1;

	if (!r->pid)
		return err_set(e, ERR_UNSUPPORTED,
			       "%.100s runs in another pid namespace: end it there", r->name);
	pidfd = (int)syscall(SYS_pidfd_open, r->pid, 0);
	/* It held the place before the descriptor was opened, and it does now: this is it. */
	if (pidfd < 0 || registry_holder(r->name) != r->pid)
		return err_set(e, ERR_GONE, "%.100s has ended", r->name);
	return take_fd(&pidfd);
}
