/*
 * test_seccomp_profile - what the text of a profile means, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "message_list.h"
#include "seccomp/seccomp_profile.h"

static const struct filter_target amd64 = {FILTER_ARCH_X86_64, 6, 1};
static const struct filter_target arm64 = {FILTER_ARCH_AARCH64, 6, 1};
static const struct filter_target unknown_kernel = {FILTER_ARCH_X86_64, 0, 0};

static int parse(const char *text, const struct filter_target *target, struct seccomp_profile *out,
		 struct err *e)
{
	*e = (struct err){0};
	return seccomp_profile_parse(text, strlen(text), target, out, e);
}

static void must_parse(const char *text, const struct filter_target *target,
		       struct seccomp_profile *out)
{
	struct err e;

	if (parse(text, target, out, &e))
		fail_msg("refused: %s\n%s", e.text, text);
}

#define DENY       "{\"defaultAction\":\"SCMP_ACT_ERRNO\","
#define RULES      DENY "\"syscalls\":["
#define ALLOW_READ "\"names\":[\"read\"],\"action\":\"SCMP_ACT_ALLOW\""
#define ARGS(list) RULES "{" ALLOW_READ ",\"args\":[" list "]}]}"

static void test_every_action_has_its_kernel_value(void **state)
{
	static const struct {
		const char *json;
		uint32_t action;
	} table[] = {
		{"\"SCMP_ACT_KILL\"",                                     SECCOMP_RET_KILL_THREAD   },
		{"\"SCMP_ACT_KILL_THREAD\"",                              SECCOMP_RET_KILL_THREAD   },
		{"\"SCMP_ACT_KILL_PROCESS\"",                             SECCOMP_RET_KILL_PROCESS  },
		{"\"SCMP_ACT_TRAP\"",                                     SECCOMP_RET_TRAP          },
		{"\"SCMP_ACT_LOG\"",				      SECCOMP_RET_LOG           },
		{"\"SCMP_ACT_ALLOW\"",                                    SECCOMP_RET_ALLOW         },
		{"\"SCMP_ACT_ERRNO\"",                                    SECCOMP_RET_ERRNO | EPERM },
		{"\"SCMP_ACT_ERRNO\",\"errnoRet\":null",                  SECCOMP_RET_ERRNO | EPERM },
		{"\"SCMP_ACT_ERRNO\",\"errnoRet\":38",                    SECCOMP_RET_ERRNO | ENOSYS},
		{"\"SCMP_ACT_ERRNO\",\"errnoRet\":0",                     SECCOMP_RET_ERRNO         },
		{"\"SCMP_ACT_ERRNO\",\"errnoRet\":4095",                  SECCOMP_RET_ERRNO | 4095  },
		{"\"SCMP_ACT_ERRNO\",\"errno\":\"ENOSYS\"",               SECCOMP_RET_ERRNO | ENOSYS},
		{"\"SCMP_ACT_ERRNO\",\"errno\":\"EPERM\",\"errnoRet\":1",
		 SECCOMP_RET_ERRNO | EPERM							  },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		auto_seccomp_profile struct seccomp_profile p;
		char text[300];

		snprintf(text, sizeof(text), RULES "{\"names\":[\"read\"],\"action\":%s}]}",
			 table[i].json);
		must_parse(text, &amd64, &p);
		assert_int_equal(p.rule_count, 1);
		assert_string_equal(p.rules[0].name, "read");
		assert_int_equal(p.rules[0].action, table[i].action);
		assert_int_equal(p.rules[0].condition_count, 0);
	}
}

static void test_default_action_and_errno_are_read(void **state)
{
	auto_seccomp_profile struct seccomp_profile p;

	(void)state;
	must_parse("{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"defaultErrnoRet\":38}", &arm64, &p);
	assert_int_equal(p.default_action, SECCOMP_RET_ERRNO | ENOSYS);
	assert_int_equal(p.arch, FILTER_ARCH_AARCH64);
	assert_int_equal(p.rule_count, 0);
}

static void test_both_spellings_of_names_are_read(void **state)
{
	auto_seccomp_profile struct seccomp_profile p;

	(void)state;
	must_parse(RULES
		   "{\"name\":\"read\",\"action\":\"SCMP_ACT_ALLOW\",\"args\":null},"
		   "{\"name\":\"\",\"names\":[\"write\",\"close\"],"
		   "\"action\":\"SCMP_ACT_LOG\",\"comment\":\"why\",\"args\":[]}]}",
		   &amd64, &p);
	assert_int_equal(p.rule_count, 3);
	assert_string_equal(p.rules[0].name, "read");
	assert_string_equal(p.rules[1].name, "write");
	assert_string_equal(p.rules[2].name, "close");
	assert_int_equal(p.rules[2].action, SECCOMP_RET_LOG);
}

static void test_every_operator_is_read(void **state)
{
	static const char *const names[] = {
		[COMPARE_NE] = "SCMP_CMP_NE",
		[COMPARE_LT] = "SCMP_CMP_LT",
		[COMPARE_LE] = "SCMP_CMP_LE",
		[COMPARE_EQ] = "SCMP_CMP_EQ",
		[COMPARE_GE] = "SCMP_CMP_GE",
		[COMPARE_GT] = "SCMP_CMP_GT",
		[COMPARE_MASKED_EQ] = "SCMP_CMP_MASKED_EQ",
	};

	(void)state;
	for (int op = COMPARE_NE; op <= COMPARE_MASKED_EQ; op++) {
		auto_seccomp_profile struct seccomp_profile p;
		char text[400];

		snprintf(text, sizeof(text),
			 ARGS("{\"index\":5,\"value\":255,\"valueTwo\":%d,\"op\":\"%s\"}"),
			 op == COMPARE_MASKED_EQ ? 0x1ff : 0, names[op]);
		must_parse(text, &amd64, &p);
		assert_int_equal(p.condition_count, 1);
		assert_int_equal(p.conditions[0].argument, 5);
		assert_int_equal(p.conditions[0].op, op);
		assert_int_equal(p.conditions[0].value, 255); /* masked, as libseccomp does it */
		assert_true(p.conditions[0].mask == (op == COMPARE_MASKED_EQ ? 255 : UINT64_MAX));
	}
}

