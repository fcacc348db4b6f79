/*
 * cp - `glovebox cp`: copy files between this machine and a sandbox that stays, as docker cp does.
 */
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/privileges.h"
#include "cli/command.h"
#include "container/named.h"
#include "container/root_open.h"
#include "flags/setting_words.h"
#include "monitor/copying.h"
#include "monitor/session_find.h"

/* clang-format off */
const struct setting cp_settings[] = {
	{"archive", 'a', NULL, GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: modes and times are kept, and owners are those who copy"},
	{"quiet", 'q', NULL, GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: nothing is printed"},
	{"follow-link", 'L', NULL, GROUP_REFUSED, FACE_RUN, SETTING_MOOT, 0, NULL, .help = "a link is copied as one: name what it leads to, or write its name with a / behind it"},
	SETTING_END,
};
/* clang-format on */

/* One end of a copy. */
struct place {
	char *name;       /* of a sandbox; NULL: of this machine */
	const char *path; /* "-": a tar stream */
};

/* "NAME:PATH"; a path of this machine that has a ":" begins with "/" or ".". */
static struct place cp_read_place(const char *word)
{
	const char *colon = strchr(word, ':');

	if (!colon || *word == '/' || *word == '.' || colon == word)
		return (struct place){.path = word};
	return (struct place){own_strndup(word, (size_t)(colon - word)),
			      colon[1] ? colon + 1 : "/"};
}

/* The last name of a path, without slashes behind it. Owned. */
static char *cp_last_name(const char *path)
{
	size_t end = strlen(path);
	size_t begin;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (begin = end; begin && path[begin - 1] != '/';)
		begin--;
	return own_strndup(path + begin, end - begin);
}

/* The path without its last name: "." or "/" at least. Owned. */
static char *cp_directory(const char *path)
{
	size_t end = strlen(path);

	while (end > 1 && path[end - 1] == '/')
		end--;
	while (end && path[end - 1] != '/')
		end--;
	while (end > 1 && path[end - 1] == '/')
		end--;
	return end ? own_strndup(path, end) : own_strdup(".");
}

/* On this machine: 'd', 'f', 'o' for all else, 0: nothing. */
static char cp_look_here(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return '\0';
	return S_ISDIR(st.st_mode) ? 'd' : S_ISREG(st.st_mode) ? 'f' : 'o';
}

/* The same of the sandbox, through a link at the end. */
static int cp_look_inside(const struct record *r, const char *path, char *type, struct err *e)
{
	auto_free char *through = own_printf("%s/", path);

	if (copying_look(r, through, type, e))
		return -1;
	return *type == 'd' ? 0 : copying_look(r, path, type, e);
}

/*
 * Where to unpack, and under which name: into a directory that exists under its own name, otherwise
 * beside the target under the target's.
 */
struct target {
	char *directory; /* owned */
	char *name;      /* owned; NULL: its own */
};

static int cp_lacks_directory(const char *path, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "the directory %.300s does not exist", path);
}

/*
 * @present  the type of what is there, 0: nothing.
 * @copied   the type of what is copied: a slash behind the path names a directory, which is made
 *          for a directory alone.
 */
static int cp_aim(const char *path, char present, char copied, struct target *out, struct err *e)
{
	const size_t length = strlen(path);
	const bool slash = length && path[length - 1] == '/';

	*out = (struct target){0};
	if (present == 'd') {
		out->directory = own_strdup(path);
		return 0;
	}
	if (present && slash)
		return err_input(e, "%.300s is not a directory", path);
	if (slash && copied != 'd')
		return cp_lacks_directory(path, e);
	out->directory = cp_directory(path);
	out->name = cp_last_name(path);
	return 0;
}

static void cp_target_fini(struct target *t)
{
	own_free(&t->directory);
	own_free(&t->name);
}

/* "/." at the end, or the root: what is in it, under any names. */
static bool cp_is_content(const char *path)
{
	const size_t length = strlen(path);

	return !strcmp(path, "/") || (length >= 2 && !strcmp(path + length - 2, "/."));
}

static int cp_misses(const struct record *r, const char *path, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "Could not find the file %.300s in container %.100s", path,
		       record_name(r));
}

