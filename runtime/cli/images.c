/*
 * images - show images: `images`, `image ls`, `pull`. A separate program, glovebox-image, makes and
 * changes them.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ago.h"
#include "base/buf.h"
#include "base/json_put.h"
#include "base/list.h"
#include "base/own.h"
#include "base/parse.h"
#include "base/privileges.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/docker_verbs.h"
#include "cli/format.h"
#include "cli/inspected.h"
#include "flags/setting_words.h"
#include "image/image.h"
#include "image/image_reference.h"

/* docker's `image ls` is its `images`. */
static int images_ls(int argc, char **argv)
{
	struct err e;
	const struct command *c = find_command(commands, "", "images", &e);

	return c ? run_command(c, argc, argv) : fail_with(&e);
}

/* docker's operand is a directory, even if a recipe has that name; a later --file wins. */
static int images_build(int argc, char **argv)
{
	auto_free char **words = own_zeroed((size_t)argc + 2, sizeof(*words));

	words[0] = argv[0];
	words[1] = argv[1];
	words[2] = (char *)"--file=";
	memcpy(words + 3, argv + 2, (size_t)(argc - 2) * sizeof(*words));
	return exec_sibling("glovebox-image", argc + 1, words);
}

/* glovebox-image prints the help, as for all its commands. */
int command_image(int argc, char **argv)
{
	static const char *const dockers[] = {"history", "push"};
	const char *name = argc > 1 ? argv[1] : "";
	bool listed = !strcmp(name, "ls") || !strcmp(name, "list");
	struct err e;

	if (!strcmp(name, "inspect") &&
	    (argc == 2 || (strcmp(argv[2], "--help") != 0 && strcmp(argv[2], "-h") != 0)))
		return privileges_keep("image inspect", "arguments", &e)
			       ? fail_with(&e)
			       : command_image_inspect(argc - 1, argv + 1);
	if (invoked_as_docker() && argc == 1)
		return exec_sibling("glovebox-image", 2,
				    (char *[]){argv[0], (char *)"--help", NULL});
	if (invoked_as_docker() && !strcmp(name, "pull"))
		return command_pull(argc - 1, argv + 1);
	if (invoked_as_docker() && listed)
		return images_ls(argc - 1, argv + 1);
	if (invoked_as_docker() && !strcmp(name, "build"))
		return images_build(argc, argv);
	for (size_t i = 0; i < sizeof(dockers) / sizeof(dockers[0]); i++) {
		if (!strcmp(name, dockers[i]))
			return docker_verb(argc - 1, argv + 1);
	}
	return exec_sibling("glovebox-image", argc, argv);
}

/* The arguments of `images`. */
struct listing {
	const char *reference; /* NULL: all */
	bool every_tag;        /* of the reference's name */
	bool quiet;            /* ids only */
	bool whole_ids;
	const char *format;
	struct list filters;
	struct images_group *groups; /* owned: for --format engine */
	size_t group_count;
	int status; /* exit status of printing */
};

/* An image with all of its names. */
struct images_group {
	char *id;         /* owned */
	struct list tags; /* owned */
	uint64_t created_s;
	uint64_t size_bytes;
};

static void images_size_text(uint64_t bytes, char out[24])
{
	static const char *const units[] = {"B", "kB", "MB", "GB"};
	double value = (double)bytes;
	int unit = 0;

	for (; value >= 1000 && unit < 3; unit++)
		value /= 1000;
	snprintf(out, 24, "%.3g%s", value, units[unit]);
}

/* Print docker's columns, which come first in the fields. */
static int images_print_row(const struct listing *l, const struct format_field *f)
{
	if (l->quiet) {
		say_line(stdout, f[2].value);
		putchar('\n');
		return 0;
	}
	if (l->format)
		return format_print(l->format, f);
	printf("%-24s %-12s ", f[0].value, f[1].value);
	say_column(stdout, 14, f[2].value);
	printf(" %-16s %s\n", f[3].value, f[4].value);
	return 0;
}

/* A pattern is of the name, or of the name and the tag. */
static bool images_matches(const char *pattern, const char *reference)
{
	auto_free char *name =
		own_strndup(reference, (size_t)(strrchr(reference, ':') - reference));

	return !fnmatch(pattern, reference, FNM_PATHNAME) || !fnmatch(pattern, name, FNM_PATHNAME);
}

