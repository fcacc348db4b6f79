/*
 * test_dns_message - what the C library's resolver asks is understood, and it understands the
 * answer.
 */
#include "unit.h"

#include <arpa/nameser.h>
#include <netinet/in.h>
#include <resolv.h>
#include <strings.h>

#include "protocol/dns_message.h"

#define HEADER "\x12\x34\x01\x00\0\1\0\0\0\0\0\0" /* with RD and one question */
#define A_ORG  "\1a\3org\0"
#define L63                                                                                        \
	"\x3f"                                                                                     \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define L61                                                                                        \
	"\x3d"                                                                                     \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static struct dns_query query;
static uint8_t answer[DNS_TCP_MAX];

/* A query of the C library's, as it is sent. */
static size_t make_query(const char *name, int type, uint8_t *out)
{
	int size = res_mkquery(ns_o_query, name, ns_c_in, type, NULL, 0, NULL, out, 512);

	assert_true(size > 0);
	return (size_t)size;
}

static unsigned word(const uint8_t *p)
{
	return (unsigned)(p[0] << 8 | p[1]);
}

static unsigned long long_word(const uint8_t *p)
{
	return (unsigned long)word(p) << 16 | word(p + 2);
}

/* In a block of its own size, in which the sanitizer sees every byte too far. */
static int parse(const void *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	int result;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	memset(&query, 0xaa, sizeof(query));
	result = dns_query_parse(copy, size, &query);
	free(copy);
	return result;
}

/* -- reading ---------------------------------------------------------------------------------- */

static void test_what_the_c_library_asks_is_understood(void **state)
{
	static const struct {
		const char *asked;
		int type;
		const char *name;
	} table[] = {
		{"example.org",           ns_t_a,    "example.org"          },
		{"eXaMpLe.ORG.",          ns_t_aaaa, "example.org"          },
		{"db",                    ns_t_a,    "db"                   },
		{"_ldap._tcp.a.org",      ns_t_srv,  "_ldap._tcp.a.org"     },
		{"1.0.0.10.in-addr.arpa", ns_t_ptr,  "1.0.0.10.in-addr.arpa"},
		{"a.org",                 65,        "a.org"                },
		{".",                     ns_t_ns,   ""                     },
		{"a\\.b.org",             ns_t_a,    ""                     },
		{"a\\032b.org",           ns_t_a,    ""                     },
		{"a\\000.org",            ns_t_a,    ""                     },
		{"*.org",                 ns_t_a,    ""                     },
		{"1.2.3.4",               ns_t_a,    ""                     },
		{"-a.org",                ns_t_a,    ""                     },
		{"b\\195\\188cher.org",   ns_t_a,    ""                     },
	};
	uint8_t bytes[512];

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		size_t size = make_query(table[i].asked, table[i].type, bytes);

		if (parse(bytes, size))
			fail_msg("%s: refused", table[i].asked);
		assert_true(query.has_id);
		assert_int_equal(query.id, bytes[0] << 8 | bytes[1]);
		assert_int_equal(query.type, table[i].type);
		assert_int_equal(query.class, DNS_CLASS_IN);
		assert_string_equal(query.name, table[i].name);
		assert_int_equal(query.question_size, size - 12);
		assert_memory_equal(query.question, bytes + 12, size - 12);
		assert_false(query.has_edns);
		assert_int_equal(query.udp_size, 512);
		/* Cut off anywhere, or with a byte more, it is none. */
		for (size_t less = 0; less < size; less++) {
			assert_int_equal(parse(bytes, less), -1);
			assert_int_equal(query.has_id, less >= 12);
		}
		bytes[size] = 0;
		assert_int_equal(parse(bytes, size + 1), -1);
	}
}

