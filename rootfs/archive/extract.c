/*
 * extract - unpack a hostile archive into a directory, and nowhere else.
 */
#include "extract.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/parse.h"
#include "base/say.h"
#include "fs/names.h"
#include "fs/remove_tree.h"
#include "interrupt.h"
#include "place.h"

#define LINES_MAX 10
#define WHITEOUT  ".wh."

void extract_init(struct extract *x, int root_fd, uint64_t bytes_max)
{
	*x = (struct extract){.root_fd = root_fd, .bytes_max = bytes_max, .parent_fd = -1};
}

static void extract_forget_parent(struct extract *x)
{
	own_close(&x->parent_fd);
	own_free(&x->parent_path);
}

void extract_fini(struct extract *x)
{
	extract_forget_parent(x);
}

static void extract_say(const char *what, const char *path, const char *why)
{
	struct err text = {0};

	err_set(&text, ERR_INPUT, "%s %.300s: %s", what, path ? path : "(unnamed)", why);
	say_error(&text);
}

/* Returns 0: a skipped entry does not end the import. */
static int extract_leave_out(struct extract *x, const char *path, const char *why)
{
	if (x->left_out++ < LINES_MAX)
		extract_say("left out", path, why);
	return 0;
}

void extract_report(const struct extract *x)
{
	if (x->left_out > LINES_MAX)
		fprintf(stderr, "glovebox: left out %" PRIu64 " more entries\n",
			x->left_out - LINES_MAX);
	if (x->cleared > LINES_MAX)
		fprintf(stderr, "glovebox: cleared setuid or setgid of %" PRIu64 " more files\n",
			x->cleared - LINES_MAX);
}

/*
 * The permission bits a file gets; directories get 0755. @path  without a leading "./".
 *
 * The importing user owns everything in the tree, because the ids in an archive mean nothing on
 * this host. A sandbox reads the tree under an id of its own: so all users get the owner's rights
 * to read and search (go+rX). The directory around the tree keeps other users of the host out
 * (tree_mode.h). Only the password hashes stay private, although programs in a sandbox do not use
 * them. Only the owner may write: all users can reach a shared tree, and a root's world-writable
 * /tmp would let any of them change the image. Setuid and setgid bits would give the owner's
 * rights, root's perhaps, to those same users.
 */
static mode_t extract_mode(const struct extract *x, const char *path, mode_t mode)
{
	static const char *const secrets[] = {"etc/shadow", "etc/gshadow", "etc/shadow-",
					      "etc/gshadow-"};

	if (x->place)
		return (x->place->has_mode ? x->place->mode : mode) & 07777;
	for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
		if (!strcmp(path, secrets[i]))
			return 0600;
	}
	if (x->is_saved)
		return mode & 0755;
	if (!(mode & 0400))
		return 0600;
	return (mode & 0700) | (mode & 0500) >> 3 | (mode & 0500) >> 6;
}

/* Set x->parent_fd to the parent directory of p. Returns NULL, or why that fails. */
static const char *extract_parent_open(struct extract *x, const struct place *p, bool make)
{
	auto_free char *path = place_parent(p);

	if (x->parent_fd >= 0 && !strcmp(path, x->parent_path))
		return NULL;
	extract_forget_parent(x);
	x->parent_fd = place_open(x->root_fd, path, make);
	if (x->parent_fd < 0)
		return "its directory cannot be made";
	x->parent_path = take_ptr(&path);
	return NULL;
}

