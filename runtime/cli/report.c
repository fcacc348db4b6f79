/*
 * report - a verdict as JSON for programs and as one line for people.
 */
#include "cli/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/say.h"

#define MAX_REFUSED_LINES 10

static void add_number(struct buf *out, const char *key, uint64_t value)
{
	buf_printf(out, ",\"%s\":%" PRIu64, key, value);
}

static void add_flag(struct buf *out, const char *key, bool value)
{
	buf_printf(out, ",\"%s\":%s", key, value ? "true" : "false");
}

static void add_files(struct buf *out, const char *key, const struct output_files *files,
		      const char *change_key)
{
	buf_printf(out, ",\"%s\":[", key);
	for (size_t i = 0; i < files->count; i++) {
		buf_text(out, i ? ",{\"path\":" : "{\"path\":");
		buf_json_text(out, files->items[i].path);
		add_number(out, "size", files->items[i].size_bytes);
		buf_printf(out, ",\"%s\":", change_key);
		buf_json_text(out, files->items[i].change);
		buf_text(out, "}");
	}
	buf_text(out, "]");
}

static void add_labels(struct buf *out, const struct string_list *labels)
{
	buf_text(out, ",\"labels\":{");
	for (size_t i = 0; i < labels->count; i++) {
		const char *label = labels->items[i];
		size_t key = strcspn(label, "=");

		buf_text(out, i ? "," : "");
		buf_json_string(out, label, key);
		buf_text(out, ":");
		buf_json_text(out, label[key] ? label + key + 1 : "");
	}
	buf_text(out, "}");
}

void report_json(const struct sandbox *s, const struct verdict *v, struct buf *out)
{
	buf_text(out, "{\"id\":");
	buf_json_text(out, s->id);
	buf_text(out, ",\"verdict\":");
	buf_json_text(out, verdict_name(v->kind));
	add_number(out, "exit_code", (uint64_t)v->exit_code);
	if (v->signal)
		add_number(out, "signal", (uint64_t)v->signal);
	else
		buf_text(out, ",\"signal\":null");
	add_flag(out, "timed_out", v->kind == VERDICT_WALL_TIME);
	add_flag(out, "oom_killed", v->oom_kills > 0);
	add_number(out, "duration_ms", v->duration_us / 1000);
	add_number(out, "cpu_ms", v->cpu_us / 1000);
	add_number(out, "memory_peak_bytes", v->memory_peak_bytes);
	add_number(out, "pids_refused", v->pids_refused);
	buf_printf(out, ",\"truncated\":{\"stdout\":%s,\"stderr\":%s}",
		   v->truncated[0] ? "true" : "false", v->truncated[1] ? "true" : "false");
	buf_text(out, ",\"stdout\":");
	buf_json_string(out, buf_string(&v->captured[0]), v->captured[0].length);
	buf_text(out, ",\"stderr\":");
	buf_json_string(out, buf_string(&v->captured[1]), v->captured[1].length);
	add_files(out, "files", &v->files, "kind");
	add_files(out, "refused", &v->refused, "reason");
	add_labels(out, &s->spec->labels);
	buf_text(out, "}\n");
}

static void say_memory(const struct sandbox *s, const struct verdict *v)
{
	char limit[24];

	fprintf(stderr, "[MEMORY] Script exceeded %s memory limit (peak %.1f MiB)\n",
		format_size(s->spec->limits.memory_bytes, limit),
		(double)v->memory_peak_bytes / (1 << 20));
}

static void say_ending(const struct sandbox *s, const struct verdict *v)
{
	const struct limits *l = &s->spec->limits;

	switch (v->kind) {
	case VERDICT_WALL_TIME:
		fprintf(stderr, "[TIMEOUT] Script exceeded %g second execution limit\n",
			(double)l->wall_time_ms / 1000);
		break;
	case VERDICT_CPU_TIME:
		fprintf(stderr, "[CPU] Script exceeded its cpu time limit (used %.2f seconds",
			(double)v->cpu_us / 1e6);
		if (l->cpu_time_ms != SPEC_UNLIMITED)
			fprintf(stderr, " of %g", (double)l->cpu_time_ms / 1000);
		fputs(")\n", stderr);
		break;
	case VERDICT_MEMORY:
		say_memory(s, v);
		break;
	case VERDICT_SYSCALL:
		fputs("[SYSCALL] Script was killed by the system call filter\n", stderr);
		break;
	case VERDICT_EXITED:
	case VERDICT_SIGNALLED:
	case VERDICT_CANCELLED:
		break;
	}
}

void report_messages(const struct sandbox *s, const struct verdict *v)
{
	static const char *const names[2] = {"stdout", "stderr"};
	char limit[24];

	if (s->spec->quiet)
		return;
	say_ending(s, v);
	if (v->abandoned)
		fputs("[WARM] the warm supervisor or its nursery has ended, and the program with "
		      "it\n",
		      stderr);
	for (int i = 0; i < 2; i++) {
		if (v->truncated[i])
			fprintf(stderr, "[OUTPUT] %s was cut at %s%s\n", names[i],
				format_size(s->spec->limits.output_bytes, limit),
				v->kind == VERDICT_WALL_TIME ? ", or where nobody read on" : "");
	}
	for (size_t i = 0; i < v->refused.count && i < MAX_REFUSED_LINES; i++) {
		fputs("[OUTPUT] not collected: ", stderr);
		say_line(stderr, v->refused.items[i].path);
		fprintf(stderr, " (%s)\n", v->refused.items[i].change);
	}
	if (v->refused.count > MAX_REFUSED_LINES)
		fprintf(stderr, "[OUTPUT] ... and %zu more\n",
			v->refused.count + v->refused.dropped - MAX_REFUSED_LINES);
}
