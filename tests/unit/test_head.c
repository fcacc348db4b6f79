/*
 * test_head - the head of a request is understood in one way, or refused.
 */
#include "unit.h"

#include "web/head.h"

#define HOST "Host: a\r\n"
#define GET  "GET / HTTP/1.1\r\n" HOST

/* Bytes, which may have a NUL among them. */
struct bytes {
	const char *at;
	size_t length;
};
#define BYTES(literal)                                                                             \
	{                                                                                          \
		(literal), sizeof(literal) - 1                                                     \
	}

static struct head head;

/* A block of its own size: what reads beyond it is seen. */
static char *copy_of(const char *bytes, size_t length)
{
	char *copy = malloc(length);

	assert_non_null(copy);
	if (length)
		memcpy(copy, bytes, length);
	return copy;
}

static size_t size_of(const char *bytes, size_t length, size_t *seen)
{
	char *copy = copy_of(bytes, length);
	size_t size = head_size(copy, length, seen);

	free(copy);
	return size;
}

/* Parse the head at the beginning of these bytes. The caller frees what `head` points into. */
static char *parse(const char *bytes, size_t length)
{
	size_t seen = 0;
	size_t size = size_of(bytes, length, &seen);
	char *copy = copy_of(bytes, size);

	memset(&head, 0xa5, sizeof(head));
	head_parse(copy, size, &head);
	assert_non_null(head.method);
	assert_non_null(head.path);
	assert_int_equal(head.status != 0, head.wrong != NULL);
	return copy;
}

static char *parse_good(const char *text)
{
	char *copy = parse(text, strlen(text));

	if (head.status)
		fail_msg("refused: %s: %s", text, head.wrong);
	return copy;
}

/* -- good heads ------------------------------------------------------------------------------- */

enum {
	OLD = 1, /* HTTP/1.0 */
	LAST = 2,
	CHUNKED = 4,
	LENGTH = 8,
	ASKS = 16,
};

static const struct good {
	const char *text;
	const char *method;
	const char *path;
	unsigned count;
	int flags;
} good_heads[] = {
	{GET "\r\n",						  "GET",       "/",         1, 0                  },
	{"POST /a/b HTTP/1.1\r\n" HOST "\r\n",                        "POST",      "/a/b",      1, 0                  },
	{"M-SEARCH! /%00%20 HTTP/1.1\r\n" HOST "\r\n",                "M-SEARCH!", "/%00%20",   1, 0                  },
	{"get /\xc3\xa9 HTTP/1.1\r\n" HOST "\r\n",                    "get",       "/\xc3\xa9", 1, 0                  },
	{"GET /a?b=/c?d HTTP/1.1\r\n" HOST "\r\n",                    "GET",       "/a",        1, 0                  },
	{"GET /? HTTP/1.1\r\n" HOST "\r\n",                           "GET",       "/",         1, 0                  },
	{"GET //b/../c HTTP/1.1\r\n" HOST "\r\n",                     "GET",       "//b/../c",  1, 0                  },
	{"GET / HTTP/1.0\r\n\r\n",				    "GET",       "/",         0, OLD | LAST         },
	{"GET / HTTP/1.0\r\n" HOST "Connection: keep-alive\r\n\r\n",  "GET",       "/",         2, OLD | LAST         },
	{"POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\n",              "POST",      "/",         1, OLD | LAST | LENGTH},
	{"GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n",            "GET",       "/",         1, OLD | LAST         },
	{"GET / HTTP/1.1\r\nHost:\r\n\r\n",                           "GET",       "/",         1, 0                  },
	{GET "Content-Length: 5\r\n\r\n",                             "GET",       "/",         2, LENGTH             },
	{GET "Transfer-Encoding: chunked\r\n\r\n",                    "GET",       "/",         2, CHUNKED            },
	{GET "transfer-encoding:\tCHUNKED \r\n\r\n",                  "GET",       "/",         2, CHUNKED            },
	{GET "Connection: close\r\n\r\n",                             "GET",       "/",         2, LAST               },
	{GET "Expect: 100-Continue\r\nContent-Length: 5\r\n\r\n",     "GET",       "/",         3, ASKS | LENGTH      },
	{GET "Expect: 200-ok\r\n\r\n",                                "GET",       "/",         2, 0                  },
	{GET "Accept: a\r\nAccept: b\r\nEmpty:\r\nX: y z\tw\r\n\r\n", "GET",       "/",         5, 0                  },
};

