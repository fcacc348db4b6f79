/*
 * test_egress_list - what a list of hosts accepts and what becomes of it; presets and who may write
 * them.
 */
#include "unit.h"

#include "base/own.h"
#include "netpolicy/egress_preset.h"
#include "spec/egress_list.h"

static struct sandbox_spec spec;
static struct err e;
static int dir_fd;

/* A home of its own: the presets of who runs the tests do not matter. */
static int begin(void **state)
{
	(void)state;
	dir_fd = unit_enter();
	assert_int_equal(mkdirat(dir_fd, "glovebox", 0755), 0);
	assert_int_equal(mkdirat(dir_fd, "glovebox/egress.d", 0755), 0);
	setenv("XDG_CONFIG_HOME", unit_directory, 1);
	spec_init(&spec);
	return 0;
}

static int end(void **state)
{
	(void)state;
	spec_fini(&spec);
	unit_leave(dir_fd);
	return 0;
}

static int add(const char *text)
{
	return egress_list_add(&spec, text, &e);
}

/* The rules as text: "host:port kind" each, separated by blanks. */
static const char *rules(void)
{
	static char text[4096];
	auto_buf struct buf out = {0};

	for (size_t i = 0; i < spec.egress.rule_count; i++) {
		const struct egress_rule *rule = &spec.egress.rules[i];

		buf_text(&out, i ? " " : "");
		egress_write_host(rule, &out);
		buf_printf(&out, ":%u %s", rule->port, egress_kind_name(rule->kind));
	}
	snprintf(text, sizeof(text), "%s", buf_string(&out));
	return text;
}

static void becomes(const char *list, const char *wanted)
{
	spec_fini(&spec);
	spec_init(&spec);
	accepts(add(list), list);
	assert_true(spec.egress.has_list);
	assert_string_equal(rules(), wanted);
}

/* --- hosts ---------------------------------------------------------------------------------- */

static void test_hosts_with_their_ports_and_kinds(void **state)
{
	(void)state;
	becomes("a.example", "a.example:80 http a.example:443 tls");
	becomes("A.Example.:443", "a.example:443 tls");
	becomes("a.example:8443,a.example:8080", "a.example:8443 tls a.example:8080 http");
	becomes("a.example:5432", "a.example:5432 raw");
	becomes("a.example:443:raw", "a.example:443 raw");
	becomes("a.example:5432:tls,b.example:1:http", "a.example:5432 tls b.example:1 http");
	becomes("*.a.example:443", "*.a.example:443 tls");
	becomes("db:5432", "db:5432 raw");
	becomes("db.", "db:80 http db:443 tls");
	becomes("a.example:443,a.example:443", "a.example:443 tls");
	becomes("xn--bcher-kva.example:80", "xn--bcher-kva.example:80 http");
}

static void test_addresses_are_opaque(void **state)
{
	(void)state;
	becomes("1.2.3.4", "1.2.3.4:80 raw 1.2.3.4:443 raw");
	becomes("1.2.3.4:443:raw", "1.2.3.4:443 raw");
	becomes("8.0.0.0/8:22", "8.0.0.0/8:22 raw");
	becomes("8.8.8.8/32:22", "8.8.8.8:22 raw");
	becomes("[2606:4700::1111]:443", "[2606:4700::1111]:443 raw");
	becomes("[2606:4700::/32]:443", "[2606:4700::/32]:443 raw");
	becomes("0.0.0.0/0:443", "0.0.0.0/0:443 raw"); /* each address of it is judged */
	becomes("10.0.0.1:22", "10.0.0.1:22 raw");     /* egress_finish() wants more */
}

static void test_none_is_a_list_of_nothing(void **state)
{
	(void)state;
	becomes("none", "");
	refuses(add("none,a.example"), "none", ERR_INPUT, "@egress_list_refuse_none");
	refuses(add("a.example,none"), "none", ERR_INPUT, "@egress_list_refuse_none");
	becomes("a.example:1", "a.example:1 raw");
	refuses(add("none"), "none, later", ERR_INPUT, "@egress_list_refuse_none");
	becomes("none", "");
	accepts(add("none"), "none again");
	refuses(add("a.example"), "a.example, later", ERR_INPUT, "@egress_list_refuse_none");
}