static void test_edns_says_the_room(void **state)
{
	static const struct {
		const char *opt;
		size_t size;
		int result;
		uint16_t udp_size;
	} table[] = {
		{"\0\0\x29\x04\xd0\0\0\0\0\0\0",            11, 0,  1232},
		{"\0\0\x29\x02\x58\0\0\0\0\0\0",            11, 0,  600 },
		{"\0\0\x29\0\0\0\0\0\0\0\0",                11, 0,  512 },
		{"\0\0\x29\xff\xff\0\0\x80\0\0\0",          11, 0,  1232},
		{"\0\0\x29\x02\0\0\0\0\0\0\4\0\x0a\0\0",    15, 0,  512 },
		{"\0\0\x29\x02\0\0\0\0\0\0\7\0\x0a\0\3abc", 18, 0,  512 },
		{"\0\0\x29\x02\0\0\0\0\0\0\7\0\x0a\0\4abc", 18, -1, 512 },
		{"\0\0\x29\x02\0\0\0\0\0\0\7\0\x0a\0\2abc", 18, -1, 512 },
		{"\0\0\x29\x02\0\0\0\0\0\0\3\0\x0a\0",      14, -1, 512 },
		{"\0\0\x29\x02\0\0\0\0\0\0\1",              11, -1, 512 },
		{"\0\0\x29\x02\0\0\0\0\0\0\0x",             12, -1, 512 },
		{"\0\0\x29\x02\0\0\0\0\0\0",                10, -1, 512 },
		{"\0\0\x29\x02\0\0\1\0\0\0\0",              11, -1, 512 }, /* version 1 */
		{"\0\0\x29\x02\0\1\0\0\0\0\0",              11, -1, 512 }, /* a status */
		{"\0\0\1\0\1\0\0\0\0\0\4\1\2\3\4",          15, -1, 512 }, /* an A */
		{"\0\0\xfa\0\xff\0\0\0\0\0\0",              11, -1, 512 }, /* TSIG */
		{"\xc0\x0c\0\x29\x02\0\0\0\0\0\0\0",        12, -1, 512 },
		{"\1a\0\0\x29\x02\0\0\0\0\0\0\0",           13, -1, 512 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		uint8_t bytes[512];
		size_t size = make_query("a.org", ns_t_a, bytes);

		bytes[11] = 1;
		memcpy(bytes + size, table[i].opt, table[i].size);
		size += table[i].size;
		if (parse(bytes, size) != table[i].result)
			fail_msg("%zu", i);
		assert_true(query.has_id);
		if (table[i].result) {
			assert_int_equal(query.outcome, DNS_FORMERR);
			continue;
		}
		assert_true(query.has_edns);
		assert_int_equal(query.udp_size, table[i].udp_size);
		assert_int_equal(query.wants_dnssec, i == 3);
		for (size_t less = 12; less < size; less++)
			assert_int_equal(parse(bytes, less), -1);
	}
}

static void test_what_is_no_query(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		bool has_id;
		enum dns_outcome outcome;
	} table[] = {
		{"",								   0,   false, DNS_FORMERR},
		{"\x12",							       1,   false, DNS_FORMERR},
		{"\x12\x34\x81\x00\0\1\0\0\0\0\0\0" A_ORG "\0\1\0\1",                  23,  false, DNS_FORMERR},
		{"\x12\x34\x80\x00\0\0\0\0\0\0\0\0",                                   12,  false, DNS_FORMERR},
		{"\x12\x34\x29\x00\0\1\0\0\0\0\0\0" A_ORG "\0\1\0\1",                  23,  true,  DNS_NOTIMP },
		{"\x12\x34\x10\x00\0\0\0\0\0\0\0\0",                                   12,  true,  DNS_NOTIMP },
		{"\x12\x34\x05\x00\0\1\0\0\0\0\0\0" A_ORG "\0\1\0\1",                  23,  true,  DNS_FORMERR},
		{"\x12\x34\x03\x00\0\1\0\0\0\0\0\0" A_ORG "\0\1\0\1",                  23,  true,  DNS_FORMERR},
		{"\x12\x34\x01\x80\0\1\0\0\0\0\0\0" A_ORG "\0\1\0\1",                  23,  true,  DNS_FORMERR},
		{"\x12\x34\x01\x40\0\1\0\0\0\0\0\0" A_ORG "\0\1\0\1",                  23,  true,  DNS_FORMERR},
		{"\x12\x34\x01\x03\0\1\0\0\0\0\0\0" A_ORG "\0\1\0\1",                  23,  true,  DNS_FORMERR},
		{"\x12\x34\x01\x00\0\0\0\0\0\0\0\0",                                   12,  true,  DNS_FORMERR},
		{"\x12\x34\x01\x00\0\2\0\0\0\0\0\0" A_ORG "\0\1\0\1" A_ORG "\0\1\0\1", 34,  true,
		 DNS_FORMERR										  },
		{"\x12\x34\x01\x00\1\1\0\0\0\0\0\0" A_ORG "\0\1\0\1",                  23,  true,  DNS_FORMERR},
		{"\x12\x34\x01\x00\0\1\0\1\0\0\0\0" A_ORG "\0\1\0\1",                  23,  true,  DNS_FORMERR},
		{"\x12\x34\x01\x00\0\1\0\0\0\1\0\0" A_ORG "\0\1\0\1",                  23,  true,  DNS_FORMERR},
		{"\x12\x34\x01\x00\0\1\0\0\0\0\0\2" A_ORG "\0\1\0\1",                  23,  true,  DNS_FORMERR},
		{"\x12\x34\x01\x00\0\1\0\0\0\0\0\1" A_ORG "\0\1\0\1",                  23,  true,  DNS_FORMERR},
		{HEADER "\xc0\x0c\0\1\0\1",					    18,  true,  DNS_FORMERR},
		{HEADER "\1a\xc0\x0c\0\1\0\1",                                         20,  true,  DNS_FORMERR},
		{HEADER "\x40" A_ORG "\0\1\0\1",                                       24,  true,  DNS_FORMERR},
		{HEADER "\x80" A_ORG "\0\1\0\1",                                       24,  true,  DNS_FORMERR},
		{HEADER "\x20" A_ORG "\0\1\0\1",                                       24,  true,  DNS_FORMERR},
		{HEADER "\1a\3org",						    18,  true,  DNS_FORMERR},
		{HEADER L63 L63 L63 L61 "\1\0\0\1\0\1",                                272, true,  DNS_FORMERR},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		if (!parse(table[i].bytes, table[i].size))
			fail_msg("%zu: accepted", i);
		assert_int_equal(query.has_id, table[i].has_id);
		if (query.has_id)
			assert_int_equal(query.id, 0x1234);
		assert_int_equal(query.outcome, table[i].outcome);
	}
}

