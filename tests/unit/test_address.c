/*
 * test_address - which texts are addresses, and which addresses nobody may reach.
 */
#include "unit.h"

#include "net/address.h"

static struct address parsed(const char *text)
{
	struct address out;

	if (address_parse(text, &out))
		fail_msg("%s: no address", text);
	return out;
}

static void test_addresses_are_read_and_written(void **state)
{
	static const struct {
		const char *text;
		const char *written;
		bool is_v4;
	} table[] = {
		{"0.0.0.0",				       "0.0.0.0",         true },
		{"1.2.3.4",				       "1.2.3.4",         true },
		{"255.255.255.255",                               "255.255.255.255", true },
		{"::",					    "::",              false},
		{"::1",					   "::1",             false},
		{"2001:DB8::0001",                                "2001:db8::1",     false},
		{"1:2:3:4:5:6:7:8",                               "1:2:3:4:5:6:7:8", false},
		{"::ffff:1.2.3.4",                                "::ffff:1.2.3.4",  false},
		{"::ffff:102:304",                                "::ffff:1.2.3.4",  false},
		{"64:ff9b::10.0.0.1",                             "64:ff9b::a00:1",  false},
		{"0000:0000:0000:0000:0000:0000:0000:0000",       "::",              false},
		{"ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
		 "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",                          false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct address a = parsed(table[i].text);
		char text[ADDRESS_TEXT_SIZE];
		struct address again;

		assert_int_equal(a.is_v4, table[i].is_v4);
		address_text(&a, text);
		assert_string_equal(text, table[i].written);
		again = parsed(text);
		assert_true(address_equal(&a, &again));
	}
}

static void test_other_spellings_are_no_addresses(void **state)
{
	static const char *const table[] = {
		"",
		" ",
		"1",
		"1.2",
		"1.2.3",
		"127.1",
		"1.2.3.4.5",
		"1.2.3.4.",
		".1.2.3.4",
		"1..3.4",
		"1.2.3.256",
		"1.2.3.-4",
		"1.2.3.+4",
		"01.2.3.4",
		"1.2.3.04",
		"1.2.3.00",
		"0177.0.0.1",
		"0x7f.0.0.1",
		"0x7f000001",
		"2130706433",
		" 1.2.3.4",
		"1.2.3.4 ",
		"1.2.3.4\n",
		"1.2.3.4:80",
		"1.2.3.4/8",
		"1,2,3,4",
		"1.2.3.a",
		"1.2.3.4%lo",
		"::1%lo",
		"::1%1",
		"[::1]",
		":",
		":::",
		"1::2::3",
		"1:2:3:4:5:6:7",
		":1",
		"1:",
		"12345::",
		"g::",
		"1:2:3:4:5:6:7:8:9",
		"::1 ",
		" ::1",
		"::1/128",
		"::0x1",
		"::1.2.3",
		"::01.2.3.4",
		"::1.2.3.256",
		"1.2.3.4::",
		"::1.2.3.4:5",
		"1:2:3:4:5:6:7::8",
		"localhost",
		"0000000.0.0.0",
		"1.2.3.4\xff",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct address a = {.bytes = {7}};

		if (!address_parse(table[i], &a))
			fail_msg("\"%s\" is an address", table[i]);
		assert_int_equal(a.bytes[0], 7);
	}
}

static void test_equal_needs_the_same_family(void **state)
{
	struct address v4 = parsed("1.2.3.4");
	struct address v6 = parsed("102:304::");
	struct address mapped = parsed("::ffff:1.2.3.4");
	struct address same = v4;

	(void)state;
	memset(same.bytes + 4, 0xaa, 12); /* bytes that an IPv4 address does not have */
	assert_true(address_equal(&v4, &same));
	assert_false(address_equal(&v4, &v6));
	assert_false(address_equal(&v4, &mapped));
	assert_true(address_equal(&mapped, &mapped));
	same.bytes[3]++;
	assert_false(address_equal(&v4, &same));
}

static void test_networks_hold_every_bit_of_their_prefix(void **state)
{
	struct address v4 = parsed("255.255.255.255");
	struct address v6 = parsed("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");

	(void)state;
	for (unsigned prefix = 0; prefix <= 130; prefix++) {
		for (unsigned bit = 0; bit < 128; bit++) {
			struct address other = v6;

			other.bytes[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
			assert_int_equal(address_in(&other, &v6, prefix),
					 prefix <= 128 && bit >= prefix);
			if (bit >= 32)
				continue;
			other = v4;
			other.bytes[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
			assert_int_equal(address_in(&other, &v4, prefix),
					 prefix <= 32 && bit >= prefix);
		}
	}
	assert_false(address_in(&v4, &v6, 0));
	assert_false(address_in(&v6, &v4, 0));
	assert_false(address_in(&v4, &v4, UINT32_MAX));
}

static void test_what_is_inside_is_unwrapped(void **state)
{
	static const struct {
		const char *text;
		const char *inner;
	} table[] = {
		{"1.2.3.4",			      "1.2.3.4"                             },
		{"2606:4700::1111",                      "2606:4700::1111"                     },
		{"::ffff:127.0.0.1",                     "127.0.0.1"                           },
		{"::127.0.0.1",                          "127.0.0.1"                           },
		{"::2",				  "0.0.0.2"                             },
		{"::",				   "::"				  },
		{"::1",				  "::1"				 },
		{"64:ff9b::10.1.2.3",                    "10.1.2.3"                            },
		{"64:ff9b::1:10.1.2.3",                  "64:ff9b::1:a01:203"                  },
		{"64:ff9b:1::10.1.2.3",                  "10.1.2.3"                            },
		{"64:ff9b:1:a01:2:300::",                "10.1.2.3"                            },
		{"64:ff9b:1:a01:2:300:0:1",              "64:ff9b:1:a01:2:300:0:1"             },
		{"64:ff9b:1:a01:102:300::",              "64:ff9b:1:a01:102:300::"             },
		{"64:ff9b:2::10.1.2.3",                  "64:ff9b:2::a01:203"                  },
		{"2002:7f00:1::1",                       "127.0.0.1"                           },
		{"2001:0:4136:e378:8000:63bf:80ff:fffe", "127.0.0.1"                           },
		{"2001:1:4136:e378:8000:63bf:80ff:fffe", "2001:1:4136:e378:8000:63bf:80ff:fffe"},
		{"::ffff:0:127.0.0.1",                   "::ffff:0:7f00:1"                     }, /* SIIT: no unwrapping */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct address a = parsed(table[i].text);
		char text[ADDRESS_TEXT_SIZE];

		address_canonical(&a, &a);
		address_text(&a, text);
		assert_string_equal(text, table[i].inner);
	}
}

/* The first and the last address of each block, and both neighbours. */
static void test_kinds(void **state)
{
	static const struct {
		enum address_kind kind;
		const char *addresses[12];
	} table[] = {
		{ADDRESS_GLOBAL,
		 {"1.0.0.0", "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255",
		  "100.128.0.0", "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0"}},
		{ADDRESS_GLOBAL,
		 {"172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0",
		  "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0",
		  "198.17.255.255", "198.20.0.0"}						 },
		{ADDRESS_GLOBAL,
		 {"198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0",
		  "223.255.255.255", "151.101.0.223", "168.63.129.15", "168.63.129.17",
		  "192.31.196.1", "192.52.193.1", "192.175.48.1"}                                 },
		{ADDRESS_GLOBAL,
		 {"2000::", "2001:200::", "2003::", "2606:4700::1111", "2620:4f:8000::1",
		  "2001:db7:ffff::", "2001:db9::", "3ffe:ffff::", "3fff:1000::",
		  "2a00:1450:4001:80b::200e"}						     },
		{ADDRESS_GLOBAL,  {"64:ff9b::8.8.8.8"}                                            },
		{ADDRESS_PRIVATE,
		 {"10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "172.16.0.0",
		  "172.31.255.255", "192.168.0.0", "192.168.255.255", "192.0.2.0", "192.0.2.255",
		  "198.51.100.7", "203.0.113.255"}                                                },
		{ADDRESS_PRIVATE,
		 {"198.18.0.0", "198.19.255.255", "fc00::", "fd12:3456::1",
		  "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::", "2001:db8:ffff::1",
		  "3fff::", "3fff:fff:ffff::", "100.100.100.199", "100.100.100.201"}              },
		{ADDRESS_PRIVATE, {"64:ff9b::10.0.0.1", "64:ff9b::100.64.0.1", "fd00:ec3::"}      },
		{ADDRESS_SPECIAL,
		 {"0.0.0.0", "0.255.255.255", "127.0.0.0", "127.0.0.1", "127.255.255.255",
		  "169.254.0.0", "169.254.169.254", "169.254.255.255", "192.0.0.0", "192.0.0.255"}},
		{ADDRESS_SPECIAL,
		 {"192.88.99.0", "192.88.99.255", "224.0.0.0", "239.255.255.255", "240.0.0.0",
		  "255.255.255.254", "255.255.255.255", "100.100.100.200", "168.63.129.16"}       },
		{ADDRESS_SPECIAL,
		 {"::", "::1", "::2", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1",
		  "::ffff:8.8.8.8", "::ffff:0:8.8.8.8", "64:ff9b::127.0.0.1",
		  "64:ff9b::169.254.169.254", "64:ff9b::1:0:0", "64:ff9b:1::8.8.8.8"}             },
		{ADDRESS_SPECIAL,
		 {"64:ff9b:1:808:8:800::", "64:ff9a:ffff::", "100::", "100::ffff", "100:0:0:1::1",
		  "100:0:0:2::1", "1fff:ffff::", "2001::1", "2001:0:4136:e378:8000:63bf:f7f7:f7f7",
		  "2001:1::1", "2001:2::1", "2001:3::1"}                                          },
		{ADDRESS_SPECIAL,
		 {"2001:4:112::1", "2001:10::1", "2001:20::1", "2001:30::1",
		  "2001:1ff:ffff::", "2002::", "2002:808:808::1", "2002:7f00:1::1", "2002:a00:1::1",
		  "4000::", "5f00::1", "fbff::1"}						 },
		{ADDRESS_SPECIAL,
		 {"fe00::1", "fe80::1", "febf:ffff::1", "fec0::1", "feff::1", "ff00::", "ff02::1",
		  "ff0e::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fd00:ec2::254",
		  "fd20:ce::254", "fd00:42::42"}						  },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		for (size_t j = 0; j < 12 && table[i].addresses[j]; j++) {
			struct address a = parsed(table[i].addresses[j]);

			if (address_kind(&a) != table[i].kind)
				fail_msg("%s: %d (%s)", table[i].addresses[j], address_kind(&a),
					 address_what(&a));
		}
	}
}

/* However a special IPv4 address is wrapped, it never becomes better. */
static void test_no_wrapping_makes_an_address_better(void **state)
{
	static const char *const inner[] = {"127.0.0.1",       "169.254.169.254", "0.0.0.0",
					    "10.0.0.1",        "192.168.1.1",     "8.8.8.8",
					    "255.255.255.255", "100.64.0.1",      "224.0.0.1"};
	static const char *const outer[] = {"::ffff:0:0", "::", "64:ff9b::", "64:ff9b:1::"};

	(void)state;
	for (size_t i = 0; i < COUNT(inner); i++) {
		struct address v4 = parsed(inner[i]);

		for (size_t j = 0; j < COUNT(outer); j++) {
			struct address v6 = parsed(outer[j]);

			memcpy(v6.bytes + 12, v4.bytes, 4);
			assert_true(address_kind(&v6) >= address_kind(&v4));
		}
	}
}

static void test_what_decides_has_a_name(void **state)
{
	static const struct {
		const char *text;
		const char *what;
	} table[] = {
		{"8.8.8.8",            "global"        },
		{"127.0.0.1",          "loopback"      },
		{"::1",                "loopback"      },
		{"10.0.0.1",           "private"       },
		{"169.254.169.254",    "link-local"    },
		{"fd00:ec2::254",      "cloud metadata"},
		{"64:ff9b::127.0.0.1", "loopback"      },
		{"::ffff:127.0.0.1",   "IPv4-mapped"   },
		{"255.255.255.255",    "broadcast"     },
		{"fec0::1",            "site-local"    },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct address a = parsed(table[i].text);

		assert_string_equal(address_what(&a), table[i].what);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses_are_read_and_written),
		cmocka_unit_test(test_other_spellings_are_no_addresses),
		cmocka_unit_test(test_equal_needs_the_same_family),
		cmocka_unit_test(test_networks_hold_every_bit_of_their_prefix),
		cmocka_unit_test(test_what_is_inside_is_unwrapped),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_no_wrapping_makes_an_address_better),
		cmocka_unit_test(test_what_decides_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
