/*
 * executor - run a model's code in a sandbox: a session of a warm cell.
 */
#include "agent/run/executor.h"

#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent/run/new_files.h"
#include "base/encode.h"
#include "base/own.h"
#include "client/supplier.h"
#include "fs/changes.h"
#include "image/image_packages.h"
#include "image/image_reference.h"
#include "loop/clock.h"
#include "loop/loop.h"
#include "service/notebook_wait.h"
#include "session/call_result.h"
#include "session/places.h"
#include "session/session_spec.h"
#include "spec/spec.h"

#define ANSWER_MAX    (32u << 20) /* with its pictures */
#define OUTPUT_MAX    (1u << 20)  /* of each stream; a report has a few kilobytes of it */
#define WORKSPACE_MAX (64u << 20)
#define PREPARE_US    50000 /* between two checks whether a cell is ready */

struct executor {
	char *image;
	const struct places *places; /* borrowed */
	bool fresh;
	const struct sandbox_spec *limits;
	uint64_t memory_max;
	uint64_t output_max;
	char *packages;
	struct supplier warm;
	struct session session;
	struct session dying; /* killed, not reaped yet */
	bool has_session;
	struct buf published; /* lines about the session's ports, not yet reported */
	uint64_t looked_us;
};

/* -- the sandbox ----------------------------------------------------------------------------- */

static void executor_add_mounts(const struct executor *x, struct sandbox_spec *spec)
{
	struct mount_spec *m = spec_add_mount(spec, MOUNT_STAGE, "/workspace");

	/* Sessions require this mount; the model is not told of it. */
	m->size_bytes = WORKSPACE_MAX;
	m->inodes = 4096;
	m->mode = 0755;
	m->uid = m->gid = -1;
	places_add_mounts(x->places, true, spec);
	if (x->places->workspace)
		return;
	m = spec_add_mount(spec, MOUNT_TMPFS, "/data");
	m->read_only = true;
	m->size_bytes = 4096;
	m->inodes = 2;
	m->mode = 0555;
	m->uid = m->gid = -1;
}

static int executor_make_spec(const struct executor *x, struct sandbox_spec *spec, struct err *e)
{
	spec_init(spec);
	spec_copy_limits(spec, x->limits);
	spec->image = spec_strdup(spec, x->image);
	spec->entrypoint = spec_strdup(spec, "");
	spec_list_add(spec, &spec->command, "python3");
	/* Make pip fail at once, without advice to break the system's packages. */
	if (!spec->egress.has_list)
		spec_list_add(spec, &spec->env, "PIP_NO_INDEX=1");
	spec_list_add(spec, &spec->env, "PIP_BREAK_SYSTEM_PACKAGES=1");
	executor_add_mounts(x, spec);
	return spec_finish(spec, e);
}

/* Check limits and image before the model is asked anything. */
static int executor_check(struct executor *x, struct err *e)
{
	struct sandbox_spec spec;
	int bad = executor_make_spec(x, &spec, e) || session_spec_check(&spec, e);
	auto_list struct list packages = {0};
	auto_buf struct buf text = {0};

	image_packages_of(x->image, &packages, &text);
	x->packages = buf_take(&text);

	x->memory_max = spec.limits.memory_bytes;
	x->output_max =
		spec.limits.output_bytes < OUTPUT_MAX ? spec.limits.output_bytes : OUTPUT_MAX;
	spec_fini(&spec);
	return bad ? -1 : 0;
}

int executor_open(const struct executor_options *options, struct executor **out, struct err *e)
{
	struct executor *x = own_zeroed(1, sizeof(*x));
	struct supplier_terms terms = options->warm;

	x->places = options->places;
	x->fresh = options->fresh;
	x->limits = options->limits;
	x->warm = (struct supplier){.pipe = -1, .said = -1};
	x->session = x->dying = session_none();
	if (!image_reference(options->warm.image, &x->image, e) && !executor_check(x, e)) {
		terms.image = x->image;
		if (!supplier_open(&terms, &x->warm, e)) {
			*out = x;
			return 0;
		}
	}
	executor_close(x);
	return -1;
}