static void test_what_is_no_host_is_refused(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} rows[] = {
		{"",			      "@egress_entry_parse"                          },
		{"a.b,",			  "@egress_entry_parse"                          },
		{",a.b",			  "@egress_entry_parse"                          },
		{"a.b,,c.d",                      "@egress_entry_parse"                          },
		{" a.b",			  "@egress_host_refuse#blank"                    },
		{"a b.c",                         "@egress_host_refuse#blank"                    },
		{"a..b",			  "@egress_host_refuse#neither"                  },
		{"-a.b",			  "@egress_host_refuse#neither"                  },
		{"*",			     "@egress_host_refuse#stands"                   },
		{"*.",			    "@egress_host_refuse#stands"                   },
		{"a.*.b",                         "@egress_host_refuse#stands"                   },
		{"*.*.b",                         "@egress_host_refuse#stands"                   },
		{"**.b",			  "@egress_host_refuse#stands"                   },
		{"b\xc3\xbc"
		 "cher.example", "@egress_host_refuse#write"                    },
		{"0177.0.0.1",                    "@egress_host_refuse#neither"                  },
		{"127.1",                         "@egress_host_refuse#neither"                  },
		{"0x7f.1",                        "@egress_host_refuse#neither"                  },
		{"2130706433:80",                 "@egress_host_refuse#neither"                  },
		{"1.2.3.4.",                      "@egress_host_refuse#neither"                  },
		{"1.2.3.4/33:80",                 "@egress_host_net"                             },
		{"1.2.3.4/x:80",                  "@egress_host_net"                             },
		{"1.2.3.4/8:80",                  "@egress_host_refuse_bits 8 ... 1.0.0.0/8:80"  },
		{"a.b/8:80",                      "@egress_host_refuse#path a.b"                 },
		{"[1.2.3.4]:80",                  "@egress_host_refuse#neither"                  },
		{"[::1",			  "@egress_host_first#behind"                    },
		{"[]:80",                         "@egress_host_refuse#neither"                  },
		{"[2606::1]x:80",                 "@egress_host_refuse#neither"                  },
		{"2606:4700::1111",               "@egress_publish_brackets [2606:4700::1111]"   },
		{"2606::/32:443",                 "@egress_host_first#port IPv6"                 },
		{"a::tls",                        "@egress_host_first#port"                      },
		{"a.b:",			  "@egress_host_port#of a.b"                     },
		{"a.b:0",                         "@egress_host_port#of a.b:0"                   },
		{"a.b:65536",                     "@parse_int#range 1 ... 65535"                 },
		{"a.b:https",                     "@egress_host_port#of a.b:https"               },
		{"a.b:-1",                        "@egress_host_port#of a.b:-1"                  },
		{"a.b:53",                        "@egress_host_port#sandbox"                    },
		{"a.b:443:",                      "@egress_host_kind#none"                       },
		{"a.b:443:quic",                  "@egress_host_kind#none"                       },
		{"a.b:443:tls:x",                 "@egress_host_kind#none"                       },
		{"1.2.3.4:443:tls",               "@egress_host_kind#address tls"                },
		{"8.0.0.0/8:80:http",             "@egress_host_kind#address http"               },
		{"a.b/simple",                    "@egress_host_refuse#path a.b"                 },
		{"[2001:4860::]/32:443",          "@egress_host_refuse#goes"                     },
		{"[2001:4860::1/32]:443",         "@egress_host_refuse_bits [2001:4860::/32]:443"},
		{"https://pypi.org",              "@egress_host_first#give"                      },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		refuses(add(rows[i].text), rows[i].text, ERR_INPUT, rows[i].says);
}

static void test_a_long_name_is_refused(void **state)
{
	char text[1024];

	(void)state;
	memset(text, 'a', sizeof(text));
	memcpy(text + sizeof(text) - 5, ".org", 5);
	refuses(add(text), "1000 letters", ERR_INPUT, "@egress_host_first#long");
	text[400] = '\0';
	refuses(add(text), "400 letters", ERR_INPUT, "@egress_preset_read");
}

