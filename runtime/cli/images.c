/*
 * images - show images: `images`, `image ls`, `image inspect`, `pull`.
 * Making and changing them is the task of glovebox-image, a separate program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/own.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/format.h"
#include "host/image.h"
#include "spec/setting_words.h"

static int images_open_named(const char *name, struct image *image, struct err *e)
{
	auto_free char *reference = NULL;

	if (image_reference(name, &reference, e))
		return -1;
	return image_open(reference, image, e);
}

static void images_add_strings(struct buf *out, const char *key, const char **items)
{
	buf_printf(out, ",\n            \"%s\": [", key);
	for (const char **p = items; *p; p++) {
		buf_text(out, p == items ? "" : ", ");
		buf_json_text(out, *p);
	}
	buf_text(out, "]");
}

static void images_add_image(struct buf *out, const struct image *image)
{
	const struct image_config *c = &image->config;

	buf_text(out, "    {\n        \"Id\": ");
	buf_json_text(out, c->id);
	buf_text(out, ",\n        \"RepoTags\": [");
	buf_json_text(out, image->reference);
	buf_text(out, "],\n        \"Created\": ");
	buf_json_text(out, c->created ? c->created : "");
	buf_text(out, ",\n        \"Os\": \"linux\",\n        \"Architecture\": ");
	buf_json_text(out, c->arch ? c->arch : "");
	buf_text(out, ",\n        \"Config\": {\n            \"User\": ");
	buf_json_text(out, c->user);
	buf_text(out, ",\n            \"WorkingDir\": ");
	buf_json_text(out, c->workdir);
	images_add_strings(out, "Env", c->env);
	images_add_strings(out, "Cmd", c->cmd);
	images_add_strings(out, "Entrypoint", c->entrypoint);
	buf_text(out, "\n        }\n    }");
}

static int images_inspect_format(const char *template, const struct image *image)
{
	const struct format_field fields[] = {
		{"Id",                image->config.id                                  },
		{"ID",                image->config.id                                  },
		{"Created",           image->config.created ? image->config.created : ""},
		{"Os",                "linux"					   },
		{"Architecture",      image->config.arch ? image->config.arch : ""      },
		{"Config.User",       image->config.user                                },
		{"Config.WorkingDir", image->config.workdir                             },
		{NULL,                NULL					      },
	};

	return format_print(template, fields);
}

/* docker image inspect: a list on stdout even when empty, exit 1 when one is missing. */
static int images_inspect(int argc, char **argv)
{
	auto_buf struct buf out = {0};
	const char *template = NULL;
	int status = 0;
	struct err e;
	int at = format_operands(argc, argv, &template, &e);

	if (at < 0)
		return fail_with(&e);
	for (int i = at; i < argc; i++) {
		struct image image;

		if (images_open_named(argv[i], &image, &e)) {
			fputs("Error response from daemon: No such image: ", stderr);
			say_line(stderr, argv[i]);
			fputc('\n', stderr);
			status = 1;
			continue;
		}
		if (template) {
			status |= images_inspect_format(template, &image);
		} else {
			buf_text(&out, out.length ? ",\n" : "");
			images_add_image(&out, &image);
		}
		image_close(&image);
	}
	if (!template)
		printf("[\n%s\n]\n", buf_string(&out));
	return status;
}

int command_image(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "inspect"))
		return images_inspect(argc - 1, argv + 1);
	return exec_sibling("glovebox-image", argc, argv);
}

/* The arguments of `images`. */
struct listing {
	const char *reference; /* NULL: all */
	bool quiet;            /* ids only */
};

static void images_print_size(uint64_t bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB"};
	double value = (double)bytes;
	int unit = 0;

	for (; value >= 1000 && unit < 3; unit++)
		value /= 1000;
	printf("%.3g%s\n", value, units[unit]);
}

/* docker's columns; the id is cut to twelve digits, as there. */
static int images_print_image(const struct image *image, void *context)
{
	const struct listing *l = context;
	const char *id = image->config.id;
	const char *tag = strrchr(image->reference, ':');
	uint64_t bytes = 0;
	struct err e;

	if (l->reference && strcmp(l->reference, image->reference))
		return 0;
	id = strncmp(id, "sha256:", 7) ? id : id + 7;
	if (l->quiet) {
		say_bytes(stdout, id, strnlen(id, 12));
		putchar('\n');
		return 0;
	}
	if (image->document && json_get_uint(image->document, "size_bytes", &bytes, &e))
		bytes = 0;
	printf("%-24.*s %-12s ", (int)(tag - image->reference), image->reference, tag + 1);
	say_bytes(stdout, id, strnlen(id, 12));
	printf("   ");
	say_column(stdout, 22, image->config.created ? image->config.created : "-");
	putchar(' ');
	images_print_size(bytes);
	return 0;
}

static int images_read_words(int argc, char **argv, struct listing *l, char **reference,
			     struct err *e)
{
	static const struct setting rows[] = {
		{"quiet", 'q', NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG,
		 offsetof(struct listing, quiet), NULL, .help = "ids only"},
		SETTING_END,
	};
	const struct settings settings = {.face = FACE_RUN,
					  .grammar = WORDS_ANYWHERE,
					  .tables = {{rows, l, NULL}},
					  .hint = ""};
	int used;

	if (setting_words(&settings, argc - 1, argv + 1, &used, e))
		return err_prefix(e, "images");
	if (argc - 1 - used > 1)
		return err_input(e, "images: unknown argument %.100s", argv[used + 2]);
	if (used == argc - 1)
		return 0;
	if (image_reference(argv[used + 1], reference, e))
		return -1;
	l->reference = *reference;
	return 0;
}

int command_images(int argc, char **argv)
{
	auto_free char *reference = NULL;
	struct listing l = {0};
	struct err e;

	if (images_read_words(argc, argv, &l, &reference, &e))
		return fail_with(&e);
	if (!l.quiet)
		printf("%-24s %-12s %-14s %-22s %s\n", "REPOSITORY", "TAG", "IMAGE ID", "CREATED",
		       "SIZE");
	return image_list(images_print_image, &l, &e) ? fail_with(&e) : 0;
}

/* Nothing is fetched; but a script that pulls an image that is already here must continue. */
int command_pull(int argc, char **argv)
{
	struct image image;
	struct err e;

	if (argc != 2) {
		err_input(&e, "pull takes one image name");
		return fail_with(&e);
	}
	if (images_open_named(argv[1], &image, &e)) {
		fputs("Error response from daemon: nothing is pulled from a registry here; "
		      "\"glovebox image build\" makes images, \"docker save ",
		      stderr);
		say_line(stderr, argv[1]);
		fputs(" | glovebox image import -\" takes one from a machine that has it\n",
		      stderr);
		return 1;
	}
	printf("%s\nStatus: Image is up to date for %s\n", image.reference, image.reference);
	image_close(&image);
	return 0;
}
