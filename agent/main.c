/*
 * glovebox-agent - a local model with hands: it writes Python, the sandbox runs it.
 *
 * This file connects the parts (loop.h has the theory of operation): options, the two directories,
 * the executor, a model, and the sinks of events.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent/approval.h"
#include "agent/greeting.h"
#include "agent/interactive.h"
#include "agent/load.h"
#include "agent/loop.h"
#include "agent/resume.h"
#include "agent/server/server.h"
#include "agent/server/setup.h"
#include "agent/show/event_json.h"
#include "agent/show/screen.h"
#include "agent/show/transcript.h"
#include "agent/tell/prompt.h"
#include "base/io.h"
#include "base/own.h"
#include "base/privileges.h"
#include "base/say.h"
#include "base/utf8.h"
#include "client/registry.h"
#include "fs/trusted_path.h"
#include "session/places.h"

#define TEXT_BYTES (1u << 20) /* most of a task on standard input, or of --system */

/* Everything that a run owns. */
struct agent {
	struct agent_options options;
	struct places places;
	struct executor *executor;
	struct model *model;
	struct event_sink *screen;
	struct event_sink *json;
	struct event_sink *transcript;
	struct kept kept; /* of --continue */
	struct buf system;
	struct buf task;
	int signal_fd;
};

static int main_fail_with_text(const struct err *e)
{
	say_error(e);
	return EXIT_OURS;
}

static const char *main_api_key(int api)
{
	const char *key = getenv(api == API_OPENAI ? "OPENAI_API_KEY" : "OLLAMA_API_KEY");

	return key && *key ? key : NULL;
}

/* -- inputs ---------------------------------------------------------------------------------- */

static int main_read_text(int fd, const char *name, struct buf *out, struct err *e)
{
	if (io_read_fd(fd, name, TEXT_BYTES, out, e))
		return -1;
	if (!utf8_is_valid(buf_string(out), out->length) ||
	    memchr(buf_string(out), '\0', out->length))
		return err_input(e, "%s is not text in UTF-8", name);
	return 0;
}

static int main_read_system(struct agent *a, struct err *e)
{
	const struct prompt_facts nothing = {.data_fd = -1};
	auto_buf struct buf ignored = {0};
	auto_fd int fd = -1;

	if (!a->options.system)
		return 0;
	fd = trusted_path_read(a->options.system, e);
	if (fd < 0)
		return err_prefix(e, "--system");
	if (main_read_text(fd, "--system", &a->system, e))
		return -1;
	return prompt_fill(buf_string(&a->system), &nothing, &ignored, e)
		       ? err_prefix(e, "--system")
		       : 0;
}

static int main_check_task(const struct buf *task, struct err *e)
{
	const char *text = buf_string(task);

	return text[strspn(text, " \t\r\n")]
		       ? 0
		       : err_input(e, "there is no task: name one, or start without at a terminal");
}

/* Set a->task: the operands, or standard input if there are none and it is not a terminal. */
static int main_read_task(struct agent *a, struct err *e)
{
	const struct agent_options *o = &a->options;

	if (!o->task && isatty(STDIN_FILENO))
		return 0;
	if (o->task && strcmp(o->task, "-") != 0)
		buf_text(&a->task, o->task);
	else if (main_read_text(STDIN_FILENO, "standard input", &a->task, e))
		return -1;
	if (!utf8_is_valid(buf_string(&a->task), a->task.length))
		return err_input(e, "the task is not text in UTF-8");
	return main_check_task(&a->task, e);
}

static int main_open_executor(struct agent *a, struct err *e)
{
	const struct executor_options options = {
		.warm = {.image = a->options.image,
			 .trust_image = a->options.trust_image,
			 .preload = a->options.preload,
			 .pool = 1},
		.places = &a->places,
		.fresh = a->options.state == STATE_FRESH,
		.limits = &a->options.limits,
	};

	return executor_open(&options, &a->executor, e);
}

static int main_open_places(struct agent *a, struct err *e)
{
	const struct places_options options = {.workspace = a->options.workspace,
					       .needs_workspace = a->options.workspace_given,
					       .output = a->options.output.text};

	return places_open(&options, &a->places, e);
}

static int main_open_model(struct agent *a, struct err *e)
{
	const struct agent_options *o = &a->options;
	const struct server_options server = {
		.url = o->url, .api_key = main_api_key(o->api), .ca = o->server_ca};

	if (o->api == API_OPENAI)
		a->model = openai_open(&server, e);
	else
		a->model = ollama_open(&server, e);
	if (a->model && a->model->warning && a->model->warning[0])
		say_warning(a->model->warning);
	return a->model ? 0 : -1;
}

static int main_open_sinks(struct agent *a, struct err *e)
{
	const struct screen_options screen = {
		.out = STDOUT_FILENO,
		.progress = STDERR_FILENO,
		.raw = a->options.raw,
		.verbose = a->options.verbose,
		.images = a->options.images == IMAGES_AUTO,
		.output_fd = a->places.output_fd,
		.output_name = a->options.output.text,
	};

	if (a->options.json)
		a->json = event_json_new(STDOUT_FILENO);
	else
		a->screen = screen_new(&screen);
	if (a->options.transcript.text)
		a->transcript = transcript_open(a->options.transcript, e);
	return a->options.transcript.text && !a->transcript ? err_prefix(e, "--transcript") : 0;
}

/*
 * Read SIGINT from a descriptor, so that every wait sees it. Ignore SIGPIPE: the next write reports
 * a reader that has gone.
 */
static int main_open_signals(struct agent *a, struct err *e)
{
	sigset_t interrupt;

	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	signal(SIGPIPE, SIG_IGN);
	if (sigprocmask(SIG_BLOCK, &interrupt, NULL))
		return err_sys(e, "block SIGINT");
	a->signal_fd = signalfd(-1, &interrupt, SFD_CLOEXEC | SFD_NONBLOCK);
	return a->signal_fd < 0 ? err_sys(e, "make a signalfd") : 0;
}

