/*
 * record_names - the names of sandboxes that stay: links in STATE/names, each to an id.
 */
#include "record/record_names.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/own.h"
#include "fs/lock.h"
#include "fs/names.h"
#include "fs/state_dir.h"
#include "fs/state_file.h"
#include "record/event.h"

#define NAMES_LOCK ".lock" /* no name begins with a point */
#define LOCK_US    10000000
#define NAMES_MOST 100000
#define NAME_NEW   "name.new"

/* The id that a link in names/ leads to. Returns false if there is none. */
static bool record_names_follow(int names, const char *name, char id[RECORD_ID])
{
	ssize_t n = strchr(name, '/') ? -1 : readlinkat(names, name, id, RECORD_ID - 1);

	id[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static int record_names_lock(int names, struct err *e)
{
	auto_fd int fd = state_file_open(names, NAMES_LOCK, O_RDWR | O_CREAT);

	if (fd >= 0 && !lock_within(fd, LOCK_EX, LOCK_US))
		return take_fd(&fd);
	return fd >= 0 && errno == EWOULDBLOCK
		       ? err_set(e, ERR_BUSY,
				 "a process of yours holds " RECORD_NAMES "/" NAMES_LOCK
				 " of sandboxes that stay, and does not go on: end it")
		       : err_sys(e, "lock the names of sandboxes that stay");
}

int record_names_check(const char *name, struct err *e)
{
	auto_record struct record other = {.dir = -1};

	return record_named(name, &other)
		       ? err_set(e, ERR_EXISTS,
				 "Conflict. The container name \"/%.100s\" is already in use by "
				 "%.12s: remove or rename that, or choose another name",
				 name, other.id)
		       : 0;
}

/* Below the lock. A link that does not count makes way. */
static int record_names_link(int names, const char *name, const char *id, struct err *e)
{
	if (record_names_check(name, e))
		return -1;
	(void)unlinkat(names, name, 0);
	return symlinkat(id, names, name) ? err_sys(e, "take the name %.100s", name) : 0;
}

/* Below the lock. */
static void record_names_unlink(int names, const char *name, const char *id)
{
	char of[RECORD_ID];

	if (record_names_follow(names, name, of) && !strcmp(of, id))
		(void)unlinkat(names, name, 0);
}

int record_names_take(const char *name, const char *id, struct err *e)
{
	auto_fd int names = state_dir_open(RECORD_NAMES, true, e);
	auto_fd int lock = names < 0 ? -1 : record_names_lock(names, e);

	return lock < 0 ? -1 : record_names_link(names, name, id, e);
}

void record_names_free(const char *name, const char *id)
{
	struct err ignored;
	auto_fd int names = state_dir_open(RECORD_NAMES, false, &ignored);
	auto_fd int lock = names < 0 ? -1 : record_names_lock(names, &ignored);

	if (lock >= 0)
		record_names_unlink(names, name, id);
}

/* A record that cannot be opened just now (EMFILE) keeps its name. */
static bool record_names_leads_nowhere(int names, const char *name)
{
	auto_record struct record r = {.dir = -1};
	auto_fd int folder = -1;
	struct err ignored;
	char id[RECORD_ID];
	ssize_t n = readlinkat(names, name, id, sizeof(id) - 1);

	if (n < 0)
		return errno == EINVAL; /* it is not a link */
	if (n != RECORD_ID - 1)
		return true;
	id[n] = '\0';
	if (!record_find(id, &r, &ignored))
		return strcmp(r.name, name) != 0;
	folder = state_dir_open(RECORD_FOLDER, false, &ignored);
	return folder >= 0 && faccessat(folder, id, F_OK, AT_SYMLINK_NOFOLLOW) && errno == ENOENT;
}

/* A name is given below the lock, so that none is about to count. */
void record_names_sweep(void)
{
	struct err ignored;
	auto_fd int names = state_dir_open(RECORD_NAMES, false, &ignored);
	auto_fd int lock = names < 0 ? -1 : record_names_lock(names, &ignored);
	auto_list struct list all = {0};

	if (lock < 0)
		return;
	(void)names_read(names, NAMES_MOST, &all);
	for (size_t i = 0; i < all.count; i++) {
		if (strcmp(all.items[i], NAMES_LOCK) != 0 &&
		    record_names_leads_nowhere(names, all.items[i]))
			(void)unlinkat(names, all.items[i], 0);
	}
}

/* From now on the record says that name: a rename(2) of a link. */
static int record_names_say(int dir, const char *name)
{
	(void)unlinkat(dir, NAME_NEW, 0);
	return symlinkat(name, dir, NAME_NEW) || renameat(dir, NAME_NEW, dir, RECORD_OWN_NAME) ? -1
											       : 0;
}

int record_names_change(int dir, const char *id, char name[RECORD_NAME], const char *to,
			struct err *e)
{
	auto_fd int names = state_dir_open(RECORD_NAMES, true, e);
	auto_fd int lock = names < 0 ? -1 : record_names_lock(names, e);

	if (lock < 0)
		return -1;
	if (!strcmp(name, to))
		return err_input(e, "Renaming a container with the same name as its current name");
	if (record_names_link(names, to, id, e))
		return -1;
	if (record_names_say(dir, to)) {
		(void)err_sys(e, "write the name of %.100s", name);
		record_names_unlink(names, to, id);
		return -1;
	}
	record_names_unlink(names, name, id);
	own_close(&lock);
	event_write_of(id, &(struct event){.action = "rename", .old_name = name});
	snprintf(name, RECORD_NAME, "%s", to);
	return 0;
}
