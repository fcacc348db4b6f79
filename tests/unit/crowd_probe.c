/*
 * crowd_probe - many runs and sessions, started and driven at once by one process and one thread.
 *
 *     crowd_probe RUNS SESSIONS CALLS SEED
 *
 * Everything is on one epoll(7). At moments that the seed decides, runs are cancelled and calls
 * interrupted, once or twice, or given up in the middle, also when they have no cell yet; what
 * nobody disturbs must come out exactly as it should. Needs a warm supervisor of the image "host".
 * Says "ok" and how many were disturbed, or what was wrong.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/own.h"
#include "base/process.h"
#include "client/job.h"
#include "session/call.h"
#include "session/opening.h"

#define LINES    40u /* printed by each program */
#define SHUFFLES 3   /* of 100 steps are replaced by a disturbance */

enum member_kind { MEMBER_RUN, MEMBER_SESSION };

struct member {
	enum member_kind kind;
	unsigned number;
	bool is_done;
	bool disturbed;
	bool shaken; /* its last call was interrupted: the signal may still be on its way
			(docs/sessions.md) */
	char source[300];
	struct buf out[2];
	/* a run */
	struct sandbox_spec spec;
	struct job job;
	/* a session: how it begins, and its call */
	struct opening *opening;
	struct session session;
	struct sink sinks[2];
	struct session_call ask;
	struct call *call;
	unsigned calls_left;
	struct err e;
};

static int epoll_fd;
static unsigned disturbed;
static unsigned unfinished;

static void die(const struct member *m, const char *what)
{
	char line[600];

	fprintf(stderr, "%s %u: %s: %s\n", m->kind == MEMBER_RUN ? "run" : "session", m->number,
		what, m->e.kind ? err_string(&m->e, line, sizeof(line)) : "");
	exit(1);
}

static void watch(struct member *m, struct loop *loop)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = m};
	int fd = loop_fd(loop, &m->e);

	if (fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event))
		die(m, "epoll_ctl");
}

/* Check that it printed its own lines, and nobody else's. */
static void check_output(const struct member *m)
{
	auto_buf struct buf wanted = {0};

	for (unsigned i = 0; i < LINES; i++)
		buf_printf(&wanted, "%u:%u\n", m->number, i);
	if (strcmp(buf_string(&m->out[0]), buf_string(&wanted)) != 0 || m->out[1].length)
		die(m, buf_string(&m->out[m->out[1].length ? 1 : 0]));
}

static void write_source(struct member *m, const char *end)
{
	bool slow = random() % 2;

	snprintf(m->source, sizeof(m->source),
		 "import time\nfor i in range(%u):\n print('%u:%%d' %% i, flush=True)\n%s%s", LINES,
		 m->number, slow ? " time.sleep(0.01)\n" : "", end);
}

/* -- runs ------------------------------------------------------------------------------------ */

static void plan_run(struct member *m)
{
	spec_init(&m->spec);
	m->spec.warm = WARM_REQUIRE;
	m->spec.image = spec_strdup(&m->spec, "host:latest");
	spec_list_add(&m->spec, &m->spec.command, "python3");
	spec_list_add(&m->spec, &m->spec.command, "-c");
	spec_list_add(&m->spec, &m->spec.command, m->source);
	if (spec_finish(&m->spec, &m->e) || job_open_start(NULL, &m->spec, JOB_RUN, &m->job, &m->e))
		die(m, "ask");
}

static void start_run(struct member *m)
{
	write_source(m, "raise SystemExit(7)");
	plan_run(m);
	if (!m->job.ask)
		die(m, m->job.cold);
	watch(m, ask_loop(m->job.ask));
}

static void start_program(struct member *m)
{
	struct run_io io = {.in = -1};

	if (job_open_end(&m->job, &m->e))
		die(m, "open");
	for (int i = 0; i < 2; i++)
		io.out[i] = (struct sink){.fd = -1, .buffer = &m->out[i]};
	if (job_start(&m->job, &io, false, &m->e))
		die(m, "start");
	watch(m, job_loop(&m->job));
}

static void close_run(struct member *m)
{
	job_close(&m->job);
	spec_fini(&m->spec);
	m->is_done = true;
	unfinished--;
}

static void end_run(struct member *m)
{
	struct verdict v = {0};

	if (job_end(&m->job, &v, &m->e))
		die(m, "end");
	if (v.exit_code != 7 && !m->disturbed)
		die(m, buf_string(&m->out[1]));
	if (!m->disturbed)
		check_output(m);
	verdict_fini(&v);
	close_run(m);
}

/* -- sessions -------------------------------------------------------------------------------- */

static void start_call(struct member *m)
{
	auto_buf struct buf members = {0};
	struct call_request request = {.socket = m->session.fds[SESSION_CHANNEL]};

	write_source(m, "");
	buf_text(&members, "\"op\":\"run\",\"plain\":true,\"source\":");
	buf_json_text(&members, m->source);
	request.members = members.data;
	request.length = members.length;
	for (int i = 0; i < 2; i++) {
		buf_fini(&m->out[i]);
		m->sinks[i] = (struct sink){.fd = -1, .buffer = &m->out[i]};
	}
	m->disturbed = false;
	m->ask = (struct session_call){
		.timeout_ms = 60000, .output_max = 1 << 20, .answer_max = 1 << 20, .out = m->sinks};
	if (call_start(&m->session, &request, &m->ask, &m->e, &m->call))
		die(m, "call");
	watch(m, call_loop(m->call));
}

