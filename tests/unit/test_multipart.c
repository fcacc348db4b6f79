/*
 * test_multipart - spellings of multipart/form-data, and a body cut anywhere.
 */
#include "unit.h"

#include "base/buf.h"
#include "web/multipart.h"

#define KIND                   "multipart/form-data; boundary=part"
#define OPEN                   "--part\r\n"
#define END                    "--part--\r\n"
#define FILE_PART(disposition) OPEN "Content-Disposition: " disposition "\r\n\r\nx,y\r\n" END

/* "[name|filename]content" of each part, in order. */
static void record(void *context, const char *name, const char *filename, const char *bytes,
		   size_t length)
{
	if (!length)
		buf_printf(context, "[%s|%s]", name, filename ? filename : "-");
	buf_add(context, bytes, length);
}

/* Add a body in the pieces that end at these places. */
static int read_pieces(const char *kind, const char *body, size_t length, const size_t *ends,
		       size_t count, struct buf *out, struct err *e)
{
	struct multipart *m = NULL;
	size_t at = 0;
	int bad = multipart_open(kind, record, out, &m, e);

	for (size_t i = 0; !bad && i <= count; i++) {
		size_t end = i < count ? ends[i] : length;
		char *piece = test_malloc(end - at + 1); /* its end is the end of the memory */

		memcpy(piece, body + at, end - at);
		bad = multipart_add(m, piece, end - at, e);
		test_free(piece);
		at = end;
	}
	if (!bad)
		bad = multipart_end(m, e);
	multipart_close(m);
	return bad;
}

static int read_whole(const char *kind, const char *body, struct buf *out, struct err *e)
{
	return read_pieces(kind, body, strlen(body), &(size_t){0}, 0, out, e);
}

static void assert_same_pieces(const char *body, size_t length, const size_t *ends, size_t count,
			       const struct buf *wanted, const char *problem)
{
	auto_buf struct buf out = {0};
	struct err e = {0};
	int bad = read_pieces(KIND, body, length, ends, count, &out, &e);

	assert_int_equal(bad != 0, problem != NULL);
	if (problem)
		assert_string_equal(e.text, problem);
	if (out.length != wanted->length ||
	    memcmp(buf_string(&out), buf_string(wanted), out.length))
		fail_msg("cut at %zu, %zu: %s", ends[0], ends[count - 1], buf_string(&out));
}

/* -- spellings ------------------------------------------------------------------------------- */

/* clang-format off */
#define EIGHT "; a=b; a=b; a=b; a=b; a=b; a=b; a=b; a=b"

