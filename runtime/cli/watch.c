/*
 * watch - a selftest if something has changed, compared with the record of the last one.
 */
#include "cli/watch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/selftest_show.h"
#include "cli/watch_basis.h"
#include "cli/watch_record.h"

struct watch {
	struct selftest *t;
	struct basis basis;
	struct watch_record record;
	char when[CLOCK_UTC_SIZE]; /* now */
	int status;
};

/* An error: the journal gets its priority (sd-daemon(3)). */
__attribute__((format(printf, 1, 2))) static void watch_complain(const char *format, ...)
{
	auto_free char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = own_vprintf(format, arguments);
	va_end(arguments);
	fputs(say_is_journal(STDERR_FILENO) ? "<3>" : "", stderr);
	say_warning(text);
}

static int watch_failed(const struct err *e)
{
	char text[1024];

	watch_complain("%s", err_string(e, text, sizeof(text)));
	return EXIT_OURS;
}

/* With what a layer held last, before this selftest; NULL: it never did. */
static const struct json *watch_before(const struct watch *w, const struct layer *l)
{
	const struct json *held = w->record.was ? json_get(w->record.was, "held_with") : NULL;
	const struct json *with = held ? json_get(held, l->name) : NULL;

	return with && json_string_at(with, "kernel") && json_string_at(with, "glovebox") &&
			       json_string_at(with, "when")
		       ? with
		       : NULL;
}

/* "held with 6.1.0-40, does not with 6.1.0-41" */
static char *watch_change(const struct watch *w, const struct json *before)
{
	const char *kernel = json_string_at(before, "kernel");
	const char *glovebox = json_string_at(before, "glovebox");

	if (strcmp(kernel, w->basis.items[BASIS_KERNEL]) != 0)
		return own_printf("held with %s, does not with %s", kernel,
				  w->basis.items[BASIS_KERNEL]);
	if (strcmp(glovebox, w->basis.items[BASIS_GLOVEBOX]) != 0)
		return own_printf("held with glovebox %s, does not with %s", glovebox,
				  w->basis.items[BASIS_GLOVEBOX]);
	return own_printf("held on %.10s with %s, does not today", json_string_at(before, "when"),
			  kernel);
}

/* Returns the status that follows for one layer. */
static int watch_judge_layer(const struct watch *w, const struct layer *l)
{
	const struct json *before = watch_before(w, l);
	auto_free char *change = before ? watch_change(w, before) : NULL;
	char reason[600];

	switch (selftest_judge(w->t, l, reason, sizeof(reason))) {
	case LAYER_HELD:
		return 0;
	case LAYER_BROKEN:
		watch_complain("the layer %s does not hold%s%s", l->name, before ? ": " : "",
			       before ? change : "");
		return 1;
	case LAYER_ABSENT:
		if (!before)
			return 0;
		watch_complain(
			"the layer %s is not promised here any more: %s (%s); remove %s to "
			"accept that",
			l->name, change, reason, w->record.path);
		return 1;
	case LAYER_UNTRIED:
		watch_complain("the layer %s could not be tried: %s", l->name, reason);
		return EXIT_OURS;
	}
	return EXIT_OURS;
}

static void watch_judge(struct watch *w)
{
	for (const struct layer *l = layers; l->name; l++) {
		int status = w->t->only && w->t->only != l ? 0 : watch_judge_layer(w, l);

		if (status == 1 || !w->status)
			w->status = status;
	}
}

/* With what each layer held last: now, or as the record says. */
static void watch_put_held(const struct watch *w, struct buf *out)
{
	char reason[600];

	json_put_begin(out, "held_with", '{');
	for (const struct layer *l = layers; l->name; l++) {
		const struct json *before = watch_before(w, l);

		if (selftest_judge(w->t, l, reason, sizeof(reason)) == LAYER_HELD) {
			json_put_begin(out, l->name, '{');
			json_put_text(out, "kernel", w->basis.items[BASIS_KERNEL]);
			json_put_text(out, "glovebox", w->basis.items[BASIS_GLOVEBOX]);
			json_put_text(out, "when", w->when);
			json_put_end(out, '}');
		} else if (before) {
			json_put_key(out, l->name);
			json_write(before, out);
		}
	}
	json_put_end(out, '}');
}

