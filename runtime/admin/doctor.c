/*
 * doctor - show on one screen what this host offers this user, what is missing, and the remedy.
 */
#include "admin/doctor.h"

#include <pwd.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json_put.h"
#include "base/list.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/scope.h"
#include "flags/setting_words.h"
#include "host/system_program.h"

enum { PART_HOST, PART_LIMITS, PART_FEATURES, PARTS };

static const struct {
	const char *name; /* in JSON */
	const char *title;
	const struct doctor_row *rows;
} parts[PARTS] = {
	[PART_HOST] = {"host",     "This machine", doctor_host    },
	[PART_LIMITS] = {"limits",   "Limits",       doctor_limits  },
	[PART_FEATURES] = {"features", "What works",   doctor_features},
};

struct doctor {
	bool json;
	bool kernel;       /* the host has everything vital */
	bool limits;       /* the default limits work */
	bool lacks[PARTS]; /* a row of this part says NO */
	struct list remedies;
};

void doctor_set(struct finding *f, enum finding_state state, const char *format, ...)
{
	va_list arguments;

	f->state = state;
	va_start(arguments, format);
	vsnprintf(f->text, sizeof(f->text), format, arguments);
	va_end(arguments);
}

void doctor_fail(struct finding *f, const struct err *e)
{
	f->state = FINDING_NO;
	err_string(e, f->text, sizeof(f->text));
}

void doctor_remedy_is_setup(struct finding *f)
{
	char setup[SYSTEM_PROGRAM_SETUP_SIZE];

	snprintf(f->remedy, sizeof(f->remedy), "%s", system_program_setup(setup));
}

bool doctor_is_usable(const struct doctor_row *rows, struct finding *because)
{
	for (; rows->name; rows++) {
		*because = (struct finding){0};
		if (rows->weight == DOCTOR_VITAL)
			rows->check(because);
		if (because->state == FINDING_NO)
			return false;
	}
	return true;
}

/* Many rows may share a remedy, which is printed once, below. Counted from 1. */
static size_t doctor_number_remedy(struct doctor *d, const char *remedy)
{
	size_t i = 0;

	while (i < d->remedies.count && strcmp(d->remedies.items[i], remedy) != 0)
		i++;
	if (i == d->remedies.count)
		list_add(&d->remedies, remedy);
	return i + 1;
}

static void doctor_print_row(struct doctor *d, const char *name, const struct finding *f)
{
	static const char *const states[] = {"ok", "-", "NO"};

	printf("%-4s %-17s ", states[f->state], name);
	say_line(stdout, f->text);
	if (f->remedy[0])
		printf(" [%zu]", doctor_number_remedy(d, f->remedy));
	putchar('\n');
}

static void doctor_print_remedies(const struct doctor *d)
{
	for (size_t i = 0; i < d->remedies.count; i++) {
		printf("%s[%zu] ", i ? "" : "\n", i + 1);
		say_line(stdout, d->remedies.items[i]);
		putchar('\n');
	}
}

static void doctor_put_row(const char *part, const struct doctor_row *row, const struct finding *f,
			   struct buf *out)
{
	static const char *const states[] = {"ok", "note", "no"};

	json_put_begin(out, NULL, '{');
	json_put_text(out, "part", part);
	json_put_text(out, "name", row->name);
	json_put_text(out, "state", states[f->state]);
	json_put_bool(out, "vital", row->weight == DOCTOR_VITAL);
	json_put_text(out, "text", f->text);
	json_put_text(out, "remedy", f->remedy[0] ? f->remedy : NULL);
	json_put_end(out, '}');
}

static const char *doctor_summary(const struct doctor *d)
{
	if (!d->kernel)
		return "Sandboxes cannot be made here until the rows marked NO are fixed.";
	if (!d->limits)
		return "Sandboxes can be made here only without limits (glovebox run --memory 0 "
		       "--cpus 0 --pids-limit 0),\nuntil the rows marked NO are fixed.";
	if (d->lacks[PART_LIMITS])
		return "Sandboxes can be made here, with the default limits enforced. What is "
		       "marked NO is refused.";
	if (d->lacks[PART_FEATURES])
		return "Sandboxes can be made here, with every limit enforced. What is marked NO "
		       "does not work.";
	return "Sandboxes can be made here, with every limit enforced.";
}

static void doctor_look_at_part(struct doctor *d, size_t part, struct buf *out)
{
	for (const struct doctor_row *row = parts[part].rows; row->name; row++) {
		struct finding f = {0};

		row->check(&f);
		d->lacks[part] |= f.state == FINDING_NO;
		if (row->weight == DOCTOR_VITAL && f.state == FINDING_NO)
			*(part == PART_HOST ? &d->kernel : &d->limits) = false;
		if (d->json)
			doctor_put_row(parts[part].name, row, &f, out);
		else if (row->weight != DOCTOR_RARE || f.state != FINDING_OK)
			doctor_print_row(d, row->name, &f);
	}
}

static void doctor_print(struct doctor *d, const char *user)
{
	for (size_t i = 0; i < PARTS; i++) {
		printf("%s%s", i ? "\n" : "", parts[i].title);
		if (i != PART_HOST)
			printf(", for %s", user);
		puts(":");
		doctor_look_at_part(d, i, NULL);
	}
	doctor_print_remedies(d);
	printf("\n%s\n", doctor_summary(d));
}

static void doctor_print_json(struct doctor *d, const char *user)
{
	auto_buf struct buf out = {0};

	json_put_begin(&out, NULL, '{');
	json_put_text(&out, "user", user);
	json_put_uint(&out, "uid", geteuid());
	json_put_begin(&out, "rows", '[');
	for (size_t i = 0; i < PARTS; i++)
		doctor_look_at_part(d, i, &out);
	json_put_end(&out, ']');
	json_put_bool(&out, "usable", d->kernel && d->limits);
	json_put_bool(&out, "usable_without_limits", d->kernel);
	json_put_bool(&out, "every_limit", d->kernel && !d->lacks[PART_LIMITS]);
	json_put_bool(&out, "every_feature", !d->lacks[PART_FEATURES]);
	json_put_end(&out, '}');
	puts(buf_string(&out));
}

/* clang-format off */
const struct setting doctor_settings[] = {
	{"json", 0, NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct doctor, json), NULL, .help = "print one JSON object"},
	SETTING_END,
};
/* clang-format on */

int command_doctor(int argc, char **argv)
{
	struct doctor d = {.kernel = true, .limits = true};
	const struct settings settings = {
		.face = FACE_RUN, .tables = {{doctor_settings, &d, NULL}}, .hint = ""};
	const struct passwd *pw = getpwuid(geteuid());
	char number[24];
	struct err e;
	int at;

	if (setting_words(&settings, argc - 1, argv + 1, &at, &e))
		return fail_with(&e);
	if (at < argc - 1) {
		err_input(&e, "doctor takes no argument: %.100s", argv[1 + at]);
		return fail_with(&e);
	}
	scope_enter();
	snprintf(number, sizeof(number), "uid %u", geteuid());
	(d.json ? doctor_print_json : doctor_print)(&d, pw ? pw->pw_name : number);
	list_fini(&d.remedies);
	return d.kernel && d.limits ? 0 : 1;
}
