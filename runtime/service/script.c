/*
 * script - one program of Python in a fresh warm cell: from its source to its verdict.
 */
#include "service/script.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/own.h"
#include "client/job.h"
#include "loop/clock.h"
#include "service_files.h"
#include "session/session_spec.h"

#define WORKSPACE  "/workspace"
#define ENTRYPOINT "__main__.py"
#define INODES_MAX 16384
#define PIECE      65536

/* The parts of standard input, in the order in which they are written. */
enum feed_part { FEED_HEAD, FEED_FILE, FEED_TAIL, FEED_OVER };

struct script {
	struct hub *hub;
	const struct script_request *request;
	struct script_result *result;
	void (*done)(void *context);
	void *context;
	struct sandbox_spec spec;
	struct job job;
	bool has_job;
	struct hub_operation operation;
	struct collect *collect; /* owned; NULL */
	int stage;               /* owned; -1 */
	struct hub_timer later;  /* polls until make_room() grants room for the files */
	int theirs;              /* owned; the end that the job reads */
	int ours;                /* owned; -1: everything is written */
	struct hub_watch room;
	enum feed_part part;
	size_t file;     /* index of the file that is being written */
	struct buf text; /* the text that is being written, unless it is a file's content */
	size_t sent;     /* bytes written of that text or content */
};

static void script_finish(struct script *p)
{
	p->done(p->context);
}

static void script_fail(struct script *p, const struct err *e)
{
	p->result->failed = true;
	p->result->error = *e;
	script_finish(p);
}

/* -- its input ------------------------------------------------------------------------------- */

static void script_put_number(struct buf *out, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		buf_add(out, &(char){(char)(value >> (8 * i))}, 1);
}

static void script_put_head(struct buf *out, const char *path, uint64_t size)
{
	script_put_number(out, strlen(path), 4);
	script_put_number(out, size, 8);
	buf_text(out, path);
}

static void script_put_args(struct buf *out, const struct list *args)
{
	auto_buf struct buf words = {0};

	for (size_t i = 0; args && i < args->count; i++)
		buf_add(&words, args->items[i], strlen(args->items[i]) + 1);
	script_put_number(out, words.length, 4);
	buf_add(out, words.data, words.length);
}

/* Prepare the head of the next file, or the tail behind the last file. */
static void script_put_next(struct script *p)
{
	const struct script_request *r = p->request;

	if (p->file < r->file_count) {
		p->part = FEED_HEAD;
		script_put_head(&p->text, r->files[p->file].path, r->files[p->file].size_bytes);
		return;
	}
	p->part = FEED_TAIL;
	script_put_number(&p->text, 0, 4);
	script_put_number(&p->text, r->shows_last, 1);
	script_put_args(&p->text, r->args);
	if (r->input)
		buf_add(&p->text, r->input, r->input_length);
}

/* The current part is written: advance to the next. Returns whether one is left. */
static bool script_next_part(struct script *p)
{
	p->sent = 0;
	if (p->part == FEED_TAIL)
		return false;
	if (p->part == FEED_HEAD) {
		p->part = FEED_FILE;
		return true;
	}
	p->file++;
	buf_cut(&p->text, 0);
	script_put_next(p);
	return true;
}

static void script_end_feed(struct script *p)
{
	hub_unwatch(p->hub, &p->room);
	own_close(&p->ours);
	p->part = FEED_OVER;
	buf_fini(&p->text);
}

/*
 * The page cache holds the content, so the read does not wait. A file that has shrunk is padded
 * with zeros.
 */
static ssize_t script_feed_file(struct script *p)
{
	const struct staged_file *file = &p->request->files[p->file];
	char piece[PIECE] = {0};
	size_t length =
		file->size_bytes - p->sent < PIECE ? (size_t)(file->size_bytes - p->sent) : PIECE;

	if (pread(file->fd, piece, length, (off_t)p->sent) < 0)
		return -1;
	return write(p->ours, piece, length);
}

