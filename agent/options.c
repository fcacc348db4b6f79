/*
 * options - the agent's options: defaults, file, environment, command line.
 */
#include "agent/options.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/data/model.h"
#include "base/io.h"
#include "base/parse.h"
#include "flags/setting_words.h"
#include "spec/policy.h"
#include "spec/preload.h"
#include "spec/run_settings.h"
#include "spec/setting_sources.h"

#define FILE_BYTES 65536
#define PREFIX     "GLOVEBOX_AGENT_"

#define AT(field)  offsetof(struct agent_options, field)
#define HOUR_MS    3600000

/* "1h30m", "1.5h", "-1s": durations as Go reads them. */
static bool options_is_units(const char *p)
{
	static const char *const units[] = {"ns", "us", "ms", "s", "m", "h"};

	p += *p == '-' || *p == '+';
	do {
		size_t digits = strspn(p, "0123456789");
		size_t n = 0;

		p += digits;
		if (*p == '.')
			digits += strspn(++p, "0123456789");
		p += strspn(p, "0123456789");
		while (n < 6 && strncmp(p, units[n], strlen(units[n])) != 0)
			n++;
		if (!digits || n == 6)
			return false;
		p += strlen(units[n]);
	} while (*p);
	return true;
}

/* Seconds, or numbers with units, as Ollama reads it. */
static int options_set_lease(void *target, const char *value, struct err *e)
{
	struct agent_options *o = target;
	struct err ignored;
	int64_t seconds;

	if (parse_int(value, INT32_MIN, INT32_MAX, &seconds, &ignored) && !options_is_units(value))
		return err_input(e,
				 "\"%.60s\" is not a time: seconds, or numbers with units (5m, "
				 "1h30m); -1: for ever",
				 value);
	o->keep_alive = spec_strdup(&o->limits, value);
	return 0;
}

