/*
 * run - `glovebox run`: flags to spec, spec to sandbox, verdict to exit status.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/privileges.h"
#include "base/process.h"
#include "base/say.h"
#include "cgroup/cgroup.h"
#include "cli/command.h"
#include "cli/explain.h"
#include "cli/exposed.h"
#include "cli/report.h"
#include "cli/run.h"
#include "cli/scope.h"
#include "cli/script_here.h"
#include "client/job.h"
#include "client/network.h"
#include "client/registry.h"
#include "client/registry_run.h"
#include "client/verdict_json.h"
#include "flags/setting_words.h"
#include "fs/trusted_path.h"
#include "image/image.h"
#include "image/image_reference.h"
#include "record/record_names.h"
#include "spec/run_settings.h"

/* docker does not cut output. Output kept in memory for a result stays bounded. */
static void run_lift_output_limit(struct sandbox_spec *spec, const struct presentation *show)
{
	if (invoked_as_docker() && !spec->stays && !show->json && !show->result_file.text &&
	    !setting_given(run_settings, spec->given, "output-limit"))
		spec->limits.output_bytes = SPEC_UNLIMITED;
}

/* docker lets the image decide whether output of a killed program may be lost. */
static bool run_is_collected(const struct sandbox_spec *spec, const struct presentation *show)
{
	return !spec->is_docker && (show->json || show->result_file.text || spec->stays ||
				    spec->limits.wall_time_ms != SPEC_UNLIMITED);
}

struct settings run_all_settings(void)
{
	return presentation_settings(NULL, NULL);
}

/* Report a missing image after refused flags. Returns -1. */
static int run_refuse_image(const char *name, struct err *e)
{
	const struct err flags = *e;
	auto_free char *reference = NULL;
	struct image image;
	struct err missing;

	if (image_reference(name, &reference, &missing) || image_open(reference, &image, &missing))
		return err_set(e, flags.kind, "%s; %s", flags.text, missing.text);
	image_close(&image);
	return -1;
}

/* Read the image's name; if it is a program of the host, suggest the command for it. */
static int run_read_image(const char *word, char **reference, struct err *e)
{
	bool bad = image_reference(word, reference, e);
	auto_free char *runs = NULL;

	if (!bad && image_exists(*reference))
		return 0;
	runs = script_command(word, NULL);
	if (runs)
		return err_input(e, "%.100s is a program here, and not an image: \"%s\" runs it",
				 word, runs);
	return script_missing(word, e) || bad ? -1 : 0;
}

int run_parse(int argc, char **argv, const struct list *later, struct sandbox_spec *spec,
	      struct presentation *show, struct err *e)
{
	struct settings settings = presentation_settings(spec, show);
	auto_free char *reference = NULL;
	int used;

	settings.help = &show->help;
	spec->is_docker = spec->sig_proxy = invoked_as_docker();
	if (setting_words(&settings, argc - 1, argv + 1, &used, e))
		return e->kind == ERR_UNSUPPORTED && used + 1 < argc
			       ? run_refuse_image(argv[used + 1], e)
			       : -1;
	if (show->help)
		return -1;
	argv += 1 + used;
	argc -= 1 + used;
	if (argc < 1)
		return err_input(e, "an image is needed: %s run [FLAGS] IMAGE [COMMAND [ARG...]]",
				 our_name());
	if (run_read_image(argv[0], &reference, e) || exposed_publish(spec, reference, e) ||
	    (later && update_apply(later, spec, e)))
		return -1;
	spec->image = spec_strdup(spec, reference);
	spec->image_named = spec_strdup(spec, argv[0]);
	for (int i = 1; i < argc; i++)
		spec_list_add(spec, &spec->command, argv[i]);
	run_lift_output_limit(spec, show);
	spec->collected = run_is_collected(spec, show);
	return presentation_check(show, spec, e) || spec_finish(spec, e) ? -1 : 0;
}

/* The id file must not exist; write it before the program starts (docker run --cidfile). */
int run_write_cidfile(struct written_path path, const char *id, struct err *e)
{
	auto_fd int fd = -1;

	if (!path.text)
		return 0;
	fd = trusted_path_write(path, LINKS_OF_CALLER, O_EXCL, 0644, e);
	if (fd < 0 && e->number == EEXIST)
		return err_input(e,
				 "container ID file found, make sure the other container isn't "
				 "running or delete %.200s",
				 path.text);
	if (fd < 0)
		return err_prefix(e, "--cidfile");
	if (io_write_all(fd, id, strlen(id)))
		return err_sys(e, "write the id to %.300s", path.text);
	return 0;
}

