/*
 * test_client_hello - hellos of real clients, and every way of hiding a name in one.
 */
#include "unit.h"

#include "client_hellos.h"
#include "protocol/client_hello.h"

#define ROOM 200000

/* -- hellos to measure ------------------------------------------------------------------------ */

struct bytes {
	uint8_t at[ROOM];
	size_t size;
};

static struct bytes wire; /* what is fed */
static struct bytes body; /* of the hello that is being made */
static struct hello_reader reader;

static void add(struct bytes *to, const void *bytes, size_t size)
{
	assert_true(to->size + size <= ROOM);
	if (size)
		memcpy(to->at + to->size, bytes, size);
	to->size += size;
}

static void add_number(struct bytes *to, size_t width, size_t value)
{
	for (size_t i = width; i > 0; i--) {
		uint8_t byte = (uint8_t)(value >> 8 * (i - 1));

		add(to, &byte, 1);
	}
}

static void add_extension(struct bytes *to, size_t type, const void *bytes, size_t size)
{
	add_number(to, 2, type);
	add_number(to, 2, size);
	add(to, bytes, size);
}

static void add_name(struct bytes *to, const char *name, size_t size)
{
	add_number(to, 2, 0);
	add_number(to, 2, size + 5);
	add_number(to, 2, size + 3);
	add_number(to, 1, 0);
	add_number(to, 2, size);
	add(to, name, size);
}

/* A hello with these extensions, as a message in `body`. */
static void make_message(const struct bytes *extensions)
{
	body.size = 0;
	add_number(&body, 1, 1);
	add_number(&body, 3, 2 + 32 + 1 + 2 + 2 + 1 + 1 + 2 + extensions->size);
	add_number(&body, 2, 0x0303);
	for (size_t i = 0; i < 32; i++)
		add_number(&body, 1, i);
	add_number(&body, 1, 0);
	add_number(&body, 2, 2);
	add_number(&body, 2, 0x1301);
	add_number(&body, 1, 1);
	add_number(&body, 1, 0);
	add_number(&body, 2, extensions->size);
	add(&body, extensions->at, extensions->size);
}

static void add_record(size_t type, const void *bytes, size_t size)
{
	add_number(&wire, 1, type);
	add_number(&wire, 2, 0x0301);
	add_number(&wire, 2, size);
	add(&wire, bytes, size);
}

/* `body` in records of at most `most` bytes. */
static void make_records(size_t most)
{
	for (size_t at = 0; at < body.size; at += most)
		add_record(22, body.at + at, body.size - at < most ? body.size - at : most);
}

static void make_hello(const char *name)
{
	static struct bytes extensions;

	extensions.size = 0;
	add_name(&extensions, name, strlen(name));
	make_message(&extensions);
	make_records(16384);
}

/* -- feeding ---------------------------------------------------------------------------------- */

static enum hello_state feed(bool may_skip_ccs, size_t piece)
{
	enum hello_state state = HELLO_MORE;

	memset(&reader, 0, sizeof(reader));
	reader.may_skip_ccs = may_skip_ccs;
	for (size_t at = 0; at < wire.size; at += piece) {
		size_t size = wire.size - at < piece ? wire.size - at : piece;
		uint8_t *copy = malloc(size);

		assert_non_null(copy);
		memcpy(copy, wire.at + at, size);
		state = hello_feed(&reader, copy, size);
		free(copy);
	}
	return state;
}

/* All at once, a byte at a time, and in pieces: the same verdict. Then the wire is empty again. */
static enum hello_state verdict(bool may_skip_ccs)
{
	static const size_t pieces[] = {1, 2, 3, 5, 7, 64, 1000};
	enum hello_state state = feed(may_skip_ccs, ROOM);
	size_t used = reader.used;
	const char *why = reader.why;

	for (size_t i = 0; i < COUNT(pieces); i++) {
		assert_int_equal(feed(may_skip_ccs, pieces[i]), state);
		assert_ptr_equal(reader.why, why);
		if (state == HELLO_NAMED)
			assert_int_equal(reader.used, used);
	}
	assert_int_equal(why != NULL, state == HELLO_REFUSED);
	wire.size = 0;
	return state;
}

static void names(const char *name)
{
	size_t size = wire.size;

	if (verdict(false) != HELLO_NAMED)
		fail_msg("%s: %s", name, reader.why ? reader.why : "waits");
	assert_string_equal(reader.name, name);
	assert_int_equal(reader.used, size);
}

