/*
 * generate - write the manual page of `glovebox image`, and the words of its completion.
 */
#include "generate.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/say.h"
#include "command.h"
#include "flags/setting_complete.h"
#include "flags/setting_text.h"
#include "flags/setting_words.h"
#include "fs/names.h"
#include "image/image.h"
#include "rootfs/debian/share.h"
#include "spec/run_settings.h"

#define RECIPES_MAX 1000

/* -- the manual page ------------------------------------------------------------------------- */

static void generate_print_roff(const char *text)
{
	auto_buf struct buf roff = {0};

	setting_text_roff(text, &roff);
	fputs(buf_string(&roff), stdout);
}

static void generate_print_command(const struct command *c)
{
	auto_buf struct buf text = {0};

	printf(".SH \"%s\"\n.B glovebox image %s\n", c->name, c->name);
	generate_print_roff(c->usage);
	puts("\n.PP");
	generate_print_roff(c->summary);
	puts(".");
	for (const struct setting *row = c->settings; row && row->name; row++)
		setting_text_man(row, &text);
	for (const struct setting *row = run_settings; c->network && row->name; row++) {
		if (row->faces & FACE_IMAGE)
			setting_text_man(row, &text);
	}
	fputs(buf_string(&text), stdout);
	if (!*c->help)
		return;
	puts(".PP\n.nf");
	generate_print_roff(c->help);
	puts(".fi");
}

static int generate_man(void)
{
	puts(".TH GLOVEBOX-IMAGE 1 \"2026-11-23\" \"glovebox " GLOVEBOX_VERSION
	     "\" \"User Commands\"\n"
	     ".SH NAME\nglovebox-image \\- build, import and keep the images of sandboxes\n"
	     ".SH SYNOPSIS");
	for (const struct command *const *c = commands; *c; c++) {
		printf("%s.B glovebox image %s\n", c == commands ? "" : ".br\n", (*c)->name);
		generate_print_roff((*c)->usage);
		fputs(*(*c)->usage ? "\n" : "", stdout);
	}
	puts(".SH DESCRIPTION\nImages are read\\-only roots for sandboxes. They are made from "
	     "Debian packages by a recipe,\nfrom a Dockerfile, or imported from an archive; each "
	     "has the hashes of its files.");
	for (const struct command *const *c = commands; *c; c++)
		generate_print_command(*c);
	puts(".SH RECIPES\nA recipe is a JSON object:\n.BR base\n(another recipe),\n.BR suite ,\n"
	     ".BR apt ,\n.BR pip ,\n.BR without\n(packages that others depend on and a sandbox "
	     "does not need),\n.BR pip_find_links ,\n.BR preload\n(modules for a warm Python) "
	     "and\n.BR env .\n"
	     ".SH EXAMPLES\n.nf\n"
	     "glovebox image build slim\n"
	     "glovebox image build slim \\-\\-apt jq \\-\\-pip httpx \\-\\-tag tools\n"
	     "glovebox image build mine.json\n"
	     "glovebox image build \\-f Dockerfile \\-\\-egress pypi \\-t mine .\n"
	     "docker save code\\-sandbox:latest | glovebox image import \\-\n"
	     "glovebox image tag python python:3.11\\-slim\n"
	     "glovebox image rm \\-\\-untagged\n.fi\n"
	     ".SH FILES\n.TP\n.I /var/lib/glovebox/images\nImages, for root.\n"
	     ".TP\n.I ~/.local/share/glovebox/images\nImages, for everybody else.\n"
	     ".SH SEE ALSO\n.BR glovebox (1)");
	return 0;
}

/* -- words ----------------------------------------------------------------------------------- */

static void generate_print_word(const char *word)
{
	say_line(stdout, word);
	putchar('\n');
}

static int generate_print_image(const struct image *image, void *word)
{
	size_t length = strlen(image->reference);
	size_t tag = length > 7 && !strcmp(image->reference + length - 7, ":latest") ? 7 : 0;
	auto_free char *name = own_strndup(image->reference, length - tag);

	generate_print_word(strchr(word, ':') ? image->reference : name);
	return 0;
}

static void generate_print_recipes(void)
{
	auto_list struct list names = {0};
	auto_fd int fd = -1;
	char share[PATH_MAX];
	struct err ignored;

	if (share_find(share, &ignored))
		return;
	strncat(share, "/recipes", sizeof(share) - strlen(share) - 1);
	fd = open(share, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || names_read(fd, RECIPES_MAX, &names) < 0)
		return;
	for (size_t i = 0; i < names.count; i++) {
		auto_free char *name = own_strndup(names.items[i], strcspn(names.items[i], "."));

		generate_print_word(name);
	}
}

static int generate_words_of(const struct command *c, int argc, char **argv)
{
	const struct settings settings = {
		.face = FACE_IMAGE,
		.grammar = WORDS_ANYWHERE,
		.tables = {{c->settings, NULL, NULL},
			   {c->network ? run_settings : NULL, NULL, NULL}}
        };
	auto_buf struct buf lines = {0};
	struct setting_place place = setting_complete(&settings, argc, argv, &lines);
	struct err ignored;

	fputs(buf_string(&lines), stdout);
	if (place.operand >= 0 && c->images)
		(void)image_list(generate_print_image, argv[argc - 1], &ignored);
	if (place.operand >= 0 && c->recipes)
		generate_print_recipes();
	return 0;
}

static int generate_words(int argc, char **argv)
{
	for (const struct command *const *c = commands; *c; c++) {
		if (argc < 2)
			generate_print_word((*c)->name);
		else if (!strcmp((*c)->name, argv[0]))
			return generate_words_of(*c, argc - 1, argv + 1);
	}
	return 0;
}

int generate(int argc, char **argv)
{
	if (argc == 1 && !strcmp(argv[0], "man"))
		return generate_man();
	if (argc > 0 && !strcmp(argv[0], "words"))
		return generate_words(argc - 1, argv + 1);
	return -1;
}