static int run_write_result(const struct presentation *show, const char *id,
			    const struct verdict *v, int result_fd, struct err *e)
{
	auto_buf struct buf json = {0};
	int bad = 0;

	if (!show->json && result_fd < 0)
		return 0;
	verdict_json(id, v, &show->labels, &json);
	if (show->json && io_write_all(STDOUT_FILENO, json.data, json.length))
		bad = err_sys(e, "write the result");
	if (result_fd >= 0 && io_write_all(result_fd, json.data, json.length))
		bad = err_sys(e, "write the result to %.300s", show->result_file.text);
	return bad;
}

static int run_open_result(const struct presentation *show, int *fd, struct err *e)
{
	if (!show->result_file.text)
		return 0;
	/* Mode 0600: the result contains the program's output. */
	*fd = trusted_path_write(show->result_file, LINKS_OF_CALLER, O_TRUNC, 0600, e);
	return *fd < 0 ? err_prefix(e, "--result-file") : 0;
}

/* The exit status of a run that did not start: docker's 126 and 127 refer to the command. */
int run_failed(const struct err *e, bool started)
{
	int status = fail_with(e);

	if (started && e->kind == ERR_NOT_FOUND)
		return 127;
	if (started && e->kind == ERR_DENIED)
		return 126;
	return status;
}

