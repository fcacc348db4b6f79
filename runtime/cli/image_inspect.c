/*
 * image_inspect - an image in docker's fields, and `image inspect`.
 */
#include <stdio.h>
#include <string.h>

#include "base/json_put.h"
#include "base/list.h"
#include "base/own.h"
#include "cli/command.h"
#include "cli/format.h"
#include "cli/inspected.h"
#include "flags/setting_words.h"
#include "image/image.h"
#include "image/image_reference.h"

/* -- what is known of one --------------------------------------------------------------------- */

struct image_inspect_names {
	const char *id;
	struct list tags;
};

static int image_inspect_note(const struct image *image, void *context)
{
	struct image_inspect_names *names = context;

	if (!strcmp(image->config.id, names->id))
		list_add(&names->tags, image->reference);
	return 0;
}

/* Every name that the image has. */
static void image_inspect_put_tags(struct buf *out, const struct image *image)
{
	struct image_inspect_names names = {.id = image->config.id};
	struct err ignored;

	if (image->is_host)
		list_add(&names.tags, "host:latest");
	(void)image_list(image_inspect_note, &names, &ignored);
	list_sort(&names.tags);
	list_put(&names.tags, out, "RepoTags");
	list_fini(&names.tags);
}

static void image_inspect_put_list(struct buf *out, const char *key, const char **items)
{
	json_put_begin(out, key, '[');
	for (const char **p = items; *p; p++)
		json_put_text(out, NULL, *p);
	json_put_end(out, ']');
}

/* docker leaves the member out of an image without any. */
static void image_inspect_put_ports(struct buf *out, const char **ports)
{
	if (!*ports)
		return;
	json_put_begin(out, "ExposedPorts", '{');
	for (const char **p = ports; *p; p++) {
		json_put_begin(out, *p, '{');
		json_put_end(out, '}');
	}
	json_put_end(out, '}');
}

static void image_inspect_put_config(struct buf *out, const struct image_config *c)
{
	json_put_begin(out, "Config", '{');
	json_put_text(out, "User", c->user);
	image_inspect_put_list(out, "Env", c->env);
	image_inspect_put_list(out, "Cmd", c->cmd);
	json_put_text(out, "WorkingDir", c->workdir);
	image_inspect_put_list(out, "Entrypoint", c->entrypoint);
	image_inspect_put_ports(out, c->exposed);
	json_put_begin(out, "Labels", '{');
	json_put_end(out, '}');
	json_put_end(out, '}');
}

/* All files are one layer, whose digest is the image's. */
static void image_inspect_put(struct buf *out, const struct image *image, bool twice)
{
	const struct image_config *c = &image->config;
	const struct json *document = image->document;

	json_put_begin(out, NULL, '{');
	json_put_text(out, "Id", c->id);
	if (twice)
		json_put_text(out, "ID", c->id);
	image_inspect_put_tags(out, image);
	json_put_begin(out, "RepoDigests", '[');
	json_put_end(out, ']');
	json_put_text(out, "Created", c->created ? c->created : "");
	image_inspect_put_config(out, c);
	json_put_text(out, "Architecture", c->arch ? c->arch : "");
	json_put_text(out, "Os", "linux");
	json_put_uint(out, "Size", document ? json_uint_at(document, "size_bytes", 0) : 0);
	json_put_begin(out, "RootFS", '{');
	json_put_text(out, "Type", "layers");
	json_put_begin(out, "Layers", '[');
	json_put_text(out, NULL, c->id);
	json_put_end(out, ']');
	json_put_end(out, '}');
	json_put_end(out, '}');
}

int inspect_open_image(const char *name, struct image *image, struct err *e)
{
	auto_free char *reference = NULL;

	return image_reference(name, &reference, e) || image_open(reference, image, e) ? -1 : 0;
}

/* In docker's words, unless it is closed to us: docker would not see that one. */
static int image_inspect_say_none(const char *name, struct err *e)
{
	auto_free char *reference = NULL;
	struct err ignored;

	if (e->kind == ERR_DENIED)
		return -1;
	if (invoked_as_docker() && !image_reference(name, &reference, &ignored))
		return err_set(e, ERR_NOT_FOUND, "No such image: %.300s", reference);
	return err_set(e, ERR_NOT_FOUND, "No such image: %.100s%s", name,
		       invoked_as_docker() ? "" : ": image ls lists those that there are");
}

int inspect_image(const char *word, const char *template, struct buf *out, struct err *e)
{
	auto_buf struct buf text = {0};
	struct image image;

	if (inspect_open_image(word, &image, e))
		return image_inspect_say_none(word, e);
	image_inspect_put(template ? &text : out, &image,
			  template && strstr(template, ".ID")); /* docker has both */
	image_close(&image);
	return template ? format_print_document(template, &text, e) : 0;
}

/* -- `image inspect` -------------------------------------------------------------------------- */

struct image_inspect {
	const char *template;
	bool size;
};

static int image_inspect_read(int argc, char **argv, struct image_inspect *i, struct err *e)
{
	static const struct setting rows[] = {
		{"format", 'f', "TEMPLATE", GROUP_RESULT, FACE_RUN, SETTING_TEXT,
		 offsetof(struct image_inspect,                                      template), NULL,
		 .help = "text with {{.Name}} in it"										   },
		{"size",   's', NULL,       GROUP_DOCKER, FACE_RUN, SETTING_FLAG,
		 offsetof(struct image_inspect,                                      size),     NULL, .help = "accepted: of containers"},
		{"type",   0,   "image",    GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, NULL,
		 .harmless = "image",								 .help = "only images are kept"   },
		SETTING_END,
	};
	const struct settings settings = {.face = FACE_RUN,
					  .grammar = WORDS_ANYWHERE,
					  .tables = {{rows, i, NULL}},
					  .hint = ""};
	int used;

	if (setting_words(&settings, argc - 1, argv + 1, &used, e))
		return err_prefix(e, "%s", argv[0]);
	return used + 1;
}

/* docker image inspect: a list on stdout even when empty, exit 1 when one is missing. */
int command_image_inspect(int argc, char **argv)
{
	auto_buf struct buf out = {0};
	struct image_inspect asked = {0};
	int status = 0;
	struct err e;
	int at = image_inspect_read(argc, argv, &asked, &e);

	if (at == argc)
		at = err_input(&e,
			       "inspect: an image is needed: %s image inspect [--format "
			       "TEMPLATE] NAME[:TAG]...",
			       our_name());
	if (at < 0)
		return fail_with(&e);
	json_put_begin(&out, NULL, '[');
	for (int i = at; i < argc; i++) {
		const int n = inspect_image(argv[i], asked.template, &out, &e);

		if (n < 0)
			(void)fail_as_daemon(&e);
		status |= n < 0 ? 1 : n;
	}
	json_put_end(&out, ']');
	if (!asked.template)
		puts(buf_string(&out));
	return status;
}