/* Write one piece. 1: more may fit; 0: the pipe is full; -1: the reader is gone. */
static int script_feed_piece(struct script *p)
{
	const bool is_file = p->part == FEED_FILE;
	const size_t whole =
		is_file ? (size_t)p->request->files[p->file].size_bytes : p->text.length;
	ssize_t n = 0;

	if (p->sent < whole)
		n = is_file ? script_feed_file(p)
			    : write(p->ours, p->text.data + p->sent, whole - p->sent);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	p->sent += (size_t)n;
	return p->sent < whole || script_next_part(p) ? 1 : -1;
}

static void script_feed(void *context, uint32_t events)
{
	struct script *p = context;
	int more = events & EPOLLERR ? -1 : 1;

	for (unsigned pieces = 0; more > 0 && pieces < 32; pieces++)
		more = script_feed_piece(p);
	if (more < 0)
		script_end_feed(p);
}

static int script_open_feed(struct script *p, struct err *e)
{
	const struct script_request *r = p->request;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return err_sys(e, "make a pipe");
	p->theirs = ends[0];
	p->ours = ends[1];
	fcntl(p->ours, F_SETFL, O_NONBLOCK);
	/* The first file is the program, whose content is in memory. */
	script_put_head(&p->text, ENTRYPOINT, r->source_length);
	buf_add(&p->text, r->source, r->source_length);
	script_put_next(p);
	p->room = (struct hub_watch){.ready = script_feed, .context = p, .fd = -1};
	return hub_watch(p->hub, &p->room, p->ours, EPOLLOUT, e);
}

/* -- its end --------------------------------------------------------------------------------- */

static void script_collected(void *context)
{
	struct script *p = context;
	struct collect *c = p->collect;
	struct err e;

	p->collect = NULL;
	if (collect_end(c, hub_endings(p->hub), &p->result->collected, &e))
		script_fail(p, &e);
	else
		script_finish(p);
}

static bool script_step_collect(void *operation)
{
	return collect_step(((struct script *)operation)->collect);
}

static void script_collect(void *context)
{
	struct script *p = context;
	const struct script_request *r = p->request;
	struct stage_limits limits = {WORKSPACE_BYTES, COLLECT_ENTRIES_MAX + 1}; /* our limits */
	struct err e;

	if (r->collect_fd < 0 || !collect_has_files(p->stage, ENTRYPOINT)) {
		script_finish(p);
		return;
	}
	if (r->make_room && !r->make_room(p->context, limits.bytes, &limits.bytes)) {
		p->later = (struct hub_timer){.ring = script_collect, .context = p};
		hub_ring(p->hub, &p->later, monotonic_us() + SCRIPT_ROOM_US);
		return;
	}
	if (collect_start(p->stage, p->job.sandbox.users, r->collect_fd, ENTRYPOINT, r->files,
			  r->file_count, &limits, &p->collect, &e)) {
		script_fail(p, &e);
		return;
	}
	p->operation = (struct hub_operation){.step = script_step_collect,
					      .operation = p,
					      .done = script_collected,
					      .context = p};
	if (hub_drive(p->hub, &p->operation, collect_loop(p->collect), &e)) {
		(void)collect_end(take_ptr(&p->collect), hub_endings(p->hub), &p->result->collected,
				  &(struct err){0});
		script_fail(p, &e);
	}
}

static void script_ended(void *context)
{
	struct script *p = context;
	struct err e;

	script_end_feed(p);
	p->stage = job_take_stage(&p->job);
	if (job_end(&p->job, &p->result->verdict, &e))
		script_fail(p, &e);
	else
		script_collect(p);
}

/* -- its beginning --------------------------------------------------------------------------- */

static bool script_step_job(void *operation)
{
	return job_step(&((struct script *)operation)->job);
}

