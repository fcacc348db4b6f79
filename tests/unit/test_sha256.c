/*
 * test_sha256 - the digests that FIPS 180-4 publishes, and any way of adding the bytes.
 */
#include "unit.h"

#include "agent/data/sha256.h"

static void is(const char *text, size_t length, const char *wanted)
{
	char hash[SHA256_HEX];

	sha256_text(text, length, hash);
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

static void test_every_cut_gives_the_same(void **state)
{
	char text[200];
	char whole[SHA256_HEX];

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 7);
	sha256_text(text, sizeof(text), whole);
	for (size_t cut = 0; cut <= sizeof(text); cut++) {
		char hash[SHA256_HEX];
		struct sha256 s;

		sha256_init(&s);
		sha256_add(&s, text, cut);
		sha256_add(&s, text + cut, sizeof(text) - cut);
		sha256_end(&s, hash);
		assert_string_equal(hash, whole);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_digests),
		cmocka_unit_test(test_a_million_bytes),
		cmocka_unit_test(test_every_cut_gives_the_same),
	};

	return cmocka_run_group_tests_name("sha256", tests, NULL, NULL);
}
