/*
 * setup - `glovebox agent setup`: examine the server, and make the tuned model.
 */
#include "agent/server/setup.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/data/event.h"
#include "agent/server/ollama_models.h"
#include "agent/server/refusal.h"
#include "base/say.h"
#include "flags/setting_text.h"
#include "flags/setting_words.h"

#define SUGGESTED "qwen2.5-coder:7b" /* small enough for most machines, and it writes Python */

struct setup {
	const struct setup_defaults *defaults;
	const char *url;
	const char *from;
	const char *name;
	bool pull;
	bool force;
	bool help;
	const char *why; /* why this model was chosen; NULL: the user named it */
};

#define AT(field) offsetof(struct setup, field)

/* clang-format off */
static const struct setting rows[] = {
	{"from", 0, "MODEL", GROUP_PROGRAM, FACE_SETUP, SETTING_TEXT, AT(from), NULL, .min = 1, .words = "the first installed one that can call tools", .help = "the model to make it from"},
	{"model", 0, "MODEL", GROUP_ALIAS, FACE_SETUP, SETTING_TEXT, AT(from), NULL, .min = 1, .help = "--from"},
	{"name", 0, "NAME", GROUP_PROGRAM, FACE_SETUP, SETTING_TEXT, AT(name), TUNED_MODEL, .min = 1, .help = "the name of the new model"},
	{"pull", 0, NULL, GROUP_PROGRAM, FACE_SETUP, SETTING_FLAG, AT(pull), NULL, .help = "fetch MODEL if it is not installed"},
	{"force", 0, NULL, GROUP_PROGRAM, FACE_SETUP, SETTING_FLAG, AT(force), NULL, .help = "make it anew if it is there already"},
	{"url", 0, "URL", GROUP_PROGRAM, FACE_SETUP, SETTING_TEXT, AT(url), NULL, .min = 1, .help = "the server, as in OLLAMA_HOST"},
	SETTING_END,
};
/* clang-format on */

static struct settings setup_settings(struct setup *s)
{
	return (struct settings){.face = FACE_SETUP,
				 .grammar = WORDS_ANYWHERE,
				 .tables = {{rows, s, NULL}},
				 .hint = "\"glovebox agent setup --help\" lists them",
				 .help = &s->help};
}

static void setup_print_help(const struct settings *settings)
{
	static const struct setting_layout layout = {.indent = 2, .width = 14};
	auto_buf struct buf text = {0};

	buf_text(&text,
		 "glovebox agent setup - look at the model server, and make the model "
		 "`glovebox agent` uses\n\nUsage: glovebox agent setup [FLAGS]\n\n");
	setting_text_help_all(settings, GROUP_COUNT, &layout, &text);
	buf_text(&text, "\nThe server's key is taken from OLLAMA_API_KEY.\n");
	fputs(buf_string(&text), stdout);
}

static int setup_read_flags(int argc, char **argv, const struct settings *settings, struct setup *s,
			    struct err *e)
{
	int used;

	setting_defaults(&settings->tables[0], NULL);
	if (setting_words(settings, argc - 1, argv + 1, &used, e))
		return -1;
	if (used < argc - 1)
		return setting_words_unknown(settings, argv[used + 1], e);
	if (s->from && model_same(s->from, s->name))
		return err_input(e, "%.100s cannot be made from itself: give --name", s->name);
	return 0;
}

/* --- the present state --- */

static int setup_width_of_names(const struct ollama_models *models)
{
	size_t width = 5;

	for (size_t i = 0; i < models->count; i++)
		if (strlen(models->rows[i].name) > width)
			width = strlen(models->rows[i].name);
	return width < 60 ? (int)width : 60;
}