static void test_the_longest_name(void **state)
{
	(void)state;
	/* 255 bytes: three labels of 63, one of 61, four lengths and the end. */
	assert_int_equal(parse(HEADER L63 L63 L63 L61 "\0\0\1\0\1", 12 + 255 + 4), 0);
	assert_int_equal(strlen(query.name), 253);
	assert_int_equal(query.question_size, DNS_QUESTION_MAX);
	assert_int_equal(dns_answer(&query, DNS_NXDOMAIN, NULL, 0, 5, answer, 512),
			 12 + 259 + 12 + 22);
}

/* -- answers, as the C library reads them ------------------------------------------------------ */

struct record {
	char owner[256];
	unsigned type;
	unsigned class;
	unsigned long ttl;
	const uint8_t *data;
	size_t size;
};

static struct {
	unsigned flags;
	unsigned counts[4];
	char asked[256];
	struct record records[80];
} seen;

static size_t read_name(size_t at, size_t size, char out[256])
{
	int used = dn_expand(answer, answer + size, answer + at, out, 256);

	assert_true(used > 0);
	return at + (size_t)used;
}

static void read_answer(size_t size)
{
	size_t at = 12;
	size_t count;

	assert_true(size >= 12);
	assert_int_equal(word(answer), query.id);
	memset(&seen, 0, sizeof(seen));
	seen.flags = word(answer + 2);
	for (size_t i = 0; i < 4; i++)
		seen.counts[i] = word(answer + 4 + 2 * i);
	assert_true(seen.counts[0] <= 1);
	if (seen.counts[0]) {
		at = read_name(at, size, seen.asked) + 4;
		assert_memory_equal(answer + 12, query.question, query.question_size);
	}
	count = seen.counts[1] + seen.counts[2] + seen.counts[3];
	assert_true(count <= COUNT(seen.records));
	for (size_t i = 0; i < count; i++) {
		struct record *r = &seen.records[i];

		at = read_name(at, size, r->owner);
		assert_true(at + 10 <= size);
		r->type = word(answer + at);
		r->class = word(answer + at + 2);
		r->ttl = long_word(answer + at + 4);
		r->size = word(answer + at + 8);
		r->data = answer + at + 10;
		at += 10 + r->size;
		assert_true(at <= size);
	}
	assert_int_equal(at, size);
}

