/*
 * event - what becomes of sandboxes that stay: a line for each event, in STATE/events/lines.
 */
#include "record/event.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/json_put.h"
#include "base/list.h"
#include "base/own.h"
#include "fs/lock.h"
#include "fs/state_dir.h"
#include "fs/state_file.h"
#include "loop/fd.h"

#define LOCK_US      100000 /* a writer that is stopped meanwhile is not waited for */
#define DETAIL_BYTES 300

/* -- the line -------------------------------------------------------------------------------- */

static bool event_has(const struct list *attributes, const char *key, size_t length)
{
	for (size_t i = 0; i < attributes->count; i++) {
		if (!strncmp(attributes->items[i], key, length) &&
		    attributes->items[i][length] == '=')
			return true;
	}
	return false;
}

/* KEY=VALUE each, in the order of their keys. */
static void event_list(const struct record *r, const struct event *what, bool labels,
		       struct list *out)
{
	const struct json *l = labels ? json_get(r->what, "labels") : NULL;

	list_addf(out, "image=%s", json_text_at(r->what, "image"));
	list_addf(out, "name=%s", record_name(r));
	if (what->old_name)
		list_addf(out, "oldName=/%s", what->old_name);
	if (what->ports)
		list_addf(out, "ports=%s", what->ports);
	if (what->signal)
		list_addf(out, "signal=%d", what->signal);
	if (what->exec)
		list_addf(out, "execID=%u", what->exec);
	if (what->ended)
		list_addf(out, "exitCode=%d", what->exit_code);
	for (l = l ? json_first(l) : NULL; l; l = json_next(l)) {
		const char *text = json_string(l) ? json_string(l) : "";
		const char *equals = strchr(text, '=');

		if (!event_has(out, text, strcspn(text, "=")))
			list_addf(out, "%s%s", text, equals ? "" : "=");
	}
	list_sort(out);
}

static void event_add_actor(const struct record *r, const struct event *what, bool labels,
			    struct buf *out)
{
	auto_list struct list attributes = {0};

	event_list(r, what, labels, &attributes);
	json_put_begin(out, "Actor", '{');
	json_put_text(out, "ID", r->id);
	json_put_begin(out, "Attributes", '{');
	for (size_t i = 0; i < attributes.count; i++) {
		char *key = attributes.items[i];
		char *value = key + strcspn(key, "=");

		*value = '\0';
		json_put_text(out, key, value + 1);
	}
	json_put_end(out, '}');
	json_put_end(out, '}');
}

/* @whole  with its labels and details. */
static void event_build(const struct record *r, const struct event *what, bool whole,
			const struct timespec *now, struct buf *out)
{
	auto_free char *nanoseconds =
		own_printf("%llu", (unsigned long long)now->tv_sec * 1000000000 +
					   (unsigned long long)now->tv_nsec);
	auto_free char *action = whole && what->detail ? own_printf("%s: %.*s", what->action,
								    DETAIL_BYTES, what->detail)
						       : own_strdup(what->action);

	json_put_begin(out, NULL, '{');
	json_put_text(out, "status", action);
	json_put_text(out, "id", r->id);
	json_put_text(out, "from", json_text_at(r->what, "image"));
	json_put_text(out, "Type", "container");
	json_put_text(out, "Action", action);
	event_add_actor(r, what, whole, out);
	json_put_text(out, "scope", "local");
	json_put_uint(out, "time", (uint64_t)now->tv_sec);
	json_put_text(out, "timeNano", nanoseconds); /* a number of JSON is a double here */
	json_put_end(out, '}');
	buf_text(out, "\n");
}

/* -- the file -------------------------------------------------------------------------------- */

/*
 * Owned and locked; nobody writes to a file behind the lock that made it the old one. -1: none.
 * @size  out: its bytes.
 */
static int event_open(int dir, off_t *size)
{
	for (int tries = 0; tries < 5; tries++) {
		auto_fd int fd = state_file_open(dir, EVENT_LINES, O_WRONLY | O_CREAT | O_APPEND);
		struct stat st;

		if (fd < 0)
			return -1;
		(void)lock_within(fd, LOCK_EX, LOCK_US);
		if (fstat(fd, &st) || !fd_is_named(fd, dir, EVENT_LINES))
			continue;
		*size = st.st_size;
		if (*size < EVENT_MOST || renameat(dir, EVENT_LINES, dir, EVENT_OLD))
			return take_fd(&fd);
	}
	return -1;
}

void event_write(const struct record *r, const struct event *what)
{
	struct err ignored;
	auto_fd int dir = state_dir_open(EVENT_FOLDER, true, &ignored);
	off_t size = 0;
	auto_fd int fd = dir < 0 ? -1 : event_open(dir, &size);
	auto_buf struct buf line = {0};
	struct timespec now;

	if (fd < 0)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	event_build(r, what, true, &now, &line);
	if (line.length >= PIPE_BUF) {
		buf_cut(&line, 0);
		event_build(r, what, false, &now, &line);
	}
	if (write(fd, line.data, line.length) != (ssize_t)line.length)
		(void)!ftruncate(fd, size); /* a line that was cut would hide the next one */
}

void event_write_of(const char *id, const struct event *what)
{
	auto_record struct record r = {.dir = -1};

	if (record_read_id(id, &r))
		event_write(&r, what);
}