static int cp_out(const struct record *r, const char *path, const char *to, struct err *e)
{
	auto_free char *inside = root_path(path);
	__attribute__((cleanup(cp_target_fini))) struct target target = {0};
	char present;
	char type;

	if (copying_look(r, inside, &type, e))
		return -1;
	if (!type)
		return cp_misses(r, path, e);
	if (!strcmp(to, "-"))
		return copying_out(r, inside, NULL, STDOUT_FILENO, LOOP_NEVER, e);
	present = cp_look_here(to);
	if (cp_aim(to, present, type, &target, e))
		return -1;
	if (present == 'o')
		return err_input(e, "%.300s is neither a file nor a directory", to);
	if (type == 'd' && present == 'f')
		return err_input(e, "%.300s is a file, and %.300s a directory", to, path);
	if (!target.name && !cp_is_content(inside))
		target.name = cp_last_name(inside);
	if (cp_look_here(target.directory) != 'd')
		return cp_lacks_directory(target.directory, e);
	return copying_to_here(r, inside, target.name, target.directory, e);
}

static int cp_in(const struct record *r, const char *from, const char *path, struct err *e)
{
	auto_free char *inside = root_path(path);
	__attribute__((cleanup(cp_target_fini))) struct target target = {0};
	struct stat st = {0};
	char type;

	signal(SIGPIPE, SIG_IGN); /* a sandbox that ends meanwhile reads no more, and tells why */
	if (strcmp(from, "-") != 0 && lstat(from, &st))
		return err_sys(e, "find %.300s", from);
	if (cp_look_inside(r, inside, &type, e) ||
	    cp_aim(inside, type, S_ISDIR(st.st_mode) ? 'd' : 'f', &target, e))
		return -1;
	if (strcmp(from, "-") != 0 && S_ISDIR(st.st_mode) && type && type != 'd')
		return err_input(e, "%.300s is a directory, and %.300s a file", from, path);
	if (strcmp(from, "-") != 0)
		return copying_from_here(r, from, target.name, target.directory, e);
	if (!type)
		return cp_misses(r, path, e);
	return type == 'd' ? copying_in(r, STDIN_FILENO, inside, e)
			   : err_input(e, "%.300s: extraction point is not a directory", inside);
}

static int cp_between(struct record *r, const struct place *from, const struct place *to,
		      struct err *e)
{
	struct open_root root;
	struct err ignored;
	int n = -1;

	if (root_open(r, from->name ? ROOT_READ : ROOT_WRITTEN, &root, e))
		return -1;
	if (!privileges_keep("cp", "copies", e))
		n = from->name ? cp_out(r, from->path, to->path, e)
			       : cp_in(r, from->path, to->path, e);
	return root_close(&root, n >= 0, n < 0 ? &ignored : e) ? -1 : n;
}

static int cp_copy(const char *from_word, const char *to_word, struct err *e)
{
	struct place from = cp_read_place(from_word);
	struct place to = cp_read_place(to_word);
	auto_free char *of_from = from.name;
	auto_free char *of_to = to.name;
	auto_record struct record r = {.dir = -1};

	if (!of_from == !of_to)
		return err_input(e,
				 "cp: one of the two is NAME:PATH: %s cp NAME:PATH PATH|-, or "
				 "%s cp PATH|- NAME:PATH",
				 our_name(), our_name());
	if (session_find(of_from ? of_from : of_to, &r, e))
		return named_explain("cp", of_from ? of_from : of_to, e);
	return cp_between(&r, &from, &to, e);
}

int command_cp(int argc, char **argv)
{
	const struct settings settings = {.face = FACE_RUN,
					  .grammar = WORDS_BUNDLED,
					  .tables = {{cp_settings, NULL, NULL}},
					  .hint = ""};
	struct err e;
	int used;
	int n;

	if (setting_words(&settings, argc - 1, argv + 1, &used, &e))
		return err_prefix(&e, "cp"), fail_with_help(&e, "cp");
	if (argc - 1 - used != 2)
		return err_input(
			       &e,
			       "cp: two words are needed: %s cp NAME:PATH PATH|-, or %s cp PATH|- "
			       "NAME:PATH",
			       our_name(), our_name()),
		       fail_with(&e);
	n = cp_copy(argv[used + 1], argv[used + 2], &e);
	return n < 0 ? fail_as_daemon(&e) : n ? EXIT_LEFT_OUT : 0;
}