static void refused(bool may_skip_ccs, const char *why)
{
	if (verdict(may_skip_ccs) != HELLO_REFUSED)
		fail_msg("not refused, but for: %s", why);
	assert_says(reader.why, why);
}

/* -- tests ------------------------------------------------------------------------------------ */

static void test_real_hellos_are_named(void **state)
{
	(void)state;
	add(&wire, hello_tls13, sizeof(hello_tls13));
	names("api.example.org");
	add(&wire, hello_tls12, sizeof(hello_tls12));
	names("api.example.org");
	add(&wire, hello_first, sizeof(hello_first));
	names("api.example.org");
	add(&wire, hello_nameless, sizeof(hello_nameless));
	refused(false, "no server_name");
	add(&wire, hello_literal, sizeof(hello_literal));
	refused(false, "no server_name");
}

/* Cut anywhere it waits for more, and no byte of it is needless. */
static void test_a_hello_is_judged_with_its_last_byte(void **state)
{
	(void)state;
	for (size_t size = 0; size < sizeof(hello_tls13); size++) {
		add(&wire, hello_tls13, size);
		assert_int_equal(feed(false, ROOM), HELLO_MORE);
		wire.size = 0;
	}
}

static void test_what_follows_a_hello_is_not_used(void **state)
{
	(void)state;
	add(&wire, hello_tls13, sizeof(hello_tls13));
	add(&wire, hello_tls12, sizeof(hello_tls12));
	assert_int_equal(verdict(false), HELLO_NAMED);
	assert_int_equal(reader.used, sizeof(hello_tls13));
	/* The verdict stays, whatever comes. */
	assert_int_equal(hello_feed(&reader, (const uint8_t *)"GET /", 5), HELLO_NAMED);
	assert_int_equal(reader.used, sizeof(hello_tls13));
	make_hello("1.2.3.4");
	(void)feed(false, ROOM);
	assert_int_equal(hello_feed(&reader, hello_tls13, sizeof(hello_tls13)), HELLO_REFUSED);
	wire.size = 0;
}

static void test_a_hello_may_come_in_pieces(void **state)
{
	static const size_t sizes[] = {1, 3, 4, 5, 50, 100, 16384};
	static struct bytes extensions;

	(void)state;
	extensions.size = 0;
	add_name(&extensions, "packages.example.org", 20);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		make_message(&extensions);
		assert_true(body.size > HELLO_RECORDS);
		make_records(sizes[i]);
		if (sizes[i] == 1)
			refused(false, "@client_hello_length#pieces");
		else
			names("packages.example.org");
	}
}

static void test_bounds_of_a_hello(void **state)
{
	static struct bytes extensions;
	static uint8_t padding[HELLO_BODY_MAX];

	(void)state;
	extensions.size = 0;
	add_name(&extensions, "a.org", 5);
	/* 43 bytes before the extensions, 4 in front of the padding. */
	add_extension(&extensions, 21, padding, HELLO_BODY_MAX - 43 - 4 - extensions.size);
	make_message(&extensions);
	make_records(1000);
	names("a.org");

	add_number(&extensions, 4, 0x00f00000); /* an empty one */
	make_message(&extensions);
	make_records(1000);
	refused(false, "@client_hello_message#long");

	extensions.size = 0;
	for (size_t i = 0; i < HELLO_EXTENSIONS - 1; i++)
		add_extension(&extensions, 1000 + i, NULL, 0);
	add_name(&extensions, "a.org", 5);
	make_message(&extensions);
	make_records(16384);
	names("a.org");
	add_extension(&extensions, 2000, NULL, 0);
	make_message(&extensions);
	make_records(16384);
	refused(false, "too many extensions");
}