static int flags_of_head(void)
{
	return (head.is_http10 ? OLD : 0) | (head.is_last ? LAST : 0) |
	       (head.is_chunked ? CHUNKED : 0) | (head.has_length ? LENGTH : 0) |
	       (head.asks_first ? ASKS : 0);
}

static void test_good_heads(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(good_heads); i++) {
		const struct good *good = &good_heads[i];
		char *copy = parse_good(good->text);

		assert_string_equal(head.method, good->method);
		assert_string_equal(head.path, good->path);
		assert_int_equal(head.count, good->count);
		if (flags_of_head() != good->flags)
			fail_msg("%s: flags %d", good->text, flags_of_head());
		assert_int_equal(head.length, good->flags & LENGTH ? 5 : 0);
		free(copy);
	}
}

static void test_values_have_no_blanks_around_them(void **state)
{
	static const struct {
		const char *line;
		const char *name;
		const char *value;
	} table[] = {
		{"X: y",                     "X",                     "y"       },
		{"X:y",                      "X",                     "y"       },
		{"X:\t \ty \t ",             "X",                     "y"       },
		{"X: y z\tw ",               "X",                     "y z\tw"  },
		{"X:",		       "X",                     ""        },
		{"X: \t ",                   "X",                     ""        },
		{"X::",                      "X",                     ":"       },
		{"X: y: z",                  "X",                     "y: z"    },
		{"X: \xff\x80",              "X",                     "\xff\x80"},
		{"!#$%&'*+-.^_`|~09azAZ: y", "!#$%&'*+-.^_`|~09azAZ", "y"       },
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		char *copy;

		snprintf(text, sizeof(text), GET "%s\r\nLast: z\r\n\r\n", table[i].line);
		copy = parse_good(text);
		assert_int_equal(head.count, 3);
		assert_string_equal(head.fields[1].name, table[i].name);
		assert_string_equal(head.fields[1].value, table[i].value);
		assert_string_equal(head.fields[2].value, "z");
		free(copy);
	}
}

static void test_a_header_is_found_in_any_case(void **state)
{
	char *copy = parse_good(GET "Accept: 1\r\nACCEPT: 2\r\nAcc: 3\r\naccept: \r\n\r\n");

	(void)state;
	assert_string_equal(head_field(&head, "accept"), "1");
	assert_string_equal(head_field(&head, "aCC"), "3");
	assert_string_equal(head_field(&head, "HOST"), "a");
	assert_null(head_field(&head, "Accep"));
	assert_null(head_field(&head, ""));
	assert_int_equal(head_field_count(&head, "Accept"), 3);
	assert_int_equal(head_field_count(&head, "Acc"), 1);
	assert_int_equal(head_field_count(&head, "Accepts"), 0);
	free(copy);
}

static void test_words_of_a_list(void **state)
{
	static const struct {
		const char *list;
		bool has;
	} table[] = {
		{"close",               true },
		{"Close",               true },
		{"keep-alive, Close",   true },
		{"keep-alive,close,TE", true },
		{",, close\t,",         true },
		{"",                    false},
		{",",                   false},
		{" ",                   false},
		{"keep-alive",          false},
		{"closed",              false},
		{"clos",                false},
		{"xclose",              false},
		{"close-it, not-close", false},
		{"\"close\"",           false},
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		char *copy;

		if (head_list_has(table[i].list, "close") != table[i].has)
			fail_msg("%s", table[i].list);
		snprintf(text, sizeof(text), GET "Connection: TE\r\nConnection: %s\r\n\r\n",
			 table[i].list);
		copy = parse_good(text);
		assert_int_equal(head.is_last, table[i].has);
		free(copy);
	}
}

