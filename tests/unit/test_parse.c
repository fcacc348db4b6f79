/*
 * test_parse - every unit, range and overflow of numbers from outside.
 */
#include "unit.h"

#include <inttypes.h>

#include "base/parse.h"

static struct err e;

static void test_int_reads_whole_decimal_numbers(void **state)
{
	static const struct {
		const char *text;
		int64_t value;
	} table[] = {
		{"0",                    0         },
		{"-0",                   0         },
		{"+7",                   7         },
		{"-7",                   -7        },
		{"007",                  7         },
		{"9223372036854775807",  INT64_MAX },
		{"-9223372036854775807", -INT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		int64_t out = 99;

		accepts(parse_int(table[i].text, INT64_MIN, INT64_MAX, &out, &e), table[i].text);
		assert_int_equal(out, table[i].value);
	}
}

static void test_int_garbage_is_refused_and_named(void **state)
{
	static const char *const table[] = {
		"",
		" ",
		"-",
		"+",
		"--1",
		"+-1",
		" 1",
		"1 ",
		"1\n",
		"0x1",
		"1.0",
		"1e3",
		"a",
		"1a",
		"1,000",
		"\xd9\xa1",
		"9223372036854775808",
		"18446744073709551616",
		"99999999999999999999999999",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		int64_t out = 99;

		refuses(parse_int(table[i], INT64_MIN, INT64_MAX, &out, &e), table[i], ERR_INPUT,
			"@parse_int#whole");
		assert_non_null(strstr(e.text, table[i]));
		assert_int_equal(out, 99);
	}
}

static void test_int_range_is_inclusive(void **state)
{
	(void)state;
	for (int64_t value = -5; value <= 5; value++) {
		int64_t out = 99;
		char text[32];

		snprintf(text, sizeof(text), "%" PRId64, value);
		if (value >= -2 && value <= 3) {
			accepts(parse_int(text, -2, 3, &out, &e), text);
			assert_int_equal(out, value);
		} else {
			refuses(parse_int(text, -2, 3, &out, &e), text, ERR_INPUT,
				"@parse_int#range -2 ... 3");
			assert_int_equal(out, 99);
		}
	}
}

static void test_octal_every_mode_comes_back(void **state)
{
	(void)state;
	for (uint32_t mode = 0; mode <= 07777; mode++) {
		uint32_t out = 99;
		char text[16];

		snprintf(text, sizeof(text), "%04o", mode);
		accepts(parse_octal(text, 07777, &out, &e), text);
		assert_int_equal(out, mode);
	}
}

static void test_octal_refuses_what_is_none(void **state)
{
	static const char *const garbage[] = {"",    "8",  "0778", "-1",        "+1",
					      "0x1", " 7", "7 ",   "000000001", "755a"};
	uint32_t out = 99;

	(void)state;
	for (size_t i = 0; i < COUNT(garbage); i++)
		refuses(parse_octal(garbage[i], 07777, &out, &e), garbage[i], ERR_INPUT,
			"@parse_octal#octal");
	refuses(parse_octal("10000", 07777, &out, &e), "10000", ERR_INPUT,
		"@parse_octal#range 0 ... 7777");
	refuses(parse_octal("77777777", 07777, &out, &e), "77777777", ERR_INPUT,
		"@parse_octal#range 0 ... 7777");
	assert_int_equal(out, 99);
}

static void test_size_every_unit_in_every_case(void **state)
{
	static const struct {
		const char *unit;
		int shift;
	} units[] = {
		{"",    0 },
                {"b",   0 },
                {"k",   10},
                {"kb",  10},
                {"kib", 10},
		{"m",   20},
                {"mb",  20},
                {"mib", 20},
                {"g",   30},
                {"gb",  30},
		{"gib", 30},
                {"t",   40},
                {"tb",  40},
                {"tib", 40},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(units); i++) {
		for (unsigned upper = 0; upper < 8; upper++) {
			for (int space = 0; space < 2; space++) {
				char text[16];
				uint64_t out = 99;
				int n = snprintf(text, sizeof(text), "3%s%s", space ? " " : "",
						 units[i].unit);

				for (int j = 0; j < 3; j++) {
					char *c = text + 1 + space + j;

					if (c < text + n && upper >> j & 1)
						*c = (char)(*c - 'a' + 'A');
				}
				accepts(parse_size(text, 0, UINT64_MAX, &out, &e), text);
				assert_int_equal(out, 3ull << units[i].shift);
			}
		}
	}
}

static void test_size_fractions_round_down_to_bytes(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} table[] = {
		{"1.5k",       1536             },
                {"0.5m",       524288           },
                {"1.9b",       1                },
		{"1.999",      1                },
                {"0.001k",     1                },
                {"1.0009k",    1024             },
		{"1.5g",       1610612736       },
                {"1.00000000", 1                },
                {"16777215t",  16777215ull << 40},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		uint64_t out = 99;

		if (i == COUNT(table) - 1) /* in thousandths it exceeds 64 bits */
			refuses(parse_size(table[i].text, 0, UINT64_MAX, &out, &e), table[i].text,
				ERR_INPUT, "@parse_size#large");
		else {
			accepts(parse_size(table[i].text, 0, UINT64_MAX, &out, &e), table[i].text);
			assert_int_equal(out, table[i].bytes);
		}
	}
}

