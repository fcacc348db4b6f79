/*
 * watch - `glovebox watch` and `glovebox usage`: what changes in a directory of a sandbox that
 * stays, or of a session, and how much its files take.
 */
#include <stddef.h>
#include <stdio.h>

#include "base/json_put.h"
#include "base/own.h"
#include "base/privileges.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/listing.h"
#include "cli/words.h"
#include "container/named.h"
#include "container/root_open.h"
#include "monitor/seen.h"
#include "monitor/session_find.h"

struct watch_flags {
	bool is_deep;
	bool json;
};

/* clang-format off */
const struct setting watch_settings[] = {
	{"recursive", 'r', NULL, GROUP_PROGRAM, FACE_RUN, SETTING_FLAG, offsetof(struct watch_flags, is_deep), NULL, .help = "also what is below the directory"},
	{"json", 0, NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct watch_flags, json), NULL, .help = "print JSON, an object a line (docs/json.md)"},
	SETTING_END,
};

const struct setting usage_settings[] = {
	{"json", 0, NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct watch_flags, json), NULL, .help = "print JSON, for programs"},
	SETTING_END,
};
/* clang-format on */

/* -- watch ----------------------------------------------------------------------------------- */

struct watch {
	const struct watch_flags *flags;
	const char *path;
};

static void watch_print_json(const struct change *c, const char *path)
{
	auto_buf struct buf line = {0};

	json_put_begin(&line, NULL, '{');
	json_put_text(&line, "event", mover_told_word(c->kind));
	json_put_name(&line, "path", path);
	json_put_bool(&line, "directory", c->is_directory);
	json_put_end(&line, '}');
	puts(buf_string(&line));
}

/* The first line says that it watches: a program can begin then. */
static bool watch_print(void *context, const struct change *c)
{
	const struct watch *w = context;
	auto_free char *path = own_printf("%s%s%s", w->path, *c->path ? "/" : "", c->path);

	if (w->flags->json) {
		watch_print_json(c, path);
	} else {
		printf("%-8s ", mover_told_word(c->kind));
		say_line(stdout, path);
		fputs(c->is_directory && *c->path ? "/\n" : "\n", stdout);
	}
	return !fflush(stdout);
}

int command_watch(int argc, char **argv)
{
	auto_record struct record r = {.dir = -1};
	struct watch_flags flags = {0};
	struct err e;
	const int at = words_read(argc, argv, watch_settings, &flags, 2, 2, &e);
	auto_free char *path = at < 0 ? NULL : root_path(argv[at + 1]);
	struct watch w = {&flags, path};

	if (at < 0)
		return fail_with_help(&e, "watch");
	if (session_find(argv[at], &r, &e))
		return named_explain("watch", argv[at], &e), fail_as_daemon(&e);
	if (seen_changes(&r, path, flags.is_deep, watch_print, &w, &e))
		return fail_as_daemon(&e);
	return err_input(&e, "watch: standard output is closed"), fail_with(&e);
}

/* -- usage ----------------------------------------------------------------------------------- */

static int watch_ask_usage(struct record *r, const char *path, struct files_usage *out,
			   struct err *e)
{
	struct open_root root;
	struct err ignored;
	int bad = -1;

	if (root_open(r, ROOT_READ, &root, e))
		return -1;
	if (!privileges_keep("usage", "counts", e))
		bad = seen_usage(r, path, out, e);
	return root_close(&root, false, bad ? &ignored : e) ? -1 : bad;
}

static void watch_print_usage(const struct files_usage *u, bool json)
{
	auto_buf struct buf line = {0};
	char bytes[LISTING_BYTES];
	char allocated[LISTING_BYTES];

	if (json) {
		json_put(&line, "{bytes:%llu, allocated_bytes:%llu, entries:%u, unread:%u}",
			 (unsigned long long)u->bytes, (unsigned long long)u->allocated, u->entries,
			 u->unread);
		puts(buf_string(&line));
		return;
	}
	printf("%s in %u %s, %s allocated\n", listing_bytes(u->bytes, bytes), u->entries,
	       u->entries == 1 ? "entry" : "entries", listing_bytes(u->allocated, allocated));
	if (u->unread)
		fprintf(stderr, "glovebox: not all could be read: %u director%s\n", u->unread,
			u->unread == 1 ? "y" : "ies");
}

int command_usage(int argc, char **argv)
{
	auto_record struct record r = {.dir = -1};
	struct watch_flags flags = {0};
	struct files_usage usage;
	struct err e;
	const int at = words_read(argc, argv, usage_settings, &flags, 1, 2, &e);
	auto_free char *path = at < 0 ? NULL : root_path(at + 1 < argc ? argv[at + 1] : "/");

	if (at < 0)
		return fail_with_help(&e, "usage");
	if (session_find(argv[at], &r, &e))
		return named_explain("usage", argv[at], &e), fail_as_daemon(&e);
	if (watch_ask_usage(&r, path, &usage, &e))
		return fail_as_daemon(&e);
	watch_print_usage(&usage, flags.json);
	return 0;
}
