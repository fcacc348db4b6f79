/*
 * option_rows - the table of the agent's options, and what sets one.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/data/model.h"
#include "agent/options.h"
#include "base/own.h"
#include "base/parse.h"
#include "spec/setting.h"

#define AT(field) offsetof(struct agent_options, field)
#define HOUR_MS   3600000
#define UNSET     0, 0, NULL

const struct option_row option_rows[] = {
  /* clang-format off */
	{"model", 'm', "NAME", NULL, OPTION_TEXT, AT(model), TUNED_MODEL, UNSET, "the model; \"glovebox agent setup\" makes the default one"},
	{"url", 0, "URL", "OLLAMA_HOST", OPTION_TEXT, AT(url), NULL, UNSET, "the server, in all forms of OLLAMA_HOST [http://127.0.0.1:11434]"},
	{"api", 0, "ollama|openai", NULL, OPTION_CHOICE, AT(api), "ollama", 0, 0, "ollama|openai", "what the server speaks: Ollama's protocol or OpenAI's"},
	{"iterations", 'n', "N", NULL, OPTION_NUMBER, AT(iterations), "6", 1, 20, NULL, "replies that the model may give"},
	{"timeout", 0, "DURATION", NULL, OPTION_DURATION, AT(timeout_ms), "30s", 100, 24 * HOUR_MS, NULL, "for each execution; code that catches the interrupt is killed 2 s later"},
	{"deadline", 0, "DURATION", NULL, OPTION_DURATION, AT(deadline_ms), "0", 0, 168ll * HOUR_MS, NULL, "for the whole task, with the same 2 s; 0: none"},
	{"workspace", 'w', "DIR", NULL, OPTION_TEXT, AT(workspace), "./workspace", UNSET, "what programs read in /data"},
	{"output", 'o', "DIR", NULL, OPTION_TEXT, AT(output), "./output", UNSET, "what they write in /output; made if missing"},
	{"mode", 0, "auto|tools|fenced", NULL, OPTION_CHOICE, AT(mode), "auto", 0, 0, "auto|tools|fenced", "how the model hands over code: tool calls or fenced blocks; auto asks the server"},
	{"state", 0, "session|fresh", NULL, OPTION_CHOICE, AT(state), "session", 0, 0, "session|fresh", "variables persist from one execution to the next, or every script starts clean"},
	{"think", 0, "auto|on|off", NULL, OPTION_ON_OFF, AT(think), "auto", 0, 0, "auto|off|on", "whether a model that can think does; --think alone is on"},
	{"num-ctx", 0, "TOKENS", NULL, OPTION_NUMBER, AT(num_ctx), "8192", 0, 16777216, NULL, "the model's context; 0: the server's own"},
	{"num-predict", 0, "TOKENS", NULL, OPTION_NUMBER, AT(num_predict), "4096", 0, 16777216, NULL, "most of one reply; 0: no bound"},
	{"temperature", 0, "T", NULL, OPTION_MILLI, AT(temperature_milli), "0.2", 0, 5000, NULL, "of the sampling, 0 to 5"},
	{"seed", 0, "N", NULL, OPTION_INTEGER, AT(seed), "-1", -1, INT32_MAX, NULL, "of the sampling; -1: random"},
	{"keep-alive", 0, "TIME", NULL, OPTION_LEASE, AT(keep_alive), NULL, UNSET, "how long the server keeps the model afterwards: 5m, -1; the server's own"},
	{"system", 0, "FILE", NULL, OPTION_TEXT, AT(system), NULL, UNSET, "a system text in place of ours; it may hold {{rounds}}, {{timeout}}, {{memory}}, {{state}}, {{packages}}, {{data}}"},
	{"stream", 0, NULL, NULL, OPTION_SWITCH, AT(stream), "true", UNSET, "take replies as they come"},
	{"image", 0, "IMAGE", NULL, OPTION_TEXT, AT(image), "python", UNSET, "what programs run in"},
	{"trust-image", 0, NULL, NULL, OPTION_SWITCH, AT(trust_image), "false", UNSET, "take an imported image, too: the image's interpreter is as trusted as glovebox itself"},
	{"verbose", 'v', NULL, NULL, OPTION_SWITCH, AT(verbose), "false", UNSET, "show the whole conversation in each round"},
	{"json", 0, NULL, NULL, OPTION_SWITCH, AT(json), "false", UNSET, "events as JSON lines, for programs; the last one is the result"},
	{"raw", 0, NULL, NULL, OPTION_SWITCH, AT(raw), "false", UNSET, "pass control sequences of models and programs to the terminal"},
	{"images", 0, "auto|never", NULL, OPTION_CHOICE, AT(images), "auto", 0, 0, "auto|never", "show PNG files where the terminal can"},
	{"transcript", 0, "FILE", NULL, OPTION_TEXT, AT(transcript), NULL, UNSET, "record everything, as JSON lines"},
	{"replay", 0, "FILE", NULL, OPTION_TEXT, AT(replay), NULL, UNSET, "let a transcript play the model, all its tasks; the sandbox runs for real"},
	{NULL, 0, NULL, NULL, OPTION_TEXT, 0, NULL, UNSET, NULL},
  /* clang-format on */
};

