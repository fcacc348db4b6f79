/*
 * test_encode - the digests that FIPS 180-4 publishes, base64 both ways.
 */
#include "unit.h"

#include "agent/data/encode.h"

static void is(const char *text, size_t length, const char *wanted)
{
	char hash[DIGEST_HEX];

	digest_hex(text, length, hash);
	assert_string_equal(hash, wanted);
}

static void test_published_digests(void **state)
{
	(void)state;
	is("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	is("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
	   "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void test_a_million_bytes(void **state)
{
	static char text[1000000];

	(void)state;
	memset(text, 'a', sizeof(text));
	is(text, sizeof(text), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_base64_as_it_is_read(void **state)
{
	static const struct {
		const char *text;
		const char *bytes;
	} rows[] = {
		{"",             ""      },
		{"Zg==",         "f"     },
		{"Zm8=",         "fo"    },
		{"Zm9v",         "foo"   },
		{"Zm9v\nYmFy\n", "foobar"},
		{"Zm9vYg",       "foob"  },
	};
	static const char *const bad[] = {"Z", "Zm9v!", "Zg==Zg==", "Zm9v Zm9v", "\xff", "=a"};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_buf struct buf out = {0};

		assert_int_equal(decode_base64(rows[i].text, &out), 0);
		assert_string_equal(buf_string(&out), rows[i].bytes);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		auto_buf struct buf out = {0};

		assert_int_equal(decode_base64(bad[i], &out), -1);
	}
}

static void test_base64_comes_back(void **state)
{
	unsigned char bytes[256];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 7);
	for (size_t length = 0; length <= sizeof(bytes); length++) {
		auto_buf struct buf text = {0};
		auto_buf struct buf back = {0};

		encode_base64(bytes, length, &text);
		assert_int_equal(text.length, (length + 2) / 3 * 4);
		assert_int_equal(decode_base64(buf_string(&text), &back), 0);
		assert_int_equal(back.length, length);
		assert_memory_equal(buf_string(&back), bytes, length);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_digests),
		cmocka_unit_test(test_a_million_bytes),
		cmocka_unit_test(test_base64_as_it_is_read),
		cmocka_unit_test(test_base64_comes_back),
	};

	return cmocka_run_group_tests_name("encode", tests, NULL, NULL);
}
