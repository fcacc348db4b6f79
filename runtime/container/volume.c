/*
 * volume - `glovebox volume`: directories by name that outlive sandboxes (root/volume.h).
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/json_put.h"
#include "base/list.h"
#include "base/own.h"
#include "base/parse.h"
#include "base/random.h"
#include "cli/command.h"
#include "cli/format.h"
#include "cli/inspected.h"
#include "cli/words.h"
#include "container/volume_seen.h"
#include "root/volume.h"

#define ANONYMOUS "com.docker.volume.anonymous"
#define MIN_SIZE  (64 << 10)
#define MAX_SIZE  (INT64_C(1) << 50)

struct volume_flags {
	bool quiet;
	bool json;
	struct buf documents; /* of ls --json */
	bool headed;          /* of prune: its heading is printed */
	bool force;
	bool all;
	const char *format;
	uint64_t size_bytes; /* 0: none */
	struct list filters;
	struct list labels;
};

static void volume_flags_fini(struct volume_flags *f)
{
	list_fini(&f->filters);
	list_fini(&f->labels);
	buf_fini(&f->documents);
}
#define auto_flags __attribute__((cleanup(volume_flags_fini)))

static int volume_parse_option(void *target, const char *value, struct err *e);

/* clang-format off */
#define AT(field) offsetof(struct volume_flags, field)

static const struct setting volume_create_settings[] = {
	{"label", 0, "KEY[=VALUE]", GROUP_PROGRAM, FACE_RUN, SETTING_LIST, AT(labels), NULL, .min = 1, .repeated = true, .help = "kept with it, for --filter"},
	{"driver", 'd', "NAME", GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, NULL, .harmless = "local", .help = "volumes are directories of this machine"},
	{"size", 0, "SIZE", GROUP_PROGRAM, FACE_RUN, SETTING_BYTES, AT(size_bytes), NULL, .min = MIN_SIZE, .max = MAX_SIZE, .help = "how much fits into it, and a file for each KiB; needs root, and a file system with project quotas"},
	{"opt", 'o', "size=SIZE", GROUP_DOCKER, FACE_RUN, SETTING_OWN, 0, NULL, .parse = volume_parse_option, .repeated = true, .help = "the same"},
	SETTING_END,
};

static const struct setting volume_ls_settings[] = {
	{"quiet", 'q', NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, AT(quiet), NULL, .help = "names only"},
	{"format", 0, "TEMPLATE", GROUP_RESULT, FACE_RUN, SETTING_TEXT, AT(format), NULL, .help = "json, table, or text with {{.Name}} in it"},
	{"json", 0, NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, AT(json), NULL, .help = "print one JSON list, with the fields of inspect"},
	{"filter", 'f', "KEY=VALUE", GROUP_RESULT, FACE_RUN, SETTING_LIST, AT(filters), NULL, .repeated = true, .help = "those with dangling=BOOL, label=KEY[=VALUE], name=PART"},
	SETTING_END,
};

static const struct setting volume_inspect_settings[] = {
	{"format", 'f', "TEMPLATE", GROUP_RESULT, FACE_RUN, SETTING_TEXT, AT(format), NULL, .help = "json, or text with {{.Name}} in it"},
	SETTING_END,
};

static const struct setting volume_rm_settings[] = {
	{"force", 'f', NULL, GROUP_PROGRAM, FACE_RUN, SETTING_FLAG, AT(force), NULL, .help = "accept one that does not exist"},
	SETTING_END,
};

static const struct setting volume_prune_settings[] = {
	{"all", 'a', NULL, GROUP_PROGRAM, FACE_RUN, SETTING_FLAG, AT(all), NULL, .help = "also those that were given a name"},
	{"filter", 0, "KEY=VALUE", GROUP_PROGRAM, FACE_RUN, SETTING_LIST, AT(filters), NULL, .repeated = true, .help = "those with label=KEY[=VALUE]; all=BOOL is --all"},
	{"force", 'f', NULL, GROUP_DOCKER, FACE_RUN, SETTING_FLAG, AT(force), NULL, .help = "accepted: nothing is asked"},
	SETTING_END,
};
/* clang-format on */

/* -- create ----------------------------------------------------------------------------------- */

static void volume_put_what(const struct volume_flags *flags, bool anonymous, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	if (flags->labels.count || anonymous)
		json_put_begin(out, "labels", '{');
	for (size_t i = 0; i < flags->labels.count; i++) {
		const char *label = flags->labels.items[i];
		const char *value = strchr(label, '=');
		auto_free char *key = own_strndup(label, strcspn(label, "="));

		json_put_text(out, key, value ? value + 1 : "");
	}
	if (anonymous)
		json_put_text(out, ANONYMOUS, "");
	if (flags->labels.count || anonymous)
		json_put_end(out, '}');
	if (flags->size_bytes) {
		auto_free char *size = own_printf("%llu", (unsigned long long)flags->size_bytes);

		json_put_begin(out, "options", '{');
		json_put_text(out, "size", size);
		json_put_end(out, '}');
	}
	json_put_end(out, '}');
}

