/*
 * put - unpack the tar on descriptor 0 below a directory.
 */
#include "mover/put.h"

#include <fcntl.h>

#include "inside/sys.h"
#include "mover/beneath.h"
#include "mover/input.h"
#include "mover/note.h"
#include "mover/path.h"
#include "mover/pax_read.h"
#include "mover/pending.h"
#include "mover/place.h"
#include "mover/remove.h"
#include "mover/tar_read.h"

static struct beneath put_ways;
static struct beneath put_target_ways; /* of hard links, so that the others stay open */
static struct tar_entry put_entry;
static char put_extra[TAR_EXTRA];
static const char *put_top; /* the only name at the top; NULL: any */
static bool put_is_layer;   /* what it holds was changed in this root */

/* Each of these returns whether the rest of the stream can be unpacked, or has said why not. */
static bool put_fail(const char *text, long error)
{
	note_failure(text, put_entry.name, error);
	return false;
}

/* A header that goes before that of a member. */
static bool put_before(void)
{
	size_t size = (size_t)put_entry.follows;
	const char *wrong;

	if (put_entry.kind == TAR_PAX_GLOBAL)
		return input_skip(put_entry.follows) && input_padding(put_entry.follows);
	if (put_entry.follows > TAR_EXTRA) {
		note_failure("a header is too long", NULL, 0);
		return false;
	}
	if (!input_copy(put_extra, size) || !input_padding(put_entry.follows))
		return false;
	if (put_entry.kind == TAR_PAX)
		wrong = pax_read(put_extra, size, &put_entry);
	else
		wrong = tar_read_long(put_extra, size, put_entry.kind, &put_entry);
	if (wrong)
		note_failure(wrong, NULL, 0);
	return !wrong;
}

static bool put_leave_out(void)
{
	static const char *const texts[] = {
		[TAR_SPECIAL] = "a device or FIFO",
		[TAR_SPARSE] = "a sparse file",
		[TAR_UNKNOWN] = "a member of an unknown type",
	};

	note_left_out(texts[put_entry.kind], put_entry.name, 0);
	while (put_entry.goes_on) {
		const unsigned char *block = input_block();

		if (!block)
			return false;
		put_entry.goes_on = tar_read_goes_on(block);
	}
	return true;
}

/* Whether a clean path begins with the one name that was asked for. */
static bool put_is_wanted(const char *path)
{
	size_t i = 0;

	while (put_top && put_top[i]) {
		if (path[i] != put_top[i])
			return false;
		i++;
	}
	return !put_top || !path[i] || path[i] == '/';
}

static bool put_directory(int dir, const char *name, size_t length)
{
	long done = place_directory(dir, name, put_entry.mode);

	if (done == PLACE_STAYS && put_is_layer)
		done = place_change_directory(dir, name, put_entry.mode);
	if (done < 0)
		return put_fail("make a directory", done);
	if (done != PLACE_STAYS)
		pending_add(put_entry.name, length, &put_entry);
	return true;
}

static bool put_hard_link(int dir, const char *name)
{
	size_t length;
	size_t last;
	const char *wrong = path_clean(put_entry.link, &length);
	long done;

	if (wrong || !length)
		return put_fail(wrong ? wrong : "a hard link to nothing", 0);
	if (!put_is_wanted(put_entry.link))
		return put_fail("a hard link to what was not asked for", 0);
	last = path_last(put_entry.link, length);
	done = beneath_open(&put_target_ways, put_entry.link, last ? last - 1 : 0, false);
	if (done >= 0)
		done = place_hard_link(dir, name, (int)done, put_entry.link + last);
	return done < 0 ? put_fail("make a hard link", done) : true;
}

static bool put_link(int dir, const char *name)
{
	long done = place_link(dir, name, &put_entry);

	return done < 0 ? put_fail("make a link", done) : true;
}

static bool put_gone(int dir, const char *name)
{
	long done = remove_all(dir, name);

	return done < 0 ? put_fail("remove", done) : true;
}

/* A member whose name is clean and has a last part. */
static bool put_make(size_t length)
{
	size_t last = path_last(put_entry.name, length);
	const char *name = put_entry.name + last;
	int dir;

	pending_leave(&put_ways, put_entry.name, length);
	dir = beneath_open(&put_ways, put_entry.name, last ? last - 1 : 0, true);
	if (dir < 0)
		return put_fail("open the directory of", dir);
	/* Pid 1 has mounted something there: what it made for that stays. */
	if (put_is_layer && place_is_mount(dir, name))
		return put_entry.kind != TAR_FILE || input_skip(put_entry.follows);
	switch (put_entry.kind) {
	case TAR_DIRECTORY:
		return put_directory(dir, name, length);
	case TAR_LINK:
		return put_link(dir, name);
	case TAR_HARD_LINK:
		return put_hard_link(dir, name);
	case TAR_SPECIAL:
		return put_gone(dir, name);
	default:
		return place_file(dir, name, &put_entry);
	}
}

static bool put_member(void)
{
	bool is_file = put_entry.kind == TAR_FILE;
	long long follows = put_entry.follows;
	size_t length;

	if (put_entry.kind >= TAR_SPECIAL && !(put_is_layer && put_entry.kind == TAR_SPECIAL)) {
		if (!put_leave_out())
			return false;
	} else {
		const char *wrong = path_clean(put_entry.name, &length);

		if (wrong || (!length && put_entry.kind != TAR_DIRECTORY))
			return put_fail(wrong ? wrong : "a member without a name", 0);
		if (length && !put_is_wanted(put_entry.name))
			return put_fail("a member that was not asked for", 0);
		if (length && !put_make(length))
			return false;
	}
	put_entry.given = 0;
	return (is_file || input_skip(follows)) && input_padding(follows);
}

static bool put_next(void)
{
	const unsigned char *block = input_block();
	const char *wrong;

	if (!block)
		return false;
	wrong = tar_read_header(block, &put_entry);
	if (wrong)
		note_failure(wrong, NULL, 0);
	if (wrong || put_entry.kind == TAR_END)
		return false;
	return put_entry.kind >= TAR_PAX ? put_before() : put_member();
}

void put_lay(void)
{
	put_is_layer = true;
	place_take_empty(); /* pid 1 makes again what the program has replaced: -w, mount points */
	put_run("/", NULL);
}

void put_run(const char *directory, const char *top)
{
	long root = sys_openat(AT_FDCWD, directory, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);

	put_top = top;
	if (root < 0)
		note_failure("open", directory, root);
	else {
		sys1(__NR_umask, 0); /* modes are the tar's */
		beneath_init(&put_ways, (int)root);
		beneath_init(&put_target_ways, (int)root);
		while (put_next())
			;
		pending_leave(&put_ways, "", 0);
	}
	input_drain();
}