static void watch_put(const struct watch *w, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "when", w->when);
	json_put_uint(out, "status", (uint64_t)w->status);
	watch_basis_put(&w->basis, out, "basis");
	watch_put_held(w, out);
	selftest_show_put(w->t, out, "selftest");
	json_put_end(out, '}');
}

/* The one line, and before it what is wrong. */
static void watch_print(const struct watch *w, bool verbose)
{
	unsigned held = 0;
	unsigned all = 0;
	char reason[600];

	for (const struct layer *l = layers; l->name; l++) {
		enum layer_state state = selftest_judge(w->t, l, reason, sizeof(reason));

		if (w->t->only && w->t->only != l)
			continue;
		all++;
		held += state == LAYER_HELD;
		if (verbose || state == LAYER_BROKEN)
			selftest_show_layer(w->t, l, verbose);
	}
	printf("selftest: %u of %u layers hold with ", held, all);
	say_line(stdout, w->basis.items[BASIS_KERNEL]);
	printf("; recorded in ");
	say_line(stdout, w->record.path);
	putchar('\n');
}

/* Returns whether the last one still says how things are. */
static bool watch_is_known(const struct watch *w, struct buf *changes)
{
	const struct json *was = w->record.was;
	uint64_t status = was ? json_uint_at(was, "status", EXIT_OURS) : EXIT_OURS;

	watch_basis_changes(&w->basis, was ? json_get(was, "basis") : NULL, changes);
	return !changes->length && !status;
}

static int watch_say_known(const struct watch *w, bool json)
{
	auto_buf struct buf out = {0};

	if (json) {
		json_write(w->record.was, &out);
		puts(buf_string(&out));
		return 0;
	}
	fputs("selftest: nothing has changed since ", stdout);
	say_line(stdout, json_string_at(w->record.was, "when") ?: "the last one");
	fputs(", when every promised layer held with ", stdout);
	say_line(stdout, w->basis.items[BASIS_KERNEL]);
	putchar('\n');
	return 0;
}

static void watch_say_why(const struct watch *w, const struct buf *changes)
{
	if (w->record.broken[0])
		printf("selftest: the last record cannot be read (%s)\n", w->record.broken);
	else if (!w->record.was)
		puts("selftest: there is no record of an earlier one");
	else if (changes->length)
		printf("selftest: otherwise than at the last one: %s\n", buf_string(changes));
	else
		puts("selftest: the last one did not end well");
	fflush(stdout);
}

static bool watch_is_good(const struct selftest *t)
{
	char reason[600];

	for (const struct layer *l = layers; l->name; l++) {
		enum layer_state state = selftest_judge(t, l, reason, sizeof(reason));

		if ((!t->only || t->only == l) && state != LAYER_HELD && state != LAYER_ABSENT)
			return false;
	}
	return true;
}

/*
 * Some trials wait for a few seconds only, which a machine that others use can miss. A layer that
 * is gone is so the second time, too.
 */
static void watch_try(struct selftest *t, bool json)
{
	const char *image = t->image;
	const struct layer *only = t->only;

	selftest_run(t);
	if (watch_is_good(t))
		return;
	if (!json)
		puts("selftest: not everything held; once more");
	fflush(stdout);
	selftest_fini(t);
	*t = (struct selftest){.image = image, .only = only};
	selftest_run(t);
}

static int watch_work(struct watch *w, bool json, bool verbose)
{
	auto_buf struct buf changes = {0};
	auto_buf struct buf document = {0};
	struct err e;

	if (watch_record_open(&w->record, &e))
		return watch_failed(&e);
	watch_basis_find(&w->basis, w->t);
	if (watch_is_known(w, &changes))
		return watch_say_known(w, json);
	if (!json)
		watch_say_why(w, &changes);
	watch_try(w->t, json);
	clock_utc(w->when);
	watch_judge(w);
	watch_put(w, &document);
	if (watch_record_write(&w->record, &document, &e)) {
		(void)watch_failed(&e);
		return w->status ? w->status : EXIT_OURS;
	}
	if (json)
		puts(buf_string(&document));
	else
		watch_print(w, verbose);
	return w->status;
}

int watch(struct selftest *t, bool json, bool verbose)
{
	struct watch w = {.t = t};
	int status = watch_work(&w, json, verbose);

	watch_record_close(&w.record);
	watch_basis_fini(&w.basis);
	return status;
}
