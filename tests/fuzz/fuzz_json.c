/*
 * fuzz_json - hostile documents are read or refused; our own strings are read back by it.
 */
#include "fuzz.h"

#include "base/buf.h"
#include "base/json.h"

static void walk(const struct json *node, int depth)
{
	uint64_t number = 0;

	MUST(depth <= 64);
	if (json_string(node))
		MUST(strlen(json_string(node)) < 1 << 20);
	if (!json_number(node, &number))
		MUST(number <= 1ull << 53);
	if (!json_is_array(node) && !json_is_object(node)) {
		MUST(json_count(node) == 0);
		return;
	}
	for (const struct json *n = json_first(node); n; n = json_next(n)) {
		MUST((json_key(n) != NULL) == json_is_object(node));
		if (json_key(n))
			json_get(node, json_key(n));
		walk(n, depth + 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = {0};
	struct json *document = json_parse((const char *)data, size, &e);
	auto_buf struct buf text = {0};

	if (document)
		walk(document, 0);
	else
		fuzz_check_error(&e);
	json_free(document);

	buf_json_string(&text, data, size);
	for (size_t i = 0; i < text.length; i++)
		MUST(text.data[i] >= 0x20 && text.data[i] < 0x7f);
	document = json_parse(text.data, text.length, &e);
	MUST(document ? json_string(document) != NULL : strstr(text.data, "\\u0000") != NULL);
	json_free(document);
	return 0;
}