static void test_what_is_not_tls(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *why;
	} table[] = {
		{"GET / HTTP/1.1\r\n",                               16, "not TLS"                        },
		{"SSH-2.0-x",					9,  "not TLS"                        },
		{"\0",					       1,  "not TLS"                        },
		{"\x80\x2e\x01\x03\x01",                             5,  "@client_hello_type#SSLv2"       },
		{"\x16\x02\x00",				     3,  "not TLS"                        },
		{"\x16\xfe\xff\0\0\0\0\0",                           8,  "not TLS"                        },
		{"\x15\x03\x01\0\2\2\x28",                           7,  "@client_hello_type#alert"       },
		{"\x14\x03\x01\0\1\1",                               6,  "@client_hello_type#record"      },
		{"\x17\x03\x03\0\1\1",                               6,  "@client_hello_type#record"      },
		{"\x16\x03\x01\0\0",                                 5,  "@client_hello_length#empty"     },
		{"\x16\x03\x01\x40\x01",                             5,  "@client_hello_length#empty"     },
		{"\x16\x03\x01\0\4\2\0\0\0",                         9,  "@client_hello_message#handshake"},
		{"\x16\x03\x01\0\4\0\0\0\0",                         9,  "@client_hello_message#handshake"},
		{"\x16\x03\x01\0\4\1\0\0\0",                         9,  "@client_hello_body#version"     },
		{"\x16\x03\x01\0\4\1\0\x40\1",                       9,  "@client_hello_message#long"     },
		{"\x16\x03\x01\0\4\1\1\0\0",                         9,  "@client_hello_message#long"     },
		{"\x16\x03\x01\0\6\1\0\0\1\x03\0",                   11, "@client_hello_handshake"        },
		{"\x16\x03\x01\0\5\1\0\0\4\x03\x16\x03\x01\0\4\x03", 16, "@client_hello_handshake"        },
		{"\x16\x03\x01\0\5\1\0\0\4\x03\x15",                 11, "@client_hello_type#alert"       },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		add(&wire, table[i].bytes, table[i].size);
		refused(false, table[i].why);
	}
}

/* One byte of a real hello less, one more, or another one: never a crash, and never another name.
 */
static void test_a_changed_hello_is_refused_or_the_same(void **state)
{
	(void)state;
	for (size_t at = 0; at < sizeof(hello_tls13); at++) {
		for (unsigned change = 1; change < 256; change <<= 1) {
			add(&wire, hello_tls13, sizeof(hello_tls13));
			wire.at[at] ^= (uint8_t)change;
			if (feed(false, ROOM) == HELLO_NAMED)
				assert_int_equal(strlen(reader.name), strlen("api.example.org"));
			wire.size = 0;
		}
	}
}

/* A hello whose parts have lengths that do not fit, by the offset of the length in its message. */
static void test_lengths_that_do_not_fit(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
		const char *why;
	} table[] = {
		{4,  2,    "@client_hello_body#version"    },
		{4,  0xfe, "@client_hello_body#version"    },
		{38, 33,   "@client_hello_body#session"    },
		{38, 255,  "@client_hello_body#session"    },
		{40, 0,    "@client_hello_body#cipher"     },
		{40, 1,    "@client_hello_body#cipher"     },
		{40, 3,    "@client_hello_body#cipher"     },
		{39, 9,    "@client_hello_body#cipher"     },
		{43, 0,    "@client_hello_body#compression"},
		{43, 200,  "@client_hello_body#compression"},
		{46, 15,   "@client_hello_body#extensions" },
		{46, 13,   "@client_hello_body#extensions" },
		{45, 1,    "@client_hello_body#extensions" },
		{50, 11,   "@client_hello_extensions#fit"  },
		{50, 9,    "@client_hello_server_name#fit" },
		{52, 7,    "@client_hello_server_name#fit" },
		{52, 9,    "@client_hello_server_name#fit" },
		{53, 1,    "@client_hello_server_name#type"},
		{55, 6,    "@client_hello_server_name#fit" },
		{55, 4,    "@client_hello_server_name#more"},
		{55, 0,    "@client_hello_server_name#more"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		make_hello("a.org");
		assert_int_equal(wire.size, 5 + 61);
		wire.at[5 + table[i].at] = table[i].value;
		refused(false, table[i].why);
	}
	/* No extensions at all, as before TLS 1.0. */
	make_hello("a.org");
	wire.size = 5 + 45;
	wire.at[4] = 45;
	wire.at[8] = 41;
	refused(false, "no server_name");
	/* Cut off behind each byte, with lengths of record and message that say so. */
	for (size_t size = 0; size < 61 - 4; size++) {
		make_hello("a.org");
		wire.size = 5 + 4 + size;
		wire.at[4] = (uint8_t)(4 + size);
		wire.at[8] = (uint8_t)size;
		assert_int_equal(verdict(false), HELLO_REFUSED);
		if (size >= 2 && size < 34)
			assert_says(reader.why, "@client_hello_body#early");
	}
}

