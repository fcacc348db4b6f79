/*
 * test_kernel_message - messages of Jupyter's protocol: what is signed is acted on, once.
 */
#include "unit.h"

#include "kernel/history.h"
#include "kernel/magic.h"
#include "kernel/message.h"
#include "kernel/mime.h"

#define KEY "a key"

static struct signer signer;
static struct buf content;

static int begin(void **state)
{
	(void)state;
	signer_init(&signer, KEY);
	buf_text(&content, "{\"code\":\"1\"}");
	return 0;
}

static int end(void **state)
{
	(void)state;
	signer_fini(&signer);
	buf_fini(&content);
	return 0;
}

static void compose(struct frames *parts)
{
	message_compose(&signer, NULL, "execute_request", NULL, &content, parts);
}

/* Read a copy. Returns whether it is to be acted on. */
static bool reads(const struct frames *parts, struct signer *by)
{
	struct frames copy = {0};
	auto_message struct message m = {0};

	for (size_t i = 0; i < parts->count; i++)
		frames_add(&copy, parts->items[i].data, parts->items[i].length);
	return message_read(by, &copy, &m) && !strcmp(m.type, "execute_request") &&
	       !strcmp(json_text_at(m.content, "code"), "1");
}

static void test_what_is_composed_is_read_once(void **state)
{
	auto_frames struct frames parts = {0};

	(void)state;
	compose(&parts);
	assert_true(reads(&parts, &signer));
	assert_false(reads(&parts, &signer));
}

static void test_another_key(void **state)
{
	auto_frames struct frames parts = {0};
	struct signer other;

	(void)state;
	compose(&parts);
	signer_init(&other, "another");
	assert_false(reads(&parts, &other));
	signer_fini(&other);
}

/* Each byte of what is signed, and of the signature, counts. */
static void test_each_byte_counts(void **state)
{
	auto_frames struct frames parts = {0};

	(void)state;
	compose(&parts);
	for (size_t i = 2; i < parts.count; i++) {
		for (size_t at = 0; at < parts.items[i].length; at++) {
			parts.items[i].data[at] ^= 1;
			assert_false(reads(&parts, &signer));
			parts.items[i].data[at] ^= 1;
		}
	}
	assert_true(reads(&parts, &signer));
}

/* Enough messages for both generations: the newer half is always known. */
static void test_replays_among_many(void **state)
{
	static struct frames kept[64];
	size_t count = 0;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		auto_frames struct frames parts = {0};

		compose(&parts);
		assert_true(reads(&parts, &signer));
		if (i < 100000 - 32000 || i % 500)
			continue;
		for (size_t p = 0; p < parts.count; p++)
			frames_add(&kept[count], parts.items[p].data, parts.items[p].length);
		count++;
	}
	assert_int_equal(count, 64);
	for (size_t i = 0; i < count; i++) {
		assert_false(reads(&kept[i], &signer));
		frames_fini(&kept[i]);
	}
}

static void test_history_keeps_the_newest(void **state)
{
	static const char tail_of_two[] = "{\"hist_access_type\":\"tail\",\"n\":2}";
	struct history h = {0};
	auto_buf struct buf out = {0};
	struct err e;
	auto_json struct json *tail = json_parse(tail_of_two, strlen(tail_of_two), &e);

	(void)state;
	for (unsigned i = 1; i <= HISTORY_MAX + 5; i++)
		history_add(&h, i, "x");
	assert_int_equal(h.count, HISTORY_MAX);
	assert_int_equal(h.entries[0].number, 6);
	history_add_result(&h, "first");
	history_add_result(&h, "second");
	history_reply(&h, tail, &out);
	assert_string_equal(buf_string(&out), "\"history\":[[1,1004,\"x\"],[1,1005,\"x\"]]");
	assert_string_equal(h.entries[h.count - 1].result, "first");
	history_fini(&h);
}

static void test_magics(void **state)
{
	static const struct {
		const char *code;
		int found;
	} rows[] = {
		{"%checkpoint a",       1 },
		{"%rollback --force a", 1 },
		{" \n%rollback  a \n",  1 },
		{"%checkpoint",         -1},
		{"%rollback a b",       -1},
		{"%checkpoint a\n1",    -1},
		{"%checkpoints a",      0 },
		{"x = 1",               0 },
		{"",                    0 },
		{"1\n%checkpoint a",    0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct notebook_request request = {0};
		auto_buf struct buf text = {0};
		struct err e;

		assert_int_equal(magic_read(rows[i].code, &request, &text, &e), rows[i].found);
		if (rows[i].found == 1)
			assert_string_equal(request.checkpoint, "a");
	}
}

static void test_representations(void **state)
{
	static const char bundle[] =
		"{\"text/plain\":\"x\",\"application/"
		"json\":\"{\\\"n\\\":1700000000000000001}\",\"b/c+json\":\"no\","
		"\"dropped\":\"much\",\"c/d\":5,\"metadata\":\"{\\\"w\\\":1}\"}";
	auto_buf struct buf out = {0};
	auto_buf struct buf left_out = {0};
	struct err e;
	auto_json struct json *read = json_parse(bundle, strlen(bundle), &e);

	(void)state;
	mime_put(read, &out);
	assert_string_equal(
		buf_string(&out),
		"\"data\":{\"text/plain\":\"x\",\"application/json\":{\"n\":1700000000000000001},"
		"\"b/c+json\":\"no\"},\"metadata\":{\"w\":1}");
	mime_put_left_out(read, &left_out);
	assert_string_equal(buf_string(&left_out), "glovebox: left out: much\n");
	buf_cut(&out, 0);
	mime_put(NULL, &out);
	assert_string_equal(buf_string(&out), "\"data\":{},\"metadata\":{}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_composed_is_read_once),
		cmocka_unit_test(test_another_key),
		cmocka_unit_test(test_each_byte_counts),
		cmocka_unit_test(test_replays_among_many),
		cmocka_unit_test(test_history_keeps_the_newest),
		cmocka_unit_test(test_magics),
		cmocka_unit_test(test_representations),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
