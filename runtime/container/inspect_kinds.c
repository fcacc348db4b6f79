/*
 * inspect_kinds - `inspect`: find what a name is of, and describe it.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/say.h"
#include "cli/command.h"
#include "cli/inspected.h"
#include "cli/words.h"
#include "container/named.h"

struct inspect_flags {
	const char *template;
	const char *type; /* NULL: any */
};

/* clang-format off */
const struct setting inspect_settings[] = {
	{"format", 'f', "TEMPLATE", GROUP_RESULT, FACE_RUN, SETTING_TEXT, offsetof(struct inspect_flags, template), NULL, .help = "text with {{.State.Status}} in it, or json"},
	{"type", 0, "TYPE", GROUP_RESULT, FACE_RUN, SETTING_TEXT, offsetof(struct inspect_flags, type), NULL, .words = "any", .help = "only of this type: container, image, volume"},
	{"size", 's', NULL, GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: sizes are not counted"},
	SETTING_END,
};
/* clang-format on */

static const struct {
	const char *type;
	int (*describe)(const char *word, const char *template, struct buf *out, struct err *e);
} inspect_kinds[] = {
	{"container", inspect_sandbox},
	{"image",     inspect_image  },
	{"volume",    inspect_volume },
};

#define KINDS (sizeof(inspect_kinds) / sizeof(inspect_kinds[0]))

static int inspect_kinds_say_none(const char *word, const struct inspect_flags *flags,
				  struct err *e)
{
	if (invoked_as_docker() && !flags->type) {
		fputs("Error: No such object: ", stderr);
		say_line(stderr, word);
		fputc('\n', stderr);
		return 1;
	}
	if (!invoked_as_docker() && (!flags->type || !strcmp(flags->type, "container"))) {
		*e = (struct err){.kind = ERR_NOT_FOUND};
		(void)named_explain("inspect", word, e);
	}
	if (!flags->type && e->kind == ERR_NOT_FOUND)
		(void)err_set(e, ERR_NOT_FOUND,
			      "no sandbox, image or volume is called %.100s: ps -a, image ls and "
			      "volume ls list them",
			      word);
	return fail_as_daemon(e);
}

/* Returns the exit status. */
static int inspect_kinds_one(const char *word, const struct inspect_flags *flags, struct buf *out)
{
	struct err e = {0};

	for (size_t i = 0; i < KINDS; i++) {
		int n;

		if (flags->type && strcmp(flags->type, inspect_kinds[i].type) != 0)
			continue;
		n = inspect_kinds[i].describe(word, flags->template, out, &e);
		if (n >= 0)
			return n;
		/* A word that begins several ids is told; one that no image can have is none. */
		if (e.kind != ERR_NOT_FOUND && (!i || flags->type || e.kind != ERR_INPUT))
			return fail_as_daemon(&e);
	}
	return inspect_kinds_say_none(word, flags, &e);
}

static int inspect_kinds_check_type(const char *type, struct err *e)
{
	for (size_t i = 0; i < KINDS; i++) {
		if (!type || !strcmp(type, inspect_kinds[i].type))
			return 0;
	}
	return err_input(e, "--type: \"%.50s\" is not known here: container, image and volume are",
			 type);
}

int command_inspect(int argc, char **argv)
{
	struct inspect_flags flags = {0};
	auto_buf struct buf out = {0};
	struct err e;
	int status = 0;
	int at = words_read(argc, argv, inspect_settings, &flags, 1, WORDS_ANY, &e);

	if (at < 0 || inspect_kinds_check_type(flags.type, &e))
		return fail_with_help(&e, "inspect");
	for (; at < argc; at++) {
		auto_buf struct buf one = {0};

		status |= inspect_kinds_one(argv[at], &flags, &one);
		if (one.length)
			buf_printf(&out, "%s%s", out.length ? "," : "", buf_string(&one));
	}
	if (!flags.template)
		printf("[%s]\n", buf_string(&out));
	return status;
}