static const struct {
	const char *disposition;
	const char *parts;
} taken[] = {
	{"form-data; name=\"file\"; filename=\"a.csv\"", "[file|a.csv]x,y"},
	{"form-data; name=file; filename=a.csv", "[file|a.csv]x,y"},
	{"form-data; name=file; filename=a.csv; filename*=utf-8''a.csv", "[file|a.csv]x,y"},
	{"form-data;name=\"file\";filename=\"a.csv\";", "[file|a.csv]x,y"},
	{"form-data; filename=\"a.csv\"; size=3; name=\"file\"", "[file|a.csv]x,y"},
	{"FORM-DATA ; Name = file ; FileName = \"a.csv\" ", "[file|a.csv]x,y"},
	{"form-data (a; form); name=file (the \\) field (x)); filename=\"a.csv\" (its name)",
	 "[file|a.csv]x,y"},
	{"form-data; name=file; filename=a b(1) (2).csv ; x=y", "[file|a b(1) (2).csv]x,y"},
	{"form-data; name=file; filename=a (1", "[file|a (1]x,y"},
	{"form-data; name=file[]; filename=\xc3\xa9/\xff.csv", "[file[]|\xc3\xa9/\xff.csv]x,y"},
	{"form-data; name=\"file\"", "[file|-]x,y"},
	{"form-data; name=file; filename=a" EIGHT "; a=b; a=b; a=b; a=b; a=b; a=b", "[file|a]x,y"},
	{"form-data; name=\"\"", "[|-]x,y"},
	{"form-data; name=", "[|-]x,y"},
	{"form-data; name=\"file\"; filename=\"\"", "[file|]x,y"},
	{"form-data; name=\"_charset_\"", "[_charset_|-]x,y"},
	{"form-data; name=\"file\"; filename=\"a;b=c\"", "[file|a;b=c]x,y"},
	/* escapes: of the RFC, Go, Java and Python; of browsers and Node; neither */
	{"form-data; name=\"f\\\"\"; filename=\"say \\\"hi\\\" \\\\.csv\"",
	 "[f\"|say \"hi\" \\.csv]x,y"},
	{"form-data; name=\"f%22\"; filename=\"say %22hi%22%0d%0A 100%25%2.csv\"",
	 "[f\"|say \"hi\"\r\n 100%25%2.csv]x,y"},
	{"form-data; name=file; filename=a%22.csv", "[file|a%22.csv]x,y"},
	{"form-data; name=\"file\"; filename=\"C:\\data\\a.csv\"", "[file|C:\\data\\a.csv]x,y"},
	{"form-data; name=\"file\"; filename=\"a\\\"", "[file|a\\]x,y"},
	{"form-data; name=\"file\"; filename=\"a\\\\\"", "[file|a\\]x,y"},
	/* filename* before filename, whatever their order */
	{"form-data; name=file; filename=\"=?utf-8?B?w6k=?=\"; filename*=utf-8''%C3%A9",
	 "[file|\xc3\xa9]x,y"},
	{"form-data; filename*=UTF-8'en'%e2%82%ac%22; filename=b; name=file",
	 "[file|\xe2\x82\xac\"]x,y"},
	{"form-data; name=file; filename*=\"ISO-8859-1''%E9\"", "[file|\xc3\xa9]x,y"},
	{"form-data; name=file; filename*=iso-8859-1''", "[file|]x,y"},
	{"form-data; name=file; filename=b; filename*=big5''%A5", "[file|b]x,y"},
	{"form-data; name=file; filename=b; filename*=utf-8''%zz", "[file|b]x,y"},
	{"form-data; name=file; filename=b; filename*=%41", "[file|b]x,y"},
	/* a line that goes on in the next one */
	{"form-data;\r\n name=\"file\";\r\n\tfilename=\"a.csv\"", "[file|a.csv]x,y"},
	{"form-data; name=\"file\"; filename=\"a\r\n b.csv\"", "[file|a b.csv]x,y"},
	/* other headers */
	{"form-data; name=file\r\nContent-Type: text/csv; charset=\"x\r\nX-Any:", "[file|-]x,y"},
	{"form-data; name=file\r\ncontent-transfer-encoding: Binary (all of it)", "[file|-]x,y"},
	{"form-data; name=file\r\nCONTENT-TRANSFER-ENCODING : 8bit\r\nContent-Length: 9",
	 "[file|-]x,y"},
	{"form-data; name=file; filename=a\r\nContent-Type: multipart/mixed; boundary=b",
	 "[file|a]x,y"},
	{"form-data; name=file\r\nContent-Type: multipart/related; boundary=b", "[file|-]x,y"},
};
/* clang-format on */

static void test_spellings_of_a_part(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(taken); i++) {
		auto_buf struct buf body = {0};
		auto_buf struct buf out = {0};
		struct err e;

		buf_printf(&body, FILE_PART("%s"), taken[i].disposition);
		accepts(read_whole(KIND, buf_string(&body), &out, &e), taken[i].disposition);
		assert_string_equal(buf_string(&out), taken[i].parts);
	}
}