static void test_conditions_on_different_arguments_stay_together(void **state)
{
	auto_seccomp_profile struct seccomp_profile p;

	(void)state;
	must_parse(ARGS("{\"index\":0,\"value\":1,\"op\":\"SCMP_CMP_EQ\"},"
			"{\"index\":1,\"value\":9007199254740992,\"op\":\"SCMP_CMP_EQ\"}"),
		   &amd64, &p);
	assert_int_equal(p.rule_count, 1);
	assert_int_equal(p.rules[0].condition_count, 2);
	assert_true(p.conditions[1].value == 9007199254740992u);
}

static void test_conditions_on_one_argument_become_alternatives(void **state)
{
	auto_seccomp_profile struct seccomp_profile p;

	(void)state;
	must_parse(ARGS("{\"index\":0,\"value\":1,\"op\":\"SCMP_CMP_EQ\"},"
			"{\"index\":1,\"value\":2,\"op\":\"SCMP_CMP_EQ\"},"
			"{\"index\":0,\"value\":3,\"op\":\"SCMP_CMP_EQ\"}"),
		   &amd64, &p);
	assert_int_equal(p.rule_count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(p.rules[i].condition_count, 1);
		assert_int_equal(p.conditions[p.rules[i].first_condition].value, i + 1);
	}
}

