/*
 * executor - runs code of a model in a sandbox: a session of a warm cell.
 */
#include "agent/run/executor.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent/data/sha256.h"
#include "agent/run/answer.h"
#include "agent/run/death.h"
#include "agent/run/new_files.h"
#include "agent/run/warm.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/own.h"
#include "cell/key.h"
#include "cell/session.h"
#include "host/changes.h"
#include "host/sandbox.h"
#include "spec/setting.h"

#define ANSWER_MAX      (32u << 20) /* with its pictures */
#define OUTPUT_MAX      (1u << 20)  /* of each stream: the model is told a few kilobytes of it */
#define WORKSPACE_MAX   (64u << 20)
#define NURSERY_POLL_MS 5
#define PYTHON_IMAGE    "python:latest" /* whose packages the prompts know */
#define PREPARE_US      50000           /* between two looks whether a cell is ready */

struct executor {
	char *image;
	char *workspace;
	char *output;
	int workspace_fd; /* borrowed, as the next: the paths may name something else by now */
	int output_fd;
	bool fresh;
	char **limits;
	size_t limit_count;
	uint64_t memory_max;
	uint64_t output_max;
	char *packages;
	struct warm warm;
	struct session session;
	struct session dying; /* killed, not buried yet */
	bool has_session;
	uint64_t looked_us;
};

/* -- what the sandbox shall be --------------------------------------------------------------- */

static void add_mounts(const struct executor *x, struct sandbox_spec *spec)
{
	struct mount_spec *m = spec_add_mount(spec, MOUNT_STAGE, "/workspace");

	/* A session needs this one; the model is not told of it. */
	m->size_bytes = WORKSPACE_MAX;
	m->inodes = 4096;
	m->mode = 0755;
	m->uid = m->gid = -1;
	m = spec_add_mount(spec, x->workspace ? MOUNT_BIND : MOUNT_TMPFS, "/data");
	m->source = x->workspace ? spec_strdup(spec, x->workspace) : NULL;
	m->source_fd = x->workspace_fd;
	m->read_only = true;
	m->size_bytes = 4096;
	m->inodes = 2;
	m->mode = 0555;
	m->uid = m->gid = -1;
	m = spec_add_mount(spec, MOUNT_BIND, "/output");
	m->source = spec_strdup(spec, x->output);
	m->source_fd = x->output_fd;
}

static int make_spec(const struct executor *x, struct sandbox_spec *spec, struct err *e)
{
	int used;

	spec_init(spec);
	if (setting_parse(run_settings, (int)x->limit_count, x->limits, &used, spec, e))
		return -1;
	spec->image = spec_strdup(spec, x->image);
	spec->entrypoint = spec_strdup(spec, "");
	spec_list_add(spec, &spec->command, "python3");
	spec->workdir = spec_strdup(spec, "/output");
	add_mounts(x, spec);
	return spec_finish(spec, e);
}

/* For the model: of another image we know what it preloads. */
static char *packages_of(const struct image_config *config)
{
	auto_buf struct buf text = {0};

	buf_text(&text, "Python's standard library");
	for (const char **p = config->preload; *p; p++)
		buf_printf(&text, ", %.60s", *p);
	return buf_take(&text);
}

/* On success both are the caller's: close_sandbox(). */
static int open_sandbox(const struct executor *x, struct sandbox_spec *spec,
			struct sandbox *sandbox, struct err *e)
{
	if (!make_spec(x, spec, e) && !sandbox_open(spec, sandbox, e))
		return 0;
	spec_fini(spec);
	return -1;
}

static void close_sandbox(struct sandbox_spec *spec, struct sandbox *sandbox)
{
	sandbox_destroy(sandbox);
	spec_fini(spec);
}

/* What can be seen to be wrong is said before a model is asked anything. */
static int check(struct executor *x, struct err *e)
{
	struct sandbox_spec spec;
	struct sandbox sandbox;
	const char *refusal;

	if (open_sandbox(x, &spec, &sandbox, e))
		return -1;
	refusal = warm_refusal_of_limits(&sandbox);
	x->memory_max = spec.limits.memory_bytes;
	x->output_max =
		spec.limits.output_bytes < OUTPUT_MAX ? spec.limits.output_bytes : OUTPUT_MAX;
	if (strcmp(x->image, PYTHON_IMAGE) != 0)
		x->packages = packages_of(&sandbox.image.config);
	close_sandbox(&spec, &sandbox);
	return refusal ? err_input(e, "the agent's sandbox is a warm cell: %s", refusal) : 0;
}

int executor_open(const struct executor_options *options, struct executor **out, struct err *e)
{
	struct executor *x = calloc(1, sizeof(*x));

	if (!x)
		abort();
	x->workspace = own_strdup(options->workspace);
	x->output = own_strdup(options->output);
	x->workspace_fd = options->workspace_fd;
	x->output_fd = options->output_fd;
	x->fresh = options->fresh;
	x->limit_count = options->limit_count;
	x->limits = calloc(options->limit_count + 1, sizeof(*x->limits));
	if (!x->limits)
		abort();
	for (size_t i = 0; i < options->limit_count; i++)
		x->limits[i] = own_strdup(options->limits[i]);
	x->warm = (struct warm){.pipe = -1, .said = -1};
	x->session = x->dying = session_none();
	if (!image_reference(options->image, &x->image, e) && !check(x, e) &&
	    !warm_open(x->image, options->trust_image, &x->warm, e)) {
		*out = x;
		return 0;
	}
	executor_close(x);
	return -1;
}

/* -- sessions -------------------------------------------------------------------------------- */