/* -- sessions -------------------------------------------------------------------------------- */

/* Only the agent uses the session. It takes some milliseconds to die, while the model thinks. */
void executor_forget(struct executor *x)
{
	if (!x->has_session)
		return;
	session_end(&x->dying);
	session_kill(&x->session);
	own_close(&x->session.network); /* releases its published ports for the next session */
	x->dying = x->session;
	x->session = session_none();
	x->has_session = false;
	buf_fini(&x->published);
}

static int executor_try_session(struct executor *x, struct err *e)
{
	struct sandbox_spec spec;

	x->has_session = !executor_make_spec(x, &spec, e) &&
			 !notebook_wait_begin(supplier_where(&x->warm), &spec, &x->published,
					      &x->session, e);
	spec_fini(&spec);
	return x->has_session ? 0 : -1;
}

static int executor_start_session(struct executor *x, struct err *e)
{
	struct err first = {0};

	if (x->has_session || !executor_try_session(x, &first) ||
	    (!x->warm.own && !supplier_fall_back(&x->warm, e) &&
	     !executor_try_session(x, &first))) {
		supplier_tell(&x->warm);
		return 0;
	}
	*e = first;
	if (x->warm.own)
		supplier_explain(&x->warm, e);
	return -1;
}

int executor_failure_fd(const struct executor *x)
{
	return x->warm.own && !x->has_session ? x->warm.pipe : -1;
}

bool executor_has_failed(const struct executor *x, struct err *e)
{
	if (x->has_session || !supplier_has_ended(&x->warm))
		return false;
	err_set(e, ERR_SYSTEM, "the warm supervisor that was started for it has ended");
	supplier_explain(&x->warm, e);
	return true;
}

void executor_prepare(struct executor *x)
{
	uint64_t now = monotonic_us();
	struct err ignored;

	if (x->has_session || now - x->looked_us < PREPARE_US)
		return;
	session_end(&x->dying);
	x->looked_us = now;
	if (supplier_is_ready(&x->warm))
		(void)executor_try_session(x, &ignored);
}

void executor_drop_gone(const struct executor *x, struct execution *executions, size_t count)
{
	new_files_drop_gone(x->places->output_fd, executions, count);
}

void executor_close(struct executor *x)
{
	if (!x)
		return;
	executor_forget(x);
	session_end(&x->dying);
	supplier_close(&x->warm);
	free(x->image);
	free(x->packages);
	free(x);
}

struct session *executor_session(struct executor *x)
{
	return x->has_session ? &x->session : NULL;
}

uint64_t executor_memory_max(const struct executor *x)
{
	return x->memory_max;
}

const char *executor_packages(const struct executor *x)
{
	return x->packages;
}

/* -- one execution --------------------------------------------------------------------------- */

static void executor_place(const struct call_result *r, const struct display_places *places,
			   struct buf *output)
{
	struct buf whole = {0};

	call_result_output(r, places, &whole);
	buf_fini(output);
	*output = whole;
}

static void executor_take_result(struct call_result *r, const struct display_places *places,
				 struct execution *out)
{
	auto_buf struct buf traceback = {0};

	out->verdict = r->verdict;
	out->exit_code = r->exit_code;
	out->in_sockets = r->in_sockets;
	if (call_result_next_display(r, NULL))
		executor_place(r, places, &out->output[0]);
	out->value = own_strdup(r->value);
	call_result_traceback(r, call_result_add, &traceback);
	out->traceback = r->has_traceback ? buf_take(&traceback) : NULL;
}

/* Report the ports once per session; the session may have started while a reply was shown. */
static void executor_tell_published(struct executor *x, const struct run_watcher *watcher)
{
	auto_free char *lines = buf_take(&x->published);
	char *rest = lines;

	for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
		if (*line && watcher->note)
			watcher->note(watcher->context, line);
	}
}

