/*
 * record - what is known of a sandbox that stays, while it runs and after its end.
 */
#include "record/record.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/utf8.h"
#include "fs/lock.h"
#include "fs/names.h"
#include "fs/state_dir.h"
#include "fs/state_file.h"
#include "loop/clock.h"

#define STATE_BYTES (64u << 20) /* a result lists files */
#define RECORDS     100000
#define UPDATE_US   10000000

static const char *const state_names[] = {[RECORD_CREATED] = "created",
					  [RECORD_STARTING] = "starting",
					  [RECORD_RUNNING] = "running",
					  [RECORD_PAUSED] = "paused",
					  [RECORD_HIBERNATED] = "hibernated",
					  [RECORD_EXITED] = "exited",
					  [RECORD_LOST] = "lost"};

/* -- reading --------------------------------------------------------------------------------- */

static struct json *record_read_json(int dir, const char *name, size_t max)
{
	auto_fd int fd = state_file_open(dir, name, O_RDONLY);
	auto_buf struct buf text = {0};
	struct err ignored;

	if (fd < 0 || io_read_fd(fd, name, max, &text, &ignored))
		return NULL;
	return json_parse(buf_string(&text), text.length, &ignored);
}

struct json *record_read_what(int dir)
{
	return record_read_json(dir, RECORD_WHAT, RECORD_BYTES);
}

/* Its monitor has the lock as long as it lives. */
static bool record_is_locked(const struct record *r)
{
	auto_fd int fd = state_file_open(r->dir, RECORD_WHAT, O_RDONLY);

	/* Without an answer it counts as locked: what is not is taken for ended. */
	return fd < 0 ? errno != ENOENT : flock(fd, LOCK_SH | LOCK_NB) != 0;
}

static enum record_state record_state_of(const char *says)
{
	for (unsigned i = 0; says && i < sizeof(state_names) / sizeof(state_names[0]); i++) {
		if (!strcmp(says, state_names[i]))
			return (enum record_state)i;
	}
	return RECORD_STARTING;
}

static void record_judge(struct record *r)
{
	const bool locked = record_is_locked(r); /* first: it writes its end before it leaves */
	const char *says;

	json_free(r->how);
	r->how = record_read_json(r->dir, RECORD_HOW, STATE_BYTES);
	says = r->how ? json_string_at(r->how, "state") : NULL;
	r->state = record_state_of(says);
	if (!locked && r->state != RECORD_EXITED && r->state != RECORD_CREATED)
		r->state = RECORD_LOST;
}

bool record_is_id(const char *word)
{
	return strlen(word) == RECORD_ID - 1 && strspn(word, "0123456789abcdef") == RECORD_ID - 1;
}

void record_read_name(struct record *r)
{
	const char *said = json_string_at(r->what, "name");
	ssize_t n = readlinkat(r->dir, RECORD_OWN_NAME, r->name, sizeof(r->name) - 1);

	if (n > 0)
		r->name[n] = '\0';
	else
		snprintf(r->name, sizeof(r->name), "%s", said ? said : r->id);
}

