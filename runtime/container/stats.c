/*
 * stats - `stats` and `top`: what sandboxes that stay use, and which processes they have.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json_put.h"
#include "base/list.h"
#include "base/own.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/format.h"
#include "cli/listing.h"
#include "cli/words.h"
#include "container/named.h"
#include "loop/clock.h"
#include "monitor/ask.h"

#define LOOK_US 200000 /* between two looks at the CPU time */

struct stats {
	bool json;
	bool once;
	bool engine;
	bool begun;         /* the headings are printed: before the first row */
	const char *format; /* a template; NULL: our own columns */
	bool heads;         /* "table TEMPLATE" */
	struct buf out;     /* with json */
};

/* clang-format off */
const struct setting stats_settings[] = {
	{"json", 0, NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct stats, json), NULL, .help = "print JSON, for programs, instead of a table"},
	{"format", 0, "TEMPLATE", GROUP_RESULT, FACE_RUN, SETTING_TEXT, offsetof(struct stats, format), NULL, .help = "json, table, text with {{.Name}} and {{.CPUPerc}} in it, or engine: an object each second, as the Engine's API has it"},
	{"all", 'a', NULL, GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: what does not run uses nothing"},
	{"no-trunc", 0, NULL, GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: nothing is cut"},
	{"no-stream", 0, NULL, GROUP_DOCKER, FACE_RUN, SETTING_FLAG, offsetof(struct stats, once), NULL, .help = "accepted: only --format engine goes on to the end"},
	SETTING_END,
};
/* clang-format on */

static int stats_ask(const struct record *r, struct monitor_answer *out, struct err *e)
{
	const struct monitor_request request = {.op = "stats"};

	return ask_once(r, &request, out, e);
}

/* -- stats ----------------------------------------------------------------------------------- */

/* In thousandths of a CPU, over a moment. */
static uint64_t stats_cpus_milli(const struct monitor_answer *first, uint64_t began_us,
				 const struct monitor_answer *then)
{
	const uint64_t passed = monotonic_us() - began_us;
	const uint64_t used = then->cpu_us > first->cpu_us ? then->cpu_us - first->cpu_us : 0;

	return passed ? used * 1000 / passed : 0;
}

/* docker's. No network and no disk is counted. */
static const struct format_field stats_heads[] = {
	{"Name",      "NAME"             },
	{"ID",        "CONTAINER ID"     },
	{"Container", "CONTAINER"        },
	{"CPUPerc",   "CPU %"            },
	{"MemUsage",  "MEM USAGE / LIMIT"},
	{"MemPerc",   "MEM %"            },
	{"PIDs",      "PIDS"             },
	{"NetIO",     "NET I/O"          },
	{"BlockIO",   "BLOCK I/O"        },
	{NULL,        NULL               },
};

static void stats_begin(struct stats *s)
{
	if (!s->begun && s->json)
		json_put_begin(&s->out, NULL, '[');
	else if (!s->begun && s->format && s->heads)
		(void)format_print(s->format, stats_heads);
	else if (!s->begun && !s->format)
		printf("%-*s %7s  %-9s %-9s %s\n", LISTING_NAME_WIDTH, "NAME", "CPU", "MEMORY",
		       "LIMIT", "PROCESSES");
	s->begun = true;
}

static void stats_print_template(const struct stats *s, const struct record *r,
				 const struct monitor_answer *a, uint64_t cpus_milli)
{
	const uint64_t most = a->memory_most_bytes;
	const bool bounded = most && most != UINT64_MAX;
	char used_text[LISTING_BYTES];
	char most_text[LISTING_BYTES];
	auto_free char *cpu = own_printf("%.2f%%", (double)cpus_milli / 10);
	auto_free char *usage = own_printf("%s / %s", listing_bytes(a->memory_bytes, used_text),
					   listing_bytes(most, most_text));
	auto_free char *share =
		own_printf("%.2f%%", bounded ? 100 * (double)a->memory_bytes / (double)most : 0.0);
	auto_free char *processes = own_printf("%llu", (unsigned long long)a->process_count);
	auto_free char *id = own_strndup(r->id, 12);
	const struct format_field fields[] = {
		{"Name",      record_name(r)},
		{"ID",        id            },
		{"Container", record_name(r)},
		{"CPUPerc",   cpu           },
		{"MemUsage",  usage         },
		{"MemPerc",   share         },
		{"PIDs",      processes     },
		{"NetIO",     "--"          },
		{"BlockIO",   "--"          },
		{NULL,        NULL          },
	};

	(void)format_print(s->format, fields);
}

static void stats_print(struct stats *s, const struct record *r, const struct monitor_answer *a,
			uint64_t cpus_milli)
{
	const char *name = record_name(r);
	char used[LISTING_BYTES];
	char most[LISTING_BYTES];

	stats_begin(s);
	if (s->format) {
		stats_print_template(s, r, a, cpus_milli);
		return;
	}
	if (s->json) {
		json_put(&s->out, "{name:%s, cpus_milli:%lu, cpu_ms:%lu, memory_bytes:%lu", name,
			 cpus_milli, a->cpu_us / 1000, a->memory_bytes);
		a->memory_most_bytes == UINT64_MAX
			? json_put_null(&s->out, "memory_limit_bytes")
			: json_put_uint(&s->out, "memory_limit_bytes", a->memory_most_bytes);
		json_put_uint(&s->out, "processes", a->process_count);
		json_put_end(&s->out, '}');
		return;
	}
	say_column(stdout, LISTING_NAME_WIDTH, name);
	printf(" %5.1f %%  %-9s %-9s %llu\n", (double)cpus_milli / 10,
	       listing_bytes(a->memory_bytes ? a->memory_bytes : UINT64_MAX, used),
	       listing_bytes(a->memory_most_bytes, most), (unsigned long long)a->process_count);
}

static int stats_one(struct stats *s, const struct record *r, struct err *e)
{
	struct monitor_answer first;
	struct monitor_answer then;
	const uint64_t began_us = monotonic_us();
	int bad = stats_ask(r, &first, e);

	form_fini(&monitor_answer_form, &first);
	if (bad)
		return -1;
	clock_pause_us(LOOK_US);
	bad = stats_ask(r, &then, e);
	if (!bad)
		stats_print(s, r, &then, stats_cpus_milli(&first, began_us, &then));
	form_fini(&monitor_answer_form, &then);
	return bad;
}

/* -- as the Engine's API has it ---------------------------------------------------------------- */

/* The answer of one look. */
struct stats_look {
	uint64_t at_us;
	uint64_t cpu_us;
};

static void stats_put_cpu(const char *key, const struct stats_look *look, struct buf *out)
{
	const uint64_t cpus = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);

	/* The time of all CPUs together, as /proc/stat counts them: what clients divide by. */
	json_put(out,
		 "%s:{cpu_usage:{total_usage:%lu, usage_in_kernelmode:0, usage_in_usermode:%lu}, "
		 "system_cpu_usage:%lu, online_cpus:%lu, "
		 "throttling_data:{periods:0, throttled_periods:0, throttled_time:0}}",
		 key, look->cpu_us * 1000, look->cpu_us * 1000, look->at_us * 1000 * cpus, cpus);
}

