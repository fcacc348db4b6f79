/*
 * cache - `glovebox cache`: list and remove the wheels that sandboxes share.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/names.h"
#include "base/own.h"
#include "base/parse.h"
#include "base/say.h"
#include "cli/cache.h"
#include "cli/command.h"
#include "cli/wheel_store.h"
#include "spec/setting_words.h"

#define MOST_WHEELS 100000

struct cache_words {
	bool all;
};

/* clang-format off */
static const struct setting rm_settings[] = {
	{"all", 0, NULL, GROUP_FILES, FACE_RUN, SETTING_FLAG, offsetof(struct cache_words, all), NULL, .help = "every wheel"},
	SETTING_END,
};
/* clang-format on */

static int cache_names(const struct wheel_store *s, struct list *names, struct err *e)
{
	if (names_read(s->wheels_fd, MOST_WHEELS, names) < 0)
		return err_sys(e, "read %.300s", s->path);
	return 0;
}

static void cache_print_wheel(const struct wheel_store *s, const char *name)
{
	char size[24];
	struct stat st;

	if (fstatat(s->wheels_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return; /* removed meanwhile */
	printf("%10s  ", format_size((uint64_t)st.st_size, size));
	say_line(stdout, name);
	putchar('\n');
}

static int cache_ls(int argc, char **argv)
{
	struct wheel_store s;
	auto_list struct list names = {0};
	struct err e;
	int status = no_arguments(argc, argv);

	if (status)
		return status;
	if (wheel_store_open(&s, false, &e)) {
		if (e.kind != ERR_NOT_FOUND)
			status = fail_with(&e);
	} else if (cache_names(&s, &names, &e)) {
		status = fail_with(&e);
	}
	for (size_t i = 0; i < names.count; i++)
		cache_print_wheel(&s, names.items[i]);
	wheel_store_close(&s);
	return status;
}

static int cache_remove(const struct wheel_store *s, const char *name, struct err *e)
{
	if (!wheel_store_is_name(name))
		return err_input(
			e, "\"%.200s\" is not the name of a wheel; glovebox cache ls lists them",
			name);
	return unlinkat(s->wheels_fd, name, 0) ? err_sys(e, "remove %.200s", name) : 0;
}

/* What somebody else removes meanwhile is gone, too. */
static int cache_remove_all(const struct wheel_store *s, struct err *e)
{
	auto_list struct list names = {0};

	if (cache_names(s, &names, e))
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		if (unlinkat(s->wheels_fd, names.items[i], 0) && errno != ENOENT)
			return err_sys(e, "remove %.200s", names.items[i]);
	}
	return 0;
}

static int cache_rm(int argc, char **argv)
{
	struct cache_words words = {0};
	const struct settings settings = {.face = FACE_RUN,
					  .grammar = WORDS_ANYWHERE,
					  .tables = {{rm_settings, &words, NULL}},
					  .hint = ""};
	struct wheel_store s = {.fd = -1, .wheels_fd = -1, .lock_fd = -1, .stage_fd = -1};
	struct err e;
	int at;
	int bad = setting_words(&settings, argc - 1, argv + 1, &at, &e);

	if (!bad && words.all == (at < argc - 1))
		bad = err_input(&e, "cache rm takes names of wheels, or --all");
	if (!bad)
		bad = wheel_store_open(&s, false, &e);
	if (!bad && words.all)
		bad = cache_remove_all(&s, &e);
	for (int i = at + 1; !bad && i < argc; i++)
		bad = cache_remove(&s, argv[i], &e);
	wheel_store_close(&s);
	return bad ? fail_with(&e) : 0;
}

/* clang-format off */
const struct command cache_commands[] = {
	{"pip", "cache pip [FLAGS] [REQUIREMENT...]", "fetch wheels, with what they need, into the cache that sandboxes see with --cache pip", cache_pip, .settings = cache_pip_settings},
	{"ls",  "cache ls", "list the wheels", cache_ls, .rows = NULL},
	{"rm",  "cache rm WHEEL... | --all", "remove wheels", cache_rm, .settings = rm_settings},
	{.name = NULL},
};
/* clang-format on */

int command_cache(int argc, char **argv)
{
	return run_subcommand(cache_commands, argc, argv);
}
