/*
 * ollama_models - list, make and fetch models of an Ollama server.
 */
#include "agent/server/ollama_models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/server/json_stream.h"
#include "base/json_put.h"
#include "base/own.h"

#define ROWS_MAX 200

static char *ollama_models_text_at(const struct json *object, const char *key)
{
	const char *text = json_string_at(object, key);

	return own_strdup(text ? text : "");
}

/* Join a list with commas; NULL: not a list. */
static char *ollama_models_join(const struct json *list)
{
	struct buf text = {.cap = 300};

	if (!json_is_array(list))
		return NULL;
	for (const struct json *n = json_first(list); n; n = json_next(n)) {
		if (!json_string(n))
			continue;
		buf_text(&text, text.length ? ", " : "");
		buf_text(&text, json_string(n));
	}
	return buf_take(&text);
}

/* Begin a request about one model. */
static void ollama_models_begin_body(struct buf *body, const char *name)
{
	json_put_begin(body, NULL, '{');
	json_put_text(body, "model", name);
}

int ollama_show(struct server *s, const char *name, struct json **out, char **capabilities,
		enum model_failure *why, struct err *e)
{
	auto_buf struct buf body = {0};
	const char *template;

	ollama_models_begin_body(&body, name);
	json_put_end(&body, '}');
	if (server_fetch(s, "/api/show", &body, name, NULL, out, why, e))
		return -1;
	*capabilities = ollama_models_join(json_get(*out, "capabilities"));
	template = json_string_at(*out, "template");
	if (!*capabilities && template && strstr(template, ".Tools")) /* servers before 0.6.4 */
		*capabilities = own_strdup("completion, tools");
	return 0;
}

static void ollama_models_read_row(struct server *s, const struct json *row, const char *name,
				   struct ollama_model *out)
{
	const struct json *details = json_get(row, "details");
	auto_json struct json *shown = NULL;
	enum model_failure ignored;
	struct err e;

	*out = (struct ollama_model){
		.name = own_strdup(name),
		.parameters = ollama_models_text_at(details, "parameter_size"),
		.quantization = ollama_models_text_at(details, "quantization_level"),
		.capabilities = ollama_models_join(json_get(row, "capabilities")),
		.size_bytes = json_uint_at(row, "size", 0),
	};
	/*
	 * Newer servers send capabilities in the list itself; if asking fails, leave them unknown.
	 */
	if (!out->capabilities)
		(void)ollama_show(s, name, &shown, &out->capabilities, &ignored, &e);
}

int ollama_models_list(struct server *s, struct ollama_models *out, enum model_failure *why,
		       struct err *e)
{
	auto_json struct json *document = NULL;

	*out = (struct ollama_models){0};
	if (server_fetch(s, "/api/tags", NULL, NULL, NULL, &document, why, e))
		return -1;
	out->rows = own_zeroed(ROWS_MAX, sizeof(*out->rows));
	for (const struct json *n = json_first(json_get(document, "models"));
	     n && out->count < ROWS_MAX; n = json_next(n)) {
		const char *name = json_string_at(n, "name");

		if (name && *name)
			ollama_models_read_row(s, n, name, &out->rows[out->count++]);
	}
	return 0;
}

void ollama_models_fini(struct ollama_models *models)
{
	for (size_t i = 0; i < models->count; i++) {
		free(models->rows[i].name);
		free(models->rows[i].parameters);
		free(models->rows[i].quantization);
		free(models->rows[i].capabilities);
	}
	free(models->rows);
	*models = (struct ollama_models){0};
}

bool ollama_has_capability(const char *capabilities, const char *capability)
{
	size_t length = strlen(capability);

	for (const char *p = capabilities; p && (p = strstr(p, capability)); p++)
		if ((p == capabilities || p[-1] == ' ') && (!p[length] || p[length] == ','))
			return true;
	return false;
}

int ollama_version(struct server *s, char out[32], enum model_failure *why, struct err *e)
{
	auto_json struct json *document = NULL;
	const char *version;

	if (server_fetch(s, "/api/version", NULL, NULL, NULL, &document, why, e))
		return -1;
	version = json_string_at(document, "version");
	snprintf(out, 32, "%.31s", version ? version : "");
	return 0;
}

#define JOB_BYTES_MAX ((uint64_t)2 << 30) /* lines of 130 bytes, 16 a second, for days */

/* Receives the lines of a job of the server until it is done. */
struct job {
	struct json_stream stream; /* first: a stream is this */
	struct progress *progress;
	char status[100];     /* beginning of the last status, to notice a change */
	uint64_t moved_bytes; /* its `completed` */
};

/* Only progress counts as content: otherwise a line a day would keep us for ever. */
static void ollama_models_note_step(struct job *job, const char *status, uint64_t completed)
{
	if (completed == job->moved_bytes && !strncmp(status, job->status, sizeof(job->status) - 1))
		return;
	snprintf(job->status, sizeof(job->status), "%s", status);
	job->moved_bytes = completed;
	job->stream.taker.content++;
}

static int ollama_models_take_line(struct json_stream *s, const struct json *line, struct err *e)
{
	struct progress *progress = ((struct job *)s)->progress;
	const char *status = json_string_at(line, "status");

	(void)e;
	if (!status)
		return 0;
	s->taker.passed_on = true;
	s->taker.complete = !strcmp(status, "success");
	ollama_models_note_step((struct job *)s, status, json_uint_at(line, "completed", 0));
	progress_step(progress, status, json_uint_at(line, "completed", 0),
		      json_uint_at(line, "total", 0));
	return 0;
}

static int ollama_models_do_job(struct server *s, const char *path, const struct buf *body,
				const char *model, struct progress *progress,
				enum model_failure *why, struct err *e)
{
	struct job job = {
		.stream = {.form = PARTS_LINES,
			   .value = ollama_models_take_line,
			   .taker.bytes_max = JOB_BYTES_MAX},
		.progress = progress,
	};

	return json_stream_ask(s, path, body, model, &job.stream, why, e);
}

int ollama_models_pull(struct server *s, const char *name, struct progress *progress,
		       enum model_failure *why, struct err *e)
{
	auto_buf struct buf body = {0};

	ollama_models_begin_body(&body, name);
	json_put_bool(&body, "stream", true);
	json_put_end(&body, '}');
	return ollama_models_do_job(s, "/api/pull", &body, name, progress, why, e);
}

int ollama_models_create(struct server *s, const struct ollama_recipe *recipe,
			 struct progress *progress, enum model_failure *why, struct err *e)
{
	auto_buf struct buf body = {0};

	ollama_models_begin_body(&body, recipe->name);
	json_put_text(&body, "from", recipe->from);
	json_put_text(&body, "system", recipe->system);
	json_put_begin(&body, "parameters", '{');
	json_put_key(&body, "temperature");
	json_write_number(recipe->temperature, &body);
	json_put_uint(&body, "num_ctx", recipe->num_ctx);
	json_put_end(&body, '}');
	json_put_bool(&body, "stream", true);
	json_put_end(&body, '}');
	return ollama_models_do_job(s, "/api/create", &body, recipe->from, progress, why, e);
}