static void run_pass_signals(struct job *j, int signal_fd)
{
	struct signalfd_siginfo info;

	while (read(signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		job_signal(j, process_signal_of(&info));
}

static void run_drive(struct job *j, int signal_fd)
{
	do {
		if (loop_wait(job_loop(j), signal_fd))
			run_pass_signals(j, signal_fd);
	} while (!job_step(j));
}

/* The program was not found, or cannot be executed: a flag or a program of the host may have been
 * meant. */
void run_add_meant(const struct sandbox_spec *spec, struct err *e)
{
	const char *word = spec->command.count ? spec->command.items[0] : "";
	auto_free char *runs = script_command(word, "IMAGE");
	char text[sizeof(e->text)];

	err_string(e, text, sizeof(text));
	if (e->kind == ERR_NOT_FOUND && *word == '-')
		err_set(e, e->kind, "%s; flags of %s run stand before IMAGE", text, our_name());
	if (runs && (e->kind == ERR_NOT_FOUND || e->kind == ERR_DENIED))
		err_set(e, e->kind, "%s; that is a program of this machine: \"%s\" runs it", text,
			runs);
}

/*
 * "python a.py": Python exits with 2 if it finds no script, and this machine has one of that name.
 */
static void run_hint_script(const struct sandbox_spec *spec, const struct verdict *v)
{
	const struct string_list *words = &spec->command;
	const char *script = words->count > 1 ? words->items[1] : "";
	auto_free char *runs = script_command(script, "IMAGE");

	if (v->exit_code != 2 || strncmp(words->items[0], "python", 6) != 0 || *script == '/' ||
	    !runs)
		return;
	fputs("glovebox: ", stderr);
	say_line(stderr, script);
	fputs(" is a program of this machine, which the sandbox does not see: \"", stderr);
	say_line(stderr, runs);
	fputs("\" runs it\n", stderr);
}

/* The program uses our streams; for a result its output is also kept. */
static int run_program(struct job *j, const struct presentation *show,
		       const struct registration *place, int signal_fd, struct verdict *v,
		       struct err *e)
{
	bool result = show->json || show->result_file.text;
	struct run_io io = {
		STDIN_FILENO, {{.fd = STDOUT_FILENO}, {.fd = STDERR_FILENO}}
        };
	auto_buf struct buf published = {0};

	for (int i = 0; i < 2; i++) {
		io.out[i].buffer = result ? &v->captured[i] : NULL;
		io.out[i].fd = show->json ? -1 : io.out[i].fd;
	}
	process_normal_priority();
	if (job_start(j, &io, result, e) ||
	    privileges_keep("run", j->sandbox.output_fd < 0 ? "running" : "collects", e))
		return -1;
	registry_run_add_memory(&j->sandbox, place);
	network_write_published(&j->sandbox, &published);
	network_say_published(&published, our_name());
	run_drive(j, signal_fd);
	return job_end(j, v, e);
}

/* Neither another run at the same time nor a record has its name. */
static int run_take_name(const struct sandbox *s, struct registration *place, struct err *e)
{
	return registry_run_enter(s, place, e) ||
			       (s->spec->name && record_names_check(s->spec->name, e))
		       ? -1
		       : 0;
}

static int run_job(struct job *j, const struct presentation *show)
{
	const struct sandbox *s = &j->sandbox;
	auto_fd int result_fd = -1;
	auto_fd int signal_fd = -1;
	auto_registration place = registration_none();
	struct verdict v = {0};
	struct err e = {0};
	int status;

	if (run_open_result(show, &result_fd, &e) ||
	    process_signals_of_run(s->spec->sig_proxy, &signal_fd, &e) ||
	    run_take_name(s, &place, &e) || run_write_cidfile(show->cidfile, s->id, &e)) {
		status = run_failed(&e, false);
	} else if (run_program(j, show, &place, signal_fd, &v, &e)) {
		run_add_meant(s->spec, &e);
		status = run_failed(&e, true);
	} else {
		status = v.exit_code;
		if (!show->quiet) {
			report_messages(&s->spec->limits, &v);
			run_hint_script(s->spec, &v);
		}
		if (v.output_error) {
			errno = v.output_error;
			err_sys(&e, "write the program's output");
			fail_with(&e);
		}
		if (run_write_result(show, s->id, &v, result_fd, &e))
			status = e.number == EPIPE ? 128 + SIGPIPE : run_failed(&e, false);
	}
	verdict_fini(&v);
	return status;
}

static int run_check_terminal(const struct sandbox_spec *spec)
{
	if (!spec->tty || !spec->interactive || spec->stays || isatty(STDIN_FILENO))
		return 0;
	fputs("the input device is not a TTY\n", stderr);
	return -1;
}

static enum job_use run_use(const struct presentation *show)
{
	if (show->explain)
		return JOB_LOOK;
	return show->json || show->result_file.text ? JOB_RESULT : JOB_RUN;
}

/* A sandbox that stays: start it, or only make its record. */
static int run_kept(int argc, char **argv, struct sandbox_spec *spec,
		    const struct presentation *show, bool start)
{
	auto_free char *directory = getcwd(NULL, 0);
	const struct record_origin origin = {.words = argv,
					     .count = argc,
					     .directory = directory ? directory : "/",
					     .docker = invoked_as_docker(),
					     .labels = &show->labels};

	return start ? detach(spec, show, &origin, NULL) : detach_create(spec, show, &origin);
}

int command_create(int argc, char **argv)
{
	struct presentation show = {0};
	struct sandbox_spec spec;
	struct err e;
	int status;

	spec_init(&spec);
	spec.stays = true;
	status = run_parse(argc, argv, NULL, &spec, &show, &e)
			 ? run_failed(&e, false)
			 : run_kept(argc, argv, &spec, &show, false);
	presentation_fini(&show);
	spec_fini(&spec);
	return status;
}

static int run_here(struct sandbox_spec *spec, const struct presentation *show)
{
	struct job job;
	struct err e;
	int status;

	if (job_open(NULL, spec, run_use(show), &job, &e))
		return run_failed(&e, false);
	if (job.cold && !show->explain && !cgroup_nothing_to_limit(&spec->limits))
		scope_enter();
	status = show->explain ? explain(&job.sandbox, job.cold) : run_job(&job, show);
	job_leave(&job);
	return status;
}

static int run_read(int argc, char **argv, struct sandbox_spec *spec, struct presentation *show)
{
	struct err e;

	show->help = argc == 2 && !strcmp(argv[1], "-h"); /* otherwise -h is --hostname */
	if (show->help || run_parse(argc, argv, NULL, spec, show, &e))
		return show->help ? command_help(2, (char *[]){(char *)"help", argv[0], NULL})
				  : run_failed(&e, false);
	if (run_check_terminal(spec))
		return 1; /* docker's own exception to 125 */
	return spec->stays && !show->explain ? run_kept(argc, argv, spec, show, true)
					     : run_here(spec, show);
}

int command_run(int argc, char **argv)
{
	struct sandbox_spec spec;
	struct presentation show = {0};
	int status;

	spec_init(&spec);
	status = run_read(argc, argv, &spec, &show);
#ifdef __SANITIZE_ADDRESS__ /* the process ends here: its memory goes with it */
	presentation_fini(&show);
	spec_fini(&spec);
#endif
	return status;
}
