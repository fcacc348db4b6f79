/*
 * selftest - `glovebox selftest`: print the findings of selftest/ as a table or as JSON.
 */
#include "selftest/selftest.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/own.h"
#include "cli/command.h"
#include "cli/scope.h"
#include "cli/selftest_show.h"
#include "host/image.h"
#include "spec/image_reference.h"
#include "spec/setting_words.h"

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

static void selftest_print(const struct selftest *t, const struct flags *f)
{
	auto_buf struct buf out = {0};

	for (const struct layer *l = layers; l->name && !f->json; l++) {
		if (!t->only || t->only == l)
			selftest_show_layer(t, l, f->verbose);
	}
	if (f->json) {
		selftest_show_put(t, &out);
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