/* clang-format off */
static const struct {
	const char *body;
	const char *parts;
} bodies[] = {
	{END, ""},
	{"--part--", ""},
	{"--part-- \t", ""},
	{"\r\n--part--\n", ""},
	{"preamble --part\r\n--par\r\n-\r\n" FILE_PART("form-data; name=f") "\r\n--part\r\n...",
	 "[f|-]x,y"},
	{"--part \t \r\nContent-Disposition: form-data; name=f\r\n\r\n\r\n--part-- \r\n", "[f|-]"},
	/* the empty line behind the headers is the line end before a boundary */
	{OPEN "Content-Disposition: form-data; name=f\r\n\r\n" END, "[f|-]"},
	{OPEN "Content-Disposition: form-data; name=f\r\n\r\n\r\n\r\n" END, "[f|-]\r\n"},
	{OPEN "Content-Disposition: form-data; name=f; filename=\"\"\r\n\r\n\r\n" END, ""},
	{OPEN "content-disposition: form-data; name=f\r\n\r\n--\r\n--par\r\r\n\n--part\r\n-\r\n" OPEN
	 "Content-Disposition: form-data; name=f\r\n\r\n\r\n\r\n--par\r\n" END,
	 "[f|-]--\r\n--par\r\r\n\n--part\r\n-[f|-]\r\n\r\n--par"},
};
/* clang-format on */

static void test_bodies(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(bodies); i++) {
		auto_buf struct buf out = {0};
		struct err e;

		accepts(read_whole(KIND, bodies[i].body, &out, &e), bodies[i].body);
		assert_string_equal(buf_string(&out), bodies[i].parts);
	}
}

/* -- the boundary ---------------------------------------------------------------------------- */

#define TEN     "0123456789"
#define SEVENTY TEN TEN TEN TEN TEN TEN TEN

static void test_boundaries(void **state)
{
	static const char *const kinds[][2] = {
		{"multipart/form-data;boundary=b",                              "b"             },
		{"multipart/form-data; charset=utf-8; BOUNDARY=\"a b\"",        "a b"           },
		{"multipart/form-data; boundary=----=_Part_1.2; charset=utf-8", "----=_Part_1.2"},
		{"multipart/form-data; boundary=\"'()+_,-./:=?\" (RFC 2046)",   "'()+_,-./:=?"  },
		{"multipart/form-data; boundary=*****",                         "*****"         },
		{"multipart/form-data; boundary=\"%22\"",                       "%22"           },
		{"multipart/form-data; boundary=--",                            "--"            },
		{"multipart/form-data; boundary=" SEVENTY,                      SEVENTY         },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		auto_buf struct buf body = {0};
		auto_buf struct buf out = {0};
		struct err e;

		buf_printf(&body,
			   "--%s\r\nContent-Disposition: form-data; name=f\r\n\r\nx\r\n--%s--",
			   kinds[i][1], kinds[i][1]);
		accepts(read_whole(kinds[i][0], buf_string(&body), &out, &e), kinds[i][0]);
		assert_string_equal(buf_string(&out), "[f|-]x");
	}
}