static void plan_session(struct member *m)
{
	struct mount_spec *workspace;

	spec_init(&m->spec);
	m->spec.image = spec_strdup(&m->spec, "host:latest");
	m->spec.entrypoint = spec_strdup(&m->spec, "");
	spec_list_add(&m->spec, &m->spec.command, "python3");
	workspace = spec_add_mount(&m->spec, MOUNT_STAGE, "/workspace");
	workspace->size_bytes = 1 << 20;
	workspace->inodes = 64;
	workspace->mode = 0755;
	workspace->uid = workspace->gid = -1;
	if (spec_finish(&m->spec, &m->e))
		die(m, "plan");
}

static void start_session(struct member *m)
{
	plan_session(m);
	if (opening_start(NULL, &m->spec, NULL, &m->session, &m->opening, &m->e))
		die(m, "start");
	watch(m, opening_loop(m->opening));
}

static void end_session(struct member *m)
{
	session_end(&m->session);
	m->is_done = true;
	unfinished--;
}

static void end_opening(struct member *m)
{
	int bad = opening_end(m->opening, &m->e);

	m->opening = NULL;
	if (bad && !m->disturbed)
		die(m, "opening");
	spec_fini(&m->spec);
	if (bad)
		end_session(m);
	else
		start_call(m);
}

static void end_call(struct member *m)
{
	int bad = call_end(m->call);

	m->call = NULL;
	buf_fini(&m->ask.answer);
	if (bad && !m->disturbed)
		die(m, "lost");
	if (!m->disturbed && !m->shaken)
		check_output(m);
	m->shaken = m->disturbed;
	if (bad || --m->calls_left == 0)
		end_session(m);
	else
		start_call(m);
}

/* -- all of them ----------------------------------------------------------------------------- */

static void end(struct member *m)
{
	if (m->kind == MEMBER_RUN && m->job.ask && m->disturbed)
		close_run(m);
	else if (m->kind == MEMBER_RUN && m->job.ask)
		start_program(m);
	else if (m->kind == MEMBER_RUN)
		end_run(m);
	else if (m->opening)
		end_opening(m);
	else
		end_call(m);
}

static void step(struct member *m)
{
	if (m->kind == MEMBER_SESSION ? m->opening ? opening_step(m->opening) : call_step(m->call)
	    : m->job.ask ? ask_step(m->job.ask)
				      : job_step(&m->job))
		end(m);
}

/* One signal lets it end in its own time, two end it at once; or it is given up in the middle. */
static void disturb(struct member *m)
{
	unsigned how = (unsigned)random() % 3;

	m->disturbed = true;
	disturbed++;
	if (how == 2 || m->opening || m->job.ask) {
		end(m);
		return;
	}
	for (unsigned i = 0; i <= how; i++) {
		if (m->kind == MEMBER_RUN)
			job_signal(&m->job, SIGTERM);
		else
			call_interrupt(m->call);
	}
}

static void turn(int timeout_ms)
{
	struct epoll_event events[16];
	int ready = epoll_wait(epoll_fd, events, 16, timeout_ms);

	for (int i = 0; i < ready; i++) {
		struct member *m = events[i].data.ptr;

		if (m->is_done)
			continue;
		if (random() % 100 < SHUFFLES)
			disturb(m);
		else
			step(m);
	}
}

static unsigned open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	if (!dir)
		abort();
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static void start(struct member *m, unsigned number, unsigned runs, unsigned calls)
{
	*m = (struct member){.number = number, .calls_left = calls};
	m->session = session_none();
	m->kind = number < runs ? MEMBER_RUN : MEMBER_SESSION;
	unfinished++;
	if (m->kind == MEMBER_RUN)
		start_run(m);
	else
		start_session(m);
}

int main(int argc, char **argv)
{
	unsigned runs = argc == 5 ? (unsigned)atoi(argv[1]) : 0;
	unsigned count = argc == 5 ? runs + (unsigned)atoi(argv[2]) : 0;
	struct member *members = own_zeroed(count + 1, sizeof(*members));
	unsigned before = open_descriptors();
	int signal_fd = -1;
	struct err e;

	if (argc != 5)
		return 2;
	srandom((unsigned)atoi(argv[4]));
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (process_signals(&signal_fd, &e))
		return 1;
	for (unsigned i = 0; i < count; i++) {
		start(&members[i], i, runs, (unsigned)atoi(argv[3]));
		turn(0);
	}
	while (unfinished)
		turn(-1);
	for (unsigned i = 0; i < count; i++) {
		buf_fini(&members[i].out[0]);
		buf_fini(&members[i].out[1]);
	}
	free(members);
	close(signal_fd);
	close(epoll_fd);
	if (open_descriptors() != before)
		fprintf(stderr, "%u descriptors are left\n", open_descriptors() - before);
	printf("ok: %u disturbed\n", disturbed);
	return open_descriptors() != before;
}
