/*
 * selftest - `glovebox selftest`: print the findings of selftest/ as a table or as JSON.
 */
#include "selftest/selftest.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/scope.h"
#include "flags/setting_words.h"
#include "image/image.h"
#include "image/image_reference.h"

struct flags {
	bool json;
	bool verbose;
	const char *image;
	const char *only;
};

/* clang-format off */
const struct setting selftest_settings[] = {
	{"image",   0,   "IMAGE", GROUP_RESULT, FACE_RUN, SETTING_TEXT, offsetof(struct flags, image), "host", .min = 1, .help = "make the sandboxes from it"},
	{"only",    0,   "LAYER", GROUP_RESULT, FACE_RUN, SETTING_TEXT, offsetof(struct flags, only), NULL, .min = 1, .help = "check this one"},
	{"verbose", 'v', NULL,    GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct flags, verbose), NULL, .help = "print every check"},
	{"json",    0,   NULL,    GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct flags, json), NULL, .help = "print one JSON object"},
	SETTING_END,
};
/* clang-format on */

/* 1: a promised layer does not hold; 125: a check could not be tried. */
static int selftest_status(const struct selftest *t)
{
	char reason[600];
	int status = t->trouble.kind ? fail_with(&t->trouble) : 0;

	for (const struct layer *l = layers; l->name; l++) {
		enum layer_state state = selftest_judge(t, l, reason, sizeof(reason));

		if (state == LAYER_UNTRIED && !status && (!t->only || t->only == l))
			status = EXIT_OURS;
		if (state != LAYER_BROKEN)
			continue;
		fprintf(stderr, "glovebox: the layer %s does not hold\n", l->name);
		status = 1;
	}
	return status;
}

static void selftest_print_check(const struct selftest_check *c)
{
	printf("     %s ", c->held ? "held  " : "BROKEN");
	say_line(stdout, c->what);
	fputs(": ", stdout);
	say_line(stdout, c->saw);
	putchar('\n');
}

/* Print a row of the table, with all checks or only the failed ones. */
static void selftest_print_layer(const struct selftest *t, const struct layer *l, bool verbose)
{
	static const char *const states[] = {"ok", "NO", "-", "?"};
	static const char *const why[] = {"", "", "not promised here: ", "not checked: "};
	char reason[600];
	enum layer_state state = selftest_judge(t, l, reason, sizeof(reason));

	printf("%-4s %-18s %s", states[state], l->name, l->promise);
	if (reason[0]) {
		printf("; %s", why[state]);
		say_line(stdout, reason);
	}
	putchar('\n');
	for (size_t i = 0; i < t->count; i++) {
		const struct selftest_check *c = &t->checks[i];

		if (c->layer == l && (verbose || !c->held))
			selftest_print_check(c);
	}
}

static void selftest_put_layer(const struct selftest *t, const struct layer *l, struct buf *out)
{
	static const char *const states[] = {"held", "broken", "absent", "unchecked"};
	char reason[600];
	enum layer_state state = selftest_judge(t, l, reason, sizeof(reason));

	json_put_begin(out, NULL, '{');
	json_put_text(out, "name", l->name);
	json_put_text(out, "promise", l->promise);
	json_put_text(out, "state", states[state]);
	json_put_text(out, "reason", reason[0] ? reason : NULL);
	json_put_begin(out, "checks", '[');
	for (size_t i = 0; i < t->count; i++) {
		if (t->checks[i].layer != l)
			continue;
		json_put_begin(out, NULL, '{');
		json_put_text(out, "what", t->checks[i].what);
		json_put_bool(out, "held", t->checks[i].held);
		json_put_text(out, "saw", t->checks[i].saw);
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
	json_put_end(out, '}');
}

/* Append all findings in the form of docs/json.md. */
static void selftest_put(const struct selftest *t, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "image", t->image);
	json_put_begin(out, "layers", '[');
	for (const struct layer *l = layers; l->name; l++) {
		if (!t->only || t->only == l)
			selftest_put_layer(t, l, out);
	}
	json_put_end(out, ']');
	json_put_text(out, "trouble", t->trouble.kind ? t->trouble.text : NULL);
	json_put_end(out, '}');
}

static void selftest_print(const struct selftest *t, const struct flags *f)
{
	auto_buf struct buf out = {0};

	for (const struct layer *l = layers; l->name && !f->json; l++) {
		if (!t->only || t->only == l)
			selftest_print_layer(t, l, f->verbose);
	}
	if (f->json) {
		selftest_put(t, &out);
		puts(buf_string(&out));
	}
}

static int selftest_parse(int argc, char **argv, struct flags *f, struct selftest *t, struct err *e)
{
	const struct settings settings = {
		.face = FACE_RUN, .tables = {{selftest_settings, f, NULL}}, .hint = ""};
	auto_free char *reference = NULL;
	struct image image;
	int at;

	f->image = "host";
	if (setting_words(&settings, argc - 1, argv + 1, &at, e))
		return -1;
	if (at < argc - 1)
		return err_input(e, "selftest takes no argument: %.100s", argv[1 + at]);
	t->only = f->only ? layer_find(f->only) : NULL;
	if (f->only && !t->only)
		return err_input(e, "--only: unknown layer %.100s; selftest lists them", f->only);
	if (image_reference(f->image, &reference, e) || image_open(reference, &image, e))
		return err_prefix(e, "--image");
	image_close(&image);
	t->image = f->image;
	return 0;
}

int command_selftest(int argc, char **argv)
{
	struct selftest t = {0};
	struct flags f = {0};
	struct err e;
	int status;

	if (selftest_parse(argc, argv, &f, &t, &e))
		return fail_with_help(&e, argv[0]);
	scope_enter();
	selftest_run(&t);
	selftest_print(&t, &f);
	fflush(stdout);
	status = selftest_status(&t);
	selftest_fini(&t);
	return status;
}
