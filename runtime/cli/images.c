/*
 * images - looking at images: `images`, `image ls`, `image inspect`, `pull`.
 * Making and changing them is glovebox-image's, a separate program.
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

static int open_named(const char *name, struct image *image, struct err *e)
{
	auto_free char *reference = NULL;

	if (image_reference(name, &reference, e))
		return -1;
	return image_open(reference, image, e);
}

static void add_strings(struct buf *out, const char *key, const char **items)
{
	buf_printf(out, ",\n            \"%s\": [", key);
	for (const char **p = items; *p; p++) {
		buf_text(out, p == items ? "" : ", ");
		buf_json_text(out, *p);
	}
	buf_text(out, "]");
}

static void add_image(struct buf *out, const struct image *image)
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
	add_strings(out, "Env", c->env);
	add_strings(out, "Cmd", c->cmd);
	add_strings(out, "Entrypoint", c->entrypoint);
	buf_text(out, "\n        }\n    }");
}

static int inspect_format(const char *template, const struct image *image)
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
static int inspect(int argc, char **argv)
{
	auto_buf struct buf out = {0};
	const char *template = NULL;
	int status = 0;
	struct err e;

	for (int i = 1; i < argc; i++) {
		struct image image;

		if ((!strcmp(argv[i], "--format") || !strcmp(argv[i], "-f")) && i + 1 < argc) {
			template = argv[++i];
			continue;
		}
		if (!strncmp(argv[i], "--format=", 9)) {
			template = argv[i] + 9;
			continue;
		}
		if (open_named(argv[i], &image, &e)) {
			fputs("Error response from daemon: No such image: ", stderr);
			say_line(stderr, argv[i]);
			fputc('\n', stderr);
			status = 1;
			continue;
		}
		if (template) {
			status |= inspect_format(template, &image);
		} else {
			buf_text(&out, out.length ? ",\n" : "");
			add_image(&out, &image);
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
		return inspect(argc - 1, argv + 1);
	return exec_sibling("glovebox-image", argc, argv);
}

/* What `images` was asked for. */
struct listing {
	const char *reference; /* NULL: all */
	bool quiet;            /* ids only */
};

static void print_size(uint64_t bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB"};
	double value = (double)bytes;
	int unit = 0;

	for (; value >= 1000 && unit < 3; unit++)
		value /= 1000;
	printf("%.3g%s\n", value, units[unit]);
}

/* docker's columns; the id is cut to twelve digits as there. */
static int print_image(const struct image *image, void *context)
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
	print_size(bytes);
	return 0;
}

int command_images(int argc, char **argv)
{
	auto_free char *reference = NULL;
	struct listing l = {0};
	struct err e;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-q") || !strcmp(argv[i], "--quiet")) {
			l.quiet = true;
			continue;
		}
		if (argv[i][0] == '-' || reference) {
			err_input(&e, "images: unknown argument %.100s", argv[i]);
			return fail_with(&e);
		}
		if (image_reference(argv[i], &reference, &e))
			return fail_with(&e);
		l.reference = reference;
	}
	if (!l.quiet)
		printf("%-24s %-12s %-14s %-22s %s\n", "REPOSITORY", "TAG", "IMAGE ID", "CREATED",
		       "SIZE");
	return image_list(print_image, &l, &e) ? fail_with(&e) : 0;
}

/* Nothing is fetched; but a script that pulls what is already here must go on. */
int command_pull(int argc, char **argv)
{
	struct image image;
	struct err e;

	if (argc != 2) {
		err_input(&e, "pull takes one image name");
		return fail_with(&e);
	}
	if (open_named(argv[1], &image, &e)) {
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