static void ask(const char *name, int type, bool has_edns)
{
	uint8_t bytes[512];
	size_t size = make_query(name, type, bytes);

	if (has_edns) {
		memcpy(bytes + size, "\0\0\x29\x04\xd0\0\0\x80\0\0\0", 11);
		bytes[11] = 1;
		size += 11;
	}
	assert_int_equal(parse(bytes, size), 0);
}

static struct address parsed(const char *text)
{
	struct address out;

	assert_int_equal(address_parse(text, &out), 0);
	return out;
}

static void test_addresses_of_the_family_are_answered(void **state)
{
	const struct address addresses[] = {parsed("198.18.0.7"), parsed("fd00::7"),
					    parsed("198.18.0.8")};

	(void)state;
	for (int has_edns = 0; has_edns < 2; has_edns++) {
		ask("eXample.ORG", ns_t_a, has_edns);
		read_answer(dns_answer(&query, DNS_ADDRESSES, addresses, 3, 77, answer, 512));
		assert_int_equal(seen.flags, 0x8180);
		assert_string_equal(seen.asked, "eXample.ORG");
		assert_int_equal(seen.counts[1], 2);
		assert_int_equal(seen.counts[2], 0);
		assert_int_equal(seen.counts[3], has_edns);
		for (size_t i = 0; i < 2; i++) {
			assert_string_equal(seen.records[i].owner, "eXample.ORG");
			assert_int_equal(seen.records[i].type, ns_t_a);
			assert_int_equal(seen.records[i].class, ns_c_in);
			assert_int_equal(seen.records[i].ttl, 77);
			assert_int_equal(seen.records[i].size, 4);
			assert_memory_equal(seen.records[i].data, addresses[2 * i].bytes, 4);
		}
		if (has_edns) {
			assert_int_equal(seen.records[2].type, ns_t_opt);
			assert_int_equal(seen.records[2].class, DNS_UDP_MAX);
			assert_int_equal(seen.records[2].ttl, 0x8000); /* DO is repeated */
			assert_int_equal(seen.records[2].size, 0);
		}
	}
	ask("a.org", ns_t_aaaa, false);
	read_answer(dns_answer(&query, DNS_ADDRESSES, addresses, 3, 1, answer, 512));
	assert_int_equal(seen.counts[1], 1);
	assert_int_equal(seen.records[0].type, ns_t_aaaa);
	assert_int_equal(seen.records[0].size, 16);
	assert_memory_equal(seen.records[0].data, addresses[1].bytes, 16);
}

static void test_absence_comes_with_an_soa(void **state)
{
	const struct address v4 = parsed("198.18.0.7");
	static const struct {
		const char *name;
		int type;
		enum dns_outcome outcome;
		unsigned rcode;
		const char *zone;
	} table[] = {
		{"a.b.org", ns_t_a,    DNS_NXDOMAIN,  3, "b.org"},
		{"a.b.org", ns_t_a,    DNS_NODATA,    0, "b.org"},
		{"a.b.org", ns_t_aaaa, DNS_ADDRESSES, 0, "b.org"}, /* has IPv4 only */
		{"a.b.org", 65,        DNS_ADDRESSES, 0, "b.org"},
		{"db",      ns_t_a,    DNS_NXDOMAIN,  3, ""     },
		{".",       ns_t_ns,   DNS_NXDOMAIN,  3, ""     },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		const uint8_t *data;

		ask(table[i].name, table[i].type, i % 2);
		read_answer(dns_answer(&query, table[i].outcome, &v4, 1, 9, answer, 512));
		assert_int_equal(seen.flags, 0x8180 | table[i].rcode);
		assert_int_equal(seen.counts[1], 0);
		assert_int_equal(seen.counts[2], 1);
		assert_int_equal(seen.counts[3], i % 2);
		assert_int_equal(seen.records[0].type, ns_t_soa);
		assert_string_equal(seen.records[0].owner, table[i].zone);
		assert_int_equal(seen.records[0].ttl, 9);
		assert_int_equal(seen.records[0].size, 22);
		data = seen.records[0].data;
		assert_int_equal(word(data), 0);
		assert_int_equal(long_word(data + 18), 9); /* kept so long, if absent */
	}
}

