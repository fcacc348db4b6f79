/*
 * root - the root of a sandbox that stays: `diff` and `export`.
 */
#include "container/root.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_put.h"
#include "base/list.h"
#include "base/own.h"
#include "base/privileges.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/words.h"
#include "container/named.h"
#include "container/root_open.h"
#include "fs/replaced_file.h"
#include "monitor/copying.h"

#define LIST_BYTES (64 << 20) /* of the changes that are listed */

struct export_flags {
	struct written_path output;
};

/* clang-format off */
const struct setting export_settings[] = {
	{"output", 'o', "FILE", GROUP_PROGRAM, FACE_RUN, SETTING_WRITTEN, offsetof(struct export_flags, output), NULL, .min = 1, .help = "where to, in place of standard output"},
	SETTING_END,
};
/* clang-format on */

int root_tell(const struct record *r, const char *verb, int to, struct err *e)
{
	struct record opened = *r;
	struct open_root root;
	struct err ignored;
	int status;

	if (root_open(&opened, ROOT_TOLD, &root, e))
		return -1;
	status = !opened.reopened || !privileges_keep("run", "running", e)
			 ? copying_root(&opened, verb, to, e)
			 : -1;
	return root_close(&root, false, status < 0 ? &ignored : e) ? -1 : status;
}

/* -- diff ------------------------------------------------------------------------------------ */

/* A file in memory that cannot grow beyond LIST_BYTES: its position says how much it has. */
static int root_make_list(struct err *e)
{
	auto_fd int fd = memfd_create("changes", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, LIST_BYTES) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK))
		return err_sys(e, "make room for the list of changes");
	return take_fd(&fd);
}

static int root_by_path(const void *a, const void *b)
{
	return strcmp(*(char *const *)a + 2, *(char *const *)b + 2);
}

/* Changed, added, deleted are 0, 1, 2. */
static void root_print_json(const char *const *lines, size_t count)
{
	auto_buf struct buf out = {0};

	json_put_begin(&out, NULL, '[');
	for (size_t i = 0; i < count; i++)
		json_put(&out, "{Kind:%d, Path:%s}",
			 *lines[i] == 'A'   ? 1
			 : *lines[i] == 'D' ? 2
					    : 0,
			 lines[i] + 2);
	json_put_end(&out, ']');
	puts(buf_string(&out));
}

/* "A /path" and a NUL, as mover lists them in any order. */
static int root_print_list(int fd, bool json, struct err *e)
{
	const off_t size = lseek(fd, 0, SEEK_CUR);
	auto_free char *text = own_zeroed((size_t)size + 1, 1);
	auto_free const char **lines = own_zeroed((size_t)size / 4 + 1, sizeof(*lines));
	size_t count = 0;

	if (pread(fd, text, (size_t)size, 0) != size)
		return err_sys(e, "read the list of changes");
	for (const char *at = text; at < text + size; at += strlen(at) + 1) {
		if (strlen(at) >= 3)
			lines[count++] = at;
	}
	qsort(lines, count, sizeof(*lines), root_by_path);
	if (json)
		root_print_json(lines, count);
	for (size_t i = 0; !json && i < count; i++) {
		say_line(stdout, lines[i]);
		putchar('\n');
	}
	return 0;
}

static int root_diff(const struct record *r, bool json, struct err *e)
{
	auto_fd int fd = root_make_list(e);
	int status = fd < 0 ? -1 : root_tell(r, "changes", fd, e);

	return status < 0 || root_print_list(fd, json, e) ? -1 : status;
}

struct diff_flags {
	bool json;
};

/* clang-format off */
const struct setting diff_settings[] = {
	{"json", 0, NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct diff_flags, json), NULL, .help = "print JSON, as the Engine's API has it: a list of Kind and Path"},
	SETTING_END,
};
/* clang-format on */

int command_diff(int argc, char **argv)
{
	auto_record struct record r = {.dir = -1};
	struct err e;
	struct diff_flags flags = {0};
	int at = words_read(argc, argv, diff_settings, &flags, 1, 1, &e);
	int status = 0;

	if (at < 0)
		return fail_with_help(&e, "diff");
	if (named_find("diff", argv[at], &r, &e))
		return fail_as_daemon(&e);
	/* A root that is read-only has no changes. */
	if (root_is_writable(&r))
		status = root_diff(&r, flags.json, &e);
	else if (flags.json)
		puts("[]");
	/* Its reader takes any other status for no list; what was left out has been said. */
	return status < 0 ? fail_as_daemon(&e) : status && !flags.json ? EXIT_LEFT_OUT : 0;
}

/* -- export ---------------------------------------------------------------------------------- */

static int root_export_to_file(const struct record *r, struct written_path path, struct err *e)
{
	struct replaced_file file;
	int status;

	if (replaced_file_open(&file, path, LINKS_OF_CALLER, 0600, e))
		return -1;
	status = root_tell(r, "export", file.fd, e);
	if (replaced_file_end(&file, status >= 0) && status >= 0)
		return err_sys(e, "write %.300s", path.text);
	return status;
}

int command_export(int argc, char **argv)
{
	auto_record struct record r = {.dir = -1};
	struct export_flags flags = {0};
	struct err e;
	int at = words_read(argc, argv, export_settings, &flags, 1, 1, &e);
	int status;

	if (at < 0)
		return fail_with_help(&e, "export");
	if (!flags.output.text && isatty(STDOUT_FILENO))
		return err_input(&e,
				 "cowardly refusing to save to a terminal. Use the -o flag or "
				 "redirect"),
		       fail_with(&e);
	if (named_find("export", argv[at], &r, &e))
		return fail_as_daemon(&e);
	status = flags.output.text ? root_export_to_file(&r, flags.output, &e)
				   : root_tell(&r, "export", STDOUT_FILENO, &e);
	return status < 0 ? fail_as_daemon(&e) : status ? EXIT_LEFT_OUT : 0;
}
