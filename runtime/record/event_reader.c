/*
 * event_reader - read the events of sandboxes that stay, and follow them.
 */
#include "record/event_reader.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/fd_path.h"
#include "base/own.h"
#include "fs/state_dir.h"
#include "fs/state_file.h"
#include "loop/fd.h"
#include "record/event.h"

#define LINE_MOST 65536 /* bytes; nothing of ours is so long */

struct event_reader {
	int dir;     /* owned */
	int changes; /* owned; inotify(7) of it */
	int fd;      /* owned; the file that is read; -1: none yet */
	struct buf rest;
};

struct event_reader *event_reader_open(struct err *e)
{
	struct event_reader *r = own_zeroed(1, sizeof(*r));

	r->fd = -1;
	r->changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	r->dir = state_dir_open(EVENT_FOLDER, true, e);
	if (r->dir >= 0 && r->changes >= 0 &&
	    inotify_add_watch(r->changes, fd_path(r->dir).text,
			      IN_MODIFY | IN_CREATE | IN_MOVED_TO) >= 0)
		return r;
	if (r->dir >= 0)
		(void)err_sys(e, "watch the events of sandboxes that stay");
	event_reader_close(r);
	return NULL;
}

/* Go on with the file behind the one that is read. Returns false if there is none. */
static bool event_reader_advance(struct event_reader *r)
{
	/* A file that is neither of both has been removed meanwhile: the older of both is next. */
	const bool old = r->fd < 0 || !fd_is_named(r->fd, r->dir, EVENT_OLD);
	int fd = -1;

	if (r->fd >= 0 && fd_is_named(r->fd, r->dir, EVENT_LINES))
		return false;
	if (old)
		fd = state_file_open(r->dir, EVENT_OLD, O_RDONLY);
	if (fd < 0)
		fd = state_file_open(r->dir, EVENT_LINES, O_RDONLY);
	if (fd < 0)
		return false;
	own_close(&r->fd);
	r->fd = fd;
	buf_cut(&r->rest, 0);
	return true;
}

static bool event_reader_tell(struct event_reader *r,
			      bool (*tell)(void *context, const struct json *event), void *context)
{
	char *at = r->rest.data;
	char *end = at + r->rest.length;
	char *newline;
	bool more = true;

	while (more && at < end && (newline = memchr(at, '\n', (size_t)(end - at)))) {
		struct err ignored;
		auto_json struct json *event = json_parse(at, (size_t)(newline - at), &ignored);

		if (event && json_is_object(event))
			more = tell(context, event);
		at = newline + 1;
	}
	if (at > r->rest.data)
		memmove(r->rest.data, at, (size_t)(end - at));
	buf_cut(&r->rest, end - at > LINE_MOST ? 0 : (size_t)(end - at));
	return more;
}

bool event_reader_read(struct event_reader *r,
		       bool (*tell)(void *context, const struct json *event), void *context)
{
	char bytes[16384];
	ssize_t n;

	while (read(r->changes, bytes, sizeof(bytes)) > 0)
		;
	if (r->fd < 0 && !event_reader_advance(r))
		return true;
	do {
		/* A file that is the old one by now is written to no more. */
		const bool current = fd_is_named(r->fd, r->dir, EVENT_LINES);

		while ((n = read(r->fd, bytes, sizeof(bytes))) > 0) {
			buf_add(&r->rest, bytes, (size_t)n);
			if (!event_reader_tell(r, tell, context))
				return false;
		}
		if (current)
			return true;
	} while (event_reader_advance(r));
	return true;
}

int event_reader_fd(const struct event_reader *r)
{
	return r->changes;
}

void event_reader_close(struct event_reader *r)
{
	own_close(&r->dir);
	own_close(&r->changes);
	own_close(&r->fd);
	buf_fini(&r->rest);
	free(r);
}