static int extract_write_at(int fd, const char *data, size_t length, uint64_t offset)
{
	while (length) {
		ssize_t n = pwrite(fd, data, length, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data += n;
		length -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

static int extract_too_large(const struct extract *x, struct err *e)
{
	char size[24];

	return err_input(e, "the archive unpacks to more than %s; --max-size sets another limit",
			 format_size(x->bytes_max, size));
}

static int extract_copy_content(struct extract *x, struct reader *r, int fd, uint64_t size,
				struct err *e)
{
	const void *data;
	size_t length;
	uint64_t offset;
	int more;

	if (size > x->bytes_max - x->bytes)
		return extract_too_large(x, e);
	x->bytes += size;
	while ((more = reader_block(r, &data, &length, &offset, e)) > 0) {
		if (interrupt_check(e))
			return -1;
		if (offset > size || length > size - offset)
			return err_input(e, "an entry holds more than it says");
		if (extract_write_at(fd, data, length, offset))
			return err_sys(e, "write");
	}
	if (more == 0 && ftruncate(fd, (off_t)size))
		return err_sys(e, "write");
	return more;
}

static int extract_put_file(struct extract *x, struct reader *r, const struct place *p,
			    const struct entry *entry, struct err *e)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, entry->mtime};
	auto_fd int fd = openat(x->parent_fd, p->name,
				O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_sys(e, "create %s", p->path);
	if (extract_copy_content(x, r, fd, entry->size, e))
		return err_prefix(e, "%.200s", p->path);
	if (x->place && fchown(fd, x->place->uid, x->place->gid))
		return err_sys(e, "chown %s", p->path);
	if (!x->place && entry->mode & 06000 && x->cleared++ < LINES_MAX)
		extract_say("cleared", p->path, "setuid and setgid have no place in an image");
	if (fchmod(fd, extract_mode(x, p->path, entry->mode)))
		return err_sys(e, "chmod %s", p->path);
	/* Python trusts a .pyc only beside a source of the recorded age. */
	futimens(fd, times);
	return 0;
}

static int extract_remove(const struct extract *x, const char *name, struct err *e)
{
	return remove_tree(x->parent_fd, name, UINT64_MAX) ? err_sys(e, "remove %s", name) : 0;
}

/* Remove everything in the current directory. */
static int extract_clear(const struct extract *x, struct err *e)
{
	auto_list struct list names = {0};

	if (names_read(x->parent_fd, SIZE_MAX, &names) < 0)
		return err_sys(e, "read directory");
	for (size_t i = 0; i < names.count; i++) {
		if (extract_remove(x, names.items[i], e))
			return -1;
	}
	return 0;
}

/* Make a new directory or link. */
static int extract_own(const struct extract *x, const struct place *p, struct err *e)
{
	return x->place && fchownat(x->parent_fd, p->name, x->place->uid, x->place->gid,
				    AT_SYMLINK_NOFOLLOW)
		       ? err_sys(e, "chown %s", p->path)
		       : 0;
}

/* Files for /bin go to the target of a link of the root, as in docker. */
static bool extract_leads_to_directory(const struct extract *x, const struct place *p)
{
	auto_free char *path = own_strdup(p->path);
	auto_fd int fd = place_open(x->root_fd, path, false);

	return fd >= 0;
}

static int extract_put_directory(struct extract *x, const struct place *p,
				 const struct entry *entry, struct err *e)
{
	struct stat st;

	if (!*p->name)
		return 0;
	if (!fstatat(x->parent_fd, p->name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode))
		return 0;
	if (x->place && extract_leads_to_directory(x, p))
		return 0;
	if (extract_remove(x, p->name, e))
		return -1;
	if (mkdirat(x->parent_fd, p->name, 0755) ||
	    (x->place && fchmodat(x->parent_fd, p->name, extract_mode(x, p->path, entry->mode), 0)))
		return err_sys(e, "make directory %s", p->path);
	return extract_own(x, p, e);
}

static int extract_put_symlink(struct extract *x, const struct place *p, const struct entry *entry,
			       struct err *e)
{
	if (!entry->link || !*entry->link || strlen(entry->link) >= PLACE_BYTES_MAX)
		return extract_leave_out(x, p->path, "a symbolic link without a usable target");
	if (extract_remove(x, p->name, e))
		return -1;
	return symlinkat(entry->link, x->parent_fd, p->name) ? err_sys(e, "link %s", p->path)
							     : extract_own(x, p, e);
}

static int extract_put_hardlink(struct extract *x, const struct place *p, const struct entry *entry,
				struct err *e)
{
	struct place target;
	auto_free char *dir = NULL;
	auto_fd int from = -1;
	struct stat there;
	struct stat here;

	if (place_set(&target, entry->link) || !*target.name)
		return extract_leave_out(x, p->path, "a hard link to outside of the tree");
	dir = place_parent(&target);
	from = place_open(x->root_fd, dir, false);
	if (from < 0 || fstatat(from, target.name, &there, AT_SYMLINK_NOFOLLOW) ||
	    (!S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode)))
		return extract_leave_out(x, p->path, "a hard link to no file of the tree");
	if (!fstatat(x->parent_fd, p->name, &here, AT_SYMLINK_NOFOLLOW) &&
	    here.st_ino == there.st_ino)
		return 0;
	if (extract_remove(x, p->name, e))
		return -1;
	if (!linkat(from, target.name, x->parent_fd, p->name, 0))
		return 0;
	/* The target was inside the directory that was removed for the link. */
	return errno == ENOENT ? extract_leave_out(x, p->path, "a hard link to no file of the tree")
			       : err_sys(e, "link %s", p->path);
}

/* ".wh.NAME" hides NAME of lower layers, ".wh..wh..opq" all of their files in its directory. */
static int extract_apply_whiteout(struct extract *x, const struct place *p, struct err *e)
{
	const char *hidden = p->name + strlen(WHITEOUT);

	if (extract_parent_open(x, p, false))
		return 0;
	if (!strcmp(p->name, WHITEOUT WHITEOUT ".opq"))
		return extract_clear(x, e);
	if (!strncmp(hidden, WHITEOUT, strlen(WHITEOUT)))
		return 0; /* aufs keeps its own records under such names */
	if (!*hidden || !strcmp(hidden, ".") || !strcmp(hidden, ".."))
		return extract_leave_out(x, p->path, "a whiteout of nothing");
	return extract_remove(x, hidden, e);
}

static int extract_put(struct extract *x, struct reader *r, const struct place *p,
		       const struct entry *entry, struct err *e)
{
	switch (entry->type) {
	case ENTRY_FILE:
		if (extract_remove(x, p->name, e))
			return -1;
		return extract_put_file(x, r, p, entry, e);
	case ENTRY_DIRECTORY:
		return extract_put_directory(x, p, entry, e);
	case ENTRY_SYMLINK:
		return extract_put_symlink(x, p, entry, e);
	case ENTRY_HARDLINK:
		return extract_put_hardlink(x, p, entry, e);
	case ENTRY_SPECIAL:
		break;
	}
	return extract_leave_out(x, p->path, entry->special);
}

static int extract_apply(struct extract *x, struct reader *r, const struct entry *entry,
			 enum extract_pass pass, struct err *e)
{
	struct place p;
	const char *why = place_set(&p, entry->path);
	bool whiteout = !why && !strncmp(p.name, WHITEOUT, strlen(WHITEOUT));

	if (pass == EXTRACT_WHITEOUTS)
		return whiteout ? extract_apply_whiteout(x, &p, e) : 0;
	if (pass == EXTRACT_CONTENT && whiteout)
		return 0;
	if (!why && !*p.name)
		return entry->type == ENTRY_DIRECTORY
			       ? 0
			       : extract_leave_out(x, ".", "it names the root");
	if (!why)
		why = extract_parent_open(x, &p, true);
	return why ? extract_leave_out(x, entry->path, why) : extract_put(x, r, &p, entry, e);
}

/* A name of the archive below the prefix; NULL for none, and for one that place_set() refuses. */
static char *extract_below(const struct extract_place *place, const char *name)
{
	if (!name || *name == '/')
		return NULL;
	return *place->prefix ? own_printf("%s/%s", place->prefix, name) : own_strdup(name);
}

static int extract_apply_at(struct extract *x, struct reader *r, const struct entry *entry,
			    enum extract_pass pass, struct err *e)
{
	const struct extract_place *place = x->place;
	bool alone = place->alone && x->entries == 1 && entry->type == ENTRY_FILE;
	auto_free char *path = alone ? own_strdup(place->alone) : extract_below(place, entry->path);
	auto_free char *link = extract_below(place, entry->link);
	struct entry placed = *entry;

	placed.path = path;
	if (entry->type == ENTRY_HARDLINK)
		placed.link = link;
	return extract_apply(x, r, &placed, pass, e);
}

int extract_archive(struct extract *x, struct reader *r, enum extract_pass pass, struct err *e)
{
	struct entry entry;
	int more;

	while ((more = reader_next(r, &entry, e)) > 0) {
		if (interrupt_check(e))
			return -1;
		if (x->entries++ >= EXTRACT_ENTRIES_MAX)
			return err_input(e, "the archive has more than %d entries",
					 EXTRACT_ENTRIES_MAX);
		if (x->place ? extract_apply_at(x, r, &entry, pass, e)
			     : extract_apply(x, r, &entry, pass, e))
			return -1;
	}
	return more;
}