const struct option_row *option_row_find(const char *name, size_t length)
{
	for (const struct option_row *row = option_rows; row->name; row++) {
		if (strlen(row->name) == length && !strncmp(row->name, name, length))
			return row;
	}
	return NULL;
}

static int apply_choice(const struct option_row *row, const char *value, int *out, struct err *e)
{
	const char *p = row->choices;

	for (int i = 0; *p; i++) {
		size_t length = strcspn(p, "|");

		if (strlen(value) == length && !strncmp(p, value, length)) {
			*out = i;
			return 0;
		}
		p += length + (p[length] == '|');
	}
	return err_input(e, "\"%.60s\" is none of %s", value, row->arg);
}

/* A truth where there is none would be an error of its own. */
static int apply_on_off(const struct option_row *row, const char *value, int *out, struct err *e)
{
	struct err ignored;
	bool on;

	if (!parse_bool(value, &on, &ignored))
		value = on ? "on" : "off";
	return apply_choice(row, value, out, e);
}

static int apply_number(const struct option_row *row, const char *value, void *field, struct err *e)
{
	int64_t number;

	if (parse_int(value, row->min, row->max, &number, e))
		return -1;
	if (row->kind == OPTION_INTEGER)
		*(int64_t *)field = number;
	else
		*(uint64_t *)field = (uint64_t)number;
	return 0;
}

static int apply_text(const char *value, char **field, struct err *e)
{
	if (!*value)
		return err_input(e, "an empty value");
	free(*field);
	*field = own_strdup(value);
	return 0;
}

/* "1h30m", "1.5h", "-1s": as Go reads durations. */
static bool is_units(const char *p)
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

static int apply_lease(const char *value, char **field, struct err *e)
{
	struct err ignored;
	int64_t seconds;

	if (parse_int(value, INT32_MIN, INT32_MAX, &seconds, &ignored) && !is_units(value))
		return err_input(e,
				 "\"%.60s\" is no time: seconds, or numbers with units (5m, "
				 "1h30m); -1: for ever",
				 value);
	return apply_text(value, field, e);
}

int option_row_apply(const struct option_row *row, const char *value, struct agent_options *o,
		     struct err *e)
{
	void *field = (char *)o + row->offset;

	switch (row->kind) {
	case OPTION_TEXT:
		return apply_text(value, field, e);
	case OPTION_CHOICE:
		return apply_choice(row, value, field, e);
	case OPTION_ON_OFF:
		return apply_on_off(row, value, field, e);
	case OPTION_LEASE:
		return apply_lease(value, field, e);
	case OPTION_SWITCH:
		return parse_bool(value, field, e);
	case OPTION_NUMBER:
	case OPTION_INTEGER:
		return apply_number(row, value, field, e);
	case OPTION_DURATION:
		return parse_duration(value, (uint64_t)row->min, (uint64_t)row->max, field, e);
	case OPTION_MILLI:
		return parse_decimal(value, 3, (uint64_t)row->max, field, e);
	}
	abort();
}

/* warm_refusal_of_limits() refuses them with any value. */
static bool no_cell_has(const char *name, size_t length)
{
	static const char *const names[] = {"cpuset-cpus", "cpu-time", "ulimit"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i]) == length && !strncmp(names[i], name, length))
			return true;
	}
	return false;
}

/* --timeout is ours: it belongs to an execution, not to the sandbox. */
const struct setting *option_limit_find(const char *name, size_t length)
{
	if (no_cell_has(name, length))
		return NULL;
	for (const struct setting *s = run_settings; s->name; s++) {
		if (s->group == GROUP_LIMITS && strlen(s->name) == length &&
		    !strncmp(s->name, name, length) && strcmp(s->name, "timeout") != 0)
			return s;
	}
	return NULL;
}

int option_limit_refuse(const char *name, size_t length, struct err *e)
{
	if (!no_cell_has(name, length))
		return 0;
	return err_input(e, "the agent's sandbox is a warm cell, which has no such limit");
}

int option_limit_add(struct agent_options *o, const struct setting *limit, const char *value,
		     struct err *e)
{
	auto_buf struct buf text = {0};
	struct sandbox_spec tried;
	int bad;

	spec_init(&tried);
	bad = limit->apply(&tried, value, e);
	spec_fini(&tried);
	if (bad)
		return -1;
	o->limits = realloc(o->limits, (o->limit_count + 2) * sizeof(*o->limits));
	buf_printf(&text, "--%s=", limit->name);
	buf_text(&text, value);
	if (!o->limits)
		abort();
	o->limits[o->limit_count++] = buf_take(&text);
	o->limits[o->limit_count] = NULL;
	return 0;
}
