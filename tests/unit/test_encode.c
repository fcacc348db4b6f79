/*
 * test_encode - the digests that FIPS 180-4 and RFC 4231 publish; base64 encoded and decoded.
 */
#include "unit.h"

#include "base/encode.h"

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

static void test_published_authentication_codes(void **state)
{
	static const struct {
		const char *key;
		const char *text;
		const char *wanted;
	} rows[] = {
		{"Jefe",									     "what do ya want for nothing?",
		 "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"														    },
		{"\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b",
		 "Hi There",													 "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint8_t mac[HMAC_BYTES];
		char hex[2 * HMAC_BYTES + 1];

		hmac_bytes(rows[i].key, strlen(rows[i].key), rows[i].text, strlen(rows[i].text),
			   mac);
		encode_hex(mac, sizeof(mac), hex);
		assert_string_equal(hex, rows[i].wanted);
	}
}

static void test_a_secret_is_itself_only(void **state)
{
	(void)state;
	assert_true(secret_is("abc", "abc", 3));
	assert_true(secret_is("abc", "abd", 2));
	assert_false(secret_is("abc", "abd", 3));
	assert_false(secret_is("abc", "bbc", 3));
}

/* RFC 4648, section 10, and what differs from it in a URL. */
static void test_base64_for_urls(void **state)
{
	static const struct {
		const char *bytes;
		const char *text;
	} rows[] = {
		{"",             ""      },
                {"f",            "Zg"    },
                {"fo",           "Zm8"   },
		{"foo",          "Zm9v"  },
                {"foob",         "Zm9vYg"},
                {"\xfb\xff\xbf", "-_-_"  },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_buf struct buf out = {0};

		encode_base64url(rows[i].bytes, strlen(rows[i].bytes), &out);
		assert_string_equal(buf_string(&out), rows[i].text);
	}
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
		cmocka_unit_test(test_published_authentication_codes),
		cmocka_unit_test(test_a_secret_is_itself_only),
		cmocka_unit_test(test_base64_for_urls),
		cmocka_unit_test(test_base64_as_it_is_read),
		cmocka_unit_test(test_base64_comes_back),
	};

	return cmocka_run_group_tests_name("encode", tests, NULL, NULL);
}
