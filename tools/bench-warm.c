/*
 * bench-warm - requests to the warm supervisor from one process, and how long each part takes.
 *
 *   bench-warm [-n COUNT] [-p PAUSE_MS] [-j PARALLEL] [-s] -- RUN-ARGUMENT...
 *
 * The arguments are those of `glovebox run`: flags, image, command. A request is what
 * the server of the API does for one: read the arguments, open the job (a sandbox,
 * a cell, a plan), run it with the output captured. No process is started for it. With -s the last
 * argument is a program, and a request what `glovebox serve` does for it once it has been read
 * (service/script.h).
 *
 * Without -j: one line per request, nanoseconds of each phase and what it cost this process.
 * With -j: that many processes make COUNT requests each; one line: requests, failures, ns.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "client/job.h"
#include "flags/setting_words.h"
#include "image/image_reference.h"
#include "service/script.h"
#include "spec/run_settings.h"

enum phase { OPEN, START, FIRST, END, CLOSE, PHASES };

static const char *const phase_names[PHASES] = {"open", "start", "first", "end", "close"};

struct request {
	char **argv;
	int argc;
	bool is_script;      /* -s */
	struct hub *hub;     /* with -s */
	bool is_over;        /* the same */
	uint64_t at[PHASES]; /* when each phase had ended */
	uint64_t began;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void pause_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	if (ms > 0)
		nanosleep(&t, NULL);
}

static void note_first(void *context, const char *bytes, size_t length)
{
	struct request *r = context;

	(void)bytes;
	(void)length;
	if (!r->at[FIRST])
		r->at[FIRST] = now_ns();
}

/* Its output is kept, and timed. */
static int run_program(struct request *r, struct job *j, struct verdict *verdict, struct err *e)
{
	struct run_io io = {.in = -1};

	r->at[FIRST] = 0;
	for (int i = 0; i < 2; i++)
		io.out[i] = (struct sink){.fd = -1,
					  .buffer = &verdict->captured[i],
					  .take = note_first,
					  .context = r};
	if (job_start(j, &io, true, e))
		return -1;
	r->at[START] = now_ns();
	do
		loop_wait(job_loop(j), -1);
	while (!job_step(j));
	if (!r->at[FIRST])
		r->at[FIRST] = now_ns();
	return job_end(j, verdict, e);
}

static int read_arguments(const struct request *r, struct sandbox_spec *spec, struct err *e)
{
	const struct settings settings = {.face = FACE_RUN,
					  .grammar = WORDS_BUNDLED,
					  .keeper = spec,
					  .tables = {run_settings_table(spec)}};
	char *reference = NULL;
	int used;

	if (setting_words(&settings, r->argc, r->argv, &used, e))
		return -1;
	if (used >= r->argc)
		return err_input(e, "no image");
	if (image_reference(r->argv[used], &reference, e))
		return -1;
	spec->image = spec_strdup(spec, reference);
	free(reference);
	for (int i = used + 1; i < r->argc; i++)
		spec_list_add(spec, &spec->command, r->argv[i]);
	return spec_finish(spec, e);
}

/* Everything but the end of the sandbox. */
static int run(struct request *r, struct job *j, struct err *e)
{
	struct verdict verdict = {0};
	int bad = run_program(r, j, &verdict, e);

	r->at[END] = now_ns();
	if (!bad && verdict.exit_code)
		bad = err_set(e, ERR_INPUT, "status %d: %.300s", verdict.exit_code,
			      buf_string(&verdict.captured[1]));
	verdict_fini(&verdict);
	return bad;
}

static void script_begun(void *context)
{
	struct request *r = context;

	r->at[OPEN] = r->at[START] = now_ns();
}

static void script_over(void *context)
{
	struct request *r = context;

	r->is_over = true;
	r->at[END] = now_ns();
}

static int judge(const struct script_result *result, const struct buf *complaint, struct err *e)
{
	if (result->failed) {
		*e = result->error;
		return -1;
	}
	return result->verdict.exit_code
		       ? err_set(e, ERR_INPUT, "status %d: %.300s", result->verdict.exit_code,
				 complaint->length ? complaint->data : "")
		       : 0;
}

/* As serve/execute.c, without what came and goes over the network. */
static int run_script(struct request *r, const struct sandbox_spec *terms, int directory,
		      struct err *e)
{
	auto_buf struct buf complaint = {0};
	auto_buf struct buf output = {0};
	struct script_request asked = {.image = terms->image,
				       .terms = terms,
				       .source = r->argv[r->argc - 1],
				       .source_length = strlen(r->argv[r->argc - 1]),
				       .shows_last = true,
				       .collect_fd = directory,
				       .begun = script_begun};
	struct script_result result;
	struct script *script;
	int bad;

