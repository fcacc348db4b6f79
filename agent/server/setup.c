/*
 * setup - `glovebox agent setup`: looks at the server, makes the tuned model.
 */
#include "agent/server/setup.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/data/exit_status.h"
#include "agent/server/installed.h"
#include "agent/server/ollama_models.h"
#include "agent/server/progress.h"
#include "base/own.h"
#include "base/parse.h"
#include "base/say.h"

#define SUGGESTED "qwen2.5-coder:7b" /* small enough for most machines, and it writes Python */

struct setup {
	const struct setup_defaults *defaults;
	const char *url;
	const char *from;
	const char *name;
	bool pull;
	bool help;
};

static const char help[] =
	"glovebox agent setup - look at the model server, and make the model `glovebox agent` "
	"uses\n"
	"\n"
	"Usage: glovebox agent setup [FLAGS]\n"
	"\n"
	"  --from MODEL, --model MODEL  the model to make it from; default: the first installed "
	"one\n"
	"                               that can call tools\n"
	"  --name NAME                  what it is called (" TUNED_MODEL
	")\n"
	"  --pull                       fetch MODEL when it is not installed\n"
	"  --url URL                    the server, as in OLLAMA_HOST\n"
	"  --help                       this\n"
	"\n"
	"A key for the server is in OLLAMA_API_KEY.\n";

/* --- flags --- */

/* A flag that takes a text, as "--flag TEXT" or "--flag=TEXT". 1: it was this one. */
static int text_flag(const char *flag, char **argv, int *i, const char **out, struct err *e)
{
	size_t length = strlen(flag);

	if (strncmp(argv[*i], flag, length) != 0)
		return 0;
	if (argv[*i][length] == '=') {
		*out = argv[*i] + length + 1;
	} else if (argv[*i][length]) {
		return 0;
	} else if (!argv[*i + 1]) {
		return err_input(e, "%s needs a value", flag);
	} else {
		*out = argv[++*i];
	}
	return **out ? 1 : err_input(e, "%s is empty", flag);
}

static int switch_flag(const char *arg, struct setup *s)
{
	bool pull = !strcmp(arg, "--pull");
	bool wants_help = !strcmp(arg, "--help") || !strcmp(arg, "-h");

	s->pull = s->pull || pull;
	s->help = s->help || wants_help;
	return pull || wants_help;
}

static int read_flags(int argc, char **argv, struct setup *s, struct err *e)
{
	const struct {
		const char *flag;
		const char **out;
	} texts[] = {
		{"--from",  &s->from},
		{"--model", &s->from},
		{"--name",  &s->name},
		{"--url",   &s->url },
	};

	for (int i = 1; i < argc; i++) {
		int found = switch_flag(argv[i], s);

		for (size_t n = 0; !found && n < sizeof(texts) / sizeof(texts[0]); n++)
			found = text_flag(texts[n].flag, argv, &i, texts[n].out, e);
		if (found < 0)
			return -1;
		if (!found)
			return err_input(e, "agent setup: unknown flag %.100s", argv[i]);
	}
	if (s->from && installed_same(s->from, s->name))
		return err_input(e, "%.100s cannot be made from itself: give --name", s->name);
	return 0;
}

/* --- what is there --- */

static int width_of_names(const struct ollama_models *models)
{
	size_t width = 5;

	for (size_t i = 0; i < models->count; i++)
		if (strlen(models->rows[i].name) > width)
			width = strlen(models->rows[i].name);
	return width < 60 ? (int)width : 60;
}

static void print_models(const struct ollama_models *models)
{
	int width = width_of_names(models);

	if (!models->count) {
		puts("No model is installed.");
		return;
	}
	printf("%-*s  %8s  %-8s  %-8s  %s\n", width, "MODEL", "SIZE", "WEIGHTS", "QUANT",
	       "CAPABILITIES");
	for (size_t i = 0; i < models->count; i++) {
		const struct ollama_model *m = &models->rows[i];

		say_column(stdout, width, m->name);
		printf("  %5.1f GB  ", (double)m->size_bytes / 1e9);
		say_column(stdout, 8, m->parameters);
		printf("  ");
		say_column(stdout, 8, m->quantization);
		printf("  ");
		say_line(stdout, m->capabilities ? m->capabilities : "not said");
		printf("\n");
	}
}

static const struct ollama_model *find(const struct ollama_models *models, const char *name)
{
	for (size_t i = 0; i < models->count; i++)
		if (installed_same(models->rows[i].name, name))
			return &models->rows[i];
	return NULL;
}

static bool may(const struct ollama_model *m, const char *wanted)
{
	return wanted ? ollama_model_can(m, wanted) : !m->capabilities;
}

/*
 * The first that can call tools, else the first that can talk, else the first of which an old
 * server does not say what it can; not what we make.
 */