static void test_lengths(void **state)
{
	static const struct {
		const char *text;
		uint64_t length;
	} table[] = {
		{"0",                  0                 },
		{"1",                  1                 },
		{"007",                7                 },
		{" 4294967296 ",       4294967296        },
		{"000000000000000000", 0                 },
		{"999999999999999999", 999999999999999999},
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		char *copy;

		snprintf(text, sizeof(text), GET "Content-Length:%s\r\n\r\n", table[i].text);
		copy = parse_good(text);
		assert_true(head.has_length);
		assert_true(head.length == table[i].length);
		free(copy);
	}
}

static void test_as_many_headers_as_there_is_room_for(void **state)
{
	static const char field[] = "X: y\r\n";
	char text[sizeof(GET) + (HEAD_FIELDS + 1) * sizeof(field)];
	char *copy;

	(void)state;
	for (unsigned count = HEAD_FIELDS - 1; count <= HEAD_FIELDS + 1; count++) {
		int length = snprintf(text, sizeof(text), GET);

		for (unsigned i = 1; i < count; i++)
			length += snprintf(text + length, sizeof(text) - (size_t)length, field);
		length += snprintf(text + length, sizeof(text) - (size_t)length, "\r\n");
		copy = parse(text, (size_t)length);
		assert_int_equal(head.status, count <= HEAD_FIELDS ? 0 : 431);
		assert_int_equal(head.count, count <= HEAD_FIELDS ? count : HEAD_FIELDS);
		free(copy);
	}
}

/* -- refusals --------------------------------------------------------------------------------- */

static void is_refused(const char *bytes, size_t length, unsigned status)
{
	char *copy = parse(bytes, length);

	if (head.status != status)
		fail_msg("%.*s: status %u", (int)length, bytes, head.status);
	assert_true(head.is_last);
	free(copy);
}

static void first_lines_are_refused(const char *const *lines, size_t count, unsigned status)
{
	char text[200];

	for (size_t i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%s\r\n" HOST "\r\n", lines[i]);
		is_refused(text, strlen(text), status);
	}
}

/* Neither as the first header, nor as the last one. */
static void headers_are_refused(const char *const *lines, size_t count, unsigned status)
{
	char text[200];

	for (size_t i = 0; i < count; i++) {
		snprintf(text, sizeof(text), GET "%s\r\n\r\n", lines[i]);
		is_refused(text, strlen(text), status);
		snprintf(text, sizeof(text), "GET / HTTP/1.1\r\n%s\r\n" HOST "\r\n", lines[i]);
		is_refused(text, strlen(text), status);
	}
}

static void test_first_lines_that_are_refused(void **state)
{
	static const char *const lines[] = {
		" ",
		"GET",
		"GET ",
		"GET /",
		"GET / ",
		"/ HTTP/1.1",
		"GET HTTP/1.1",
		"GET  HTTP/1.1",
		" GET / HTTP/1.1",
		" / HTTP/1.1",
		"GET  / HTTP/1.1",
		"GET /  HTTP/1.1",
		"GET / x HTTP/1.1",
		"GET\t/\tHTTP/1.1",
		"GET\t/ HTTP/1.1",
		"GET /\tHTTP/1.1",
		"GET /\t HTTP/1.1",
		"GET / \tHTTP/1.1",
		"GET: / HTTP/1.1",
		"G@T / HTTP/1.1",
		"\"GET\" / HTTP/1.1",
		"G\xc3T / HTTP/1.1",
		"G\rT / HTTP/1.1",
		"\rGET / HTTP/1.1",
		"G\x7fT / HTTP/1.1",
		"GET / http/1.1",
		"GET / HTTP",
		"GET / HTTPS/1.1",
		"GET / XHTTP/1.1",
		"HTTP/1.1 200 OK",
	};

	(void)state;
	first_lines_are_refused(lines, COUNT(lines), 400);
}