static void setup_print_models(const struct ollama_models *models)
{
	int width = setup_width_of_names(models);

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

static const struct ollama_model *setup_find(const struct ollama_models *models, const char *name)
{
	for (size_t i = 0; i < models->count; i++)
		if (model_same(models->rows[i].name, name))
			return &models->rows[i];
	return NULL;
}

static bool setup_may(const struct ollama_model *m, const char *wanted)
{
	return wanted ? ollama_has_capability(m->capabilities, wanted) : !m->capabilities;
}

/*
 * Choose the first model that can call tools, else the first that can chat, else the first whose
 * capabilities an old server does not report; never our own.
 */
static const struct ollama_model *setup_choose(const struct ollama_models *models, struct setup *s)
{
	static const struct {
		const char *wanted;
		const char *why;
	} choices[] = {
		{"tools",      "the first installed model that can call tools"             },
		{"completion", "no installed model can call tools; the first that can chat"},
		{NULL,         "the first one; this server does not say what they can"     },
	};

	for (size_t c = 0; c < sizeof(choices) / sizeof(choices[0]); c++) {
		for (size_t i = 0; i < models->count; i++) {
			const struct ollama_model *m = &models->rows[i];

			if (!setup_may(m, choices[c].wanted) || model_same(m->name, s->name))
				continue;
			s->why = choices[c].why;
			return m;
		}
	}
	return NULL;
}

/* --- the changes --- */

enum job { JOB_PULL, JOB_CREATE };

static int setup_with_progress(struct server *server, enum job job,
			       const struct ollama_recipe *recipe, struct err *e)
{
	struct progress progress = {.out = stdout, .terminal = isatty(1) == 1};
	enum model_failure why;
	int status;

	status = job == JOB_PULL ? ollama_models_pull(server, recipe->from, &progress, &why, e)
				 : ollama_models_create(server, recipe, &progress, &why, e);
	progress_end(&progress);
	return status;
}

/* Fetch the base model if it is missing, or set *e to how to get it. */
static int setup_provide(struct setup *s, struct server *server, const struct ollama_models *models,
			 const struct ollama_model **chosen, struct err *e)
{
	*chosen = s->from ? setup_find(models, s->from) : setup_choose(models, s);
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
	return setup_with_progress(server, JOB_PULL, &(struct ollama_recipe){.from = s->from}, e);
}

static int setup_create(const struct setup *s, struct server *server, struct err *e)
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
	if (s->why)
		printf("It is %s; --from names another.\n", s->why);
	fflush(stdout);
	return setup_with_progress(server, JOB_CREATE, &recipe, e);
}

static void setup_print_ready(const char *name)
{
	putchar('\n');
	say_line(stdout, name);
	printf(" is ready: glovebox agent --model ");
	say_line(stdout, name);
	puts(" \"...\"");
}

/* Leave an existing model as it is: the user may have changed it. */
static void setup_print_there(const char *name)
{
	putchar('\n');
	say_line(stdout, name);
	puts(" is there already, and stays as it is; --force makes it anew.");
}

static int setup_make(struct setup *s, struct server *server, const struct ollama_models *models,
		      struct err *e)
{
	const struct ollama_model *base;

	if (setup_provide(s, server, models, &base, e) || setup_create(s, server, e))
		return -1;
	setup_print_ready(s->name);
	if (base && base->capabilities && !ollama_has_capability(base->capabilities, "tools"))
		puts("It cannot call tools; it will write its code in fences, which works, too.");
	return 0;
}

static int setup_set_up(struct setup *s, struct server *server, struct err *e)
{
	struct ollama_models models;
	enum model_failure why;
	char version[32];
	int status = 0;

	if (ollama_version(server, version, &why, e))
		return -1;
	printf("Ollama ");
	say_line(stdout, version);
	printf(" at ");
	say_line(stdout, server->url.base);
	printf("\n\n");
	if (ollama_models_list(server, &models, &why, e))
		return -1;
	setup_print_models(&models);
	fflush(stdout);
	if (!s->force && setup_find(&models, s->name))
		setup_print_there(s->name);
	else
		status = setup_make(s, server, &models, e);
	ollama_models_fini(&models);
	return status;
}

static int setup_complain(const struct err *e, int status)
{
	fflush(stdout);
	say_error(e);
	return status;
}

/* Fail if the output could not be written. */
static int setup_check_printed(int status)
{
	struct err e;

	if (status || (!fflush(stdout) && !ferror(stdout)))
		return status;
	err_sys(&e, "write to standard output");
	return setup_complain(&e, EXIT_OURS);
}

int setup_main(int argc, char **argv, const struct setup_defaults *defaults)
{
	struct setup s = {.defaults = defaults, .url = defaults->url};
	const struct settings settings = setup_settings(&s);
	struct server server;
	struct err e;
	int status;

	if (setup_read_flags(argc, argv, &settings, &s, &e))
		return setup_complain(&e, EXIT_OURS);
	if (s.help) {
		setup_print_help(&settings);
		return setup_check_printed(0);
	}
	if (server_open(&(struct server_options){.url = s.url,
						 .api_key = defaults->api_key,
						 .ca = defaults->ca},
			SERVER_OLLAMA, &server, &e))
		return setup_complain(&e, EXIT_OURS);
	server.if_no_path = "setup needs Ollama: say where it is with --url";
	if (server.url.warning[0])
		say_warning(server.url.warning);
	status = setup_set_up(&s, &server, &e) ? setup_complain(&e, EXIT_MODEL) : 0;
	server_close(&server);
	return setup_check_printed(status);
}
