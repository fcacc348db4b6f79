/*
 * fuzz_schema - the JSON body of a request, as /v1/execute and /v1/sessions take it apart: it is
 * right, or what is wrong is a list in strict JSON, and short.
 */
#include "fuzz.h"

#include "base/json_strict.h"
#include "base/utf8.h"
#include "request/schema.h"
#include "request/staging.h"
#include "spec/setting_ceiling.h"
#include "spec/setting_sources.h"
#include "tenant/ceiling.h"

#define DETAIL_MAX (1u << 20)

static void check_text(const char *text)
{
	MUST(utf8_is_valid(text, strlen(text)));
}

static void check_wrong(const struct buf *detail)
{
	struct err e = {0};
	struct json *document = json_parse(detail->data, detail->length, &e);
	const struct json *list;

	MUST(detail->length < DETAIL_MAX);
	MUST(!json_check_strict(detail->data, detail->length, DETAIL_MAX, &e));
	list = json_get(document, "detail");
	MUST(json_is_array(list) && json_count(list) > 0);
	MUST(json_count(list) <= SCHEMA_WRONG_MAX + 1);
	for (const struct json *n = json_first(list); n; n = json_next(n)) {
		MUST(json_string_at(n, "type") && json_string_at(n, "msg"));
		MUST(json_is_array(json_get(n, "loc")));
	}
	json_free(document);
}

/* Limits of a request never pass those of its key. */
static void check_limits(const struct json *limits)
{
	struct sandbox_spec terms;
	struct ceiling shipped;
	struct settings settings = settings_of_caller(&terms);
	struct err e = {0};

	spec_init(&terms);
	ceiling_init(&shipped);
	settings.sections = false;
	if (settings_from_json(&settings, limits, &e) ||
	    settings_check_ceiling(&terms, &shipped.run, &e))
		fuzz_check_error(&e);
	else
		MUST(terms.limits.memory_bytes <= shipped.run.limits.memory_bytes);
	ceiling_fini(&shipped);
	spec_fini(&terms);
}

static void check_right(const struct staging_names *names, size_t count, const struct json *limits,
			uint64_t timeout_ms, uint64_t ttl_s)
{
	for (size_t i = 0; i < count; i++) {
		check_text(names[i].path);
		check_text(names[i].id);
	}
	MUST(timeout_ms >= 1 && timeout_ms <= 1ull << 53);
	MUST(ttl_s >= 1 && ttl_s <= 86400);
	if (limits)
		check_limits(limits);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct schema body;
	struct buf detail = {0};
	const char *code = "", *input = "";
	struct staging_names *names = NULL;
	const struct json *limits;
	uint64_t timeout_ms = 2000, ttl_s = 900;
	bool shows_last = true;
	size_t count;
	char *text = fuzz_string(data, size); /* as the body of a request: with a NUL behind it */

	schema_begin(&body, "application/json", text, size);
	schema_string(&body, "code", true, &code);
	schema_string(&body, "stdin", false, &input);
	schema_whole(&body, "timeout_ms", 1, &timeout_ms);
	schema_whole_within(&body, "ttl_seconds", 1, 86400, &ttl_s);
	schema_truth(&body, "last_line_interactive", &shows_last);
	limits = schema_object(&body, "limits");
	count = staging_read(&body, &names);
	check_text(code);
	check_text(input);
	if (schema_is_wrong(&body, &detail))
		check_wrong(&detail);
	else
		check_right(names, count, limits, timeout_ms, ttl_s);
	buf_fini(&detail);
	free(names);
	schema_fini(&body);
	free(text);
	return 0;
}