static void test_boundaries_that_are_refused(void **state)
{
	static const char *const kinds[][2] = {
		{"",			 "@multipart_header_boundary#no"             },
		{"; boundary",               "@parameter_next#value:"                    },
		{"; boundary=",              "@multipart_header_copy_boundary#characters"},
		{"; boundary=\"\"",          "@multipart_header_copy_boundary#characters"},
		{"; boundary=\"",            "@parameter_next#quote"                     },
		{"; boundary=a; boundary=a", "@multipart_header_boundary#two"            },
		{"; boundary=\"a \"",        "@multipart_header_copy_boundary#ASCII"     },
		{"; boundary=\xc3\xa9",      "@multipart_header_copy_boundary#ASCII"     },
		{"; boundary=" SEVENTY "x",  "@multipart_header_copy_boundary#characters"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		auto_buf struct buf kind = {0};
		auto_buf struct buf out = {0};
		struct err e;

		buf_printf(&kind, "multipart/form-data%s", kinds[i][0]);
		refuses(read_whole(buf_string(&kind), END, &out, &e), kinds[i][0], ERR_INPUT,
			kinds[i][1]);
	}
}

/* -- what is malformed ----------------------------------------------------------------------- */

/* clang-format off */
static const struct {
	const char *body;
	const char *message;
} malformed[] = {
	{"", "@multipart_end"},
	{"text", "@multipart_end"},
	{"--part", "@multipart_end"},
	{"--part-", "@multipart_end"},
	{OPEN, "@multipart_end"},
	{"x--part--", "@multipart_end"},
	{"\n--part--", "@multipart_end"},
	{"--partition\r\n", "@multipart_step#boundary"},
	{"--part -", "@multipart_step#boundary"},
	{"--part-x", "@multipart_step#boundary"},
	{"--part--x", "@multipart_step#boundary"},
	{"--part\n", "@multipart_step#boundary"},
	{"--part\r\r", "@multipart_step#boundary"},
	{OPEN "\r\n", "@multipart_header_end#Content-Disposition"},
	{OPEN "Content-Type: text/csv\r\n\r\n", "@multipart_header_end#Content-Disposition"},
	{OPEN "\r\r", "@multipart_step#CR"},
	{OPEN "X: y\r\r\n", "@multipart_step#CR"},
	{OPEN "X: y\n", "@multipart_add_to_line#%s"},
	{OPEN " X: y\r\n\r\n", "@multipart_header_take"},
	{OPEN ": y\r\n\r\n", "@multipart_header_take"},
	{OPEN "--part--\r\n\r\n", "@multipart_header_take"},
	{OPEN "a line\r\n\r\n", "@multipart_header_take"},
	{FILE_PART("attachment; name=file"), "@multipart_header_take_disposition#form-data attachment"},
	{FILE_PART("form-data"), "@multipart_header_end#name:"},
	{FILE_PART("form-data; filename=a"), "@multipart_header_end#name:"},
	{FILE_PART("form-data x; name=file"), "@parameter_next#value:"},
	{FILE_PART("form-data; name=file" EIGHT EIGHT), "@parameter_next#more"},
	{FILE_PART("form-data; name"), "@parameter_next#value:"},
	{FILE_PART("form-data; =file"), "@parameter_next#value:"},
	{FILE_PART("form-data; name=\"file"), "@parameter_next#quote"},
	{FILE_PART("form-data; name=fi\"le"), "@parameter_next#quote"},
	{FILE_PART("form-data; name=\"fi\"le"), "@parameter_next#semicolon"},
	{FILE_PART("form-data; name=a; NAME=a"), "@multipart_header_take_parameter#twice"},
	{FILE_PART("form-data; name=a\r\nContent-Disposition: form-data; filename=a"),
	 "@multipart_header_take_disposition#twice"},
	{FILE_PART("form-data; name=a; filename*0=a; filename*1=b"),
	 "@multipart_header_take_parameter#piece"},
	{FILE_PART("form-data; name=a; filename*=a.csv"), "@multipart_header_prefer_extended"},
	{FILE_PART("form-data; name=a; filename*=utf-8''%00"), "@multipart_header_prefer_extended"},
	{FILE_PART("form-data; name=a\r\nContent-Transfer-Encoding: base64"),
	 "@multipart_header_take_encoding base64"},
	{FILE_PART("form-data; name=a\r\nContent-Transfer-Encoding: quoted-printable"),
	 "@multipart_header_take_encoding quoted-printable"},
	{FILE_PART("form-data; name=a\r\nContent-Type: Multipart/Mixed; boundary=b"),
	 "@multipart_header_end#mixed"},
};
/* clang-format on */

static void test_what_is_malformed(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(malformed); i++) {
		auto_buf struct buf out = {0};
		struct err e;

		refuses(read_whole(KIND, malformed[i].body, &out, &e), malformed[i].body, ERR_INPUT,
			malformed[i].message);
		assert_null(strchr(e.text, '\n'));
	}
}

static void test_a_nul_in_a_header(void **state)
{
	static const char body[] = OPEN "Content-Disposition: form-data; name=file\0\r\n\r\n" END;
	auto_buf struct buf out = {0};
	struct err e;

	(void)state;
	refuses(read_pieces(KIND, body, sizeof(body) - 1, &(size_t){0}, 0, &out, &e), "NUL",
		ERR_INPUT, "NUL");
}