/* 1: it passes; 0; -1 with *e, for an unknown filter also where there are no images. */
static int images_passes(const struct list *filters, const char *reference, struct err *e)
{
	bool patterns = false;
	bool matches = false;
	bool passes = true;
	bool wanted;

	for (size_t i = 0; i < filters->count; i++) {
		const char *filter = filters->items[i];

		if (!strncmp(filter, "reference=", 10)) {
			patterns = true;
			matches |= images_matches(filter + 10, reference);
		} else if (!strncmp(filter, "label=", 6)) {
			passes = false;
		} else if (!strncmp(filter, "dangling=", 9)) {
			if (parse_bool(filter + 9, &wanted, e))
				return err_prefix(e, "--filter dangling");
			passes &= !wanted;
		} else {
			return err_input(
				e,
				"invalid filter '%.100s': dangling=, label=, reference=", filter);
		}
	}
	return passes && (!patterns || matches);
}

static bool images_is_asked(const struct listing *l, const char *reference)
{
	size_t name = (size_t)(strrchr(reference, ':') - reference) + 1;
	struct err ignored;

	if (images_passes(&l->filters, reference, &ignored) != 1)
		return false;
	return !l->reference || (l->every_tag ? !strncmp(l->reference, reference, name)
					      : !strcmp(l->reference, reference));
}

static uint64_t images_size(const struct image *image)
{
	return image->document ? json_uint_at(image->document, "size_bytes", 0) : 0;
}

static int images_note(const struct image *image, void *context)
{
	struct listing *l = context;
	size_t i = 0;

	if (!images_is_asked(l, image->reference))
		return 0;
	while (i < l->group_count && strcmp(l->groups[i].id, image->config.id) != 0)
		i++;
	if (i == l->group_count) {
		l->groups = own_grow(l->groups, l->group_count++, sizeof(*l->groups));
		l->groups[i] =
			(struct images_group){.id = own_strdup(image->config.id),
					      .created_s = ago_seconds(image->config.created),
					      .size_bytes = images_size(image)};
	}
	list_add(&l->groups[i].tags, image->reference);
	return 0;
}

/* The list of the Engine's API: an object for each image, whatever names it has. */
static void images_print_groups(struct listing *l)
{
	auto_buf struct buf out = {0};

	json_put_begin(&out, NULL, '[');
	for (size_t i = 0; i < l->group_count; i++) {
		struct images_group *g = &l->groups[i];

		json_put(&out, "{Id:%s, ParentId:''", g->id);
		list_put(&g->tags, &out, "RepoTags");
		json_put(&out,
			 "RepoDigests:[], Created:%lu, Size:%lu, SharedSize:-1, VirtualSize:%lu, "
			 "Labels:{}, Containers:-1}",
			 g->created_s, g->size_bytes, g->size_bytes);
		list_fini(&g->tags);
		free(g->id);
	}
	json_put_end(&out, ']');
	puts(buf_string(&out));
	free(l->groups);
}

static int images_print_image(const struct image *image, void *context)
{
	struct listing *l = context;
	const char *tag = strrchr(image->reference, ':');
	auto_free char *name = own_strndup(image->reference, (size_t)(tag - image->reference));
	const char *full = image->config.id;
	const char *digits = strncmp(full, "sha256:", 7) ? full : full + 7;
	auto_free char *id =
		l->whole_ids ? own_strdup(full) : own_strndup(digits, strnlen(digits, 12));
	char age[32];
	char size[24];

	if (!images_is_asked(l, image->reference))
		return 0;
	images_size_text(images_size(image), size);
	{
		const struct format_field fields[] = {
			{"Repository",   name                          },
			{"Tag",          tag + 1                       },
			{"ID",           id                            },
			{"CreatedSince", ago_text(image->config.created, age)},
			{"Size",              size				      },
			{"CreatedAt",              image->config.created ? image->config.created : "-"},
			{"Digest",              "<none>"                                         },
			{NULL,              NULL},
		};

		l->status = images_print_row(l, fields);
	}
	return l->status;
}

