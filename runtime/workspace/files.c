/*
 * files - reach the files of a session: an operation.
 */
#include "workspace/files_parts.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/random.h"
#include "inside/door.h"
#include "loop/clock.h"
#include "sandbox/door.h"
#include "sandbox/spawn.h"
#include "session/freezing.h"
#include "workspace/files_answer.h"
#include "workspace/mover_file.h"

#define NEVER  LOOP_NEVER
#define WORDS  7 /* with a NULL behind them */
#define NUMBER 24

void files_rules_init(struct files_rules *rules)
{
	*rules = (struct files_rules){
		.max_ms = 10000,
		.max_bytes = 64 << 20,
		.max_entries = 10000,
		.max_depth = 64,
		.max_list_bytes = 4 << 20,
	};
}

const char *files_where(const struct files *f)
{
	return files_path_shown(&f->path);
}

static void files_kill(struct files *f)
{
	(void)child_order_exec(f->request.session->fds[SESSION_CONTROL], ORDER_SIGNAL, SIGKILL,
			       f->exec);
	f->kill_at = NEVER;
	if (f->give_up_at == NEVER)
		f->give_up_at = monotonic_us() + CHILD_END_MS * 1000ull;
}

void files_fail(struct files *f, const struct err *e)
{
	if (!f->has_failed)
		f->error = *e;
	f->has_failed = true;
	files_kill(f);
}

/* -- mover's words --------------------------------------------------------------------------- */

static uint64_t files_most(const struct files_request *r)
{
	const uint64_t written = r->rules.max_written;

	return r->action == FILES_GET && written && written < r->rules.max_bytes
		       ? written
		       : r->rules.max_bytes;
}

/* @words: filled in; point into @numbers and @path. Returns how many. */
static size_t files_words(const struct files *f, char *path, char numbers[2][NUMBER],
			  char *words[WORDS])
{
	static char *const verbs[] = {
		[FILES_LIST] = (char *)"list",       [FILES_PUT] = (char *)"write",
		[FILES_GET] = (char *)"read",        [FILES_DELETE] = (char *)"remove",
		[FILES_ARCHIVE] = (char *)"archive", [FILES_MAKE] = (char *)"make",
		[FILES_RENAME] = (char *)"rename"};
	const struct files_request *r = &f->request;
	size_t count = 0;

	words[count++] = (char *)DOOR_PROGRAM;
	words[count++] = verbs[r->action];
	words[count++] = (char *)f->path.root;
	words[count++] = path;
	if (r->action == FILES_RENAME)
		words[count++] = (char *)f->to.text;
	if (r->action == FILES_DELETE || r->action == FILES_MAKE || r->action == FILES_RENAME)
		return count;
	words[count++] = numbers[0];
	if (r->action == FILES_PUT)
		snprintf(numbers[0], NUMBER, "%o", r->mode & 0777);
	else if (r->action == FILES_LIST)
		snprintf(numbers[0], NUMBER, "%u", r->rules.max_depth);
	else
		snprintf(numbers[0], NUMBER, "%llu", (unsigned long long)files_most(r));
	if (r->action == FILES_LIST || r->action == FILES_ARCHIVE)
		words[count++] = numbers[1];
	snprintf(numbers[1], NUMBER, "%u", r->rules.max_entries);
	return count;
}

/* -- its phases ------------------------------------------------------------------------------ */

static int files_order(struct files *f, int mover, struct err *e)
{
	const int *fds = f->request.session->fds;
	auto_free char *path =
		own_printf("%s%s", f->path.text, f->path.directory && *f->path.text ? "/" : "");
	char numbers[2][NUMBER];
	char *words[WORDS] = {NULL};
	const struct door_wish wish = {
		.argv = {words, files_words(f, path, numbers, words)},
		.interactive = f->request.action == FILES_PUT,
		.program = mover,
	};
	uint64_t bytes;
	const struct inside_plan *plan = door_map(fds[SESSION_PLAN], &bytes, e);
	const struct door door = {plan, fds[SESSION_CONTROL], f->request.session->host_uid, true};
	int bad;

	if (!plan)
		return -1;
	bad = door_exec(&door, f->exec, &wish, &f->child, e);
	door_unmap(bytes);
	return bad;
}

/* Its number is one that the supervisor does not give to others (warm/kept_session.c). */
static int files_work(struct files *f, struct err *e)
{
	auto_fd int mover = mover_file(e);
	const uint64_t now = monotonic_us();

	if (mover < 0)
		return -1;
	random_bytes(&f->exec, sizeof(f->exec));
	f->exec |= 1u << 31;
	f->phase = PHASE_WORK;
	if (f->request.rules.max_ms < (NEVER - now) / 1000)
		f->kill_at = now + f->request.rules.max_ms * 1000;
	return files_order(f, mover, e);
}

/* A session that stood still before stands still again. */
static void files_rest(struct files *f)
{
	f->phase = PHASE_OVER;
	if (!f->was_frozen)
		return;
	f->freezing = freezing_start_again(f->request.session);
	f->phase = PHASE_FREEZE;
}

static void files_step_thaw(struct files *f)
{
	struct err e;
	bool bad;

	if (!freezing_step(f->freezing))
		return;
	bad = freezing_end(take_ptr(&f->freezing), NULL, NULL, &e) != 0;
	if (bad)
		f->phase = PHASE_OVER;
	else if (f->is_cancelled || files_work(f, &e))
		files_rest(f);
	else
		return;
	f->has_failed = true;
	if (f->is_cancelled)
		err_set(&e, ERR_GONE, "%.300s: given up", files_where(f));
	f->error = e;
}