/* What no list can open, in every spelling that a list can have. */
static void test_what_is_never_reached_is_refused_at_once(void **state)
{
	static const char *const rows[] = {
		"127.0.0.1",
		"127.0.0.0/8:80",
		"0.0.0.0",
		"169.254.169.254",
		"169.254.0.0/16:80",
		"224.0.0.1",
		"255.255.255.255",
		"[::1]:80",
		"[::]:80",
		"[fe80::1]:80",
		"[ff02::1]:80",
		"[::ffff:127.0.0.1]:80",
		"[::ffff:8.8.8.8]:80",
		"[64:ff9b::127.0.0.1]:80",
	};
	static const char *const names[] = {
		"localhost",
		"localhost:80",
		"x.localhost:80",
		"*.localhost:80",
		"host.docker.internal:80",
		"host.glovebox.internal",
		"LOCALHOST.",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		refuses(add(rows[i]), rows[i], ERR_INPUT, "@egress_host_refuse_special");
	for (size_t i = 0; i < COUNT(names); i++)
		refuses(add(names[i]), names[i], ERR_INPUT, "@egress_host_refuse_local");
}

/* --- presets -------------------------------------------------------------------------------- */

static void preset(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "glovebox/egress.d/%s", name);
	unit_write(dir_fd, path, text, strlen(text));
}

/* Each file that is shipped can be read. */
static void test_the_shipped_lists(void **state)
{
	static const char *const names[] = {"pypi",   "npm",         "debian",
					    "github", "huggingface", "conda"};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		const size_t before = spec.egress.rule_count;

		accepts(add(names[i]), names[i]);
		assert_true(spec.egress.rule_count > before);
	}
	becomes("pypi", "pypi.org:443 tls files.pythonhosted.org:443 tls");
	becomes("PyPI", "pypi.org:443 tls files.pythonhosted.org:443 tls");
}

static void test_a_file_has_one_host_a_line(void **state)
{
	(void)state;
	preset("mine",
	       "# a comment\n\n  a.example:443  # and another\r\n\tb.example:1:tls\n"
	       "c.example:2");
	becomes("mine", "a.example:443 tls b.example:1 tls c.example:2 raw");
	becomes("mine,d.example:3",
		"a.example:443 tls b.example:1 tls c.example:2 raw "
		"d.example:3 raw");
	preset("empty", "");
	becomes("empty", "");
}

static void test_a_wrong_line_is_named(void **state)
{
	(void)state;
	preset("wrong", "a.example\n\nb.example:x\n");
	refuses(add("wrong"), "wrong", ERR_INPUT,
		"@egress_host_port#of /egress.d/wrong ... 3 ... b.example:x");
	preset("two", "a.example,b.example\n");
	refuses(add("two"), "two", ERR_INPUT, "@egress_list_lines#host /two ... 1");
	preset("blank", "a.example 443\n");
	refuses(add("blank"), "blank", ERR_INPUT, "@egress_list_lines#host /blank ... 1");
	preset("nothing", "none\n");
	refuses(add("nothing"), "nothing", ERR_INPUT, "@egress_list_refuse_none /nothing ... 1");
	unit_write(dir_fd, "glovebox/egress.d/nul", "a.example\0b", 11);
	refuses(add("nul"), "nul", ERR_INPUT, "@egress_preset_check /nul");
}

static void test_a_users_file_goes_before_ours_and_may_extend_it(void **state)
{
	(void)state;
	preset("pypi", "mirror.example:443\n");
	becomes("pypi", "mirror.example:443 tls");
	preset("pypi", "pypi\nmirror.example:443\n");
	becomes("pypi", "pypi.org:443 tls files.pythonhosted.org:443 tls mirror.example:443 tls");
}

static void test_lists_may_name_others_but_not_in_a_circle(void **state)
{
	(void)state;
	preset("work", "tools\nwork.example:443\n");
	preset("tools", "pypi\n");
	becomes("work", "pypi.org:443 tls files.pythonhosted.org:443 tls work.example:443 tls");
	preset("tools", "work\n");
	refuses(add("work"), "circle", ERR_INPUT, "@egress_list_preset");
	preset("alone", "alone\n");
	refuses(add("alone"), "alone", ERR_INPUT, "@egress_preset_refuse#1 \"alone\" ... /etc/");
}