/* The headings of "table TEMPLATE". */
static const struct format_field images_heads[] = {
	{"Repository",   "REPOSITORY"},
        {"Tag",          "TAG"       },
        {"ID",           "IMAGE ID"  },
	{"CreatedSince", "CREATED"   },
        {"Size",         "SIZE"      },
        {"CreatedAt",    "CREATED AT"},
	{"Digest",       "DIGEST"    },
        {NULL,           NULL        },
};

const struct setting images_settings[] = {
  /* clang-format off */
	{"quiet", 'q', NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct listing, quiet), NULL, .help = "ids only"},
	{"no-trunc", 0, NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct listing, whole_ids), NULL, .help = "whole ids"},
	{"format", 0, "TEMPLATE", GROUP_RESULT, FACE_RUN, SETTING_TEXT, offsetof(struct listing, format), NULL, .help = "json, table, text with {{.Repository}} in it, or engine: one list, as the Engine's API has it"},
	{"filter", 'f', "KEY=VALUE", GROUP_RESULT, FACE_RUN, SETTING_LIST, offsetof(struct listing, filters), NULL, .repeated = true, .help = "those with reference=PATTERN, label=KEY (none has any), dangling=BOOL (what has no name is not listed)"},
	{"all", 'a', NULL, GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: all are listed"},
	{"digests", 0, NULL, GROUP_REFUSED, FACE_RUN, SETTING_MOOT, 0, NULL, .help = "an image has no digest of a registry"},
	{"tree", 0, NULL, GROUP_REFUSED, FACE_RUN, SETTING_MOOT, 0, NULL, .help = "an image is of one platform"},
	SETTING_END,
  /* clang-format on */
};

static int images_read_words(int argc, char **argv, struct listing *l, char **reference,
			     struct err *e)
{
	const struct settings settings = {.face = FACE_RUN,
					  .grammar = WORDS_ANYWHERE | WORDS_BUNDLED,
					  .tables = {{images_settings, l, NULL}},
					  .hint = ""};
	const char *name;
	int used;

	if (setting_words(&settings, argc - 1, argv + 1, &used, e))
		return err_prefix(e, "images");
	if (argc - 1 - used > 1)
		return err_input(e, "images: unknown argument %.100s", argv[used + 2]);
	if (used == argc - 1)
		return 0;
	name = argv[used + 1];
	if (image_reference(name, reference, e))
		return -1;
	l->reference = *reference;
	l->every_tag = !strchr(strrchr(name, '/') ? strrchr(name, '/') : name, ':');
	return 0;
}

int command_images(int argc, char **argv)
{
	auto_free char *reference = NULL;
	auto_free char *template = NULL;
	struct listing l = {0};
	struct err e;
	bool engine;
	bool table;
	int bad;

	if (images_read_words(argc, argv, &l, &reference, &e))
		return fail_with(&e);
	if (images_passes(&l.filters, ":", &e) < 0)
		return fail_as_daemon(&e);
	engine = l.format && !strcmp(l.format, "engine");
	table = format_of_list(engine ? NULL : l.format, &template);
	l.format = template;
	l.status = format_check(template, images_heads);
	if (l.status)
		return l.status;
	if (!l.quiet && table && !engine)
		(void)images_print_row(&l, images_heads);
	bad = image_list(engine ? images_note : images_print_image, &l, &e);
	if (engine && !bad)
		images_print_groups(&l);
	list_fini(&l.filters);
	return bad ? fail_with(&e) : l.status;
}

/* A script that pulls an image of the store must work without a network. */
int command_pull(int argc, char **argv)
{
	auto_free char **words = own_zeroed((size_t)argc + 2, sizeof(*words));
	struct image image;
	struct err ignored;

	if (argc < 2 || inspect_open_image(argv[argc - 1], &image, &ignored)) {
		words[0] = (char *)"image";
		words[1] = (char *)"pull";
		memcpy(words + 2, argv + 1, (size_t)(argc > 1 ? argc - 1 : 0) * sizeof(*words));
		return exec_sibling("glovebox-image", argc + 1, words);
	}
	printf("%s\nStatus: Image is up to date for %s\n", image.reference, image.reference);
	image_close(&image);
	return 0;
}