static const struct ollama_model *choose(const struct ollama_models *models, const char *not_this)
{
	static const char *const wanted[] = {"tools", "completion", NULL};

	for (size_t w = 0; w < sizeof(wanted) / sizeof(wanted[0]); w++) {
		for (size_t i = 0; i < models->count; i++) {
			const struct ollama_model *m = &models->rows[i];

			if (may(m, wanted[w]) && !installed_same(m->name, not_this))
				return m;
		}
	}
	return NULL;
}

/* --- what is done --- */

enum job { JOB_PULL, JOB_CREATE };

static int with_progress(struct server *server, enum job job, const struct ollama_recipe *recipe,
			 struct err *e)
{
	struct progress bar = {.out = stdout, .terminal = isatty(1) == 1};
	struct ollama_progress progress = {.step = progress_step, .context = &bar};
	enum model_failure why;
	int status;

	status = job == JOB_PULL ? ollama_models_pull(server, recipe->from, &progress, &why, e)
				 : ollama_models_create(server, recipe, &progress, &why, e);
	progress_end(&bar);
	return status;
}

/* The model to start from is there afterwards, or *e says how to get it. */
static int provide(struct setup *s, struct server *server, const struct ollama_models *models,
		   const struct ollama_model **chosen, struct err *e)
{
	*chosen = s->from ? find(models, s->from) : choose(models, s->name);
	if (*chosen) {
		s->from = (*chosen)->name;
		return 0;
	}
	if (!s->pull)
		return err_set(
			e, ERR_NOT_FOUND,
			"%s%.100s: fetch one with `glovebox agent setup --from %.100s --pull`",
			s->from ? "not installed: " : "no model to make it from is installed",
			s->from ? s->from : "", s->from ? s->from : SUGGESTED);
	if (!s->from)
		s->from = SUGGESTED;
	printf("\nFetching ");
	say_line(stdout, s->from);
	putchar('\n');
	fflush(stdout);
	return with_progress(server, JOB_PULL, &(struct ollama_recipe){.from = s->from}, e);
}

static int create(const struct setup *s, struct server *server, struct err *e)
{
	struct ollama_recipe recipe = {
		.name = s->name,
		.from = s->from,
		.system = s->defaults->system,
		.temperature = 0.2,
		.num_ctx = 8192,
	};

	printf("\nMaking ");
	say_line(stdout, s->name);
	printf(" from ");
	say_line(stdout, s->from);
	printf(" (temperature 0.2, num_ctx 8192)\n");
	fflush(stdout);
	return with_progress(server, JOB_CREATE, &recipe, e);
}

static void print_ready(const char *name)
{
	putchar('\n');
	say_line(stdout, name);
	printf(" is ready: glovebox agent --model ");
	say_line(stdout, name);
	puts(" \"...\"");
}

static int set_up(struct setup *s, struct server *server, struct err *e)
{
	struct ollama_models models;
	const struct ollama_model *base;
	enum model_failure why;
	char version[32];
	int status;

	if (ollama_version(server, version, &why, e))
		return -1;
	printf("Ollama ");
	say_line(stdout, version);
	printf(" at ");
	say_line(stdout, server->url.base);
	printf("\n\n");
	if (ollama_models_list(server, &models, &why, e))
		return -1;
	print_models(&models);
	fflush(stdout);
	status = provide(s, server, &models, &base, e);
	if (!status)
		status = create(s, server, e);
	if (!status) {
		print_ready(s->name);
		if (base && base->capabilities && !ollama_model_can(base, "tools"))
			puts("It cannot call tools; it will write its code in fences, which works, "
			     "too.");
	}
	ollama_models_fini(&models);
	return status;
}

static int complain(const struct err *e, int status)
{
	char text[1024];

	fflush(stdout);
	fprintf(stderr, "glovebox: %s\n", err_string(e, text, sizeof(text)));
	return status;
}

static void warn(const char *text)
{
	fputs("glovebox: ", stderr);
	say_line(stderr, text);
	fputc('\n', stderr);
}

/* Nobody could read it: that is no success. */
static int check_printed(int status)
{
	struct err e;

	if (status || (!fflush(stdout) && !ferror(stdout)))
		return status;
	err_sys(&e, "write to standard output");
	return complain(&e, EXIT_OURS);
}

int setup_main(int argc, char **argv, const struct setup_defaults *defaults)
{
	struct setup s = {.defaults = defaults, .url = defaults->url, .name = TUNED_MODEL};
	struct server server;
	struct err e;
	int status;

	if (read_flags(argc, argv, &s, &e))
		return complain(&e, EXIT_OURS);
	if (s.help) {
		fputs(help, stdout);
		return check_printed(0);
	}
	if (server_open(&(struct server_options){.url = s.url, .api_key = defaults->api_key},
			SERVER_OLLAMA, &server, &e))
		return complain(&e, EXIT_OURS);
	server.if_no_path = "setup needs Ollama: say where it is with --url";
	if (server.url.warning[0])
		warn(server.url.warning);
	status = set_up(&s, &server, &e) ? complain(&e, EXIT_MODEL) : 0;
	server_close(&server);
	return check_printed(status);
}
