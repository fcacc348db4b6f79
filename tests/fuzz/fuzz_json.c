/*
 * fuzz_json - hostile documents are read or refused; our own strings are read back by it.
 */
#include "fuzz.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/json_escape.h"
#include "base/json_strict.h"

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

/* What is written is read back, and then written the same. */
static void check_written(const struct json *document)
{
	auto_buf struct buf first = {0};
	auto_buf struct buf second = {0};
	struct err e = {0};
	struct json *again;

	json_write(document, &first);
	MUST(!json_check_strict(first.data, first.length, first.length, &e));
	again = json_parse(first.data, first.length, &e);
	MUST(again);
	json_write(again, &second);
	MUST(!strcmp(first.data, second.data));
	json_free(again);
}

/* After a repair no escape is a reason to refuse, and a second one changes nothing. */
static void check_repaired(const uint8_t *data, size_t size)
{
	char *once = malloc(size + 1);
	char *twice = malloc(size + 1);
	struct err e = {0};

	MUST(once && twice);
	memcpy(once, data, size);
	json_repair(once, size);
	memcpy(twice, once, size);
	json_repair(twice, size);
	MUST(!memcmp(once, twice, size));
	json_free(json_parse(once, size, &e));
	MUST(memchr(once, '\0', size) || !strstr(e.text, "NUL"));
	free(once);
	free(twice);
}

/* A reader in place finds the same document. */
static void check_in_place(const char *text, size_t size, const struct json *document)
{
	auto_buf struct buf copy = {0};
	auto_buf struct buf wanted = {0};
	auto_buf struct buf found = {0};
	struct json *same;

	buf_add(&copy, text, size);
	same = json_parse_in_place(copy.data, copy.length);
	MUST(same);
	json_write(document, &wanted);
	json_write(same, &found);
	MUST(!strcmp(wanted.data, found.data));
	json_free(same);
}

/* What is strict is read, and has no more values than characters. */
static void check_strict(const char *text, size_t size)
{
	struct err e = {0};
	struct json *document;

	if (json_check_strict(text, size, size, &e)) {
		fuzz_check_error(&e);
		return;
	}
	document = json_parse(text, size, &e);
	MUST(document);
	check_in_place(text, size, document);
	json_free(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = {0};
	struct json *document = json_parse((const char *)data, size, &e);
	auto_buf struct buf text = {0};

	if (document) {
		walk(document, 0);
		check_written(document);
	} else {
		fuzz_check_error(&e);
	}
	json_free(document);
	check_repaired(data, size);
	check_strict((const char *)data, size);

	buf_json_string(&text, data, size);
	for (size_t i = 0; i < text.length; i++)
		MUST(text.data[i] >= 0x20 && text.data[i] < 0x7f);
	document = json_parse(text.data, text.length, &e);
	MUST(document ? json_string(document) != NULL : strstr(text.data, "\\u0000") != NULL);
	json_free(document);
	return 0;
}
