/*
 * glovebox-image - build, import and keep the images that sandboxes run on.
 *
 * Theory of operation. Every image, built or imported, is a stream of tar entries that one piece of
 * code (extract.c) unpacks into STORE/tmp/<random>/, a directory locked by this process. A manifest
 * of hashes over the finished tree gives the image its id; only then does a rename move it to
 * STORE/trees/<id> and a symbolic link name it. If this process ends before that, it leaves only a
 * directory whose lock is free, and the next build removes it. We never execute a part of an
 * archive here; Debian packages and pip run in chambers (chamber.h) under ids that no user has,
 * never in the store.
 */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/nearest.h"
#include "base/privileges.h"
#include "base/say.h"
#include "base/told.h"
#include "command.h"
#include "flags/setting_text.h"
#include "flags/setting_words.h"
#include "generate.h"
#include "rootfs/archive/interrupt.h"
#include "spec/run_settings.h"
#include "spec/spec.h"

#define EXIT_OURS 125

static bool main_as_docker;

const struct command *const commands[] = {
	&command_build, &command_df,     &command_import,  &command_load, &command_ls,
	&command_prune, &command_pull,   &command_rm,      &command_save, &command_share,
	&command_tag,   &command_verify, &command_inspect, NULL,
};

bool command_as_docker(void)
{
	return main_as_docker;
}

static void main_print_help(FILE *to)
{
	fprintf(to,
		"Usage: glovebox image COMMAND\n\n"
		"Images are read-only roots for sandboxes.\n\nCommands:\n");
	for (const struct command *const *c = commands; *c; c++)
		fprintf(to, "  %-8s %s\n", (*c)->name, (*c)->summary);
	fprintf(to,
		"\n\"glovebox image COMMAND --help\" says more. Store: $GLOVEBOX_IMAGES, or\n"
		"/var/lib/glovebox/images for root, ~/.local/share/glovebox/images otherwise.\n");
}

static struct settings main_settings(const struct command *c, void *target)
{
	struct sandbox_spec *spec =
		target && c->network ? (void *)((char *)target + c->spec_at) : NULL;
	uint64_t *given = target && c->given_at ? (void *)((char *)target + c->given_at) : NULL;

	return (struct settings){
		.face = FACE_IMAGE,
		.grammar = WORDS_ANYWHERE | WORDS_BUNDLED,
		.tables = {{c->settings, target, given},
			   {c->network ? run_settings : NULL, spec, spec ? spec->given : NULL}}
        };
}

static void main_print_command_help(const struct command *c)
{
	static const struct setting_layout layout = {.indent = 2, .width = 17};
	const struct settings settings = main_settings(c, NULL);
	auto_buf struct buf text = {0};

	setting_text_help_all(&settings, GROUP_COUNT, &layout, &text);
	printf("Usage: glovebox image %s %s\n\n%s.\n\n%s%s%s", c->name, c->usage, c->summary,
	       buf_string(&text), text.length ? "\n" : "", c->help);
}

static int main_is_help(const char *text)
{
	return !strcmp(text, "--help") || !strcmp(text, "-h");
}

static int main_wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (main_is_help(argv[i]))
			return 1;
	}
	return 0;
}

int arguments_read(const struct command *c, int argc, char **argv, void *target, struct err *e)
{
	auto_buf struct buf hint = {0};
	struct settings settings = main_settings(c, target);
	int used;

	buf_printf(&hint, "see \"glovebox image %s --help\"", c->name);
	settings.hint = buf_string(&hint);
	for (size_t i = 0; settings.tables[i].rows; i++)
		setting_defaults(&settings.tables[i], NULL);
	return setting_words(&settings, argc - 1, argv + 1, &used, e) ? -1 : used + 1;
}

int arguments_expect(const struct command *c, int count, int min, int max, struct err *e)
{
	if (count >= min && count <= max)
		return 0;
	return err_input(e, "usage: glovebox image %s %s", c->name, c->usage);
}

/* Under that name what docker's daemon would refuse has its status. */
static int main_complain(const struct err *e)
{
	const bool daemons = e->kind == ERR_NOT_FOUND || e->kind == ERR_GONE ||
			     e->kind == ERR_BUSY || e->kind == ERR_SYSTEM;

	say_error(e);
	told_error(e);
	return main_as_docker && daemons ? 1 : EXIT_OURS;
}

static int main_run(const struct command *c, int argc, char **argv)
{
	struct err e = {0};
	char name[32];
	int status;

	if (main_wants_help(argc, argv)) {
		main_print_command_help(c);
		return 0;
	}
	snprintf(name, sizeof(name), "image %s", c->name);
	if (privileges_keep(name, "arguments", &e))
		return main_complain(&e);
	status = c->run(argc, argv, &e);
	if (status >= 0)
		return status;
	if (interrupt_signal()) {
		fprintf(stderr, "glovebox: interrupted; nothing of it was kept\n");
		return 128 + interrupt_signal();
	}
	return main_complain(&e);
}

static const struct command *main_find(const char *name, struct err *e)
{
	struct nearest near = nearest_to(name, strlen(name));

	for (const struct command *const *c = commands; *c; c++) {
		if (!strcmp(name, (*c)->name))
			return *c;
		nearest_try(&near, (*c)->name);
	}
	if (near.name)
		err_input(e, "no image command \"%.60s\"; did you mean \"%s\"?", name, near.name);
	else
		err_input(e, "no image command \"%.60s\"; see \"glovebox image --help\"", name);
	return NULL;
}

/* "--help", or "help" and perhaps a command. */
static int main_help(int argc, char **argv, struct err *e)
{
	const struct command *c = argc > 2 ? main_find(argv[2], e) : NULL;

	if (argc > 2 && !c)
		return main_complain(e);
	if (c)
		main_print_command_help(c);
	else
		main_print_help(stdout);
	return io_finish(0, main_complain);
}

int main(int argc, char **argv)
{
	const struct command *c;
	struct err e;

	/* libarchive converts names of pax headers through the locale; ours are UTF-8. */
	setlocale(LC_CTYPE, "C.UTF-8");
	umask(022);
	told_keep();
	main_as_docker = argc > 0 && !strcmp(argv[0], "docker");
	if (argc < 2) {
		main_print_help(stderr);
		return EXIT_OURS;
	}
	if (main_is_help(argv[1]) || !strcmp(argv[1], "help"))
		return main_help(argc, argv, &e);
	if (!strcmp(argv[1], "generate") && !generate(argc - 2, argv + 2))
		return io_finish(0, main_complain);
	c = main_find(argv[1], &e);
	if (!c)
		return main_complain(&e);
	interrupt_setup();
	return io_finish(main_run(c, argc - 1, argv + 1), main_complain);
}
