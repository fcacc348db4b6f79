/*
 * library - libglovebox: the words of glovebox run to a spec, to a warm cell, to a result.
 */
#include "library/libglovebox.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "client/job.h"
#include "flags/setting_words.h"
#include "fs/self_path.h"
#include "image/image_reference.h"
#include "spec/run_settings.h"
#include "spec/verdict.h"

struct glovebox_job {
	struct sandbox_spec spec;
	struct job job;
	struct loop loop;
	struct verdict verdict; /* its output, while the program runs */
	struct err error;       /* the reason, unless `is_open` */
	bool is_open;           /* the job */
	bool is_over;
};

static void library_explain(const struct err *e, char why[GLOVEBOX_WHY])
{
	err_string(e, why, GLOVEBOX_WHY);
}

/* Programs that a run starts, and the shipped lists of hosts, lie beside `glovebox`, not beside the
 * caller's program. */
static void library_find_programs(void)
{
	auto_free char *path = own_strdup(secure_getenv("PATH"));
	char *rest = path;

	for (char *directory; (directory = strsep(&rest, ":"));) {
		auto_free char *file = own_printf("%s/glovebox", directory);

		if (*directory == '/' && !access(file, X_OK)) {
			self_assume(file);
			return;
		}
	}
}

/* -- the request ----------------------------------------------------------------------------- */

/* Runs of a library have no terminal, no input, and no place in `glovebox ps`. */
static int library_check(const struct sandbox_spec *spec, struct err *e)
{
	static const char *const missing[] = {"tty", "interactive", "name"};

	for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
		if (setting_given(run_settings, spec->given, missing[i]))
			return err_set(e, ERR_UNSUPPORTED, "--%s: a run of libglovebox has none",
				       missing[i]);
	}
	return 0;
}

static int library_read_words(const char *const *words, struct sandbox_spec *spec, struct err *e)
{
	const struct settings settings = {.face = FACE_RUN,
					  .grammar = WORDS_BUNDLED,
					  .keeper = spec,
					  .tables = {run_settings_table(spec)}};
	auto_list struct list copy = {0};
	auto_free char *reference = NULL;
	int used;

	for (; *words; words++)
		list_add(&copy, *words);
	if (setting_words(&settings, (int)copy.count, copy.items, &used, e))
		return -1;
	if (!copy.items || (size_t)used == copy.count)
		return err_input(e, "an image is needed behind the flags");
	if (image_reference(copy.items[used], &reference, e))
		return -1;
	spec->image = spec_strdup(spec, reference);
	for (size_t i = (size_t)used + 1; i < copy.count; i++)
		spec_list_add(spec, &spec->command, copy.items[i]);
	return 0;
}

static int library_plan(struct glovebox_job *j, const char *const *words)
{
	spec_init(&j->spec);
	if (library_read_words(words, &j->spec, &j->error) || library_check(&j->spec, &j->error))
		return -1;
	j->spec.warm = WARM_REQUIRE;
	j->spec.collected = true;
	return spec_finish(&j->spec, &j->error) ? -1 : 0;
}

/* -- the run --------------------------------------------------------------------------------- */

static void library_close(struct glovebox_job *j)
{
	if (j->is_open)
		job_close(&j->job);
	j->is_open = false;
}

/* The cell is here: start the program. */
static int library_begin(struct glovebox_job *j)
{
	struct run_io io = {.in = -1};

	for (int i = 0; i < 2; i++)
		io.out[i] = (struct sink){.fd = -1, .buffer = &j->verdict.captured[i]};
	j->is_open = !job_open_end(&j->job, &j->error);
	if (j->is_open && !job_start(&j->job, &io, true, &j->error))
		return 0;
	library_close(j);
	return -1;
}

/* A job that is over waits for nothing that may be gone: a step is due. */
static void library_await(struct glovebox_job *j)
{
	if (j->is_over)
		loop_arrange(&j->loop, NULL, 0, 0);
	else
		loop_follow(&j->loop, j->job.ask ? ask_loop(j->job.ask) : job_loop(&j->job),
			    LOOP_NEVER);
}

struct glovebox_job *glovebox_start(const char *const *words, char why[GLOVEBOX_WHY])
{
	struct glovebox_job *j = own_zeroed(1, sizeof(*j));

	j->loop = loop_none();
	library_find_programs();
	j->is_open = !library_plan(j, words) &&
		     !job_open_start(NULL, &j->spec, JOB_RUN, &j->job, &j->error);
	if (j->is_open && (j->job.ask || !library_begin(j))) {
		library_await(j);
		return j;
	}
	library_explain(&j->error, why);
	spec_fini(&j->spec);
	free(j);
	return NULL;
}

int glovebox_fd(struct glovebox_job *j, char why[GLOVEBOX_WHY])
{
	struct err e;
	int fd = loop_fd(&j->loop, &e);

	if (fd < 0)
		library_explain(&e, why);
	return fd;
}

bool glovebox_step(struct glovebox_job *j)
{
	if (j->is_over)
		return true;
	loop_collect(&j->loop);
	if (!j->job.ask)
		j->is_over = job_step(&j->job);
	else if (ask_step(j->job.ask))
		j->is_over = library_begin(j) != 0;
	library_await(j);
	return j->is_over;
}

void glovebox_cancel(struct glovebox_job *j)
{
	if (j->is_over)
		return;
	if (!j->job.ask) {
		job_signal(&j->job, SIGTERM);
		return;
	}
	library_close(j);
	err_set(&j->error, ERR_GONE, "cancelled before it had a cell");
	j->is_over = true;
	library_await(j);
}

/* -- the result ------------------------------------------------------------------------------ */

static void library_report(struct verdict *v, struct glovebox_result *out)
{
	*out = (struct glovebox_result){.exit_status = v->exit_code,
					.verdict = verdict_name(v->kind),
					.duration_us = v->duration_us,
					.cpu_us = v->cpu_us,
					.memory_peak_bytes = v->memory_peak_bytes};
	for (int i = 0; i < 2; i++) {
		out->length[i] = v->captured[i].length;
		out->is_cut[i] = v->truncated[i];
		out->text[i] = buf_take(&v->captured[i]);
	}
}

int glovebox_end(struct glovebox_job *j, struct glovebox_result *out, char why[GLOVEBOX_WHY])
{
	int bad = -1;

	if (!j->is_over)
		err_set(&j->error, ERR_GONE, "the run was ended before it was over");
	else if (j->is_open)
		bad = job_end(&j->job, &j->verdict, &j->error);
	if (bad)
		library_explain(&j->error, why);
	else
		library_report(&j->verdict, out);
	library_close(j);
	verdict_fini(&j->verdict);
	spec_fini(&j->spec);
	loop_close(&j->loop);
	free(j);
	return bad;
}

int glovebox_run(const char *const *words, struct glovebox_result *out, char why[GLOVEBOX_WHY])
{
	struct glovebox_job *j = glovebox_start(words, why);

	if (!j)
		return -1;
	do {
		loop_wait(&j->loop, -1);
	} while (!glovebox_step(j));
	return glovebox_end(j, out, why);
}

void glovebox_result_fini(struct glovebox_result *r)
{
	own_free(&r->text[0]);
	own_free(&r->text[1]);
}