/* docker keeps one that exists as it is; a size that it lacks would not hold. */
static int volume_check_size(const char *name, uint64_t bytes, struct err *e)
{
	auto_seen struct volume_seen s;
	const struct json *options;
	uint64_t has = 0;

	if (!bytes)
		return 0;
	if (volume_see(name, &s, e))
		return -1;
	options = volume_part(&s, "options");
	if (options && json_string_at(options, "size"))
		has = strtoull(json_string_at(options, "size"), NULL, 10);
	return has == bytes ? 0
			    : err_set(e, ERR_EXISTS,
				      "%.100s exists with another size: remove it before", name);
}

static int volume_make(const char *name, bool anonymous, const struct volume_flags *flags,
		       struct err *e)
{
	auto_volume struct volume v = volume_none();
	auto_buf struct buf text = {0};
	struct err ignored;

	if (volume_open(name, VOLUME_MOUNT, &v, e))
		return -1;
	if (!v.made)
		return volume_check_size(name, flags->size_bytes, e);
	if (flags->size_bytes && volume_limit(&v, flags->size_bytes, e)) {
		/* It is empty, and locked, unless a run was faster: then it is that run's. */
		if (e->kind != ERR_BUSY)
			(void)volume_erase(&v, name, &ignored);
		return -1;
	}
	if (!flags->labels.count && !anonymous && !flags->size_bytes)
		return 0;
	volume_put_what(flags, anonymous, &text);
	return io_write_all(v.lock, text.data, text.length)
		       ? err_sys(e, "write its labels and size")
		       : 0;
}

static int volume_parse_option(void *target, const char *value, struct err *e)
{
	struct volume_flags *flags = target;

	if (strncmp(value, "size=", 5) != 0)
		return err_set(e, ERR_UNSUPPORTED, "\"%.100s\" is not supported: size=SIZE", value);
	return parse_size(value + 5, MIN_SIZE, MAX_SIZE, &flags->size_bytes, e);
}