static void files_step_freeze(struct files *f)
{
	struct err ignored;

	if (!freezing_step(f->freezing))
		return;
	/* If it does not stand still any more, it goes on, and is listed so after the next call. */
	(void)freezing_end(take_ptr(&f->freezing), NULL, NULL, &ignored);
	f->phase = PHASE_OVER;
}

static void files_step_work(struct files *f)
{
	const uint64_t now = monotonic_us();
	struct err e;

	files_receive(f);
	if (now >= f->kill_at) {
		errno = ETIMEDOUT;
		err_sys(&e, "%.300s: not done in time", files_where(f));
		files_fail(f, &e);
	}
	if (f->has_ended || now >= f->give_up_at)
		files_rest(f);
}

static void files_arrange(struct files *f)
{
	const struct child *c = &f->child;

	if (f->freezing) {
		loop_follow(&f->loop, freezing_loop(f->freezing), NEVER);
		return;
	}
	f->slots[SLOT_ENDS] = (struct pollfd){c->ends, POLLIN, 0};
	f->slots[SLOT_REPORTS] = (struct pollfd){c->reports, POLLIN, 0};
	f->slots[SLOT_INPUT] = (struct pollfd){c->input, POLLOUT, 0};
	f->slots[SLOT_OUTPUT] = (struct pollfd){c->output[0], POLLIN, 0};
	f->slots[SLOT_SAID] = (struct pollfd){c->output[1], POLLIN, 0};
	loop_arrange(&f->loop, f->slots, SLOTS, clock_earlier(f->kill_at, f->give_up_at));
}

bool files_step(struct files *f)
{
	static void (*const steps[])(struct files *) = {
		[PHASE_THAW] = files_step_thaw,
		[PHASE_WORK] = files_step_work,
		[PHASE_FREEZE] = files_step_freeze,
	};

	loop_collect(&f->loop);
	steps[f->phase](f);
	if (f->phase != PHASE_OVER)
		files_arrange(f);
	return f->phase == PHASE_OVER;
}

struct loop *files_loop(struct files *f)
{
	return &f->loop;
}

void files_cancel(struct files *f)
{
	struct err e;

	f->is_cancelled = true; /* before its work begins: it does not */
	if (f->phase != PHASE_WORK)
		return;
	errno = ECANCELED;
	err_sys(&e, "%.300s: given up", files_where(f));
	files_fail(f, &e);
	files_arrange(f);
}

/* -- its life -------------------------------------------------------------------------------- */

static int files_check(const struct files *f, struct err *e)
{
	const enum files_action action = f->request.action;
	const bool is_file = action == FILES_PUT || action == FILES_GET;
	const bool is_all = action == FILES_LIST || action == FILES_ARCHIVE;

	if ((!is_all && !*f->path.text) || (action == FILES_RENAME && !*f->to.text))
		return err_input(e, "the path names %s itself", f->path.root);
	if (is_file && f->path.directory)
		return err_input(e, "%.300s/: the path of a directory, not of a file",
				 f->path.text);
	return 0;
}

static int files_set_paths(struct files *f, struct err *e)
{
	const struct files_request *r = &f->request;
	int (*set)(struct files_path *, const char *, struct err *) =
		r->anywhere ? files_path_set_anywhere : files_path_set;

	return set(&f->path, r->path, e) || (r->action == FILES_RENAME && set(&f->to, r->to, e)) ||
			       files_check(f, e)
		       ? -1
		       : 0;
}

static void files_free(struct files *f)
{
	loop_close(&f->loop);
	child_end(&f->child);
	buf_fini(&f->said);
	buf_fini(&f->list);
	free(f);
}

int files_start(const struct files_request *request, struct files **out, struct err *e)
{
	struct files *f = own_zeroed(1, sizeof(*f));

	f->loop = loop_none();
	f->child = child_none();
	f->request = *request;
	f->was_frozen = request->session->frozen;
	f->kill_at = f->give_up_at = NEVER;
	f->said.cap = sizeof(struct files_said) + 1; /* one more shows that more follows */
	f->list.cap = request->rules.max_list_bytes;
	if (files_set_paths(f, e) || (!f->was_frozen && files_work(f, e))) {
		files_free(f);
		return -1;
	}
	if (f->was_frozen)
		f->freezing = freezing_start_thaw(request->session);
	files_arrange(f);
	*out = f;
	return 0;
}

static int files_judge(struct files *f, struct files_result *out, struct err *e)
{
	struct files_said said = {0};

	if (f->has_failed) {
		*e = f->error;
		return -1;
	}
	if (f->said.length != sizeof(said))
		return err_set(e, ERR_SYSTEM, "%.300s: the process that works on it was killed",
			       files_where(f));
	memcpy(&said, f->said.data, sizeof(said));
	if (files_answer_read(&f->request, &f->path, &said, out, e))
		return -1;
	return f->request.action == FILES_LIST
		       ? files_answer_list(&f->list, &f->request.rules, out, e)
		       : 0;
}

int files_end(struct files *f, struct files_result *out, struct err *e)
{
	int bad;

	files_cancel(f);
	if (f->freezing)
		(void)freezing_end(take_ptr(&f->freezing), NULL, NULL, &(struct err){0});
	*out = (struct files_result){0};
	bad = files_judge(f, out, e);
	out->got.bytes = f->got.bytes;
	files_free(f);
	return bad;
}