/*
 * Fail if the answer could not be written; if the reader has gone, as SIGPIPE in a pipeline would.
 */
static int main_check_written(const struct event_sink *sink)
{
	struct err e;

	if (!sink || !sink->error)
		return 0;
	if (sink->error == EPIPE)
		return 128 + SIGPIPE;
	errno = sink->error;
	err_sys(&e, "write to standard output");
	return main_fail_with_text(&e);
}

static int main_close_all(struct agent *a, int status)
{
	struct err e;

	if (!status)
		status = main_check_written(a->json ? a->json : a->screen);
	if (a->screen)
		screen_free(a->screen);
	if (a->json)
		event_json_free(a->json);
	if (a->transcript && transcript_close(a->transcript, &e) && !status)
		status = main_fail_with_text(&e);
	if (a->model)
		a->model->free(a->model);
	executor_close(a->executor);
	places_close(&a->places);
	kept_fini(&a->kept);
	own_close(&a->signal_fd);
	buf_fini(&a->system);
	buf_fini(&a->task);
	agent_options_fini(&a->options);
	return status;
}

/* Report an error before the first round. */
static int main_refuse(struct agent *a, const struct err *e)
{
	char text[600];
	const struct task_result result = {.outcome = OUTCOME_REFUSED,
					   .error = err_string(e, text, sizeof(text))};

	if (a->options.json && !a->json)
		a->json = event_json_new(STDOUT_FILENO);
	if (a->json)
		a->json->take(a->json, &(struct event){.kind = EVENT_RESULT, .result = &result});
	return main_close_all(a, main_fail_with_text(e));
}

/* Print a requested text. */
static int main_print(const struct buf *text)
{
	struct err e;

	if (!io_write_all(STDOUT_FILENO, text->data, text->length))
		return 0;
	err_sys(&e, "write to standard output");
	return main_fail_with_text(&e);
}

/* -- running --------------------------------------------------------------------------------- */

static int main_run_task(struct agent_loop *loop, const char *task)
{
	return loop_exit_status(loop_run(loop, task));
}

static int main_run(struct agent *a)
{
	const struct agent_options *o = &a->options;
	auto_registration place = registry_enter_face("agent", o->image, buf_string(&a->task));
	struct agent_loop loop = {
		.options = o,
		.model_name = o->model,
		.system = o->system ? buf_string(&a->system) : NULL,
		.model = a->model,
		.server = {.url = o->url, .api_key = main_api_key(o->api), .ca = o->server_ca},
		.executor = a->executor,
		.output_fd = a->places.output_fd,
		.signal_fd = a->signal_fd,
		.data_fd = a->places.workspace_fd,
		.loading = -1,
		.talking = !a->task.length,
	};
	struct event_sink *const sinks[] = {a->screen, a->json, a->transcript, &a->kept.cells.sink};
	const char *task = a->task.length ? buf_string(&a->task) : NULL;
	struct err e;
	int status;

	if (task)
		greeting_warn(&loop);
	for (size_t i = 0; i < sizeof(sinks) / sizeof(sinks[0]); i++) {
		if (sinks[i])
			loop.sinks[loop.sink_count++] = sinks[i];
	}
	load_start(&loop);
	resume_take(&loop, &a->kept);
	if (task)
		status = main_run_task(&loop, task);
	else
		status = interactive_run(&loop, &e) ? main_fail_with_text(&e) : 0;
	load_end(&loop.loading);
	if (task)
		resume_save_task(&loop);
	loop_fini(&loop);
	return status;
}

static int main_agent_main(int argc, char **argv)
{
	struct agent a = {.signal_fd = -1, .places = places_none()};
	struct err e = {0};

	cells_init(&a.kept.cells);
	if (agent_options_read(argc, argv, &a.options, &e))
		return main_refuse(&a, &e);
	if (a.options.help) {
		auto_buf struct buf text = {0};

		agent_options_help(&text);
		return main_close_all(&a, main_print(&text));
	}
	/* The executor forks: open it before libraries make this process large. */
	if (approval_check(&a.options, &e) || main_read_system(&a, &e) || main_read_task(&a, &e) ||
	    main_open_places(&a, &e) || resume_load(&a.options, &a.kept, &e) ||
	    main_open_signals(&a, &e) || main_open_executor(&a, &e) || main_open_model(&a, &e) ||
	    main_open_sinks(&a, &e))
		return main_refuse(&a, &e);
	return main_close_all(&a, main_run(&a));
}

/* -- the other commands ---------------------------------------------------------------------- */

static int main_setup(int argc, char **argv)
{
	struct agent_options options;
	struct err e;
	int status;

	if (agent_options_read(1, argv, &options, &e)) {
		agent_options_fini(&options);
		return main_fail_with_text(&e);
	}
	status = setup_main(argc, argv,
			    &(struct setup_defaults){.url = options.url,
						     .api_key = main_api_key(API_OLLAMA),
						     .ca = options.server_ca,
						     .system = prompt_text(PROMPT_SETUP)});
	agent_options_fini(&options);
	return status;
}

int main(int argc, char **argv)
{
	auto_buf struct buf text = {0};
	struct err e;

	io_fill_standard();
	if (privileges_keep("agent", "arguments", &e))
		return main_fail_with_text(&e);
	if (argc > 1 && !strcmp(argv[1], "setup"))
		return main_setup(argc - 1, argv + 1);
	if (argc == 3 && !strcmp(argv[1], "generate") && agent_options_generate(argv[2], &text))
		return main_print(&text);
	return main_agent_main(argc, argv);
}