/* false: there is none, or it is being made. */
static bool record_read(int folder, const char *id, struct record *out)
{
	const char *says;

	*out = (struct record){.dir = -1};
	if (!record_is_id(id))
		return false;
	out->dir = openat(folder, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	out->what = out->dir < 0 ? NULL : record_read_what(out->dir);
	says = out->what ? json_string_at(out->what, "id") : NULL;
	if (!says || strcmp(says, id) != 0) {
		record_fini(out);
		return false;
	}
	snprintf(out->id, sizeof(out->id), "%s", id);
	record_read_name(out);
	record_judge(out);
	return true;
}

bool record_read_id(const char *id, struct record *out)
{
	struct err ignored;
	auto_fd int folder = state_dir_open(RECORD_FOLDER, false, &ignored);

	return record_read(folder, id, out);
}

void record_fini(struct record *r)
{
	json_free(r->what);
	json_free(r->how);
	own_close(&r->dir);
	*r = (struct record){.dir = -1};
}

bool record_named(const char *name, struct record *out)
{
	struct err ignored;
	auto_fd int names = strchr(name, '/') ? -1 : state_dir_open(RECORD_NAMES, false, &ignored);
	char id[RECORD_ID];
	ssize_t n = names < 0 ? -1 : readlinkat(names, name, id, sizeof(id) - 1);

	*out = (struct record){.dir = -1};
	id[n > 0 ? n : 0] = '\0';
	if (n <= 0 || !record_read_id(id, out))
		return false;
	if (!strcmp(out->name, name))
		return true;
	record_fini(out);
	return false;
}

/* The ids that begin so: their number, and the first in @id. */
static unsigned record_count(int folder, const char *word, char id[RECORD_ID])
{
	auto_list struct list all = {0};
	unsigned count = 0;

	(void)names_read(folder, RECORDS, &all);
	for (size_t i = 0; i < all.count; i++) {
		if (strncmp(all.items[i], word, strlen(word)) != 0 || !record_is_id(all.items[i]))
			continue;
		if (!count++)
			snprintf(id, RECORD_ID, "%s", all.items[i]);
	}
	return count;
}

int record_find_id(const char *word, struct record *out, struct err *e)
{
	auto_fd int folder = state_dir_open(RECORD_FOLDER, false, e);
	char id[RECORD_ID];
	unsigned count;

	*out = (struct record){.dir = -1};
	if (folder < 0 && e->kind != ERR_NONE)
		return -1;
	count = folder >= 0 && *word ? record_count(folder, word, id) : 0;
	if (count > 1)
		return err_input(e, "%.70s begins %u ids: more digits tell which", word, count);
	return count && record_read(folder, id, out)
		       ? 0
		       : err_set(e, ERR_NOT_FOUND, "No such container: %.100s", word);
}

/* A name may look like the id of another. */
int record_find(const char *word, struct record *out, struct err *e)
{
	return record_read_id(word, out) || record_named(word, out) ? 0
								    : record_find_id(word, out, e);
}

static int record_by_age(const void *a, const void *b)
{
	uint64_t x = json_uint_at(((const struct record *)a)->what, "created_ms", 0);
	uint64_t y = json_uint_at(((const struct record *)b)->what, "created_ms", 0);

	return x < y ? 1 : x > y ? -1 : 0;
}

int record_each_but(const struct list *ids, void (*tell)(void *context, const struct record *r),
		    void *context, struct err *e)
{
	auto_fd int folder = state_dir_open(RECORD_FOLDER, false, e);
	auto_list struct list all = {0};
	auto_free struct record *records = NULL;
	size_t count = 0;

	if (folder < 0)
		return e->kind == ERR_NONE ? 0 : -1;
	if (names_read(folder, RECORDS, &all) < 0)
		return err_sys(e, "read the records of sandboxes that stay");
	records = own_zeroed(all.count + 1, sizeof(*records));
	for (size_t i = 0; i < all.count; i++) {
		if (ids && list_has(ids, all.items[i]))
			continue;
		/* Descriptors of many at once are none of the caller's. */
		if (record_read(folder, all.items[i], &records[count]))
			own_close(&records[count++].dir);
	}
	qsort(records, count, sizeof(*records), record_by_age);
	for (size_t i = 0; i < count; i++) {
		tell(context, &records[i]);
		record_fini(&records[i]);
	}
	return 0;
}

int record_each(void (*tell)(void *context, const struct record *r), void *context, struct err *e)
{
	return record_each_but(NULL, tell, context, e);
}

const char *record_image(const struct record *r)
{
	const char *named = json_text_at(r->what, "image_named");

	return *named ? named : json_text_at(r->what, "image");
}

int record_check_words(char *const *words, size_t count, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		if (!utf8_is_valid(words[i], strlen(words[i])))
			return err_input(e,
					 "a word of a sandbox that stays must be UTF-8: \"%.100s\"",
					 words[i]);
	}
	return 0;
}

const char *record_state_name(enum record_state state)
{
	return state_names[state];
}

bool record_has_volume(const struct record *r, const char *name)
{
	const struct json *mounts = json_get(r->what, "mounts");

	for (const struct json *m = json_first(mounts); m; m = json_next(m)) {
		const char *volume = json_string_at(m, "name");

		if (volume && !strcmp(volume, name))
			return true;
	}
	return false;
}

bool record_stands_still(const struct record *r)
{
	return r->state == RECORD_PAUSED || r->state == RECORD_HIBERNATED;
}

bool record_runs(const struct record *r)
{
	return r->state == RECORD_STARTING || r->state == RECORD_RUNNING || record_stands_still(r);
}

int record_exit_code(const struct record *r)
{
	return r->state == RECORD_EXITED ? (int)json_uint_at(r->how, "exit_code", 125) : -1;
}

struct json *record_update(const struct record *r)
{
	return record_read_json(r->dir, RECORD_UPDATE, RECORD_BYTES);
}

int record_lock_update(const struct record *r, struct err *e)
{
	return lock_within(r->dir, LOCK_EX, UPDATE_US)
		       ? err_set(e, ERR_BUSY, "%.100s is being updated, or started", record_name(r))
		       : 0;
}

int record_hold(const struct record *r, struct err *e)
{
	auto_fd int fd = state_file_open(r->dir, RECORD_AGAIN, O_RDONLY | O_CREAT);

	/* Its monitor may look at this moment. */
	if (fd < 0 || lock_within(fd, LOCK_SH, UPDATE_US))
		return err_sys(e, "hold the record of %.100s", record_name(r));
	return take_fd(&fd);
}

bool record_is_held(int dir)
{
	auto_fd int fd = state_file_open(dir, RECORD_AGAIN, O_RDONLY);

	return fd >= 0 && lock_within(fd, LOCK_EX, 0) != 0;
}

int record_await_end(struct record *r, uint64_t until_us, struct err *e)
{
	auto_fd int fd = state_file_open(r->dir, RECORD_WHAT, O_RDONLY);

	/* Without the file the record was removed at its end. */
	while (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB)) {
		if (monotonic_us() > until_us)
			return err_set(e, ERR_BUSY, "%.100s has not ended yet", record_name(r));
		clock_pause_us(1000);
	}
	record_judge(r);
	return 0;
}