static void stats_print_engine(const struct record *r, const struct monitor_answer *a,
			       const struct stats_look *now, const struct stats_look *before)
{
	auto_free char *name = own_printf("/%s", record_name(r));
	auto_buf struct buf out = {0};
	char read[CLOCK_UTC_SIZE];

	clock_utc(read);
	json_put(&out, "{name:%s, id:%s, read:%s, preread:%s, pids_stats:{current:%lu}", name,
		 r->id, read, read, a->process_count);
	stats_put_cpu("cpu_stats", now, &out);
	stats_put_cpu("precpu_stats", before, &out);
	json_put(&out,
		 "memory_stats:{usage:%lu, limit:%lu, stats:{}}, networks:{}, blkio_stats:{}}",
		 a->memory_bytes, a->memory_most_bytes == UINT64_MAX ? 0 : a->memory_most_bytes);
	puts(buf_string(&out));
	fflush(stdout);
}

static bool stats_look(const struct record *r, struct monitor_answer *out, struct stats_look *look)
{
	struct err ignored;
	const bool runs = !stats_ask(r, out, &ignored);

	form_fini(&monitor_answer_form, out);
	if (!runs)
		*out = (struct monitor_answer){0};
	*look = (struct stats_look){.at_us = monotonic_us(), .cpu_us = out->cpu_us};
	return runs;
}

/* To its end, each second; one that does not run uses nothing. */
static void stats_follow(const struct stats *s, const struct record *r)
{
	struct monitor_answer answer;
	struct stats_look before;
	struct stats_look now;
	bool runs = stats_look(r, &answer, &before);

	if (runs)
		clock_pause_us(LOOK_US);
	for (;;) {
		runs = stats_look(r, &answer, &now);
		stats_print_engine(r, &answer, &now, &before);
		if (!runs || s->once)
			return;
		before = now;
		clock_pause_us(1000000);
	}
}