static void test_names_that_are_none(void **state)
{
	static const struct {
		const char *name;
		const char *why;
	} table[] = {
		{"1.2.3.4",        "@client_hello_server_name#address"},
		{"127.0.0.1",      "@client_hello_server_name#address"},
		{"::1",            "@client_hello_server_name#address"},
		{"2001:db8::1",    "@client_hello_server_name#address"},
		{"::ffff:1.2.3.4", "@client_hello_server_name#address"},
		{"127.1",          "@client_hello_server_name#5"      },
		{"0x7f000001",     "@client_hello_server_name#5"      },
		{"",               "@client_hello_server_name#5"      },
		{".",              "@client_hello_server_name#5"      },
		{"*.a.org",        "@client_hello_server_name#5"      },
		{"a.org:443",      "@client_hello_server_name#5"      },
		{"[::1]",          "@client_hello_server_name#5"      },
		{"a..org",         "@client_hello_server_name#5"      },
		{" a.org",         "@client_hello_server_name#5"      },
	};
	static struct bytes extensions;

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		make_hello(table[i].name);
		refused(false, table[i].why);
	}
	extensions.size = 0;
	add_name(&extensions, "a.org\0.evil", 11);
	make_message(&extensions);
	make_records(16384);
	refused(false, "@client_hello_server_name#5");
	make_hello("A.Org.");
	names("a.org");
}

static void test_two_names_are_refused(void **state)
{
	static struct bytes extensions;
	static const char two[] = "\0\x10\0\0\5a.org\0\0\5b.org";

	(void)state;
	extensions.size = 0;
	add_name(&extensions, "a.org", 5);
	add_name(&extensions, "b.org", 5);
	make_message(&extensions);
	make_records(16384);
	refused(false, "@client_hello_extensions#more");

	extensions.size = 0;
	add_extension(&extensions, 0, two, sizeof(two) - 1);
	make_message(&extensions);
	make_records(16384);
	refused(false, "@client_hello_server_name#more");

	extensions.size = 0;
	add_extension(&extensions, 0, NULL, 0);
	make_message(&extensions);
	make_records(16384);
	refused(false, "@client_hello_server_name#fit");

	extensions.size = 0;
	add_name(&extensions, "a.org", 5);
	add_extension(&extensions, 16, "\0\3\2h2", 5);
	add_extension(&extensions, 16, "\0\3\2h2", 5);
	make_message(&extensions);
	make_records(16384);
	refused(false, "@client_hello_extensions#twice");
}

static void test_encrypted_hellos_are_refused(void **state)
{
	static const size_t types[] = {0xfe0d, 0xfe08, 0xfe0a, 0xffce, 0xff02};
	static struct bytes extensions;

	(void)state;
	for (size_t i = 0; i < COUNT(types); i++) {
		extensions.size = 0;
		add_name(&extensions, "a.org", 5);
		add_extension(&extensions, types[i], "\0\0\1\0\1", 5);
		make_message(&extensions);
		make_records(16384);
		refused(false, "@client_hello_extensions#encrypted");
	}
	extensions.size = 0;
	add_extension(&extensions, 0xfe0d, NULL, 0); /* before the name, too */
	add_name(&extensions, "a.org", 5);
	make_message(&extensions);
	make_records(16384);
	refused(false, "@client_hello_extensions#encrypted");
	extensions.size = 0;
	add_extension(&extensions, 0x0a0a, NULL, 0); /* GREASE is none */
	add_extension(&extensions, 0xfe0e, NULL, 0);
	add_name(&extensions, "a.org", 5);
	make_message(&extensions);
	make_records(16384);
	names("a.org");
}