static int volume_create(int argc, char **argv)
{
	auto_flags struct volume_flags flags = {0};
	unsigned char bytes[32];
	char random[2 * sizeof(bytes) + 1];
	const char *name;
	struct err e;
	int at;

	argv[0] = (char *)"volume create";
	at = words_read(argc, argv, volume_create_settings, &flags, 0, 1, &e);
	if (at < 0)
		return fail_with_help(&e, argv[0]);
	random_bytes(bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(random + 2 * i, 3, "%02x", bytes[i]);
	name = at < argc && *argv[at] ? argv[at] : random;
	if (volume_make(name, name == random, &flags, &e))
		return err_prefix(&e, "create %.100s", name), fail_as_daemon(&e);
	puts(name);
	return 0;
}

/* -- ls, inspect ------------------------------------------------------------------------------ */

static char *volume_labels_text(const struct volume_seen *s)
{
	const struct json *labels = volume_part(s, "labels");
	struct buf out = {0};

	for (const struct json *n = labels ? json_first(labels) : NULL; n; n = json_next(n))
		buf_printf(&out, "%s%s=%s", out.length ? "," : "", json_key(n),
			   json_string(n) ? json_string(n) : "");
	buf_text(&out, "");
	return buf_take(&out);
}

static int volume_print_fields(const char *template, const struct format_field *f)
{
	if (template)
		return format_print(template, f);
	printf("%-9s %s\n", f[0].value, f[1].value);
	return 0;
}

static int volume_list_one(void *context, const struct volume_seen *s, struct err *e)
{
	struct volume_flags *flags = context;
	auto_free char *labels = volume_labels_text(s);
	const struct format_field fields[] = {
		{"Driver",     "local"},
                {"Name",       s->name},
                {"Scope",      "local"},
                {"Mountpoint", s->path},
		{"Labels",     labels },
                {"Links",      "N/A"  },
                {"Size",       "N/A"  },
                {NULL,         NULL   },
	};

	if (flags->json)
		return volume_inspect_put(s, &flags->documents), 0;
	if (flags->quiet)
		return puts(s->name) == EOF ? err_sys(e, "write") : 0;
	(void)volume_print_fields(flags->format, fields); /* was checked */
	return 0;
}

static int volume_ls(int argc, char **argv)
{
	static const struct format_field heads[] = {
		{"Driver",     "DRIVER"     },
                {"Name",       "VOLUME NAME"},
		{"Scope",      "SCOPE"      },
                {"Mountpoint", "MOUNTPOINT" },
		{"Labels",     "LABELS"     },
                {"Links",      "LINKS"      },
		{"Size",       "SIZE"       },
                {NULL,         NULL         },
	};
	auto_flags struct volume_flags flags = {0};
	auto_free char *template = NULL;
	struct err e;
	bool table;
	int bad;

	argv[0] = (char *)"volume ls";
	if (words_read(argc, argv, volume_ls_settings, &flags, 0, 0, &e) < 0)
		return fail_with_help(&e, argv[0]);
	table = format_of_list(flags.format, &template);
	flags.format = template;
	bad = format_check(template, heads);
	if (bad)
		return bad;
	if (table && !flags.quiet && !flags.json)
		(void)volume_print_fields(template, heads);
	json_put_begin(&flags.documents, NULL, '[');
	if (volume_each(&flags.filters, volume_list_one, &flags, &e))
		return fail_as_daemon(&e);
	json_put_end(&flags.documents, ']');
	if (flags.json)
		puts(buf_string(&flags.documents));
	return 0;
}

static int volume_inspect_one(const char *name, const char *template, struct buf *out)
{
	struct err e;
	const int n = inspect_volume(name, template, out, &e);

	return n < 0 ? fail_as_daemon(&e) : n;
}

static int volume_inspect(int argc, char **argv)
{
	auto_flags struct volume_flags flags = {0};
	auto_buf struct buf out = {0};
	struct err e;
	int status = 0;
	int at;

	argv[0] = (char *)"volume inspect";
	at = words_read(argc, argv, volume_inspect_settings, &flags, 1, WORDS_ANY, &e);
	if (at < 0)
		return fail_with_help(&e, argv[0]);
	json_put_begin(&out, NULL, '[');
	for (; at < argc; at++)
		status |= volume_inspect_one(argv[at], flags.format, &out);
	json_put_end(&out, ']');
	if (!flags.format)
		puts(buf_string(&out));
	return status;
}

/* -- rm, prune -------------------------------------------------------------------------------- */

/* The records are read once more with the lock: none begins to use the volume after that. */
static int volume_remove(const char *name, struct err *e)
{
	auto_volume struct volume v = volume_none();

	return volume_check_unused(name, e) || volume_open(name, VOLUME_ALONE, &v, e) ||
			       volume_check_unused(name, e) || volume_erase(&v, name, e)
		       ? -1
		       : 0;
}

static int volume_remove_each(void *context, const char *name, struct err *e)
{
	const struct volume_flags *flags = context;

	return volume_remove(name, e) && !(flags->force && e->kind == ERR_NOT_FOUND) ? -1 : 0;
}

static int volume_rm(int argc, char **argv)
{
	auto_flags struct volume_flags flags = {0};
	struct err e;
	int at;

	argv[0] = (char *)"volume rm";
	at = words_read(argc, argv, volume_rm_settings, &flags, 1, WORDS_ANY, &e);
	return at < 0 ? fail_with_help(&e, argv[0])
		      : words_each(argc, argv, at, volume_remove_each, &flags);
}

/* docker's heading stands above the first. */
static int volume_prune_one(void *context, const struct volume_seen *s, struct err *e)
{
	struct volume_flags *flags = context;

	if (!flags->all && !volume_has_label(s, ANONYMOUS))
		return 0;
	if (volume_remove(s->name, e))
		return e->kind == ERR_BUSY || e->kind == ERR_NOT_FOUND ? 0 : -1;
	printf("%s%s\n", flags->headed ? "" : "Deleted Volumes:\n", s->name);
	flags->headed = true;
	return 0;
}

/* docker's client says --all by a filter. */
static int volume_take_all(struct volume_flags *flags, struct err *e)
{
	struct list rest = {0};
	int bad = 0;

	for (size_t i = 0; i < flags->filters.count && !bad; i++) {
		const char *filter = flags->filters.items[i];

		if (strncmp(filter, "all=", 4) != 0)
			list_add(&rest, filter);
		else if (parse_bool(filter + 4, &flags->all, e))
			bad = err_prefix(e, "--filter all");
	}
	list_fini(&flags->filters);
	flags->filters = rest;
	return bad;
}

static int volume_prune(int argc, char **argv)
{
	auto_flags struct volume_flags flags = {0};
	struct err e;
	int bad;

	argv[0] = (char *)"volume prune";
	if (words_read(argc, argv, volume_prune_settings, &flags, 0, 0, &e) < 0)
		return fail_with_help(&e, argv[0]);
	bad = volume_take_all(&flags, &e) ||
	      volume_each(&flags.filters, volume_prune_one, &flags, &e);
	return bad ? fail_as_daemon(&e) : 0;
}

/* clang-format off */
const struct command volume_commands[] = {
	{"create",  "volume create [--label KEY=VALUE] [--size SIZE] [NAME]", "make a volume and print its name; one that exists stays as it is", volume_create, .settings = volume_create_settings},
	{"ls",      "volume ls [FLAGS]", "list volumes", volume_ls, .settings = volume_ls_settings},
	{"inspect", "volume inspect [--format TEMPLATE] NAME...", "describe volumes", volume_inspect, .settings = volume_inspect_settings, .operands = OPERANDS_VOLUMES},
	{"rm",      "volume rm [--force] NAME...", "remove volumes that no sandbox uses, with all that is in them", volume_rm, .settings = volume_rm_settings, .operands = OPERANDS_VOLUMES},
	{"prune",   "volume prune [--all]", "remove all that no sandbox uses", volume_prune, .settings = volume_prune_settings},
	{.name = NULL},
};
/* clang-format on */

int command_volume(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "list"))
		argv[1] = (char *)"ls";
	if (argc > 1 && !strcmp(argv[1], "remove"))
		argv[1] = (char *)"rm";
	return run_subcommand(volume_commands, argc, argv);
}
