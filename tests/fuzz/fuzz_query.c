/*
 * fuzz_query - what a client of the Engine's socket asks, and the words of a command that it
 * becomes.
 *
 * The input is a query, a line feed, and a body. Whatever they are, each word is a flag with a name
 * of our own, up to the "--" behind which the image and the program's words are.
 */
#include "fuzz.h"

#include "base/json.h"
#include "base/own.h"
#include "engine/create.h"
#include "engine/filters.h"
#include "web/query.h"

static bool is_flag_of(const struct create_field *rows, const char *name, size_t length)
{
	for (; rows->member; rows++) {
		if (strlen(rows->flag) == length && !strncmp(rows->flag, name, length))
			return true;
	}
	return false;
}

/* "--FLAG" or "--FLAG=...", of the tables or one of the few others. */
static bool is_flag(const char *word)
{
	static const char *const others[] = {"name", "platform", "entrypoint"};
	const size_t length = strncmp(word, "--", 2) ? 0 : strcspn(word + 2, "=");

	for (size_t i = 0; length && i < sizeof(others) / sizeof(others[0]); i++) {
		if (strlen(others[i]) == length && !strncmp(others[i], word + 2, length))
			return true;
	}
	return length && (is_flag_of(create_fields, word + 2, length) ||
			  is_flag_of(create_host_fields, word + 2, length));
}

static void try_filters(const char *query)
{
	auto_list struct list words = {0};
	struct err e = {0};

	if (filters_words(query, &words, &e))
		fuzz_check_error(&e);
	for (size_t i = 0; i < words.count; i++)
		MUST(!strncmp(words.items[i], "--filter=", 9) && strchr(words.items[i] + 9, '='));
}

static void try_create(const struct json *body, const char *query)
{
	auto_free char *name = query_text(query, "name");
	auto_free char *platform = query_text(query, "platform");
	const struct list network = {0};
	auto_list struct list words = {0};
	struct err e = {0};
	size_t i = 1;

	if (create_words(body, name, platform, &network, &words, &e)) {
		fuzz_check_error(&e);
		return;
	}
	MUST(!strcmp(words.items[0], "create"));
	while (i < words.count && strcmp(words.items[i], "--") != 0)
		MUST(is_flag(words.items[i++]));
	MUST(i + 1 < words.count && *words.items[i + 1]);
}

static void try_update(const struct json *body)
{
	auto_list struct list words = {0};
	struct err e = {0};

	if (create_words_of_update(body, &words, &e)) {
		fuzz_check_error(&e);
		return;
	}
	for (size_t i = 1; i < words.count; i++)
		MUST(is_flag(words.items[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *text = fuzz_string(data, size);
	char *end = strchr(text, '\n');
	const char *rest = end ? end + 1 : "{}";
	auto_json struct json *body = NULL;
	struct err e = {0};

	if (end)
		*end = '\0';
	(void)query_is_true(text, "all", false);
	try_filters(text);
	body = json_parse(rest, strlen(rest), &e);
	if (!body)
		fuzz_check_error(&e);
	if (!body || !json_is_object(body))
		return 0;
	try_create(body, text);
	try_update(body);
	return 0;
}