/* -- the command ----------------------------------------------------------------------------- */

static void stats_take_name(void *context, const struct record *r)
{
	if (r->state == RECORD_RUNNING || record_stands_still(r))
		list_add(context, r->id);
}

static int stats_words(struct stats *s, char *const *words, size_t count)
{
	int status = 0;
	struct err e;

	for (size_t i = 0; i < count; i++) {
		auto_record struct record r = {.dir = -1};

		if (named_find("stats", words[i], &r, &e) || (!s->engine && stats_one(s, &r, &e)))
			status = fail_as_daemon(&e);
		else if (s->engine)
			stats_follow(s, &r);
	}
	return status;
}

static int stats_all(struct stats *s)
{
	auto_list struct list names = {0};
	struct err e;
	int status = record_each(stats_take_name, &names, &e) ? fail_with(&e) : 0;

	status |= stats_words(s, names.items, names.count);
	return status;
}

int command_stats(int argc, char **argv)
{
	auto_free char *template = NULL;
	struct stats s = {0};
	struct err e;
	int at = words_read(argc, argv, stats_settings, &s, 0, WORDS_ANY, &e);
	int status;

	if (at < 0)
		return fail_with_help(&e, "stats");
	s.engine = s.format && !strcmp(s.format, "engine");
	if (s.engine && argc - at != 1)
		return err_input(&e, "--format engine is of one sandbox: name it"), fail_with(&e);
	s.heads = format_of_list(s.engine ? NULL : s.format, &template);
	s.format = template;
	status = format_check(template, stats_heads);
	if (status)
		return status;
	status = at < argc ? stats_words(&s, argv + at, (size_t)(argc - at)) : stats_all(&s);
	if (!status && !s.engine)
		stats_begin(&s);
	if (s.json && s.begun) {
		json_put_end(&s.out, ']');
		puts(buf_string(&s.out));
	}
	buf_fini(&s.out);
	return status;
}

/* -- top ------------------------------------------------------------------------------------- */

struct top {
	bool json;
};

/* clang-format off */
const struct setting top_settings[] = {
	{"json", 0, NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct top, json), NULL, .help = "print JSON, as the Engine's API has it: Titles, Processes"},
	SETTING_END,
};
/* clang-format on */

/* A process of the host, as /proc shows it to its user; one that has ended is left out. */
static void stats_print_process(pid_t pid, struct buf *json)
{
	char path[64];
	auto_buf struct buf words = {0};
	auto_free char *number = own_printf("%d", (int)pid);
	struct err ignored;
	char name[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	if (io_peek(AT_FDCWD, path, name, sizeof(name)))
		return;
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	(void)io_read_file(AT_FDCWD, path, 1u << 20, &words, &ignored);
	for (size_t i = 0; i + 1 < words.length; i++)
		words.data[i] = words.data[i] ? words.data[i] : ' ';
	if (json) {
		json_put(json, "[%s, %s, %s]", number, name, buf_string(&words));
		return;
	}
	printf("%-8s ", number);
	say_column(stdout, 16, name);
	putchar(' ');
	say_line(stdout, buf_string(&words));
	putchar('\n');
}

static void stats_print_processes(const struct monitor_answer *answer, bool json)
{
	const struct process_number *p = answer->processes.items;
	auto_buf struct buf out = {0};

	json_put(&out, "{Titles:['PID', 'NAME', 'COMMAND'], Processes:[");
	if (!json)
		printf("%-8s %-16s %s\n", "PID", "NAME", "COMMAND");
	for (unsigned i = 0; i < answer->processes.count; i++)
		stats_print_process((pid_t)p[i].pid, json ? &out : NULL);
	if (json)
		printf("%s]}\n", buf_string(&out));
}

int command_top(int argc, char **argv)
{
	auto_record struct record r = {.dir = -1};
	struct monitor_answer answer;
	struct err e;
	struct top flags = {0};
	int at = words_read(argc, argv, top_settings, &flags, 1, 1, &e);
	int status = 0;

	if (at < 0)
		return fail_with_help(&e, "top");
	if (named_find("top", argv[at], &r, &e))
		return fail_as_daemon(&e);
	if (stats_ask(&r, &answer, &e))
		status = fail_as_daemon(&e);
	else
		stats_print_processes(&answer, flags.json);
	form_fini(&monitor_answer_form, &answer);
	return status;
}