const struct setting agent_settings[] = {
  /* clang-format off */
	{"model", 'm', "NAME", GROUP_PROGRAM, FACE_AGENT, SETTING_TEXT, AT(model), TUNED_MODEL, .min = 1, .help = "the model; \"glovebox agent setup\" makes the default one"},
	{"url", 0, "URL", GROUP_PROGRAM, FACE_AGENT, SETTING_TEXT, AT(url), NULL, .min = 1, .variable = "OLLAMA_HOST", .words = "http://127.0.0.1:11434", .help = "the server, in any form that OLLAMA_HOST may have"},
	{"server-ca", 0, "FILE", GROUP_PROGRAM, FACE_AGENT, SETTING_TEXT, AT(server_ca), NULL, .min = 1, .variable = "SSL_CERT_FILE", .words = "this machine's", .help = "the certificates (PEM) that an https server is judged by"},
	{"api", 0, "ollama|openai", GROUP_PROGRAM, FACE_AGENT, SETTING_CHOICE, AT(api), "ollama", .choices = "ollama|openai", .help = "the server's protocol: Ollama's or OpenAI's"},
	{"iterations", 'n', "N", GROUP_PROGRAM, FACE_AGENT, SETTING_COUNT, AT(iterations), "6", .min = 1, .max = 20, .help = "most replies that the model may give"},
	{"timeout", 0, "DURATION", GROUP_PROGRAM, FACE_AGENT, SETTING_DURATION, AT(timeout_ms), "30s", .min = 100, .max = 24 * HOUR_MS, .help = "limit for each execution; code that catches the interrupt is killed 2 s later"},
	{"deadline", 0, "DURATION", GROUP_PROGRAM, FACE_AGENT, SETTING_DURATION, AT(deadline_ms), "0", .max = 168ll * HOUR_MS, .help = "limit for the whole task, plus the same 2 s, or 4 s if its output is stuck; 0: none"},
	{"workspace", 'w', "DIR", GROUP_PROGRAM, FACE_AGENT, SETTING_TEXT, AT(workspace), "./workspace", .min = 1, .help = "directory that programs read as /data"},
	{"output", 'o', "DIR", GROUP_PROGRAM, FACE_AGENT, SETTING_WRITTEN, AT(output), "./output", .min = 1, .help = "directory that they write as /output; created if missing, where nobody else can write"},
	{"mode", 0, "auto|tools|fenced", GROUP_PROGRAM, FACE_AGENT, SETTING_CHOICE, AT(mode), "auto", .choices = "auto|tools|fenced", .help = "how the model hands over code: tool calls or fenced blocks; auto asks the server"},
	{"state", 0, "session|fresh", GROUP_PROGRAM, FACE_AGENT, SETTING_CHOICE, AT(state), "session", .choices = "session|fresh", .help = "keep variables from one execution to the next, or start every script clean"},
	{"think", 0, "auto|on|off", GROUP_PROGRAM, FACE_AGENT, SETTING_ON_OFF, AT(think), "auto", .choices = "auto|off|on", .help = "whether a model that can think does so; --think alone means on"},
	{"vision", 0, "auto|on|off", GROUP_PROGRAM, FACE_AGENT, SETTING_ON_OFF, AT(vision), "auto", .choices = "auto|off|on", .help = "whether the model is shown the pictures that code leaves in /output; auto: if the server says that it can see"},
	{"num-ctx", 0, "TOKENS", GROUP_PROGRAM, FACE_AGENT, SETTING_COUNT, AT(num_ctx), "8192", .max = 16777216, .help = "size of the model's context; 0: the server's default"},
	{"num-predict", 0, "TOKENS", GROUP_PROGRAM, FACE_AGENT, SETTING_COUNT, AT(num_predict), "4096", .max = 16777216, .help = "longest reply; 0: no limit"},
	{"temperature", 0, "T", GROUP_PROGRAM, FACE_AGENT, SETTING_MILLI, AT(temperature_milli), "0.2", .max = 5000, .help = "sampling temperature, 0 to 5"},
	{"seed", 0, "N", GROUP_PROGRAM, FACE_AGENT, SETTING_INTEGER, AT(seed), "-1", .min = -1, .max = INT32_MAX, .help = "seed of the sampling; -1: random"},
	{"keep-alive", 0, "TIME", GROUP_PROGRAM, FACE_AGENT, SETTING_OWN, 0, NULL, .parse = options_set_lease, .words = "the server's default", .help = "how long the server keeps the model loaded: 5m, -1 for ever"},
	{"system", 0, "FILE", GROUP_PROGRAM, FACE_AGENT, SETTING_TEXT, AT(system), NULL, .min = 1, .help = "use this system prompt instead of ours; it may contain {{rounds}}, {{timeout}}, {{memory}}, {{state}}, {{network}}, {{packages}}, {{data}}"},
	{"stream", 0, NULL, GROUP_PROGRAM, FACE_AGENT, SETTING_FLAG, AT(stream), "true", .help = "receive replies piece by piece"},
	{"image", 0, "IMAGE", GROUP_PROGRAM, FACE_AGENT, SETTING_TEXT, AT(image), "python", .min = 1, .help = "image that programs run in"},
	{"trust-image", 0, NULL, GROUP_PROGRAM, FACE_AGENT, SETTING_FLAG, AT(trust_image), "false", .help = "accept an imported image: its interpreter is then as trusted as glovebox itself"},
	{"preload", 0, "MODULES", GROUP_PROGRAM, FACE_AGENT, SETTING_TEXT, AT(preload), NULL, .words = PRELOAD_WORDS, .help = PRELOAD_HELP},
	{"approve", 0, NULL, GROUP_PROGRAM, FACE_AGENT, SETTING_FLAG, AT(approve), "false", .help = "ask before code runs: y, a (all of the task), n (words behind it are for the model), e (edit it in $EDITOR)"},
	{"continue", 0, NULL, GROUP_PROGRAM, FACE_AGENT, SETTING_FLAG, AT(goes_on), "false", .help = "go on with the last conversation, without its variables"},
	{"rerun", 0, NULL, GROUP_PROGRAM, FACE_AGENT, SETTING_FLAG, AT(reruns), "false", .help = "with --continue: run the code of that conversation again, for its variables"},
	{"verbose", 'v', NULL, GROUP_PROGRAM, FACE_AGENT, SETTING_FLAG, AT(verbose), "false", .help = "show the whole conversation in each round"},
	{"json", 0, NULL, GROUP_PROGRAM, FACE_AGENT, SETTING_FLAG, AT(json), "false", .help = "print events as JSON lines, for programs; the last one is the result"},
	{"raw", 0, NULL, GROUP_PROGRAM, FACE_AGENT, SETTING_FLAG, AT(raw), "false", .help = "pass control sequences of models and programs to the terminal"},
	{"images", 0, "auto|never", GROUP_PROGRAM, FACE_AGENT, SETTING_CHOICE, AT(images), "auto", .choices = "auto|never", .help = "show PNG files if the terminal can"},
	{"transcript", 0, "FILE", GROUP_PROGRAM, FACE_AGENT, SETTING_WRITTEN, AT(transcript), NULL, .min = 1, .help = "record everything, as JSON lines"},
	SETTING_END,
  /* clang-format on */
};