static void test_other_outcomes_are_a_status(void **state)
{
	static const struct {
		enum dns_outcome outcome;
		unsigned rcode;
	} table[] = {
		{DNS_REFUSED,  5},
                {DNS_SERVFAIL, 2},
                {DNS_NOTIMP,   4},
                {DNS_FORMERR,  1}
        };
	const struct address v4 = parsed("198.18.0.7");

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		ask("a.org", ns_t_a, true);
		read_answer(dns_answer(&query, table[i].outcome, &v4, 1, 9, answer, 512));
		assert_int_equal(seen.flags, 0x8180 | table[i].rcode);
		assert_int_equal(seen.counts[0], 1);
		assert_int_equal(seen.counts[1] + seen.counts[2], 0);
	}
	/* What could not be read has no question to repeat. */
	assert_int_equal(parse("\x12\x34\x10\x00\0\1\0\0\0\0\0\0", 12), -1);
	assert_int_equal(dns_answer(&query, query.outcome, NULL, 0, 0, answer, 512), 12);
	assert_memory_equal(answer, "\x12\x34\x80\x84\0\0\0\0\0\0\0\0", 12);
	assert_int_equal(parse(HEADER "\xc0\x0c\0\1\0\1", 18), -1);
	assert_int_equal(dns_answer(&query, query.outcome, NULL, 0, 0, answer, 512), 12);
	assert_memory_equal(answer, "\x12\x34\x81\x81\0\0\0\0\0\0\0\0", 12);
	/* RD and CD are repeated, AD is not. */
	assert_int_equal(parse("\x12\x34\0\x30\0\1\0\0\0\0\0\0" A_ORG "\0\1\0\1", 23), 0);
	read_answer(dns_answer(&query, DNS_REFUSED, NULL, 0, 0, answer, 512));
	assert_int_equal(seen.flags, 0x8095);
}

static void test_what_does_not_fit_is_asked_for_over_tcp(void **state)
{
	struct address addresses[60];
	size_t size;

	(void)state;
	for (size_t i = 0; i < COUNT(addresses); i++) {
		addresses[i] = parsed("198.18.0.0");
		addresses[i].bytes[3] = (uint8_t)i;
	}
	ask("a.org", ns_t_a, false);
	/* 12 of header, 11 of question, 16 of each address. */
	size = dns_answer(&query, DNS_ADDRESSES, addresses, 30, 5, answer, 512);
	read_answer(size);
	assert_int_equal(seen.counts[1], 30);
	size = dns_answer(&query, DNS_ADDRESSES, addresses, 31, 5, answer, 512);
	read_answer(size);
	assert_int_equal(seen.flags, 0x8380);
	assert_int_equal(seen.counts[1], 0);
	read_answer(dns_answer(&query, DNS_ADDRESSES, addresses, 60, 5, answer, DNS_TCP_MAX));
	assert_int_equal(seen.flags, 0x8180);
	assert_int_equal(seen.counts[1], 60);
	/* No byte more than there is room for. */
	for (size_t room = 0; room < 200; room++) {
		memset(answer, 0xaa, 256);
		size = dns_answer(&query, DNS_NXDOMAIN, NULL, 0, 5, answer, room);
		assert_true(size <= room);
		assert_int_equal(size, room < 23 ? 0 : room < 23 + 34 ? 23 : 23 + 34);
		for (size_t i = size; i < 256; i++)
			assert_int_equal(answer[i], 0xaa);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_the_c_library_asks_is_understood),
		cmocka_unit_test(test_edns_says_the_room),
		cmocka_unit_test(test_what_is_no_query),
		cmocka_unit_test(test_the_longest_name),
		cmocka_unit_test(test_addresses_of_the_family_are_answered),
		cmocka_unit_test(test_absence_comes_with_an_soa),
		cmocka_unit_test(test_other_outcomes_are_a_status),
		cmocka_unit_test(test_what_does_not_fit_is_asked_for_over_tcp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