static void test_targets_that_are_refused(void **state)
{
	static const char *const lines[] = {
		"GET * HTTP/1.1",         "OPTIONS * HTTP/1.1",    "GET a HTTP/1.1",
		"GET ?a HTTP/1.1",        "GET a/b HTTP/1.1",      "GET \\a HTTP/1.1",
		"GET http://a/ HTTP/1.1", "GET //\x01 HTTP/1.1",   "GET /\x1f HTTP/1.1",
		"GET /\x7f HTTP/1.1",     "GET /a\rb HTTP/1.1",    "GET /\v HTTP/1.1",
		"GET /?a\x01 HTTP/1.1",   "GET /?a b HTTP/1.1",    "GET /a\tb HTTP/1.1",
		"CONNECT a:443 HTTP/1.1", "GET \xc3\xa9 HTTP/1.1",
	};

	(void)state;
	first_lines_are_refused(lines, COUNT(lines), 400);
}

static void test_versions_that_are_refused(void **state)
{
	static const char *const lines[] = {
		"GET / HTTP/9.9",  "GET / HTTP/2.0",   "GET / HTTP/1.2",   "GET / HTTP/0.9",
		"GET / HTTP/1",    "GET / HTTP/",      "GET / HTTP/1.10",  "GET / HTTP/01.1",
		"GET / HTTP/1.1 ", "GET / HTTP/1.1 x", "GET / HTTP/1.1\r", "GET / HTTP/1.1\t",
		"PRI * HTTP/2.0",  "GET a HTTP/3",
	};

	(void)state;
	first_lines_are_refused(lines, COUNT(lines), 505);
}

static void test_headers_that_are_refused(void **state)
{
	static const char *const lines[] = {
		" folded",  "\tfolded",   " X: y",       "\tX: y",   "X : y",    "X\t: y",
		": y",      ":",          "X",           "X y",      "X@: y",    "X Y: z",
		"\"X\": y", "X\xff: y",   "X\x80: y",    "X\x01: y", "X\x7f: y", "X\r: y",
		"\rX: y",   "\r",         "X: a\rb",     "X: a\r",   "X:\r",     "X:\r y",
		"X: \x01",  "X: a\x1f",   "X: a\x7f",    "X: \x7f",  "X: a\vb",  "X: a\fb",
		"X: a\bb",  "X: a\x1b[m", "X: a\r X: b", "(X): y",   "X;: y",    "X: y\r\n z",
		"X/: y",    "X=: y",      "X\v: y",
	};

	(void)state;
	headers_are_refused(lines, COUNT(lines), 400);
}

