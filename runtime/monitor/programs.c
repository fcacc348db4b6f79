/*
 * programs - the further programs of a sandbox that stays.
 */
#include "monitor/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "fs/remove_tree.h"
#include "loop/clock.h"
#include "monitor/starting.h"
#include "sandbox/terminal.h"

#define REMOVE_MS 10000

/* -- remembering ----------------------------------------------------------------------------- */

void programs_begin(struct programs *p)
{
	p->dir = -1;
	TAILQ_INIT(&p->all);
	(void)remove_tree(p->record->dir, RECORD_PROGRAMS, monotonic_ms() + REMOVE_MS);
}

static int programs_make_dir(struct programs *p, struct err *e)
{
	if (p->dir >= 0)
		return 0;
	if (!mkdirat(p->record->dir, RECORD_PROGRAMS, 0700) || errno == EEXIST)
		p->dir = openat(p->record->dir, RECORD_PROGRAMS,
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return p->dir < 0 ? err_sys(e, "make the directory for logs of programs") : 0;
}

static struct further_program *programs_add(struct programs *p, const struct monitor_request *r)
{
	struct further_program *x = own_zeroed(1, sizeof(*x));
	const struct word *words = r->argv.items;
	size_t at = 0;

	*x = (struct further_program){.of = p,
				      .interactive = r->interactive,
				      .tty = r->tty,
				      .kept = r->keep,
				      .started_ms = clock_now_ms(),
				      .log_bytes = r->keep ? r->log_bytes : 0,
				      .reports.fd = -1};
	for (unsigned i = 0; i < r->argv.count && at < sizeof(x->command); i++)
		at += (size_t)snprintf(x->command + at, sizeof(x->command) - at, "%s%s",
				       i ? " " : "", words[i].text);
	TAILQ_INSERT_TAIL(&p->all, x, entry);
	return x;
}

/* Without its log. */
static void programs_release(struct further_program *x)
{
	hub_unwatch(x->of->hub, &x->reports);
	background_close(&x->background);
	TAILQ_REMOVE(&x->of->all, x, entry);
	free(x);
}

static void programs_forget(struct further_program *x)
{
	const int dir = x->of->dir;
	const bool kept = x->kept;
	char name[16];

	snprintf(name, sizeof(name), "%u", x->number);
	programs_release(x);
	if (kept)
		(void)remove_tree(dir, name, monotonic_ms() + REMOVE_MS);
}

static struct further_program *programs_get(const struct programs *p, uint32_t number)
{
	struct further_program *x;

	TAILQ_FOREACH (x, &p->all, entry) {
		if (x->number == number)
			return x;
	}
	return NULL;
}

/* -- bounds ---------------------------------------------------------------------------------- */

struct programs_sum {
	unsigned count;
	uint64_t bytes;
	struct further_program *oldest; /* of those that have ended */
};

/* @running: leave out those that have ended. */
static struct programs_sum programs_sum(const struct programs *p, bool running)
{
	struct programs_sum sum = {0};
	struct further_program *x;

	TAILQ_FOREACH (x, &p->all, entry) {
		if (x->kept && !(running && x->ended)) {
			sum.count++;
			sum.bytes += x->log_bytes;
		}
		if (x->kept && x->ended && !sum.oldest)
			sum.oldest = x;
	}
	return sum;
}

static int programs_check_room(const struct programs *p, uint64_t bytes, struct err *e)
{
	const struct programs_sum sum = programs_sum(p, true);

	if (bytes <= PROGRAMS_LOG_BYTES && sum.bytes <= PROGRAMS_LOG_BYTES - bytes &&
	    sum.count < PROGRAMS_KEPT)
		return 0;
	return err_set(e, ERR_LIMIT,
		       "the sandbox keeps output of at most %d programs and %llu MiB: end one that "
		       "runs, or choose a smaller --output-limit",
		       PROGRAMS_KEPT, PROGRAMS_LOG_BYTES >> 20);
}

/* A program that could not be executed makes none forgotten: this is called for one that was. */
static void programs_make_room(struct programs *p)
{
	for (;;) {
		const struct programs_sum sum = programs_sum(p, false);

		if ((sum.count <= PROGRAMS_KEPT && sum.bytes <= PROGRAMS_LOG_BYTES) || !sum.oldest)
			return;
		programs_forget(sum.oldest);
	}
}

/* -- starting -------------------------------------------------------------------------------- */

/* @closed: the other end of its report socket is. */
static void programs_hear(struct further_program *x, bool closed)
{
	struct programs *p = x->of;
	struct err failure;
	const int heard = background_hear(&x->background, closed, &failure);

	if (!heard)
		return;
	x->started = true;
	hub_unwatch(p->hub, &x->reports);
	own_close(&x->background.child.reports);
	p->started(p->context, x->number, heard < 0 ? &failure : NULL);
	if (heard < 0)
		programs_forget(x);
	else
		programs_make_room(p);
}

static void programs_on_reports(void *context, uint32_t events)
{
	programs_hear(context, events & (EPOLLHUP | EPOLLERR));
}

static int programs_start(struct further_program *x, struct run *run,
			  const struct monitor_request *r, struct err *e)
{
	struct background *b = &x->background;

	if (background_open(b, x->of->hub, x->of->dir, r, e) ||
	    starting_exec(run, r, &b->child, &x->number, e))
		return -1;
	x->reports = (struct hub_watch){.ready = programs_on_reports, .context = x, .fd = -1};
	if (!background_begin(b, x->of->dir, x->number, e) &&
	    !hub_watch(x->of->hub, &x->reports, b->child.reports, EPOLLIN, e))
		return 0;
	run_exec_signal(run, x->number, SIGKILL, true);
	return -1;
}

int programs_keep(struct programs *p, struct run *run, const struct monitor_request *r,
		  uint32_t *number, struct err *e)
{
	struct further_program *x;
	int bad;

	if (programs_check_room(p, r->log_bytes, e) || programs_make_dir(p, e))
		return -1;
	x = programs_add(p, r);
	bad = programs_start(x, run, r, e);
	*number = x->number;
	if (bad) {
		programs_forget(x);
		(void)remove_tree(p->dir, PROGRAMS_NEW, monotonic_ms() + REMOVE_MS);
		return -1;
	}
	return 0;
}

void programs_note(struct programs *p, const struct monitor_request *r, uint32_t number)
{
	programs_add(p, r)->number = number;
}

/* -- ending ---------------------------------------------------------------------------------- */

void programs_on_end(struct programs *p, const struct report *report)
{
	struct further_program *x = programs_get(p, report->exec);

	/* Its reports came before its end: it may not have been executed. */
	if (x && x->kept && !x->started) {
		programs_hear(x, true);
		x = programs_get(p, report->exec);
	}
	if (x && !x->kept) {
		programs_forget(x);
	} else if (x) {
		background_end(&x->background);
		x->ended = true;
		x->ended_ms = clock_now_ms();
		x->status = report->value;
		programs_make_room(p);
	}
}

void programs_end(struct programs *p)
{
	struct further_program *x;

	if (!p->hub)
		return;
	while ((x = TAILQ_FIRST(&p->all))) {
		if (x->kept)
			background_end(&x->background);
		programs_release(x);
	}
	own_close(&p->dir);
}

/* -- what clients ask ------------------------------------------------------------------------ */

int programs_attach(const struct programs *p, uint32_t number, struct monitor_answer *answer,
		    int *input, struct err *e)
{
	const struct further_program *x = programs_get(p, number);

	if (!x)
		return err_set(e, ERR_NOT_FOUND,
			       "No such exec instance: %u: inspect lists those that there are",
			       number);
	*answer = (struct monitor_answer){.exec = number,
					  .ended = x->ended,
					  .status = (uint32_t)x->status,
					  .tty = x->tty && x->interactive};
	*input = x->kept && !x->ended ? background_input(&x->background) : -1;
	return 0;
}

void programs_resize(const struct programs *p, uint32_t number, const struct monitor_request *r)
{
	const struct further_program *x = programs_get(p, number);

	if (x && x->kept && x->tty && x->background.child.output[0] >= 0)
		terminal_set_size(
			&(struct terminal){.own = -1, .master = x->background.child.output[0]},
			(uint16_t)r->rows, (uint16_t)r->columns);
}

void programs_tell(const struct programs *p, uint64_t after, struct monitor_answer *out)
{
	struct program_entry *entries = own_zeroed(MESSAGE_PROGRAMS, sizeof(*entries));
	const struct further_program *x;

	*out = (struct monitor_answer){.programs.items = entries};
	TAILQ_FOREACH (x, &p->all, entry) {
		if (x->number <= after || out->programs.count == MESSAGE_PROGRAMS)
			continue;
		entries[out->programs.count++] =
			(struct program_entry){.exec = x->number,
					       .command = x->command,
					       .kept = x->kept,
					       .tty = x->tty,
					       .ended = x->ended,
					       .status = (uint32_t)x->status,
					       .started_ms = x->started_ms,
					       .ended_ms = x->ended_ms};
	}
}