static void test_a_second_hello_is_judged_behind_what_may_precede_it(void **state)
{
	static uint8_t data[16384 + 257];

	(void)state;
	add(&wire, hello_second, sizeof(hello_second)); /* with a ChangeCipherSpec */
	assert_int_equal(verdict(true), HELLO_NAMED);
	assert_string_equal(reader.name, "api.example.org");
	assert_int_equal(reader.used, sizeof(hello_second));
	add(&wire, hello_second, sizeof(hello_second));
	refused(false, "@client_hello_type#record");
	make_hello("b.org"); /* without one */
	assert_int_equal(verdict(true), HELLO_NAMED);
	assert_string_equal(reader.name, "b.org");

	add_record(20, "\1", 1); /* with early data in between */
	add_record(23, data, 16384 + 256);
	add_record(23, data, 0);
	add_record(23, data, 16384);
	make_hello("b.org");
	assert_int_equal(verdict(true), HELLO_NAMED);

	add_record(20, "\1", 1);
	add_record(20, "\1", 1);
	refused(true, "@client_hello_type#record");
	add_record(20, "\2", 1);
	refused(true, "an odd ChangeCipherSpec");
	add_record(20, "\1\1", 2);
	refused(true, "an odd ChangeCipherSpec");
	add_record(20, "", 0);
	refused(true, "an odd ChangeCipherSpec");
	add_record(23, data, 16384 + 257);
	refused(true, "@client_hello_length#2");
	add_number(&wire, 1, 20);
	add_number(&wire, 2, 0x0201);
	refused(true, "@client_hello_header");
	/* Not in the middle of a hello. */
	add_record(22, "\1\0\0\4\3", 5);
	add_record(20, "\1", 1);
	refused(true, "@client_hello_type#record");
}

/* The conversation that gets past who looks at the first hello only. */
static void test_another_name_in_the_second_hello_is_seen(void **state)
{
	static const char name[] = "api.example.org";
	uint8_t *at;

	(void)state;
	add(&wire, hello_first, sizeof(hello_first));
	names(name);
	add(&wire, hello_second, sizeof(hello_second));
	at = memmem(wire.at, wire.size, name, strlen(name));
	assert_non_null(at);
	memcpy(at, "bad.example.org", strlen(name));
	assert_int_equal(verdict(true), HELLO_NAMED);
	assert_string_equal(reader.name, "bad.example.org");
}

static void test_early_data_is_bounded(void **state)
{
	static uint8_t data[11];

	(void)state;
	for (size_t i = 0; i < HELLO_SKIP_MAX / 16; i++)
		add_record(23, data, 11);
	make_hello("b.org");
	assert_int_equal(verdict(true), HELLO_NAMED);
	for (size_t i = 0; i < HELLO_SKIP_MAX / 16; i++)
		add_record(23, data, 11);
	add_record(23, data, 0);
	refused(true, "@client_hello_length#early");
	for (size_t i = 0; i <= HELLO_SKIP_MAX / 5; i++)
		add_record(23, data, 0);
	refused(true, "@client_hello_length#early");
}

/* What a caller keeps until the verdict fits into HELLO_WIRE_MAX. */
static void test_the_longest_hello_is_as_long_as_said(void **state)
{
	static struct bytes extensions;
	static uint8_t padding[HELLO_BODY_MAX];
	static uint8_t data[11];

	(void)state;
	add_record(20, "\1", 1);
	for (size_t i = 0; i < HELLO_SKIP_MAX / 16; i++)
		add_record(23, data, 11);
	extensions.size = 0;
	add_name(&extensions, "a.org", 5);
	add_extension(&extensions, 21, padding, HELLO_BODY_MAX - 43 - 4 - extensions.size);
	make_message(&extensions);
	add_record(22, body.at, 1);
	for (size_t i = 1; i < HELLO_RECORDS - 1; i++)
		add_record(22, body.at + i, 1);
	add_record(22, body.at + HELLO_RECORDS - 1, body.size - HELLO_RECORDS + 1);
	assert_int_equal(wire.size, HELLO_WIRE_MAX);
	assert_int_equal(verdict(true), HELLO_NAMED);
}

/* -- the server's ----------------------------------------------------------------------------- */

static enum server_hello_state answer(const uint8_t *bytes, size_t size)
{
	struct server_hello_reader at_once = {0};
	struct server_hello_reader by_byte = {0};
	enum server_hello_state state = server_hello_feed(&at_once, bytes, size);

	for (size_t i = 0; i < size; i++)
		(void)server_hello_feed(&by_byte, bytes + i, 1);
	assert_int_equal(by_byte.state, state);
	return state;
}