struct settings agent_settings_of(struct agent_options *o, uint64_t *given)
{
	struct sandbox_spec *limits = o ? &o->limits : NULL;

	return (struct settings){
		.face = FACE_AGENT,
		.grammar = WORDS_ANYWHERE | WORDS_NEGATED,
		.tables = {{agent_settings, o, given}, run_settings_table(limits)},
		.keeper = limits,
		.needs = FACE_CELL,
		.unfit = "the agent's sandbox is a warm cell",
		.hint = "\"glovebox agent --help\" lists them",
		.help = o ? &o->help : NULL,
	};
}

/* ~/.config/glovebox/agent.json, or what XDG_CONFIG_HOME says; false without a home. */
static bool options_file_path(char *out, size_t size)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	int n;

	if (config && *config)
		n = snprintf(out, size, "%s/glovebox/agent.json", config);
	else if (home && *home)
		n = snprintf(out, size, "%s/.config/glovebox/agent.json", home);
	else
		return false;
	return n > 0 && (size_t)n < size;
}

static int options_read_file(const struct settings *s, struct err *e)
{
	auto_json struct json *document = NULL;
	auto_buf struct buf text = {0};
	char path[PATH_MAX];

	if (!options_file_path(path, sizeof(path)))
		return 0;
	if (io_read_file(AT_FDCWD, path, FILE_BYTES, &text, e))
		return e->kind == ERR_SYSTEM && (e->number == ENOENT || e->number == ENOTDIR) ? 0
											      : -1;
	document = json_parse(buf_string(&text), text.length, e);
	if (!document || settings_from_json(s, document, e))
		return err_prefix(e, "%.200s", path);
	return 0;
}

/* Errors in flags are JSON as well if --json stands anywhere. */
static void options_find_json(int argc, char *const *argv, struct agent_options *o)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		o->json = o->json || !strcmp(argv[i], "--json");
}

static void options_take_task(int argc, char *const *argv, struct agent_options *o)
{
	auto_buf struct buf task = {0};

	for (int i = 0; i < argc; i++) {
		buf_text(&task, i ? " " : "");
		buf_text(&task, argv[i]);
	}
	if (argc)
		o->task = spec_strdup(&o->limits, buf_string(&task));
}

int agent_options_read(int argc, char **argv, struct agent_options *out, struct err *e)
{
	uint64_t given[SETTING_GIVEN] = {0};
	struct settings settings = agent_settings_of(out, given);
	int used = 0;

	*out = (struct agent_options){0};
	spec_init(&out->limits);
	setting_defaults(&settings.tables[0], &out->limits);
	argc = argc ? argc - 1 : 0;
	if (options_read_file(&settings, e) || settings_from_environment(&settings, PREFIX, e) ||
	    setting_words(&settings, argc, argv + 1, &used, e)) {
		options_find_json(argc - used, argv + 1 + used, out);
		return -1;
	}
	options_take_task(argc - used, argv + 1 + used, out);
	out->workspace_given = setting_given(agent_settings, given, "workspace");
	return out->help ? 0 : policy_apply(&settings.tables[0], e);
}

void agent_options_fini(struct agent_options *o)
{
	spec_fini(&o->limits);
	*o = (struct agent_options){0};
}
