/*
 * events - `events`: tell what becomes of sandboxes that stay.
 */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/list.h"
#include "base/own.h"
#include "base/say.h"
#include "base/told.h"
#include "cli/command.h"
#include "cli/filter.h"
#include "cli/format.h"
#include "cli/moment.h"
#include "cli/words.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "loop/loop.h"
#include "record/event_reader.h"

struct events {
	uint64_t since_ms; /* of the epoch */
	uint64_t until_ms; /* UINT64_MAX: for ever */
	struct list filters;
	const char *format;
	int status;
};

static int events_parse_since(void *options, const char *value, struct err *e)
{
	return moment_parse(&((struct events *)options)->since_ms, value, e);
}

static int events_parse_until(void *options, const char *value, struct err *e)
{
	return moment_parse(&((struct events *)options)->until_ms, value, e);
}

#define AT(field) offsetof(struct events, field)

/* clang-format off */
const struct setting events_settings[] = {
	{"since", 0, "TIME", GROUP_RESULT, FACE_RUN, SETTING_OWN, 0, NULL, .parse = events_parse_since, .words = "from now on", .help = "begin with what has been since: 10m, or 2026-11-29T12:00:00Z"},
	{"until", 0, "TIME", GROUP_RESULT, FACE_RUN, SETTING_OWN, 0, NULL, .parse = events_parse_until, .words = "until it is interrupted", .help = "end with what has been before"},
	{"filter", 'f', "KEY=VALUE", GROUP_RESULT, FACE_RUN, SETTING_LIST, AT(filters), NULL, .choices = "container=|event=|image=|label=|type=container", .repeated = true, .help = "only those; of one key any, of several keys all"},
	{"format", 0, "TEMPLATE", GROUP_RESULT, FACE_RUN, SETTING_TEXT, AT(format), NULL, .help = "json, or text with {{.Action}} and {{.Actor.Attributes.name}} in it"},
	SETTING_END,
};
/* clang-format on */

/* -- filters --------------------------------------------------------------------------------- */

static const char *events_attribute(const struct json *event, const char *key)
{
	const struct json *actor = json_get(event, "Actor");
	const struct json *all = actor ? json_get(actor, "Attributes") : NULL;

	return all ? json_string_at(all, key) : NULL;
}

static bool events_begins(const char *text, const char *with)
{
	return text && !strncmp(text, with, strlen(with));
}

static bool events_match_container(const struct json *event, const char *value)
{
	return events_begins(json_string_at(event, "id"), value) ||
	       events_begins(events_attribute(event, "name"), value);
}

/* "exec_start" is that of any program. */
static bool events_match_action(const struct json *event, const char *value)
{
	const char *action = json_text_at(event, "Action");
	const size_t length = strlen(value);

	return !strncmp(action, value, length) && (!action[length] || action[length] == ':');
}

static bool events_match_image(const struct json *event, const char *value)
{
	const char *image = events_attribute(event, "image");

	return image && !strcmp(image, value);
}

/* KEY, or KEY=VALUE. */
static bool events_match_label(const struct json *event, const char *value)
{
	const size_t length = strcspn(value, "=");
	auto_free char *key = own_strndup(value, length);
	const char *label = events_attribute(event, key);

	return label && (!value[length] || !strcmp(label, value + length + 1));
}

static bool events_match_type(const struct json *event, const char *value)
{
	return !strcmp(json_text_at(event, "Type"), value);
}

/* Behind "||": docker's, which nothing here is. */
#define ACTIONS                                                                                    \
	"create|start|exec_create|exec_start|exec_die|attach|pause|hibernate|unpause|rename|"      \
	"update|kill|oom|die|stop|restart|destroy||commit|copy|detach|exec_detach|export|"         \
	"health_status|prune|resize|top|pull|push|delete|import|load|save|tag|untag|mount|"        \
	"unmount|connect|disconnect|remove|reload|enable|disable"
#define TYPES "container||image|volume|network|daemon|plugin|builder|node|service|secret|config"

static const struct {
	const char *key;
	bool (*matches)(const struct json *event, const char *value);
	const char *words; /* a value can be (cli/filter.h); NULL: any */
} events_filters[] = {
	{"container=", events_match_container, NULL   },
	{"event=",     events_match_action,    ACTIONS},
	{"image=",     events_match_image,     NULL   },
	{"label=",     events_match_label,     NULL   },
	{"type=",      events_match_type,      TYPES  }
};

#define FILTERS (sizeof(events_filters) / sizeof(events_filters[0]))

static bool events_is_wanted(const struct events *o, const struct json *event)
{
	for (unsigned i = 0; i < FILTERS; i++) {
		bool given = false;
		bool matches = false;

		for (size_t j = 0; j < o->filters.count && !matches; j++) {
			const char *filter = o->filters.items[j];

			if (!events_begins(filter, events_filters[i].key))
				continue;
			given = true;
			matches = events_filters[i].matches(event,
							    filter + strlen(events_filters[i].key));
		}
		if (given && !matches)
			return false;
	}
	return true;
}

static int events_check_one(const char *filter, struct err *e)
{
	unsigned i = 0;

	while (i < FILTERS && !events_begins(filter, events_filters[i].key))
		i++;
	if (i == FILTERS)
		return err_input(e,
				 "--filter: \"%.100s\" is not known here: container=, event=, "
				 "image=, label= and type= are",
				 filter);
	return events_filters[i].words ? filter_check_word(filter, events_filters[i].words, e) : 0;
}

