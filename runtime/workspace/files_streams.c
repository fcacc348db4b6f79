/*
 * files_streams - what goes to mover, and what comes from it.
 */
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/parse.h"
#include "sandbox/door.h"
#include "workspace/files_parts.h"

#define STEP_BYTES  (1 << 20)     /* read and written per step */
#define HEADER_MOST (10ull << 10) /* bytes of an archive for one name */

/* Read the next piece. The last one has no bytes. -1: *e. */
static int files_streams_read_piece(struct files *f, struct err *e)
{
	const struct files_rules *rules = &f->request.rules;
	struct piece *p = &f->piece;
	uint64_t left = rules->max_bytes - p->read;
	char max[24];
	ssize_t n;

	if (!rules->is_cut && left < UINT64_MAX)
		left++; /* shows that more follows */
	n = read(f->request.content_fd, p->bytes,
		 left < sizeof(p->bytes) ? (size_t)left : sizeof(p->bytes));
	if (n < 0)
		return err_sys(e, "read the content");
	p->read += (uint64_t)n;
	if (p->read > rules->max_bytes)
		return err_input(e, "%.300s: its content is larger than %s", files_where(f),
				 format_size(rules->max_bytes, max));
	p->head.bytes = (uint32_t)n;
	p->at = 0;
	p->end = sizeof(p->head) + (size_t)n;
	return 0;
}

static void files_streams_end_input(struct files *f)
{
	own_close(&f->child.input);
}

/* true: the pipe takes more. */
static bool files_streams_write_piece(struct files *f)
{
	struct piece *p = &f->piece;
	const size_t head = sizeof(p->head);
	const bool in_head = p->at < head;
	const char *from = in_head ? (const char *)&p->head + p->at : p->bytes + p->at - head;
	const ssize_t n = write(f->child.input, from, (in_head ? head : p->end) - p->at);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		files_streams_end_input(f); /* it has answered */
	else if (n > 0)
		p->at += (size_t)n;
	if (p->at == p->end && !p->head.bytes)
		files_streams_end_input(f);
	return n > 0 && f->child.input >= 0;
}

static void files_streams_send(struct files *f)
{
	struct err e;
	size_t done = 0;

	do {
		if (f->piece.at == f->piece.end && files_streams_read_piece(f, &e)) {
			files_fail(f, &e);
			files_streams_end_input(f); /* without its last piece */
			return;
		}
		done = f->piece.at == 0 ? done + f->piece.end : done;
	} while (files_streams_write_piece(f) && done < STEP_BYTES);
}

/* More than that no mover of ours would write. */
static uint64_t files_streams_output_most(const struct files_request *r)
{
	uint64_t most = r->rules.max_bytes;

	if (r->action == FILES_ARCHIVE && most < UINT64_MAX / 2)
		most += (r->rules.max_entries + 1ull) * HEADER_MOST;
	return r->rules.max_written && r->rules.max_written < most ? r->rules.max_written : most;
}

static void files_streams_take_output(struct files *f, const char *bytes, size_t length)
{
	struct err e;

	if (f->has_failed)
		return;
	if (f->request.action != FILES_GET && f->request.action != FILES_ARCHIVE) {
		buf_add(&f->list, bytes, length);
		return;
	}
	if (length > files_streams_output_most(&f->request) - f->got.bytes) {
		errno = EFBIG;
		err_sys(&e, "%.300s", files_where(f));
		files_fail(f, &e);
	} else if (io_write_all(f->request.content_fd, bytes, length)) {
		err_sys(&e, "write the content");
		files_fail(f, &e);
	} else {
		f->got.bytes += length;
	}
}

static void files_streams_receive_output(struct files *f, int *fd, bool is_answer)
{
	char bytes[65536];

	for (size_t done = 0; *fd >= 0 && done < STEP_BYTES;) {
		const ssize_t n = read(*fd, bytes, sizeof(bytes));

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n <= 0)
			own_close(fd);
		else if (is_answer)
			buf_add(&f->said, bytes, (size_t)n);
		else
			files_streams_take_output(f, bytes, (size_t)n);
		done += n > 0 ? (size_t)n : 0;
	}
}

static void files_streams_receive_reports(struct files *f)
{
	struct report r;
	int fd = -1;

	while (f->child.reports >= 0 && child_receive(f->child.reports, &r, &fd)) {
		own_close(&fd);
		if (r.kind != REPORT_ERROR)
			continue;
		door_explain(&r.error);
		files_fail(f, &r.error);
	}
	if (f->slots[SLOT_REPORTS].revents & POLLHUP)
		own_close(&f->child.reports);
}

void files_receive(struct files *f)
{
	const struct pollfd *s = f->slots;

	/* Mover ends after it has written: all of that is in the pipes by then. */
	f->has_ended |= s[SLOT_ENDS].revents != 0;
	if (s[SLOT_REPORTS].revents || f->has_ended)
		files_streams_receive_reports(f);
	if (s[SLOT_INPUT].revents && f->child.input >= 0 && !f->has_ended)
		files_streams_send(f);
	if (s[SLOT_OUTPUT].revents || f->has_ended)
		files_streams_receive_output(f, &f->child.output[0], false);
	if (s[SLOT_SAID].revents || f->has_ended)
		files_streams_receive_output(f, &f->child.output[1], true);
}