static void test_size_garbage_is_refused(void **state)
{
	static const char *const table[] = {
		"",
		" ",
		"m",
		"-1",
		"-1m",
		"+1m",
		" 1m",
		"1  m",
		"1m ",
		"1.m",
		".m",
		"1..5",
		"1.5.5",
		"1,5m",
		"0x10",
		"1mm",
		"1bm",
		"1ki",
		"1kbb",
		"1p",
		"1e",
		"1 0",
		"inf",
		"nan",
		"1\n",
		"18446744073709551616",
		"99999999999999999999m",
		"18446744073709552",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		uint64_t out = 99;

		refuses(parse_size(table[i], 0, UINT64_MAX, &out, &e), table[i], ERR_INPUT,
			table[i]);
		assert_int_equal(out, 99);
	}
}

static void test_size_range_is_told_as_people_write_it(void **state)
{
	uint64_t out = 99;

	(void)state;
	refuses(parse_size("5m", 6 << 20, 1ull << 30, &out, &e), "5m", ERR_INPUT,
		"@parse_size#range 5m ... 6m ... 1g");
	refuses(parse_size("2g", 6 << 20, 1ull << 30, &out, &e), "2g", ERR_INPUT,
		"@parse_size#range 6m ... 1g");
	assert_int_equal(out, 99);
	accepts(parse_size("6m", 6 << 20, 1ull << 30, &out, &e), "6m");
	accepts(parse_size("1g", 6 << 20, 1ull << 30, &out, &e), "1g");
	assert_int_equal(out, 1 << 30);
}

static void test_duration_every_unit(void **state)
{
	static const struct {
		const char *text;
		uint64_t ms;
	} table[] = {
		{"30",          30000   },
                {"30s",         30000   },
		{"250ms",       250     },
                {"1.5m",        90000   },
		{"2h",          7200000 },
                {"0",           0       },
		{"0.001s",      1       },
                {"0.001",       1       },
		{"0.9ms",       0       },
                {"1.2345",      1234    },
		{"0.5h",        1800000 },
                {"1440m",       86400000},
		{"1m30s",       90000   },
                {"1h0.5m250ms", 3630250 },
		{"1m0s",        60000   },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		uint64_t out = 99;

		accepts(parse_duration(table[i].text, 0, UINT64_MAX, &out, &e), table[i].text);
		assert_int_equal(out, table[i].ms);
	}
}

static void test_duration_garbage_is_refused(void **state)
{
	static const char *const table[] = {
		"",
		"s",
		"-1s",
		"+1s",
		" 1s",
		"1 s",
		"1s ",
		"1S",
		"1M",
		"1d",
		"1sec",
		"1m30",
		"30s1m",
		"1m1m",
		"1s1ms1s",
		"1m 30s",
		"1m-30s",
		"1h30",
		"1:30",
		"1e3",
		"18446744073709551615h",
		"99999999999999999999",
		"5124095576031h",
		"5124095576030h99999999999999m",
		"18446744073709551s999ms",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		uint64_t out = 99;

		refuses(parse_duration(table[i], 0, UINT64_MAX, &out, &e), table[i], ERR_INPUT,
			table[i]);
		assert_int_equal(out, 99);
	}
}

static void test_duration_range_is_inclusive(void **state)
{
	uint64_t out = 99;

	(void)state;
	refuses(parse_duration("9ms", 10, 2000, &out, &e), "9ms", ERR_INPUT,
		"@parse_duration 10ms ... 2s");
	refuses(parse_duration("2.001", 10, 2000, &out, &e), "2.001", ERR_INPUT,
		"@parse_duration 10ms ... 2s");
	assert_int_equal(out, 99);
	accepts(parse_duration("10ms", 10, 2000, &out, &e), "10ms");
	accepts(parse_duration("2", 10, 2000, &out, &e), "2");
	assert_int_equal(out, 2000);
}

static void test_decimal_scales_and_cuts(void **state)
{
	static const struct {
		const char *text;
		unsigned digits;
		uint64_t value;
	} table[] = {
		{"1.5",   3, 1500},
                {"1",     3, 1000},
                {"0.001", 3, 1   },
                {"2.75",  1, 27  },
		{"7",     0, 7   },
                {"7.9",   0, 7   },
                {"00.50", 2, 50  },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		uint64_t out = 99;

		accepts(parse_decimal(table[i].text, table[i].digits, 10000, &out, &e),
			table[i].text);
		assert_int_equal(out, table[i].value);
	}
}