static void test_a_retry_is_told_from_a_hello(void **state)
{
	uint8_t changed[sizeof(hello_retry)];

	(void)state;
	assert_int_equal(answer(hello_retry, sizeof(hello_retry)), SERVER_RETRY);
	assert_int_equal(answer(hello_answer13, sizeof(hello_answer13)), SERVER_FINAL);
	assert_int_equal(answer(hello_answer12, sizeof(hello_answer12)), SERVER_FINAL);
	assert_int_equal(answer(hello_answer_second, sizeof(hello_answer_second)), SERVER_FINAL);
	/* Every byte of the random is needed, and nothing behind it. */
	for (size_t size = 0; size < 5 + 38; size++)
		assert_int_equal(answer(hello_retry, size), SERVER_MORE);
	assert_int_equal(answer(hello_retry, 5 + 38), SERVER_RETRY);
	for (size_t at = 5 + 6; at < 5 + 38; at++) {
		memcpy(changed, hello_retry, sizeof(changed));
		changed[at] ^= 1;
		assert_int_equal(answer(changed, sizeof(changed)), SERVER_FINAL);
	}
}

static void test_a_retry_in_pieces_is_one(void **state)
{
	(void)state;
	for (size_t most = 1; most < 40; most++) {
		wire.size = 0;
		for (size_t at = 0; at < 38; at += most)
			add_record(22, hello_retry + 5 + at, 38 - at < most ? 38 - at : most);
		assert_int_equal(answer(wire.at, wire.size), SERVER_RETRY);
	}
	wire.size = 0;
}

static void test_other_answers_are_final(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		enum server_hello_state state;
	} table[] = {
		{"\x15\x03\x03\0\2\2\x28",                 7,  SERVER_FINAL}, /* fatal */
		{"\x15\x03\x03\0\2\1\x70",                 7,  SERVER_MORE }, /* a warning */
		{"\x15\x03\x03\0\3\1\x70\0",               8,  SERVER_FINAL},
		{"\x17\x03\x03\0\1\1",                     6,  SERVER_FINAL},
		{"\x14\x03\x03\0\1\1",                     6,  SERVER_FINAL},
		{"\x16\x03\x03\0\0",                       5,  SERVER_FINAL},
		{"HTTP/1.1 400 Bad Request\r\n",           26, SERVER_FINAL},
		{"\x16\x03\x03\0\4\0\0\0\0",               9,  SERVER_FINAL}, /* HelloRequest */
		{"\x16\x03\x03\0\1\2\x15\x03\x03\0\2\1\0", 13, SERVER_FINAL}, /* in the middle */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		assert_int_equal(answer((const uint8_t *)table[i].bytes, table[i].size),
				 table[i].state);
	/* A retry behind a few warnings is seen, and there are only a few. */
	for (size_t i = 0; i < 4; i++)
		add(&wire, "\x15\x03\x03\0\2\1\x70", 7);
	add(&wire, hello_retry, sizeof(hello_retry));
	assert_int_equal(answer(wire.at, wire.size), SERVER_RETRY);
	wire.size = 0;
	for (size_t i = 0; i < 5; i++)
		add(&wire, "\x15\x03\x03\0\2\1\x70", 7);
	assert_int_equal(answer(wire.at, wire.size), SERVER_FINAL);
	wire.size = 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real_hellos_are_named),
		cmocka_unit_test(test_a_hello_is_judged_with_its_last_byte),
		cmocka_unit_test(test_what_follows_a_hello_is_not_used),
		cmocka_unit_test(test_a_hello_may_come_in_pieces),
		cmocka_unit_test(test_bounds_of_a_hello),
		cmocka_unit_test(test_what_is_not_tls),
		cmocka_unit_test(test_a_changed_hello_is_refused_or_the_same),
		cmocka_unit_test(test_lengths_that_do_not_fit),
		cmocka_unit_test(test_names_that_are_none),
		cmocka_unit_test(test_two_names_are_refused),
		cmocka_unit_test(test_encrypted_hellos_are_refused),
		cmocka_unit_test(test_a_second_hello_is_judged_behind_what_may_precede_it),
		cmocka_unit_test(test_another_name_in_the_second_hello_is_seen),
		cmocka_unit_test(test_early_data_is_bounded),
		cmocka_unit_test(test_the_longest_hello_is_as_long_as_said),
		cmocka_unit_test(test_a_retry_is_told_from_a_hello),
		cmocka_unit_test(test_a_retry_in_pieces_is_one),
		cmocka_unit_test(test_other_answers_are_final),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