static int script_run(struct script *p, struct err *e)
{
	struct run_io io = {
		.in = p->theirs, .out = {p->request->out[0], p->request->out[1]}
        };

	if (job_start(&p->job, &io, true, e))
		return -1;
	p->operation = (struct hub_operation){
		.step = script_step_job, .operation = p, .done = script_ended, .context = p};
	return hub_drive(p->hub, &p->operation, job_loop(&p->job), e);
}

/* The supervisor has answered the request for a cell. */
static void script_answered(void *context)
{
	struct script *p = context;
	struct err e;

	p->has_job = false; /* on error job_open_end() closes it */
	if (!job_open_end(&p->job, &e)) {
		p->has_job = true;
		if (!script_open_feed(p, &e) && !script_run(p, &e)) {
			if (p->request->begun)
				p->request->begun(p->context);
			return;
		}
	}
	script_fail(p, &e);
}

static bool script_step_ask(void *operation)
{
	return ask_step(operation);
}

static int script_ask(struct script *p, struct err *e)
{
	if (job_open_start(p->request->where, &p->spec, JOB_RUN, &p->job, e))
		return -1;
	p->has_job = true;
	p->job.sandbox.endings = hub_endings(p->hub);
	p->operation = (struct hub_operation){.step = script_step_ask,
					      .operation = p->job.ask,
					      .done = script_answered,
					      .context = p};
	return hub_drive(p->hub, &p->operation, ask_loop(p->job.ask), e);
}

static int script_make_spec(struct script *p, struct err *e)
{
	const struct script_request *r = p->request;
	const char *place = r->place ? r->place : WORKSPACE;
	struct sandbox_spec *spec = &p->spec;

	spec_init(spec);
	spec_copy_limits(spec, r->terms);
	spec->limits.wall_time_ms = r->terms->limits.wall_time_ms;
	spec->image = spec_strdup(spec, r->image);
	spec->entrypoint = spec_strdup(spec, "");
	spec->interactive = true;
	spec->warm = WARM_REQUIRE;
	spec->workdir = spec_strdup(spec, place);
	spec_list_add(spec, &spec->command, "python3");
	spec_list_add(spec, &spec->command, "-u");
	spec_list_add(spec, &spec->command, "-c");
	spec_list_add(spec, &spec->command, spec_strndup(spec, files[0].bytes, files[0].length));
	session_spec_add_workspace(spec, place, INODES_MAX);
	return spec_finish(spec, e);
}

int script_start(struct hub *hub, const struct script_request *request,
		 struct script_result *result, void (*done)(void *context), void *context,
		 struct script **out, struct err *e)
{
	struct script *p = own_zeroed(1, sizeof(*p));

	*result = (struct script_result){0};
	*p = (struct script){.hub = hub,
			     .request = request,
			     .result = result,
			     .done = done,
			     .context = context,
			     .stage = -1,
			     .theirs = -1,
			     .ours = -1,
			     .room.fd = -1};
	if (script_make_spec(p, e) || script_ask(p, e)) {
		script_free(p);
		return -1;
	}
	*out = p;
	return 0;
}

void script_cancel(struct script *p)
{
	struct err e;

	if (p->job.run) {
		job_signal(&p->job, SIGKILL);
	} else if (p->has_job && p->job.ask) {
		hub_drop(&p->operation);
		err_set(&e, ERR_GONE, "nobody waits for it any more");
		script_fail(p, &e);
	}
}

void script_free(struct script *p)
{
	struct collected none;

	if (!p)
		return;
	hub_drop(&p->operation);
	hub_silence(p->hub, &p->later);
	script_end_feed(p);
	if (p->collect)
		(void)collect_end(p->collect, hub_endings(p->hub), &none, &(struct err){0});
	if (p->has_job)
		job_close(&p->job);
	own_close(&p->stage);
	own_close(&p->theirs);
	spec_fini(&p->spec);
	free(p);
}

void script_result_fini(struct script_result *r)
{
	verdict_fini(&r->verdict);
	collected_fini(&r->collected);
}