static void test_lines_end_with_cr_lf(void **state)
{
	static const char *const table[] = {
		"\n",
		"\r\n",
		"\n\r\n",
		"GET / HTTP/1.1\n" HOST "\r\n",
		"GET / HTTP/1.1\r\nHost: a\n\r\n",
		GET "X: y\n\r\n",
		GET "X: y\nZ: w\r\n\r\n",
		GET "\n",
		GET "X: y\n\n",
		"\r\n" GET "\r\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		is_refused(table[i], strlen(table[i]), 400);
}

static void test_a_nul_is_refused_anywhere(void **state)
{
	char text[200];

	(void)state;
	for (size_t i = 0; i < COUNT(good_heads); i++) {
		const size_t length = strlen(good_heads[i].text);

		/* One more byte, before each of them. */
		for (size_t at = 0; at < length; at++) {
			memcpy(text, good_heads[i].text, at);
			text[at] = '\0';
			memcpy(text + at + 1, good_heads[i].text + at, length - at);
			is_refused(text, length + 1, 400);
		}
	}
}

static void test_headers_that_may_be_there_once(void **state)
{
	static const char *const names[] = {
		"Host",           "Origin",         "Authorization",
		"Content-Type",   "Content-Length", "Transfer-Encoding",
		"Mcp-Session-Id", "hOST",
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(text, sizeof(text),
			 "GET / HTTP/1.1\r\n%s: 5\r\nX: y\r\n%s: 5\r\nHost: a\r\n\r\n", names[i],
			 names[i]);
		is_refused(text, strlen(text), 400);
	}
	snprintf(text, sizeof(text), "GET / HTTP/1.0\r\n" HOST "HOST:\r\n\r\n");
	is_refused(text, strlen(text), 400);
	snprintf(text, sizeof(text), GET "origin: a\r\nOrigin: b\r\n\r\n");
	is_refused(text, strlen(text), 400);
}

static void test_lengths_that_are_refused(void **state)
{
	static const char *const bad[] = {
		"Content-Length:",
		"Content-Length: \t",
		"Content-Length: +5",
		"Content-Length: -1",
		"Content-Length: 0x10",
		"Content-Length: 1,1",
		"Content-Length: 5 5",
		"Content-Length: 5\t5",
		"Content-Length: 5,",
		"Content-Length: five",
		"Content-Length: 5.0",
		"Content-Length: 1e3",
		"Content-Length: \"5\"",
		"Content-Length: 5;a=b",
		"Content-Length: \xb2",
		"content-length: x",
		"Content-Length: 9999999999999999999x",
	};
	static const char *const large[] = {
		"Content-Length: 1000000000000000000",
		"Content-Length: 0000000000000000005",
		"Content-Length: 18446744073709551615",
		"Content-Length: 18446744073709551621",
		"Content-Length: 99999999999999999999999999999999999999999999999999",
	};

	(void)state;
	headers_are_refused(bad, COUNT(bad), 400);
	headers_are_refused(large, COUNT(large), 413);
}

static void test_encodings_that_are_refused(void **state)
{
	static const char *const lines[] = {
		"Transfer-Encoding:",
		"Transfer-Encoding: gzip",
		"Transfer-Encoding: identity",
		"Transfer-Encoding: gzip, chunked",
		"Transfer-Encoding: chunked, gzip",
		"Transfer-Encoding: chunked, chunked",
		"Transfer-Encoding: chunked,",
		"Transfer-Encoding: , chunked",
		"Transfer-Encoding: chunked;a=b",
		"Transfer-Encoding: xchunked",
		"Transfer-Encoding: chunkedx",
		"Transfer-Encoding: \"chunked\"",
		"Transfer-Encoding: chunked\r\nContent-Length: 5",
		"Content-Length: 5\r\nTransfer-Encoding: chunked",
		"Content-Length: 0\r\nTransfer-Encoding: identity",
		"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
		"Transfer-Encoding: chunked\r\ntransfer-encoding: chunked",
	};
	static const char old[] = "GET / HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n";

	(void)state;
	headers_are_refused(lines, COUNT(lines), 400);
	is_refused(old, strlen(old), 400);
}

static void test_a_request_has_a_host(void **state)
{
	static const char *const table[] = {
		"GET / HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\nX: y\r\n\r\n",
		"GET / HTTP/1.1\r\nHosts: a\r\n\r\n",
		"GET / HTTP/1.1\r\nHos: a\r\n\r\n",
		"GET / HTTP/1.1\r\nX: Host: a\r\n\r\n",
		"GET /?Host:a HTTP/1.1\r\n\r\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		is_refused(table[i], strlen(table[i]), 400);
}

/* -- the end of a head ------------------------------------------------------------------------ */

/* At once, and in pieces of any size: the end is the same. */
static void ends_at(const char *bytes, size_t length, size_t end)
{
	static const size_t pieces[] = {1, 2, 3, 7, 1000};

	for (size_t i = 0; i < COUNT(pieces); i++) {
		size_t there = 0;
		size_t seen = 0;
		size_t found;

		do {
			there += length - there < pieces[i] ? length - there : pieces[i];
			found = size_of(bytes, there, &seen);
			if (found != (end <= there ? end : 0))
				fail_msg("%.*s: %zu of %zu", (int)length, bytes, found, there);
		} while (!found && there < length);
	}
}

static void test_the_end_of_good_heads(void **state)
{
	char text[400];

	(void)state;
	for (size_t i = 0; i < COUNT(good_heads); i++) {
		const char *good = good_heads[i].text;

		ends_at(good, strlen(good), strlen(good));
		snprintf(text, sizeof(text), "%s\r\n\r\n%s", good, good);
		ends_at(text, strlen(text), strlen(good));
		ends_at(good, strlen(good) - 1, 0);
	}
}

static void test_the_end_of_other_bytes(void **state)
{
	static const struct {
		struct bytes bytes;
		size_t end;
	} table[] = {
		{BYTES(""),                    0 },
		{BYTES("\r"),                  0 },
		{BYTES("A"),                   0 },
		{BYTES("A\r\n"),               0 },
		{BYTES("A\r\n\r"),             0 },
		{BYTES("A\r\n\rB\r\n"),        0 },
		{BYTES("A\r\r\n"),             0 },
		{BYTES("A\r\n\r\r\n"),         0 },
		{BYTES("\r\r\n"),              0 },
		{BYTES("\r\n"),                2 },
		{BYTES("\r\nA\r\n\r\n"),       2 },
		{BYTES("\n"),                  1 },
		{BYTES("\n\r\n"),              1 },
		{BYTES("A\n\r\n\r\n"),         2 },
		{BYTES("A\r\n\n\r\n"),         4 },
		{BYTES("A\r\nB\nC\r\n\r\n"),   5 },
		{BYTES("A\r\0\nB\r\n\r\n"),    4 },
		{BYTES("A\0B\r\n\0\r\n\r\nC"), 10},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		ends_at(table[i].bytes.at, table[i].bytes.length, table[i].end);
}

/* -- evil bytes ------------------------------------------------------------------------------- */

static bool is_clean(const char *text, const char *evil)
{
	for (const char *p = text; *p; p++) {
		if (((unsigned char)*p < ' ' && *p != '\t') || *p == 0x7f)
			return false;
	}
	return !text[strcspn(text, evil)];
}

static void head_is_clean(const char *text)
{
	bool is_bad = !is_clean(head.method, " \t:") || !is_clean(head.path, " \t?");

	for (unsigned i = 0; i < head.count; i++) {
		is_bad |= !is_clean(head.fields[i].name, " \t:") || !*head.fields[i].name;
		is_bad |= !is_clean(head.fields[i].value, "");
	}
	if (is_bad || !*head.method || *head.path != '/')
		fail_msg("accepted: %s", text);
}

/* Replace each byte by this one. */
static void replace_each(const char *good, char evil)
{
	const size_t length = strlen(good);
	char *text = strdup(good);

	assert_non_null(text);
	for (size_t at = 0; at < length; at++) {
		char *copy;

		text[at] = evil;
		copy = parse(text, length);
		if (!head.status)
			head_is_clean(text);
		assert_true(evil || head.status);
		free(copy);
		text[at] = good[at];
	}
	free(text);
}

static void test_evil_bytes_are_in_nothing_that_is_accepted(void **state)
{
	static const char evil[] = {'\0', '\n', '\r', ' ', '\t', ':', 0x7f, (char)0x80, 0x01, '?'};

	(void)state;
	for (size_t i = 0; i < COUNT(good_heads); i++) {
		for (size_t j = 0; j < COUNT(evil); j++)
			replace_each(good_heads[i].text, evil[j]);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_heads),
		cmocka_unit_test(test_values_have_no_blanks_around_them),
		cmocka_unit_test(test_a_header_is_found_in_any_case),
		cmocka_unit_test(test_words_of_a_list),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_as_many_headers_as_there_is_room_for),
		cmocka_unit_test(test_first_lines_that_are_refused),
		cmocka_unit_test(test_targets_that_are_refused),
		cmocka_unit_test(test_versions_that_are_refused),
		cmocka_unit_test(test_headers_that_are_refused),
		cmocka_unit_test(test_lines_end_with_cr_lf),
		cmocka_unit_test(test_a_nul_is_refused_anywhere),
		cmocka_unit_test(test_headers_that_may_be_there_once),
		cmocka_unit_test(test_lengths_that_are_refused),
		cmocka_unit_test(test_encodings_that_are_refused),
		cmocka_unit_test(test_a_request_has_a_host),
		cmocka_unit_test(test_the_end_of_good_heads),
		cmocka_unit_test(test_the_end_of_other_bytes),
		cmocka_unit_test(test_evil_bytes_are_in_nothing_that_is_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