	asked.out[0] = (struct sink){.fd = -1, .buffer = &output, .take = note_first, .context = r};
	asked.out[1] = (struct sink){.fd = -1, .buffer = &complaint};
	r->is_over = false;
	r->at[FIRST] = 0;
	if (script_start(r->hub, &asked, &result, script_over, r, &script, e))
		return -1;
	while (!r->is_over)
		hub_turn(r->hub);
	bad = judge(&result, &complaint, e);
	script_free(script);
	script_result_fini(&result);
	return bad;
}

static int serve_script(struct request *r, struct err *e)
{
	auto_fd int directory = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct sandbox_spec terms;
	int bad;

	r->began = now_ns();
	if (!r->hub)
		r->hub = hub_open(e); /* each process its own: the kernel's part of it is shared */
	spec_init(&terms);
	bad = !r->hub || read_arguments(r, &terms, e) || run_script(r, &terms, directory, e);
	spec_fini(&terms);
	r->at[CLOSE] = now_ns();
	return bad ? -1 : 0;
}

static int serve_run(struct request *r, struct err *e)
{
	struct sandbox_spec spec;
	struct job job;
	int bad;

	r->began = now_ns();
	spec_init(&spec);
	spec.warm = WARM_REQUIRE;
	bad = read_arguments(r, &spec, e) || job_open(NULL, &spec, JOB_RUN, &job, e);
	if (!bad) {
		r->at[OPEN] = now_ns();
		bad = run(r, &job, e);
		job_close(&job);
	}
	spec_fini(&spec);
	r->at[CLOSE] = now_ns();
	return bad ? -1 : 0;
}

static int serve(struct request *r, struct err *e)
{
	return r->is_script ? serve_script(r, e) : serve_run(r, e);
}

static int complain(const struct err *e)
{
	char line[600];

	fprintf(stderr, "bench-warm: %s\n", err_string(e, line, sizeof(line)));
	return 1;
}

static void print_line(const struct request *r, const struct rusage *before,
		       const struct rusage *after)
{
	uint64_t last = r->began;

	for (int i = 0; i < PHASES; i++) {
		printf("%llu\t", (unsigned long long)(r->at[i] - last));
		last = r->at[i];
	}
	printf("%ld\t%ld\n", after->ru_minflt - before->ru_minflt,
	       after->ru_nvcsw + after->ru_nivcsw - before->ru_nvcsw - before->ru_nivcsw);
}

static int one_by_one(struct request *r, long count, long pause)
{
	struct rusage before;
	struct rusage after;
	struct err e = {0};

	for (int i = 0; i < PHASES; i++)
		printf("%s\t", phase_names[i]);
	puts("faults\tswitches");
	for (long n = 0; n < count; n++) {
		pause_ms(pause);
		getrusage(RUSAGE_SELF, &before);
		if (serve(r, &e))
			return complain(&e);
		getrusage(RUSAGE_SELF, &after);
		print_line(r, &before, &after);
	}
	return 0;
}

/* Runs: a child. Ends with how many requests failed, 255 at most. */
static int client(struct request *r, long count, long pause)
{
	struct err e = {0};
	long failed = 0;

	for (long n = 0; n < count; n++) {
		pause_ms(pause);
		if (serve(r, &e) && !failed++)
			complain(&e); /* the others will say the same */
	}
	return (int)(failed < 255 ? failed : 255);
}

static int in_parallel(struct request *r, long count, long pause, long parallel)
{
	uint64_t began = now_ns();
	long failed = 0;
	int status;

	for (long i = 0; i < parallel; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(client(r, count, pause));
		if (pid < 0) {
			perror("bench-warm: fork");
			failed += count;
		}
	}
	while (wait(&status) > 0)
		failed += WIFEXITED(status) ? WEXITSTATUS(status) : count;
	printf("%ld\t%ld\t%llu\n", parallel * count, failed,
	       (unsigned long long)(now_ns() - began));
	return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct request r = {0};
	long count = 1;
	long pause = 0;
	long parallel = 0;
	int flag;

	while ((flag = getopt(argc, argv, "+n:p:j:s")) != -1) {
		long value = optarg ? strtol(optarg, NULL, 10) : 0;

		if (flag == '?')
			return 2;
		if (flag == 's')
			r.is_script = true;
		else
			*(flag == 'n' ? &count : flag == 'p' ? &pause : &parallel) = value;
	}
	r.argv = argv + optind;
	r.argc = argc - optind;
	return parallel ? in_parallel(&r, count, pause, parallel) : one_by_one(&r, count, pause);
}