static void test_parts_are_bounded(void **state)
{
	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		auto_buf struct buf body = {0};
		auto_buf struct buf out = {0};
		struct err e;

		for (unsigned n = 0; n < MULTIPART_PARTS + more; n++)
			buf_text(&body, OPEN "Content-Disposition: form-data; name=f\r\n\r\n\r\n");
		buf_text(&body, END);
		if (more)
			refuses(read_whole(KIND, buf_string(&body), &out, &e), "parts", ERR_INPUT,
				"@multipart_end_head");
		else
			accepts(read_whole(KIND, buf_string(&body), &out, &e), "parts");
	}
}

static void test_headers_are_bounded(void **state)
{
	static const struct {
		unsigned count, length;
		const char *message;
	} heads[] = {
		{MULTIPART_HEADERS - 1, 10,                       NULL                          },
		{MULTIPART_HEADERS,     10,                       "@multipart_end_line"         },
		{1,		     MULTIPART_HEAD_MAX - 100, NULL                          },
		{1,		     MULTIPART_HEAD_MAX,       "@multipart_add_to_line#bytes"},
		{2,		     MULTIPART_HEAD_MAX / 2,   "@multipart_add_to_line#bytes"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(heads); i++) {
		auto_buf struct buf body = {0};
		auto_buf struct buf out = {0};
		struct err e;

		for (unsigned part = 0; part < 2; part++) { /* each part has them for itself */
			buf_text(&body, OPEN "Content-Disposition: form-data; name=f\r\n");
			for (unsigned n = 0; n < heads[i].count; n++)
				buf_printf(&body, "X: %0*d\r\n", (int)heads[i].length, 0);
			buf_text(&body, "\r\n\r\n");
		}
		buf_text(&body, END);
		if (heads[i].message)
			refuses(read_whole(KIND, buf_string(&body), &out, &e), "head", ERR_INPUT,
				heads[i].message);
		else
			accepts(read_whole(KIND, buf_string(&body), &out, &e), "head");
	}
}

/* -- pieces ---------------------------------------------------------------------------------- */

/* Cut at each place, at each two, and everywhere. */
static void assert_cut_anywhere(const char *body, bool in_three)
{
	const size_t length = strlen(body);
	auto_buf struct buf wanted = {0};
	size_t everywhere[2000];
	struct err e = {0};
	const char *problem = read_whole(KIND, body, &wanted, &e) ? e.text : NULL;

	assert_true(length < COUNT(everywhere));
	for (size_t i = 0; i <= length; i++) {
		everywhere[i] = i;
		assert_same_pieces(body, length, &i, 1, &wanted, problem);
		for (size_t end = i; in_three && end <= length; end++)
			assert_same_pieces(body, length, (size_t[]){i, end}, 2, &wanted, problem);
	}
	assert_same_pieces(body, length, everywhere, length + 1, &wanted, problem);
}

static void test_cut_at_each_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(bodies); i++)
		assert_cut_anywhere(bodies[i].body, true);
	for (size_t i = 0; i < COUNT(malformed); i++)
		assert_cut_anywhere(malformed[i].body, false);
	for (size_t i = 0; i < COUNT(taken); i++) {
		auto_buf struct buf body = {0};

		buf_printf(&body, FILE_PART("%s"), taken[i].disposition);
		assert_cut_anywhere(buf_string(&body), false);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spellings_of_a_part),
		cmocka_unit_test(test_bodies),
		cmocka_unit_test(test_boundaries),
		cmocka_unit_test(test_boundaries_that_are_refused),
		cmocka_unit_test(test_what_is_malformed),
		cmocka_unit_test(test_a_nul_in_a_header),
		cmocka_unit_test(test_parts_are_bounded),
		cmocka_unit_test(test_headers_are_bounded),
		cmocka_unit_test(test_cut_at_each_place),
	};

	return cmocka_run_group_tests_name("multipart", tests, NULL, NULL);
}