static void test_decimal_garbage_is_refused(void **state)
{
	static const char *const table[] = {
		"",
		"-1",
		"+1",
		"1.",
		"1.5x",
		" 1",
		"1 ",
		"1,5",
		"e",
		"1e1",
		"..",
		"1/2",
		"10001",
		"1000000000000000000000",
		"18446744073709551615",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		uint64_t out = 99;

		refuses(parse_decimal(table[i], 3, 10000 * 1000, &out, &e), table[i], ERR_INPUT,
			table[i]);
		assert_int_equal(out, 99);
	}
}

static void test_bool_as_pflag_has_it(void **state)
{
	static const struct {
		const char *text;
		int value; /* -1: refused */
	} table[] = {
		{"1",     1 },
                {"t",     1 },
                {"T",     1 },
                {"true",  1 },
                {"True",  1 },
                {"TRUE",  1 },
		{"0",     0 },
                {"f",     0 },
                {"F",     0 },
                {"false", 0 },
                {"FALSE", 0 },
                {"",      -1},
		{"yes",   -1},
                {"no",    -1},
                {"2",     -1},
                {"tru",   -1},
                {"true ", -1},
                {"on",    -1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		bool out = table[i].value != 1;

		if (table[i].value < 0) {
			refuses(parse_bool(table[i].text, &out, &e), table[i].text, ERR_INPUT,
				"@parse_bool");
			assert_true(out);
		} else {
			accepts(parse_bool(table[i].text, &out, &e), table[i].text);
			assert_int_equal(out, table[i].value);
		}
	}
}

static void test_format_size_takes_the_largest_whole_unit(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} table[] = {
		{0,          "0"                   },
		{1,          "1"                   },
		{1023,       "1023"                },
		{1024,       "1k"                  },
		{1536,       "1536"                },
		{536870912,  "512m"                },
		{1ull << 30, "1g"                  },
		{1ull << 40, "1t"                  },
		{1ull << 50, "1024t"               },
		{UINT64_MAX, "18446744073709551615"},
		{1ull << 63, "8388608t"            },
		{3ull << 20, "3m"                  },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		char out[24];

		assert_string_equal(format_size(table[i].bytes, out), table[i].text);
	}
}

static void test_format_size_is_read_back_by_parse_size(void **state)
{
	(void)state;
	for (int shift = 0; shift < 54; shift++) {
		for (uint64_t factor = 1; factor < 8; factor += 2) {
			uint64_t bytes = factor << shift;
			uint64_t out = 99;
			char text[24];

			if (bytes > UINT64_MAX / 1000)
				continue;
			format_size(bytes, text);
			accepts(parse_size(text, 0, UINT64_MAX, &out, &e), text);
			assert_int_equal(out, bytes);
		}
	}
}

static void test_long_garbage_is_cut_in_the_message(void **state)
{
	static char text[1 << 20];
	uint64_t size;
	int64_t number;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	refuses(parse_int(text, 0, 1, &number, &e), "x...", ERR_INPUT, "@parse_int#whole");
	refuses(parse_size(text, 0, 1, &size, &e), "x...", ERR_INPUT, "@parse_size#such");
	memset(text, '0', sizeof(text) - 1); /* no overflow, however many zeros there are */
	accepts(parse_int(text, 0, 1, &number, &e), "0...");
	memset(text, '9', sizeof(text) - 1);
	refuses(parse_size(text, 0, 1, &size, &e), "9...", ERR_INPUT, "@parse_size#such");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_int_reads_whole_decimal_numbers),
		cmocka_unit_test(test_int_garbage_is_refused_and_named),
		cmocka_unit_test(test_int_range_is_inclusive),
		cmocka_unit_test(test_octal_every_mode_comes_back),
		cmocka_unit_test(test_octal_refuses_what_is_none),
		cmocka_unit_test(test_size_every_unit_in_every_case),
		cmocka_unit_test(test_size_fractions_round_down_to_bytes),
		cmocka_unit_test(test_size_garbage_is_refused),
		cmocka_unit_test(test_size_range_is_told_as_people_write_it),
		cmocka_unit_test(test_duration_every_unit),
		cmocka_unit_test(test_duration_garbage_is_refused),
		cmocka_unit_test(test_duration_range_is_inclusive),
		cmocka_unit_test(test_decimal_scales_and_cuts),
		cmocka_unit_test(test_decimal_garbage_is_refused),
		cmocka_unit_test(test_bool_as_pflag_has_it),
		cmocka_unit_test(test_format_size_takes_the_largest_whole_unit),
		cmocka_unit_test(test_format_size_is_read_back_by_parse_size),
		cmocka_unit_test(test_long_garbage_is_cut_in_the_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
