/*
 * ls - `glovebox image ls`: what images there are.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/own.h"
#include "command.h"
#include "host/image.h"
#include "size.h"

struct row {
	char *name; /* name:tag */
	char *line;
};

struct rows {
	struct row *items;
	size_t count;
	bool json;
};

static void rows_fini(struct rows *r)
{
	for (size_t i = 0; i < r->count; i++) {
		free(r->items[i].name);
		free(r->items[i].line);
	}
	free(r->items);
}
#define auto_rows __attribute__((cleanup(rows_fini)))

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->name, ((const struct row *)b)->name);
}

/* "3 days ago", as docker images has it. */
static void age_text(const char *created, char out[32])
{
	static const struct {
		time_t seconds;
		const char *name;
	} units[] = {
		{31536000, "year"  },
                {2592000,  "month" },
                {604800,   "week"  },
                {86400,    "day"   },
		{3600,     "hour"  },
                {60,       "minute"},
                {1,        "second"}
        };
	struct tm tm = {0};
	time_t age;

	snprintf(out, 32, "-");
	if (!created || !strptime(created, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return;
	age = time(NULL) - timegm(&tm);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		time_t n = age / units[i].seconds;

		if (n <= 0)
			continue;
		snprintf(out, 32, "%lld %s%s ago", (long long)n, units[i].name, n == 1 ? "" : "s");
		return;
	}
	snprintf(out, 32, "just now");
}

static uint64_t size_of(const struct image *image)
{
	uint64_t bytes = 0;
	struct err ignored;

	if (image->document)
		json_get_uint(image->document, "size_bytes", &bytes, &ignored);
	return bytes;
}

static void table_line(const struct image *image, struct buf *out)
{
	const char *id = strchr(image->config.id, ':');
	const char *colon = strrchr(image->reference, ':');
	auto_buf struct buf line = {0};
	char size[24] = "-";
	char age[32];

	if (!image->is_host)
		size_text(size_of(image), size);
	age_text(image->config.created, age);
	buf_printf(&line, "%-24.*s %-12s %-14.12s %-16s %s", (int)(colon - image->reference),
		   image->reference, colon + 1, id ? id + 1 : image->config.id, age, size);
	escape_line(line.data, line.length, out);
}

static void json_line(const struct image *image, struct buf *out)
{
	buf_text(out, "{\"reference\":");
	buf_json_text(out, image->reference);
	buf_text(out, ",\"id\":");
	buf_json_text(out, image->config.id);
	buf_text(out, ",\"created\":");
	buf_json_text(out, image->config.created);
	buf_text(out, ",\"arch\":");
	buf_json_text(out, image->config.arch);
	buf_printf(out, ",\"size_bytes\":%llu,\"root\":", (unsigned long long)size_of(image));
	buf_json_text(out, image->root_path);
	buf_text(out, "}");
}

static int note(const struct image *image, void *context)
{
	struct rows *rows = context;
	struct buf line = {0};

	rows->items = reallocarray(rows->items, rows->count + 1, sizeof(*rows->items));
	if (!rows->items)
		abort();
	if (rows->json)
		json_line(image, &line);
	else
		table_line(image, &line);
	rows->items[rows->count].name = strdup(image->reference);
	if (!rows->items[rows->count].name)
		abort();
	rows->items[rows->count++].line = line.data;
	return 0;
}

static void print(const struct rows *rows)
{
	if (rows->json)
		printf("[");
	else
		printf("%-24s %-12s %-14s %-16s %s\n", "NAME", "TAG", "ID", "CREATED", "SIZE");
	for (size_t i = 0; i < rows->count; i++)
		printf("%s%s%s", rows->json && i ? ",\n " : "", rows->items[i].line,
		       rows->json ? "" : "\n");
	if (rows->json)
		printf("]\n");
}

static int run(int argc, char **argv, struct err *e)
{
	static const struct option table[] = {
		{"json", no_argument, NULL, 'j'},
                {0 }
        };
	auto_rows struct rows rows = {0};
	struct image host;
	int option;
	int status;

	while ((option = option_next(argc, argv, table, e)) > 0)
		rows.json = true;
	if (option < 0 || arguments_expect(&command_ls, argc - optind, 0, 0, e))
		return -1;
	if (image_open("host:latest", &host, e))
		return -1;
	note(&host, &rows);
	image_close(&host);
	status = image_list(note, &rows, e);
	qsort(rows.items, rows.count, sizeof(*rows.items), by_name);
	print(&rows);
	return status;
}

const struct command command_ls = {
	.name = "ls",
	.usage = "[--json]",
	.summary = "List the images",
	.help = "  --json  one JSON list\n\n"
		"\"host\" is always there: this machine's own /usr, read-only, without a build.\n",
	.run = run,
};