static int events_check(const struct events *o, struct err *e)
{
	for (size_t i = 0; i < o->filters.count; i++) {
		if (events_check_one(o->filters.items[i], e))
			return -1;
	}
	return 0;
}

/* -- an event -------------------------------------------------------------------------------- */

static uint64_t events_time_ns(const struct json *event)
{
	return strtoull(json_text_at(event, "timeNano"), NULL, 10);
}

/* docker's: TIME TYPE ACTION ID (KEY=VALUE, ...). */
static void events_print_line(const struct json *event, uint64_t time_ns)
{
	const struct json *actor = json_get(event, "Actor");
	const struct json *all = actor ? json_get(actor, "Attributes") : NULL;
	auto_buf struct buf line = {0};
	char time[CLOCK_UTC_SIZE];

	clock_utc_at(time_ns / 1000000, time);
	buf_printf(&line, "%.19s.%09uZ %s %s %s (", time, (unsigned)(time_ns % 1000000000),
		   json_text_at(event, "Type"), json_text_at(event, "Action"),
		   json_text_at(event, "id"));
	for (const struct json *a = all ? json_first(all) : NULL; a; a = json_next(a))
		buf_printf(&line, "%s%s=%s", a == json_first(all) ? "" : ", ", json_key(a),
			   json_string(a) ? json_string(a) : "");
	buf_text(&line, ")");
	say_line(stdout, buf_string(&line));
	putchar('\n');
}

/* @go  with the names that templates have: those of Go's fields. */
static void events_add(const struct json *event, bool go, struct buf *out)
{
	static const char *const names[][2] = {
		{"status",   "Status"  },
                {"id",       "ID"      },
                {"from",     "From"    },
		{"scope",    "Scope"   },
                {"time",     "Time"    },
                {"timeNano", "TimeNano"}
        };

	json_put_begin(out, NULL, '{');
	for (const struct json *n = json_first(event); n; n = json_next(n)) {
		const char *key = json_key(n);

		for (size_t i = 0; go && i < sizeof(names) / sizeof(names[0]); i++)
			key = strcmp(json_key(n), names[i][0]) != 0 ? key : names[i][1];
		json_put_key(out, key);
		if (!go && !strcmp(key, "timeNano"))
			buf_printf(out, "%llu", (unsigned long long)events_time_ns(event));
		else
			json_write(n, out);
	}
	json_put_end(out, '}');
}

static int events_print_template(const char *template, const struct json *event)
{
	const bool whole = !strcmp(template, "json") || !strcmp(template, "{{json .}}");
	auto_buf struct buf text = {0};
	struct err e;
	int status;

	events_add(event, !whole, &text);
	if (whole) {
		puts(buf_string(&text));
		return 0;
	}
	status = format_print_document(template, &text, &e);
	return status < 0 ? fail_with(&e) : status;
}

/* Refuse a template before the first event. Returns the exit status. */
static int events_check_template(const struct events *o)
{
	static const char example[] =
		"{\"status\":\"\",\"id\":\"\",\"from\":\"\",\"Type\":\"\",\"Action\":\"\","
		"\"Actor\":{\"ID\":\"\","
		"\"Attributes\":{\"image\":\"\"}},\"scope\":\"\",\"time\":0,\"timeNano\":\"0\"}";
	struct err e;
	auto_json struct json *event = json_parse(example, sizeof(example) - 1, &e);
	auto_buf struct buf text = {0};
	int status;

	if (!o->format || !event)
		return 0;
	events_add(event, true, &text);
	status = format_check_document(o->format, &text, &e);
	return status < 0 ? fail_with(&e) : status;
}

/* Returns whether to go on. */
static bool events_tell(void *context, const struct json *event)
{
	struct events *o = context;
	const uint64_t time_ns = events_time_ns(event);

	if (time_ns / 1000000 >= o->until_ms)
		return false;
	if (time_ns / 1000000 < o->since_ms || !events_is_wanted(o, event))
		return true;
	if (o->format)
		o->status = events_print_template(o->format, event);
	else
		events_print_line(event, time_ns);
	if (fflush(stdout))
		o->status = 128 + SIGPIPE;
	return !o->status;
}

/* -- the command ----------------------------------------------------------------------------- */

/* When --until is reached, monotonic. */
static uint64_t events_end_us(const struct events *o)
{
	const uint64_t now_ms = clock_now_ms();

	if (o->until_ms == UINT64_MAX)
		return LOOP_NEVER;
	return monotonic_us() + (o->until_ms > now_ms ? (o->until_ms - now_ms) * 1000 : 0);
}

static int events_follow(struct events *o, struct err *e)
{
	struct event_reader *r = event_reader_open(e);
	bool over = false;

	if (!r)
		return fail_with(e);
	told_ready();
	while (event_reader_read(r, events_tell, o) && !over)
		over = !fd_await(event_reader_fd(r), POLLIN, events_end_us(o));
	event_reader_close(r);
	return o->status;
}

int command_events(int argc, char **argv)
{
	struct events o = {.since_ms = clock_now_ms(), .until_ms = UINT64_MAX};
	struct err e;
	int status;

	if (words_read(argc, argv, events_settings, &o, 0, 0, &e) < 0)
		status = fail_with_help(&e, "events");
	else if (events_check(&o, &e))
		status = fail_with(&e);
	else
		status = events_check_template(&o);
	if (!status)
		status = events_follow(&o, &e);
	list_fini(&o.filters);
	return status;
}
