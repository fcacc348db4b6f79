/*
 * containers_list - GET /containers/json.
 *
 * `ps` says which there are, filters them, and words their states; their records say the rest.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "engine/answer.h"
#include "engine/containers.h"
#include "engine/filters.h"
#include "engine/reply.h"
#include "record/record_put.h"
#include "web/query.h"

#define ROW "{{.ID}}\t{{.State}}\t{{.Status}}"

static void containers_list_put_command(const struct record *r, struct buf *out)
{
	const struct json *words = json_get(r->what, "command");
	auto_buf struct buf text = {0};

	for (const struct json *w = words ? json_first(words) : NULL; w; w = json_next(w))
		buf_printf(&text, "%s%s", text.length ? " " : "", json_string(w));
	json_put_text(out, "Command", buf_string(&text));
}

static void containers_list_put_ports(const struct record *r, struct buf *out)
{
	const struct json *ports = r->how ? json_get(r->how, "ports") : NULL;

	json_put_begin(out, "Ports", '[');
	for (const struct json *p = ports ? json_first(ports) : NULL; p; p = json_next(p)) {
		const char *address = json_text_at(p, "address");
		const char *colon = strrchr(address, ':');
		auto_free char *host =
			own_strndup(address, colon ? (size_t)(colon - address) : strlen(address));

		json_put_begin(out, NULL, '{');
		json_put_text(out, "IP", host);
		json_put_uint(out, "PrivatePort", json_uint_at(p, "port", 0));
		json_put_uint(out, "PublicPort", colon ? strtoull(colon + 1, NULL, 10) : 0);
		json_put_text(out, "Type", "tcp");
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
}

static void containers_list_put(const struct record *r, const char *state, const char *status,
				struct buf *out)
{
	auto_free char *name = own_printf("/%s", record_name(r));

	json_put_begin(out, NULL, '{');
	json_put_text(out, "Id", r->id);
	json_put_begin(out, "Names", '[');
	json_put_text(out, NULL, name);
	json_put_end(out, ']');
	json_put_text(out, "Image", json_text_at(r->what, "image"));
	json_put_text(out, "ImageID", json_text_at(r->what, "image_id"));
	containers_list_put_command(r, out);
	json_put_uint(out, "Created", json_uint_at(r->what, "created_ms", 0) / 1000);
	containers_list_put_ports(r, out);
	record_put_labels(r, out);
	json_put_text(out, "State", state);
	json_put_text(out, "Status", status);
	json_put_begin(out, "HostConfig", '{');
	json_put_text(out, "NetworkMode", "default");
	json_put_end(out, '}');
	json_put_begin(out, "NetworkSettings", '{');
	json_put_begin(out, "Networks", '{');
	json_put_end(out, '}');
	json_put_end(out, '}');
	record_put_mounts(r, out);
	json_put_end(out, '}');
}

struct row {
	struct record record; /* owned */
	const char *state;    /* both of the line */
	const char *status;
};

/* One row of ps, which is cut. A run in the foreground has no record: it is left out. */
static bool containers_list_read_row(char *line, struct row *out)
{
	char *state = strchr(line, '\t');
	char *status = state ? strchr(state + 1, '\t') : NULL;

	out->record = (struct record){.dir = -1};
	if (!status)
		return false;
	*state++ = *status++ = '\0';
	out->state = state;
	out->status = status;
	return record_read_id(line, &out->record);
}

/* The newest comes first: ps has what runs before what has ended. */
static int containers_list_by_age(const void *a, const void *b)
{
	uint64_t x = json_uint_at(((const struct row *)a)->record.what, "created_ms", 0);
	uint64_t y = json_uint_at(((const struct row *)b)->record.what, "created_ms", 0);

	return x < y ? 1 : x > y ? -1 : 0;
}

static void containers_list_shape(struct request *r, const struct verb_result *result, void *data)
{
	auto_list struct list lines = {0};
	const uint64_t *most = data;
	auto_free struct row *rows = NULL;
	size_t count = 0;
	struct buf body = {0};

	list_add_lines(&lines, buf_string(&result->output[0]));
	rows = own_zeroed(lines.count + 1, sizeof(*rows));
	for (size_t i = 0; i < lines.count; i++)
		count += containers_list_read_row(lines.items[i], &rows[count]);
	qsort(rows, count, sizeof(*rows), containers_list_by_age);
	json_put_begin(&body, NULL, '[');
	for (size_t i = 0; i < count; i++) {
		if (i < *most)
			containers_list_put(&rows[i].record, rows[i].state, rows[i].status, &body);
		record_fini(&rows[i].record);
	}
	json_put_end(&body, ']');
	answer_json(r, 200, &body);
}

void containers_list(struct request *r)
{
	const char *query = request_query(r);
	auto_free char *limit = query_text(query, "limit");
	const long long most = limit ? strtoll(limit, NULL, 10) : -1;
	auto_list struct list words = {0};
	uint64_t *count;
	struct err e;

	reply_words(&words, "ps", "--no-trunc", "--format=" ROW);
	if (query_is_true(query, "all", false) || most > 0)
		list_add(&words, "--all");
	if (filters_words(query, &words, &e)) {
		answer_error(r, &e);
		return;
	}
	count = own_zeroed(1, sizeof(*count));
	*count = most > 0 ? (uint64_t)most : UINT64_MAX;
	reply_run(r, &words, -1, containers_list_shape, count, NULL);
}
