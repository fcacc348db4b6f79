/*
 * glovebox-image - builds, imports and keeps the images that sandboxes run on.
 *
 * Theory of operation. Every image, built or imported, is a stream of tar
 * entries that one piece of code (extract.c) unpacks into STORE/tmp/<random>/,
 * a directory locked by this process. A manifest of hashes over the finished
 * tree gives the image its id; only then does a rename put it into
 * STORE/trees/<id> and a symbolic link name it. Whatever ends this process
 * before that leaves only a directory whose lock is free, and the next build
 * removes it. No part of an archive is ever executed here; Debian packages and
 * pip run in chambers (chamber.h) under ids that nobody has, never in the store.
 */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "interrupt.h"

#define EXIT_OURS 125

static const struct command *const commands[] = {
	&command_build, &command_import, &command_ls, &command_rm, &command_tag, &command_verify,
};
#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *to)
{
	fprintf(to,
		"Usage: glovebox image COMMAND\n\n"
		"Images are read-only roots for sandboxes.\n\nCommands:\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(to, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
	fprintf(to,
		"\n\"glovebox image COMMAND --help\" says more. Store: $GLOVEBOX_IMAGES, or\n"
		"/var/lib/glovebox/images for root, ~/.local/share/glovebox/images otherwise.\n");
}

static void print_command_help(const struct command *c)
{
	printf("Usage: glovebox image %s %s\n\n%s.\n\n%s", c->name, c->usage, c->summary, c->help);
}

static int is_help(const char *text)
{
	return !strcmp(text, "--help") || !strcmp(text, "-h");
}

static int wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (is_help(argv[i]))
			return 1;
	}
	return 0;
}

int option_next(int argc, char **argv, const struct option *table, struct err *e)
{
	int before = optind;
	int value;

	opterr = 0;
	value = getopt_long(argc, argv, ":", table, NULL);
	if (value == -1)
		return 0;
	if (value == '?' || value == ':') {
		const char *word =
			argv[before] && *argv[before] == '-' ? argv[before] : argv[optind - 1];

		return err_input(
			e,
			value == ':' ? "%.100s needs a value; see \"glovebox image %s --help\""
				     : "unknown option %.100s; see \"glovebox image %s --help\"",
			word, argv[0]);
	}
	return value;
}

int arguments_expect(const struct command *c, int count, int min, int max, struct err *e)
{
	if (count >= min && count <= max)
		return 0;
	return err_input(e, "usage: glovebox image %s %s", c->name, c->usage);
}

static int complain(const struct err *e)
{
	char line[1024];

	fprintf(stderr, "glovebox: %s\n", err_string(e, line, sizeof(line)));
	return EXIT_OURS;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct err e = {0};
	int status;

	if (wants_help(argc, argv)) {
		print_command_help(c);
		return 0;
	}
	status = c->run(argc, argv, &e);
	if (status >= 0)
		return status;
	if (interrupt_signal()) {
		fprintf(stderr, "glovebox: interrupted; nothing of it was kept\n");
		return 128 + interrupt_signal();
	}
	return complain(&e);
}

int main(int argc, char **argv)
{
	struct err e;

	/* libarchive converts names of pax headers through the locale; ours are UTF-8. */
	setlocale(LC_CTYPE, "C.UTF-8");
	umask(022);
	if (argc < 2 || is_help(argv[1]) || !strcmp(argv[1], "help")) {
		print_help(argc < 2 ? stderr : stdout);
		return argc < 2 ? EXIT_OURS : 0;
	}
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (!strcmp(argv[1], commands[i]->name)) {
			interrupt_setup();
			return run(commands[i], argc - 1, argv + 1);
		}
	}
	err_input(&e, "no image command \"%.60s\"; see \"glovebox image --help\"", argv[1]);
	return complain(&e);
}