/* Nobody else has it. It takes a few milliseconds to die, while the model thinks. */
static void leave_session(struct executor *x)
{
	if (!x->has_session)
		return;
	session_end(&x->dying);
	session_kill(&x->session);
	x->dying = x->session;
	x->session = session_none();
	x->has_session = false;
}

static int try_session(struct executor *x, struct err *e)
{
	struct sandbox_spec spec;
	struct sandbox sandbox;

	if (open_sandbox(x, &spec, &sandbox, e))
		return -1;
	x->has_session = !session_start(&sandbox, &x->session, e);
	close_sandbox(&spec, &sandbox);
	return x->has_session ? 0 : -1;
}

static int start_session(struct executor *x, struct err *e)
{
	struct err first = {0};

	if (x->has_session || !try_session(x, &first))
		return 0;
	if (!x->warm.own && !warm_fall_back(&x->warm, e) && !try_session(x, &first))
		return 0;
	*e = first;
	if (x->warm.own)
		warm_explain(&x->warm, e);
	return -1;
}

int executor_failure_fd(const struct executor *x)
{
	return x->warm.own && !x->has_session ? x->warm.pipe : -1;
}

bool executor_has_failed(const struct executor *x, struct err *e)
{
	if (x->has_session || !warm_has_ended(&x->warm))
		return false;
	err_set(e, ERR_SYSTEM, "the warm supervisor that was started for it has ended");
	warm_explain(&x->warm, e);
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
	if (warm_is_ready(&x->warm))
		(void)try_session(x, &ignored);
}

void executor_drop_gone(const struct executor *x, struct execution *executions, size_t count)
{
	new_files_drop_gone(x->output_fd, executions, count);
}

void executor_forget(struct executor *x)
{
	leave_session(x);
}

void executor_close(struct executor *x)
{
	if (!x)
		return;
	leave_session(x);
	session_end(&x->dying);
	warm_close(&x->warm);
	for (size_t i = 0; x->limits && i < x->limit_count; i++)
		free(x->limits[i]);
	free(x->limits);
	free(x->image);
	free(x->workspace);
	free(x->output);
	free(x->packages);
	free(x);
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

/* Of what did not end by itself, as timeout(1) and the shell have it. */
static void set_exit_code(struct execution *x)
{
	if (x->verdict == EXECUTION_TIMEOUT)
		x->exit_code = 124;
	if (x->verdict == EXECUTION_CANCELLED)
		x->exit_code = 130;
}

static void judge(struct executor *x, const struct session_call *call, const struct json *answer,
		  struct execution *out)
{
	if (call->lost) {
		death_read(&x->session, call, out);
		out->state_lost = !x->fresh;
	} else {
		answer_read(answer, out);
		if (call->interrupted)
			out->verdict = EXECUTION_CANCELLED;
		if (call->timed_out)
			out->verdict = EXECUTION_TIMEOUT;
	}
	set_exit_code(out);
}

/* It takes seconds when it has just been started. false: there is to be no execution any more. */
static bool await_nursery(const struct executor *x, const struct execution_bounds *bounds,
			  struct execution *out)
{
	struct pollfd fd = {bounds->signal_fd, POLLIN, 0};
	struct signalfd_siginfo info;

	while (warm_is_starting(&x->warm)) {
		if (poll(&fd, 1, NURSERY_POLL_MS) > 0 && read(fd.fd, &info, sizeof(info)) > 0) {
			out->verdict = EXECUTION_CANCELLED;
			return false;
		}
		if (monotonic_us() >= bounds->deadline_us) {
			out->verdict = EXECUTION_TIMEOUT;
			return false;
		}
	}
	return true;
}

/* Of the execution that begins now. */
static uint64_t time_ms(const struct execution_bounds *bounds)
{
	uint64_t now = monotonic_us();
	uint64_t left_ms = bounds->deadline_us > now ? (bounds->deadline_us - now) / 1000 : 0;

	return left_ms < bounds->timeout_ms ? left_ms : bounds->timeout_ms;
}

static int ask(struct executor *x, const char *code, struct session_call *call, struct err *e)
{
	auto_buf struct buf members = {0};

	buf_text(&members, "\"op\":\"run\",\"source\":");
	buf_json_text(&members, code);
	buf_text(&members, ",\"formats\":[\"png\"]");
	return session_ask(&x->session, x->session.fds[SESSION_CHANNEL], members.data,
			   members.length, call, e);
}

int executor_run(struct executor *x, const char *code, const struct execution_bounds *bounds,
		 struct execution *out, struct err *e)
{
	auto_json struct json *answer = NULL;
	struct session_call call = {.output_max = x->output_max,
				    .answer_max = ANSWER_MAX,
				    .signal_fd = bounds->signal_fd};
	struct file_marks before;
	struct err ignored;

	*out = (struct execution){.limit_ms = bounds->timeout_ms, .limit_bytes = x->memory_max};
	sha256_text(code, strlen(code), out->code_sha256);
	if (!x->has_session && !await_nursery(x, bounds, out)) {
		set_exit_code(out);
		return 0;
	}
	if (start_session(x, e))
		return -1;
	call.captured = out->output;
	changes_look(x->output_fd, CHANGES_ENTRIES_MAX, &before);
	call.timeout_ms = out->limit_ms = time_ms(bounds);
	if (!ask(x, code, &call, &ignored))
		answer = json_parse(buf_string(&call.answer), call.answer.length, &ignored);
	call.lost |= !answer;
	for (int i = 0; i < 2; i++)
		out->truncated[i] = call.truncated[i];
	out->duration_us = call.duration_us;
	out->insisted = call.insisted;
	judge(x, &call, answer, out);
	new_files_collect(x->output_fd, &before, answer, out);
	changes_fini(&before);
	buf_fini(&call.answer);
	if (call.lost || x->fresh)
		leave_session(x);
	return 0;
}