static void test_includes_and_excludes_are_decided_for_the_target(void **state)
{
	static const struct {
		const char *json;
		bool on_amd64, on_arm64; /* the kernel has both since 6.1 */
	} table[] = {
		{"\"includes\":{},\"excludes\":null",                                          true,  true },
		{"\"includes\":{\"caps\":[],\"arches\":null}",                                 true,  true },
		{"\"includes\":{\"caps\":[\"CAP_SYS_ADMIN\"]}",                                false, false},
		{"\"excludes\":{\"caps\":[\"CAP_SYS_ADMIN\"]}",                                true,  true },
		{"\"includes\":{\"arches\":[\"amd64\",\"x32\"]}",                              true,  false},
		{"\"includes\":{\"arches\":[\"s390\",\"arm64\"]}",                             false, true },
		{"\"excludes\":{\"arches\":[\"amd64\"]}",                                      false, true },
		{"\"excludes\":{\"arches\":[\"s390\",\"s390x\"],\"caps\":[\"CAP_X\"]}",        true,  true },
		{"\"includes\":{\"minKernel\":\"4.8\"}",                                       true,  true },
		{"\"includes\":{\"minKernel\":\"6.1\"}",                                       true,  true },
		{"\"includes\":{\"minKernel\":\"6.2\"}",                                       false, false},
		{"\"includes\":{\"minKernel\":\"10.0\"}",                                      false, false},
		{"\"excludes\":{\"minKernel\":\"6.1\"}",                                       false, false},
		{"\"excludes\":{\"minKernel\":\"6.10\"}",                                      true,  true },
		{"\"includes\":{\"minKernel\":\"4.8\",\"arches\":[\"arm64\"]}",                false, true },
		{"\"includes\":{\"arches\":[\"amd64\"]},\"excludes\":{\"minKernel\":\"3.0\"}",
		 false,									       false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		auto_seccomp_profile struct seccomp_profile x86;
		auto_seccomp_profile struct seccomp_profile arm;
		char text[400];

		snprintf(text, sizeof(text), RULES "{" ALLOW_READ ",%s}]}", table[i].json);
		must_parse(text, &amd64, &x86);
		must_parse(text, &arm64, &arm);
		if (x86.rule_count != table[i].on_amd64 || arm.rule_count != table[i].on_arm64)
			fail_msg("decided wrongly: %s", table[i].json);
	}
}

static void test_architecture_lists_are_accepted(void **state)
{
	auto_seccomp_profile struct seccomp_profile p;
	auto_seccomp_profile struct seccomp_profile q;

	(void)state;
	must_parse(DENY
		   "\"architectures\":[\"SCMP_ARCH_X86_64\",\"SCMP_ARCH_X86\"],\"archMap\":[],"
		   "\"flags\":[\"SECCOMP_FILTER_FLAG_TSYNC\"],\"listenerPath\":null}",
		   &amd64, &p);
	must_parse(DENY
		   "\"archMap\":[{\"architecture\":\"SCMP_ARCH_X86_64\",\"subArchitectures\":"
		   "[\"SCMP_ARCH_X86\"]},{\"architecture\":\"SCMP_ARCH_RISCV64\","
		   "\"subArchitectures\":null}],\"comment\":[\"a\",\"b\"]}",
		   &amd64, &q);
}

/* Each is refused with a message that contains the second string. */
static void test_bad_input_is_refused_by_name(void **state)
{
#define ACTION(name) RULES "{\"names\":[\"read\"],\"action\":" name "}]}"
#define FILTER(json) RULES "{" ALLOW_READ "," json "}]}"
#define ARG(rest)    ARGS("{\"index\":0,\"value\":1,\"op\":\"SCMP_CMP_EQ\"" rest "}")
	static const struct {
		const char *text, *message;
	} table[] = {
		{"",									  "JSON"						 },
		{"{",									 "JSON"						 },
		{"[]",									"@seccomp_profile_parse_document#must"                 },
		{"\"x\"",								     "@seccomp_profile_parse_document#must"                 },
		{"{}",									"@seccomp_profile_get_action#missing \"defaultAction\""},
		{"{\"defaultAction\":1}",						     "@form_read_text#must \"defaultAction\""               },
		{"{\"defaultAction\":\"ALLOW\"}",                                             "@seccomp_profile_get_action#unknown \"ALLOW\""        },
		{"{\"defaultAction\":\"scmp_act_allow\"}",                                    "@seccomp_profile_get_action#unknown"                  },
		{"{\"DefaultAction\":\"SCMP_ACT_ALLOW\"}",
		 "@seccomp_profile_parse_document#unknown \"DefaultAction\""                                                                         },
		{"{\"defaultAction\":\"SCMP_ACT_NOTIFY\"}",
		 "@seccomp_profile_get_action#supported SCMP_ACT_NOTIFY"									     },
		{"{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"defaultErrnoRet\":1}",
		 "@seccomp_profile_get_action#returns"											       },
		{DENY "\"defaultAction\":\"SCMP_ACT_ALLOW\"}",
		 "@seccomp_profile_parse_document#stands \"defaultAction\""                                                                          },
		{DENY "\"defaultErrnoRet\":4096}",                                            "@seccomp_profile_get_errno#must 0 ... 4095"           },
		{DENY "\"defaultErrnoRet\":-1}",                                              "@form_read_number#must \"defaultErrnoRet\""           },
		{DENY "\"defaultErrnoRet\":\"1\"}",                                           "@form_read_number#must \"defaultErrnoRet\""           },
		{DENY "\"defaultErrno\":\"EFOO\"}",                                           "@seccomp_profile_get_errno#unknown \"EFOO\""          },
		{DENY "\"defaultErrno\":\"EPERM\",\"defaultErrnoRet\":38}",                   "disagree"                                             },
		{DENY "\"sycalls\":[]}",						      "@seccomp_profile_parse_document#unknown \"sycalls\""  },
		{DENY "\"syscalls\":{}}",						     "@form_read_list#must \"syscalls\""                    },
		{DENY "\"syscalls\":[1]}",
		 "@seccomp_profile_check_object#must syscalls[0]: a rule"									    },
		{DENY "\"flags\":[\"SECCOMP_FILTER_FLAG_LOG\"]}",                             "SECCOMP_FILTER_FLAG_LOG"                              },
		{DENY "\"flags\":[\"SECCOMP_FILTER_FLAG_SPEC_ALLOW\"]}",                      "SPEC_ALLOW"                                           },
		{DENY "\"flags\":[1]}",						       "@seccomp_profile_get_strings \"flags\""               },
		{DENY "\"listenerPath\":\"/run/x\"}",
		 "@seccomp_profile_check_flags#listenerPath \"listenerPath\""                                                                        },
		{DENY "\"architectures\":[\"x86_64\"]}",
		 "@seccomp_profile_check_architectures#2 \"architectures\" ... \"x86_64\""                                                           },
		{DENY "\"architectures\":[\"SCMP_ARCH_X86\"],\"archMap\":[{\"architecture\":"
		      "\"SCMP_ARCH_X86\"}]}",				"@seccomp_profile_check_architectures#either"          },
		{DENY "\"archMap\":[{}]}",						    "\"archMap\""                                          },
		{DENY "\"archMap\":[{\"architecture\":\"SCMP_ARCH_X86\",\"x\":1}]}",
		 "@seccomp_profile_check_architectures#key"											  },
		{ACTION("\"SCMP_ACT_TRACE\""),
		 "@seccomp_profile_get_action#supported syscalls[0] ... \"action\" ... "
		 "SCMP_ACT_TRACE"														    },
		{ACTION("\"SCMP_ACT_NOTIFY\""),
		 "@seccomp_profile_get_action#supported SCMP_ACT_NOTIFY"									     },
		{ACTION("\"SCMP_ACT_DENY\""),
		 "@seccomp_profile_get_action#unknown \"SCMP_ACT_DENY\""									     },
		{ACTION("null"),							      "@seccomp_profile_get_action#missing \"action\""       },
		{ACTION("\"SCMP_ACT_ALLOW\",\"errnoRet\":1"),
		 "@seccomp_profile_get_action#returns SCMP_ACT_ALLOW"										},
		{ACTION("\"SCMP_ACT_KILL\",\"errno\":\"EPERM\""),
		 "@seccomp_profile_get_action#returns SCMP_ACT_KILL"										 },
		{ACTION("\"SCMP_ACT_ERRNO\",\"errnoRet\":1.5"),
		 "@form_read_number#must \"errnoRet\""											       },
		{ACTION("\"SCMP_ACT_ERRNO\",\"priority\":1"),
		 "@seccomp_profile_check_object#unknown \"priority\""										},
		{RULES "{\"action\":\"SCMP_ACT_ALLOW\"}]}",
		 "@seccomp_profile_parse_rule \"names\" ... \"name\""										},
		{RULES "{\"names\":[],\"action\":\"SCMP_ACT_ALLOW\"}]}",
		 "@seccomp_profile_parse_rule \"names\" ... \"name\""										},
		{RULES "{\"name\":\"a\"," ALLOW_READ "}]}",
		 "@seccomp_profile_parse_rule \"names\" ... \"name\""										},
		{RULES "{\"names\":[\"\"],\"action\":\"SCMP_ACT_ALLOW\"}]}",
		 "@seccomp_profile_add_rule#system"												  },
		{RULES "{\"names\":[1],\"action\":\"SCMP_ACT_ALLOW\"}]}",
		 "@seccomp_profile_get_strings"												      },
		{RULES "{\"names\":\"read\",\"action\":\"SCMP_ACT_ALLOW\"}]}",
		 "@form_read_list#must"													      },
		{RULES "{" ALLOW_READ "},{" ALLOW_READ "," ALLOW_READ "}]}",                  "syscalls[1]"                                          },
		{ARG(",\"valueTwo\":1"),
		 "@seccomp_profile_parse_condition#valueTwo \"valueTwo\" ... SCMP_CMP_MASKED_EQ"                                                     },
		{ARG(",\"size\":1"),							  "@seccomp_profile_parse_condition#unknown \"size\""    },
		{ARG(",\"op\":\"SCMP_CMP_NE\""),                                              "@seccomp_profile_parse_condition#stands \"op\""       },
		{ARGS("{\"index\":6,\"value\":1,\"op\":\"SCMP_CMP_EQ\"}"),
		 "@seccomp_profile_parse_condition#index \"index\" ... 0 ... 5"                                                                      },
		{ARGS("{\"value\":1,\"op\":\"SCMP_CMP_EQ\"}"),
		 "@seccomp_profile_parse_condition#index \"index\" ... 0 ... 5"                                                                      },
		{ARGS("{\"index\":0,\"op\":\"SCMP_CMP_EQ\"}"),
		 "@seccomp_profile_parse_condition#missing \"value\""										},
		{ARGS("{\"index\":0,\"value\":1}"),                                           "@seccomp_profile_get_operator#missing \"op\""         },
		{ARGS("{\"index\":0,\"value\":1,\"op\":\"EQ\"}"),
		 "@seccomp_profile_get_operator#unknown \"op\" ... \"EQ\""									   },
		{ARGS("{\"index\":0,\"value\":-1,\"op\":\"SCMP_CMP_EQ\"}"),
		 "@form_read_number#must \"value\""												  },
 /* Beyond 2^53 a JSON number is no longer exact. */
		{ARGS("{\"index\":0,\"value\":18446744073709551615,\"op\":\"SCMP_CMP_EQ\"}"),
		 "@form_read_number#must \"value\""												  },
		{ARGS("7"),								   "@seccomp_profile_parse_condition#object \"args\""     },
		{FILTER("\"includes\":[]"),						   "@seccomp_profile_check_object#must includes"          },
		{FILTER("\"includes\":{\"caps\":\"CAP_X\"}"),                                 "@form_read_list#must \"caps\""                        },
		{FILTER("\"includes\":{\"caps\":[\"SYS_ADMIN\"]}"),
		 "@seccomp_profile_parse_filter#caps \"SYS_ADMIN\""										  },
		{FILTER("\"excludes\":{\"arches\":[\"x86_64\"]}"),
		 "@seccomp_profile_parse_filter#arches \"x86_64\""										   },
		{FILTER("\"excludes\":{\"maxKernel\":\"4.8\"}"),
		 "@seccomp_profile_check_object#unknown \"maxKernel\""									       },
		{FILTER("\"includes\":{\"minKernel\":4.8}"),                                  "@form_read_text#must \"minKernel\""                   },
		{FILTER("\"includes\":{\"minKernel\":\"4\"}"),
		 "@seccomp_profile_kernel_reached#must \"minKernel\""										},
		{FILTER("\"includes\":{\"minKernel\":\"4.8.1\"}"),
		 "@seccomp_profile_kernel_reached#must \"minKernel\""										},
		{FILTER("\"includes\":{\"minKernel\":\"-4.8\"}"),
		 "@seccomp_profile_kernel_reached#must \"minKernel\""										},
		{FILTER("\"includes\":{\"minKernel\":\"99999999999.8\"}"),
		 "@seccomp_profile_kernel_reached#must"											      },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct seccomp_profile p;
		struct err e;

		if (!parse(table[i].text, &amd64, &p, &e))
			fail_msg("accepted: %s", table[i].text);
		assert_int_equal(e.kind, ERR_INPUT);
		if (!message_is(e.text, table[i].message))
			fail_msg("said \"%s\" and not \"%s\"\n%s", e.text, table[i].message,
				 table[i].text);
		assert_null(p.document);
		assert_null(p.rules);
	}
}

static void test_a_rule_that_does_not_apply_is_still_checked(void **state)
{
	struct seccomp_profile p;
	struct err e;

	(void)state;
	assert_int_equal(parse(RULES "{\"names\":[\"read\"],\"action\":\"SCMP_ACT_FOO\","
				     "\"includes\":{\"arches\":[\"s390\"]}}]}",
			       &amd64, &p, &e),
			 -1);
}

static void test_min_kernel_without_a_kernel_is_refused(void **state)
{
	struct seccomp_profile p;
	struct err e;

	(void)state;
	assert_int_equal(
		parse(FILTER("\"includes\":{\"minKernel\":\"4.8\"}"), &unknown_kernel, &p, &e), -1);
	assert_true(message_is(e.text, "@seccomp_profile_kernel_reached#cannot"));
}

static void test_size_is_bounded(void **state)
{
	auto_buf struct buf text = {0};
	auto_seccomp_profile struct seccomp_profile p;
	struct seccomp_profile larger;
	struct err e;

	(void)state;
	buf_text(&text, DENY "\"comment\":\"");
	while (text.length < SECCOMP_PROFILE_MAX - 2)
		buf_text(&text, "x");
	buf_text(&text, "\"}");
	must_parse(buf_string(&text), &amd64, &p);
	buf_text(&text, " ");
	assert_int_equal(parse(buf_string(&text), &amd64, &larger, &e), -1);
	assert_true(message_is(e.text, "@seccomp_profile_parse"));
}

static void test_number_of_rules_is_bounded(void **state)
{
	auto_buf struct buf text = {0};
	struct seccomp_profile p;
	struct err e;

	(void)state;
	/* 300 names and 300 conditions on one argument make 90,000 rules. */
	buf_text(&text, RULES "{\"names\":[\"a\"");
	for (int i = 1; i < 300; i++)
		buf_text(&text, ",\"a\"");
	buf_text(&text, "],\"action\":\"SCMP_ACT_ALLOW\",\"args\":[");
	for (int i = 0; i < 300; i++)
		buf_printf(&text, "%s{\"index\":0,\"value\":%d,\"op\":\"SCMP_CMP_EQ\"}",
			   i ? "," : "", i);
	buf_text(&text, "]}]}");
	assert_int_equal(parse(buf_string(&text), &amd64, &p, &e), -1);
	assert_true(message_is(e.text, "@seccomp_profile_add_rule#more 65536"));
}

static void test_every_prefix_of_a_profile_is_refused(void **state)
{
	static const char text[] =
		RULES "{" ALLOW_READ
		      ",\"args\":[{\"index\":0,\"value\":1,\"op\":\"SCMP_CMP_EQ\"}],"
		      "\"includes\":{\"arches\":[\"amd64\"],\"minKernel\":\"4.8\"}}]}";

	(void)state;
	for (size_t length = 0; length < sizeof(text) - 1; length++) {
		struct seccomp_profile p;
		struct err e;

		assert_int_equal(seccomp_profile_parse(text, length, &amd64, &p, &e), -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_action_has_its_kernel_value),
		cmocka_unit_test(test_default_action_and_errno_are_read),
		cmocka_unit_test(test_both_spellings_of_names_are_read),
		cmocka_unit_test(test_every_operator_is_read),
		cmocka_unit_test(test_conditions_on_different_arguments_stay_together),
		cmocka_unit_test(test_conditions_on_one_argument_become_alternatives),
		cmocka_unit_test(test_includes_and_excludes_are_decided_for_the_target),
		cmocka_unit_test(test_architecture_lists_are_accepted),
		cmocka_unit_test(test_bad_input_is_refused_by_name),
		cmocka_unit_test(test_a_rule_that_does_not_apply_is_still_checked),
		cmocka_unit_test(test_min_kernel_without_a_kernel_is_refused),
		cmocka_unit_test(test_size_is_bounded),
		cmocka_unit_test(test_number_of_rules_is_bounded),
		cmocka_unit_test(test_every_prefix_of_a_profile_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