static bool executor_takes_signal(int signal_fd)
{
	struct signalfd_siginfo info;

	return read(signal_fd, &info, sizeof(info)) > 0;
}

/* false: stop, do not run the code. */
static bool executor_await_answer(struct ask *ask, const struct execution_bounds *bounds,
				  struct execution *out)
{
	struct loop loop = loop_none();

	while (!ask_step(ask)) {
		uint64_t tick_us = monotonic_us() + NOTEBOOK_TICK_US;

		if (bounds->watcher.tick)
			bounds->watcher.tick(bounds->watcher.context);
		loop_follow(&loop, ask_loop(ask),
			    tick_us < bounds->deadline_us ? tick_us : bounds->deadline_us);
		if (loop_wait(&loop, bounds->signal_fd) &&
		    executor_takes_signal(bounds->signal_fd)) {
			out->verdict = CODE_CANCELLED;
			return false;
		}
		if (monotonic_us() >= bounds->deadline_us) {
			out->verdict = CODE_TIMEOUT;
			return false;
		}
		loop_collect(&loop);
	}
	return true;
}

/* Wait for a new supervisor, which takes seconds. false: stop, do not run the code. */
static bool executor_await_nursery(const struct executor *x, const struct execution_bounds *bounds,
				   struct execution *out)
{
	bool goes_on;
	bool starting;

	do {
		struct ask *ask = supplier_ask_ready(&x->warm);
		struct op_answer answer;
		struct err ignored;

		goes_on = executor_await_answer(ask, bounds, out);
		starting = !ask_end(ask, NULL, &answer, &ignored);
		if (starting) {
			starting = answer.ready.starting;
			op_answer_fini(&answer);
		}
	} while (goes_on && starting);
	return goes_on;
}

/* Return the time limit of an execution that begins now. */
static uint64_t executor_time_ms(const struct execution_bounds *bounds)
{
	uint64_t now = monotonic_us();
	uint64_t left_ms = bounds->deadline_us > now ? (bounds->deadline_us - now) / 1000 : 0;

	return left_ms < bounds->timeout_ms ? left_ms : bounds->timeout_ms;
}

int executor_run(struct executor *x, const char *code, const struct execution_bounds *bounds,
		 struct execution *out, struct err *e)
{
	struct run_bounds run = {.output_max = x->output_max,
				 .answer_max = ANSWER_MAX,
				 .signal_fd = bounds->signal_fd};
	struct notebook_result result;
	struct display_places places = {.text = &out->output[0]};
	const uint64_t asked_us = monotonic_us();
	struct file_marks before;

	*out = (struct execution){.limit_ms = bounds->timeout_ms, .limit_bytes = x->memory_max};
	digest_hex(code, strlen(code), out->code_sha256);
	if (!x->has_session && !executor_await_nursery(x, bounds, out))
		return 0;
	if (executor_start_session(x, e))
		return -1;
	out->start_us = monotonic_us() - asked_us;
	executor_tell_published(x, &bounds->watcher);
	if (bounds->watcher.begin)
		bounds->watcher.begin(bounds->watcher.context);
	changes_look(x->places->output_fd, CHANGES_ENTRIES_MAX, &before);
	run.timeout_ms = out->limit_ms = executor_time_ms(bounds);
	run_call(&x->session, code, &run, out->output, &places, &bounds->watcher, &result);
	for (int i = 0; i < 2; i++)
		out->truncated[i] = result.call.truncated[i];
	out->duration_us = result.call.duration_us;
	out->insisted = result.call.insisted;
	executor_take_result(&result.outcome, &places, out);
	out->state_lost = !result.outcome.answer && !x->fresh;
	new_files_collect(x->places->output_fd, &before, result.outcome.answer, out);
	changes_fini(&before);
	if (!result.outcome.answer || x->fresh)
		executor_forget(x);
	notebook_result_fini(&result);
	return 0;
}
