/*
 * new_files - find new files in the output directory after an execution.
 */
#include "agent/run/new_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/own.h"
#include "fs/resolve.h"
#include "session/figures.h"

static bool new_files_is_picture(const char *path)
{
	static const char *const endings[] = {".png", ".svg", ".pdf", ".jpg", ".jpeg", ".webp"};
	size_t length = strlen(path);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t n = strlen(endings[i]);

		if (length > n && !strcasecmp(path + length - n, endings[i]))
			return true;
	}
	return false;
}

static void new_files_list_changes(int dir_fd, const struct file_marks *before,
				   struct output_files *out)
{
	struct file_marks after;

	changes_look(dir_fd, CHANGES_ENTRIES_MAX, &after);
	changes_list(before, &after, out);
	changes_fini(&after);
}

static size_t new_files_count_pictures(const struct output_files *list)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		count += new_files_is_picture(list->items[i].path);
	return count;
}

/* Returns whether figures were written. */
static bool new_files_save_figures(int dir_fd, const struct json *answer, size_t saved)
{
	const struct json *value = json_get(answer, "value");
	const struct json *displays = json_get(answer, "displays");
	const struct json *figures = json_get(answer, "figures");

	/* The code has saved its figures itself. */
	if (figures_count(displays) + figures_count(figures) <= saved)
		displays = figures = NULL;
	if (!value && !figures_count(displays) && !figures)
		return false;
	figures_save(dir_fd, value, NULL);
	figures_save(dir_fd, displays, NULL);
	figures_save(dir_fd, figures, NULL);
	return true;
}

static void new_files_take_files(struct output_files *list, struct execution *x)
{
	x->files = own_zeroed(list->count + 1, sizeof(*x->files));
	for (size_t i = 0; i < list->count; i++) {
		x->files[i].path = list->items[i].path;
		x->files[i].size = list->items[i].size_bytes;
		list->items[i].path = NULL;
	}
	x->file_count = list->count;
	x->files_truncated = list->dropped > 0;
}

void new_files_collect(int dir_fd, const struct file_marks *before, const struct json *answer,
		       struct execution *x)
{
	struct output_files list = {0};

	new_files_list_changes(dir_fd, before, &list);
	if (new_files_save_figures(dir_fd, answer, new_files_count_pictures(&list))) {
		output_files_fini(&list);
		new_files_list_changes(dir_fd, before, &list);
	}
	new_files_take_files(&list, x);
	output_files_fini(&list);
}

/* Whether a file was removed, renamed, or replaced by another type. If unsure, it stays. */
static bool new_files_is_gone(int dir_fd, const char *path)
{
	auto_fd int fd =
		resolve_open(dir_fd, path, O_PATH | O_NOFOLLOW,
			     RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
	struct stat st;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EXDEV;
	return !fstat(fd, &st) && !S_ISREG(st.st_mode);
}

void new_files_drop_gone(int dir_fd, struct execution *executions, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct execution *x = &executions[i];
		size_t kept = 0;

		for (size_t k = 0; k < x->file_count; k++) {
			if (new_files_is_gone(dir_fd, x->files[k].path))
				free(x->files[k].path);
			else
				x->files[kept++] = x->files[k];
		}
		x->file_count = kept;
	}
}