static void test_a_list_that_is_not_there_says_where_it_was_looked_for(void **state)
{
	(void)state;
	refuses(add("nobody"), "nobody", ERR_INPUT, unit_directory);
	assert_non_null(strstr(e.text, "/etc/glovebox/egress.d, "));
	assert_non_null(strstr(e.text, "nobody:443"));
	assert_non_null(
		strstr(e.text, "; there are conda, debian, github, huggingface, npm, pypi"));
	assert_null(strstr(e.text, "did you mean"));
	preset("mine", "a.example\n");
	refuses(add("HugginFace"), "near", ERR_INPUT,
		"@egress_preset_offer#mean huggingface ... conda");
	assert_non_null(strstr(e.text, "huggingface, mine, npm"));
	unsetenv("XDG_CONFIG_HOME");
	setenv("HOME", unit_directory, 1);
	refuses(add("nobody"), "nobody", ERR_INPUT, "/.config/glovebox/egress.d, /etc");
}

/* What another user could have written opens no network. */
static void test_a_file_that_others_may_write_is_refused(void **state)
{
	(void)state;
	preset("mine", "a.example:443\n");
	assert_int_equal(fchmodat(dir_fd, "glovebox/egress.d/mine", 0664, 0), 0);
	refuses(add("mine"), "file", ERR_INPUT, "@egress_preset_open#others /mine");
	assert_int_equal(fchmodat(dir_fd, "glovebox/egress.d/mine", 0646, 0), 0);
	refuses(add("mine"), "file", ERR_INPUT, "@egress_preset_open#others /mine");
	assert_int_equal(fchmodat(dir_fd, "glovebox/egress.d/mine", 0644, 0), 0);
	accepts(add("mine"), "file");
	assert_int_equal(fchmodat(dir_fd, "glovebox/egress.d", 0777, 0), 0);
	refuses(add("mine"), "directory", ERR_INPUT, "@egress_preset_open#others /egress.d:");
	if (geteuid())
		return;
	assert_int_equal(fchmodat(dir_fd, "glovebox/egress.d", 0755, 0), 0);
	assert_int_equal(fchownat(dir_fd, "glovebox/egress.d/mine", 12345, 0, 0), 0);
	refuses(add("mine"), "owner", ERR_INPUT, "@egress_preset_open#belong");
}

static void test_a_link_or_a_pipe_is_no_file(void **state)
{
	(void)state;
	preset("mine", "a.example:443\n");
	assert_int_equal(symlinkat("mine", dir_fd, "glovebox/egress.d/link"), 0);
	refuses(add("link"), "link", ERR_INPUT, "@egress_preset_open#link /link");
	assert_int_equal(mkfifoat(dir_fd, "glovebox/egress.d/pipe", 0600), 0);
	refuses(add("pipe"), "pipe", ERR_INPUT, "@egress_preset_open#3 /pipe");
	assert_int_equal(mkdirat(dir_fd, "glovebox/egress.d/folder", 0700), 0);
	refuses(add("folder"), "folder", ERR_INPUT, "@egress_preset_open#3 /folder");
}

static void test_a_file_has_an_end(void **state)
{
	static char text[65537];

	(void)state;
	memset(text, '#', sizeof(text));
	unit_write(dir_fd, "glovebox/egress.d/long", text, sizeof(text));
	refuses(add("long"), "long", ERR_INPUT, "@io_read_fd#larger");
}

static bool is_word(const char *text)
{
	auto_free char *name = egress_preset_word(text);

	return name;
}

static void test_names_of_lists(void **state)
{
	static const char *const good[] = {"pypi", "a", "my-list_2", "0", "A"};
	static const char *const bad[] = {"", "-x", "a.b", "a:1", "a/b", "..", "*", "[a]"};

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++)
		assert_true(is_word(good[i]));
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(is_word(bad[i]));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_hosts_with_their_ports_and_kinds),
		TEST(test_addresses_are_opaque),
		TEST(test_none_is_a_list_of_nothing),
		TEST(test_what_is_no_host_is_refused),
		TEST(test_a_long_name_is_refused),
		TEST(test_what_is_never_reached_is_refused_at_once),
		TEST(test_the_shipped_lists),
		TEST(test_a_file_has_one_host_a_line),
		TEST(test_a_wrong_line_is_named),
		TEST(test_a_users_file_goes_before_ours_and_may_extend_it),
		TEST(test_lists_may_name_others_but_not_in_a_circle),
		TEST(test_a_list_that_is_not_there_says_where_it_was_looked_for),
		TEST(test_a_file_that_others_may_write_is_refused),
		TEST(test_a_link_or_a_pipe_is_no_file),
		TEST(test_a_file_has_an_end),
		TEST(test_names_of_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
