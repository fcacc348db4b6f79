/*
 * ollama_models - the models of an Ollama server: what there is, made and fetched.
 */
#include "agent/server/ollama_models.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/server/ndjson.h"
#include "agent/server/refusal.h"
#include "base/own.h"

#define ROWS_MAX 200

static char *text_at(const struct json *object, const char *key)
{
	const char *text = json_string_at(object, key);

	return own_strdup(text ? text : "");
}

/* The words of a list with commas; NULL for what is no list. */
static char *join(const struct json *list)
{
	struct buf text = {.cap = 300};

	if (!list || !json_is_array(list))
		return NULL;
	for (const struct json *n = json_first(list); n; n = json_next(n)) {
		if (!json_string(n))
			continue;
		buf_text(&text, text.length ? ", " : "");
		buf_text(&text, json_string(n));
	}
	return buf_take(&text);
}

/* Newer servers say it in the list itself; a model that cannot be asked is left as it is. */
static char *ask_capabilities(struct server *s, const char *name)
{
	auto_buf struct buf body = {0};
	auto_json struct json *shown = NULL;
	enum model_failure ignored;
	struct err e;

	buf_text(&body, "{\"model\":");
	buf_json_text(&body, name);
	buf_text(&body, "}");
	if (server_fetch(s, "/api/show", &body, NULL, NULL, &shown, &ignored, &e))
		return NULL;
	return join(json_get(shown, "capabilities"));
}

static void read_row(struct server *s, const struct json *row, const char *name,
		     struct ollama_model *out)
{
	const struct json *details = json_get(row, "details");

	*out = (struct ollama_model){
		.name = own_strdup(name),
		.parameters = text_at(details, "parameter_size"),
		.quantization = text_at(details, "quantization_level"),
		.capabilities = join(json_get(row, "capabilities")),
		.size_bytes = json_uint_at(row, "size", 0),
	};
	if (!out->capabilities)
		out->capabilities = ask_capabilities(s, name);
}

int ollama_models_list(struct server *s, struct ollama_models *out, enum model_failure *why,
		       struct err *e)
{
	auto_json struct json *document = NULL;

	*out = (struct ollama_models){0};
	if (server_fetch(s, "/api/tags", NULL, NULL, NULL, &document, why, e))
		return -1;
	out->rows = calloc(ROWS_MAX, sizeof(*out->rows));
	if (!out->rows)
		abort();
	for (const struct json *n = json_first(json_get(document, "models"));
	     n && out->count < ROWS_MAX; n = json_next(n)) {
		const char *name = json_string_at(n, "name");

		if (name && *name)
			read_row(s, n, name, &out->rows[out->count++]);
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

bool ollama_model_can(const struct ollama_model *m, const char *capability)
{
	size_t length = strlen(capability);

	for (const char *p = m->capabilities; p && (p = strstr(p, capability)); p++)
		if ((p == m->capabilities || p[-1] == ' ') && (!p[length] || p[length] == ','))
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

/* Takes the lines that a job of the server sends until it is done. */
struct job {
	struct server_taker taker;
	struct ndjson lines;
	const struct ollama_progress *progress;
};

static struct job *of(struct server_taker *t)
{
	return (struct job *)((char *)t - offsetof(struct job, taker));
}

static int on_line(void *context, char *text, size_t length, struct err *e)
{
	struct job *job = context;
	auto_json struct json *object = NULL;
	const char *status;
	const char *error;

	json_repair(text, length);
	object = json_parse(text, length, e);
	if (!object)
		return -1;
	error = refusal_text(object);
	if (error) {
		snprintf(job->taker.said, sizeof(job->taker.said), "%s", error);
		return -1;
	}
	status = json_string_at(object, "status");
	if (!status)
		return 0;
	job->taker.passed_on = true;
	job->taker.complete = !strcmp(status, "success");
	if (job->progress)
		job->progress->step(job->progress->context, status,
				    json_uint_at(object, "completed", 0),
				    json_uint_at(object, "total", 0));
	return 0;
}

static int take_bytes(struct server_taker *t, const char *bytes, size_t length, struct err *e)
{
	return ndjson_take(&of(t)->lines, bytes, length, e);
}

static int finish_lines(struct server_taker *t, struct err *e)
{
	return ndjson_finish(&of(t)->lines, e);
}

static void restart_lines(struct server_taker *t)
{
	of(t)->lines.pending.length = 0;
}

static int do_job(struct server *s, const char *path, const struct buf *body, const char *model,
		  const struct ollama_progress *progress, enum model_failure *why, struct err *e)
{
	struct job job = {
		.taker = {.take = take_bytes, .finish = finish_lines, .restart = restart_lines},
		.lines = {.line = on_line,                  .context = &job                         },
		.progress = progress,
	};
	int status = server_ask(s, path, body, model, &job.taker, why, e);

	ndjson_fini(&job.lines);
	return status;
}

int ollama_models_pull(struct server *s, const char *name, const struct ollama_progress *progress,
		       enum model_failure *why, struct err *e)
{
	auto_buf struct buf body = {0};

	buf_text(&body, "{\"model\":");
	buf_json_text(&body, name);
	buf_text(&body, ",\"stream\":true}");
	return do_job(s, "/api/pull", &body, name, progress, why, e);
}

int ollama_models_create(struct server *s, const struct ollama_recipe *recipe,
			 const struct ollama_progress *progress, enum model_failure *why,
			 struct err *e)
{
	auto_buf struct buf body = {0};

	buf_text(&body, "{\"model\":");
	buf_json_text(&body, recipe->name);
	buf_text(&body, ",\"from\":");
	buf_json_text(&body, recipe->from);
	buf_text(&body, ",\"system\":");
	buf_json_text(&body, recipe->system);
	buf_text(&body, ",\"parameters\":{\"temperature\":");
	json_write_number(recipe->temperature, &body);
	buf_printf(&body, ",\"num_ctx\":%llu},\"stream\":true}",
		   (unsigned long long)recipe->num_ctx);
	return do_job(s, "/api/create", &body, recipe->name, progress, why, e);
}
