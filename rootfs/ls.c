/*
 * ls - `glovebox image ls`: list the images.
 */
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ago.h"
#include "base/buf.h"
#include "base/escape.h"
#include "base/json_put.h"
#include "base/own.h"
#include "command.h"
#include "image/image.h"
#include "rootfs/store/size.h"

struct row {
	char *name; /* name:tag */
	char *line;
};

struct rows {
	struct row *items;
	size_t count;
	bool json;
	bool quiet;
};

static void ls_rows_fini(struct rows *r)
{
	for (size_t i = 0; i < r->count; i++) {
		free(r->items[i].name);
		free(r->items[i].line);
	}
	free(r->items);
}
#define auto_rows __attribute__((cleanup(ls_rows_fini)))

static int ls_by_name(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->name, ((const struct row *)b)->name);
}

static uint64_t ls_size_of(const struct image *image)
{
	uint64_t bytes = 0;
	struct err ignored;

	if (image->document)
		json_get_uint(image->document, "size_bytes", &bytes, &ignored);
	return bytes;
}

/* The owner, by name if known: only the owner can remove it. */
static const char *ls_owner(const struct image *image, char number[24])
{
	const struct passwd *pw;
	struct stat st;

	if (image->is_host || fstat(image->root_fd, &st))
		return "-";
	pw = getpwuid(st.st_uid);
	snprintf(number, 24, "%u", st.st_uid);
	return pw ? pw->pw_name : number;
}

/* Whether other users can reach it: the mode of the directory around the tree (tree_mode.h). */
static bool ls_is_shared(const struct image *image)
{
	struct stat st;

	return image->is_host || (!fstatat(image->root_fd, "..", &st, 0) && st.st_mode & S_IXOTH);
}

static void ls_table_line(const struct image *image, struct buf *out)
{
	const char *id = strchr(image->config.id, ':');
	const char *colon = strrchr(image->reference, ':');
	auto_buf struct buf line = {0};
	char size[24] = "-";
	char owner[24];
	char age[32];

	if (!image->is_host)
		size_text(ls_size_of(image), size);
	buf_printf(&line, "%-24.*s %-12s %-14.12s %-16s %-10s %-6s %s",
		   (int)(colon - image->reference), image->reference, colon + 1,
		   id ? id + 1 : image->config.id, ago_text(image->config.created, age), size,
		   ls_is_shared(image) ? "yes" : "no", ls_owner(image, owner));
	escape_line(line.data, line.length, out);
}

static void ls_id_line(const struct image *image, struct buf *out)
{
	const char *colon = strchr(image->config.id, ':');
	const char *id = colon ? colon + 1 : image->config.id;

	escape_line(id, strnlen(id, 12), out);
}

static void ls_json_line(const struct image *image, struct buf *out)
{
	char owner[24];

	json_put_begin(out, NULL, '{');
	json_put_text(out, "reference", image->reference);
	json_put_text(out, "id", image->config.id);
	json_put_text(out, "created", image->config.created);
	json_put_text(out, "arch", image->config.arch);
	json_put_uint(out, "size_bytes", ls_size_of(image));
	json_put_text(out, "root", image->root_path);
	json_put_bool(out, "shared", ls_is_shared(image));
	json_put_text(out, "owner", image->is_host ? NULL : ls_owner(image, owner));
	json_put_end(out, '}');
}

static int ls_note(const struct image *image, void *context)
{
	struct rows *rows = context;
	struct buf line = {0};

	rows->items = own_grow(rows->items, rows->count, sizeof(*rows->items));
	if (rows->json)
		ls_json_line(image, &line);
	else if (rows->quiet)
		ls_id_line(image, &line);
	else
		ls_table_line(image, &line);
	rows->items[rows->count++] =
		(struct row){.name = own_strdup(image->reference), .line = line.data};
	return 0;
}

static void ls_print(const struct rows *rows)
{
	if (rows->json)
		printf("[");
	else if (!rows->quiet)
		printf("%-24s %-12s %-14s %-16s %-10s %-6s %s\n", "NAME", "TAG", "ID", "CREATED",
		       "SIZE", "SHARED", "OWNER");
	for (size_t i = 0; i < rows->count; i++)
		printf("%s%s%s", rows->json && i ? ",\n " : "", rows->items[i].line,
		       rows->json ? "" : "\n");
	if (rows->json)
		printf("]\n");
}

/* clang-format off */
static const struct setting ls_settings[] = {
	{"quiet", 'q', NULL, GROUP_RESULT, FACE_IMAGE, SETTING_FLAG, offsetof(struct rows, quiet), NULL, .help = "ids only"},
	{"json", 0, NULL, GROUP_RESULT, FACE_IMAGE, SETTING_FLAG, offsetof(struct rows, json), NULL, .help = "print one JSON list"},
	SETTING_END,
};
/* clang-format on */

static int ls_run(int argc, char **argv, struct err *e)
{
	auto_rows struct rows rows = {0};
	struct image host;
	int at = arguments_read(&command_ls, argc, argv, &rows, e);
	int status;

	if (at < 0 || arguments_expect(&command_ls, argc - at, 0, 0, e))
		return -1;
	if (image_open("host:latest", &host, e))
		return -1;
	ls_note(&host, &rows);
	image_close(&host);
	status = image_list(ls_note, &rows, e);
	qsort(rows.items, rows.count, sizeof(*rows.items), ls_by_name);
	ls_print(&rows);
	return status;
}

const struct command command_ls = {
	.name = "ls",
	.usage = "[-q] [--json]",
	.summary = "List the images",
	.settings = ls_settings,
	.help = "\"host\" is always there: this machine's own /usr, read-only. It needs no "
		"build. Those of\nothers are listed once they are SHARED (image share); only their "
		"OWNER removes them.\n",
	.run = ls_run,
};
