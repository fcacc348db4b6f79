/*
 * test_syscall_filter - the compiler of seccomp profiles, compared with two other implementations.
 *
 * The programs that it makes run in a small interpreter here. For thousands of random profiles,
 * their answers are compared with a plain evaluation of the rules; for the shipped policy, with
 * what libseccomp compiles. test_builtin_filter asks the kernel. Run it from the top of the source
 * tree: it reads policy/python.json.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "seccomp/filter_guard.h"
#include "seccomp/syscall_filter.h"
#include "under_valgrind.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	uint32_t audit;
	uint32_t libseccomp;
} arches[] = {
	[FILTER_ARCH_X86_64] = {AUDIT_ARCH_X86_64,  SCMP_ARCH_X86_64 },
	[FILTER_ARCH_AARCH64] = {AUDIT_ARCH_AARCH64, SCMP_ARCH_AARCH64},
};

/* The instructions that libseccomp and we use; anything else fails the test. */
static uint32_t run(const struct sock_filter *program, size_t length, const struct seccomp_data *d)
{
	uint32_t a = 0;

	for (size_t pc = 0; pc < length; pc++) {
		const struct sock_filter *f = &program[pc];
		bool yes;

		switch (f->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			assert_true(f->k % 4 == 0 && f->k + 4 <= sizeof(*d));
			memcpy(&a, (const char *)d + f->k, 4);
			continue;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= f->k;
			continue;
		case BPF_RET | BPF_K:
			return f->k;
		case BPF_JMP | BPF_JA:
			pc += f->k;
			continue;
		case BPF_JMP | BPF_JEQ | BPF_K:
			yes = a == f->k;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			yes = a > f->k;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			yes = a >= f->k;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			yes = a & f->k;
			break;
		default:
			fail_msg("instruction %zu: unexpected code %#x", pc, f->code);
			return 0;
		}
		pc += yes ? f->jt : f->jf;
	}
	fail_msg("the program ran past its end");
	return 0;
}

static uint32_t answer(const struct syscall_filter *f, enum filter_arch arch, uint32_t number,
		       const uint64_t args[6])
{
	struct seccomp_data d = {.nr = (int)number, .arch = arches[arch].audit};

	memcpy(d.args, args, sizeof(d.args));
	return run(f->program, f->length, &d);
}

static int number_of(const struct seccomp_profile *p, const char *name)
{
	return seccomp_syscall_resolve_name_arch(arches[p->arch].libseccomp, name);
}

static bool holds(const struct seccomp_condition *c, const uint64_t args[6])
{
	uint64_t x = args[c->argument];

	switch (c->op) {
	case COMPARE_NE:
		return x != c->value;
	case COMPARE_LT:
		return x < c->value;
	case COMPARE_LE:
		return x <= c->value;
	case COMPARE_EQ:
		return x == c->value;
	case COMPARE_GE:
		return x >= c->value;
	case COMPARE_GT:
		return x > c->value;
	case COMPARE_MASKED_EQ:
		return (x & c->mask) == c->value;
	}
	return false;
}

/* A rule and its number, so that the plain evaluation need not resolve names a million times. */
struct reading {
	const struct seccomp_profile *p;
	int *numbers; /* one per rule */
	int last;
};

static void read_profile(const struct seccomp_profile *p, struct reading *r)
{
	r->p = p;
	r->numbers = calloc(p->rule_count + 1, sizeof(int));
	r->last = -1;
	for (size_t i = 0; i < p->rule_count; i++) {
		r->numbers[i] = number_of(p, p->rules[i].name);
		if (r->numbers[i] > r->last)
			r->last = r->numbers[i];
	}
}

static void reading_fini(struct reading *r)
{
	free(r->numbers);
}

static bool stricter(uint32_t x, uint32_t y)
{
	int32_t a = (int32_t)(x & SECCOMP_RET_ACTION_FULL);
	int32_t b = (int32_t)(y & SECCOMP_RET_ACTION_FULL);

	return a != b ? a < b : x < y;
}

/* What the header promises, followed literally. */
static uint32_t expected(const struct reading *r, uint32_t number, const uint64_t args[6])
{
	const struct seccomp_profile *p = r->p;
	uint32_t best = 0;
	bool found = false;

	if (p->arch == FILTER_ARCH_X86_64 && number >= 0x40000000)
		return SECCOMP_RET_KILL_PROCESS;
	for (size_t i = 0; i < p->rule_count; i++) {
		const struct seccomp_rule *rule = &p->rules[i];
		bool matches = r->numbers[i] >= 0 && (uint32_t)r->numbers[i] == number;

		for (size_t j = 0; j < rule->condition_count; j++)
			matches = matches && holds(&p->conditions[rule->first_condition + j], args);
		if (matches && (!found || stricter(rule->action, best))) {
			best = rule->action;
			found = true;
		}
	}
	if (found)
		return best;
	if ((p->default_action & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO &&
	    (int64_t)number > r->last)
		return SECCOMP_RET_ERRNO | ENOSYS;
	return p->default_action;
}

static uint64_t seed = 1;

static uint64_t chance(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

static const uint64_t interesting[] = {
	0,
	1,
	2,
	4,
	7,
	8,
	0xfffffe7c,
	0xfffffe7e,
	0xfffffe7f,
	0xfffffff8,
	0xfffffffc,
	0xfffffffe,
	0x7fffffff,
	0x80000000,
	0xffffffff,
	0x100000000,
	0x100000001,
	0x1ffffffff,
	0x7fffffffffffffff,
	0x8000000000000000,
	0xffffffff00000000,
	UINT64_MAX,
};

#define ANY(table) ((table)[chance(LENGTH(table))])

/* Some names exist on only one of the two architectures. */
static const char *const some_names[] = {
	"read",   "write", "open",     "close",    "stat",   "ioctl", "socket",
	"clone",  "fork",  "prctl",    "getpid",   "gettid", "futex", "openat",
	"clone3", "bpf",   "renameat", "setxattr", "kill",
};

static void random_profile(struct seccomp_profile *p, enum filter_arch arch, size_t rules)
{
	static const uint32_t actions[] = {
		SECCOMP_RET_ALLOW,       SECCOMP_RET_LOG,
		SECCOMP_RET_TRAP,        SECCOMP_RET_KILL_PROCESS,
		SECCOMP_RET_KILL_THREAD, SECCOMP_RET_ALLOW,
		SECCOMP_RET_ERRNO | 1,   SECCOMP_RET_ERRNO | ENOSYS,
		SECCOMP_RET_ERRNO,
	};
	size_t names = 1 + chance(LENGTH(some_names));

	*p = (struct seccomp_profile){.arch = arch, .default_action = ANY(actions)};
	p->rules = calloc(rules + 1, sizeof(*p->rules));
	p->conditions = calloc(rules * 6 + 1, sizeof(*p->conditions));
	for (size_t i = 0; i < rules; i++) {
		struct seccomp_rule *rule = &p->rules[p->rule_count++];
		unsigned first = (unsigned)chance(6);

		rule->name = some_names[chance(names)];
		if (i && !chance(8)) { /* another call with the rules of this one */
			const char *name = rule->name;

			*rule = p->rules[chance(i)];
			rule->name = name;
			continue;
		}
		rule->action = ANY(actions);
		rule->first_condition = p->condition_count;
		rule->condition_count = chance(4) ? chance(4) : chance(7);
		for (unsigned j = 0; j < rule->condition_count; j++) {
			struct seccomp_condition *c = &p->conditions[p->condition_count++];

			c->argument = (uint8_t)((first + j) % 6);
			c->op = (enum compare_op)chance(COMPARE_MASKED_EQ + 1);
			if (chance(2))
				c->op = COMPARE_MASKED_EQ;
			c->mask = c->op == COMPARE_MASKED_EQ ? ANY(interesting) : UINT64_MAX;
			c->value = ANY(interesting) & c->mask;
		}
	}
}

static void check_random_calls(const struct reading *r, const struct syscall_filter *f, int calls)
{
	const struct seccomp_profile *p = r->p;

	while (calls--) {
		uint64_t args[6];
		uint32_t number = (uint32_t)number_of(p, ANY(some_names)) + (uint32_t)chance(3) - 1;
		uint32_t want;
		uint32_t got;

		if (!chance(8))
			number = (uint32_t)ANY(interesting);
		if (!chance(8))
			number |= 0x40000000;
		for (int i = 0; i < 6; i++)
			args[i] = ANY(interesting) + chance(3) - 1;
		want = expected(r, number, args);
		got = answer(f, p->arch, number, args);
		if (got != want)
			fail_msg("number %u: answers %#x, the rules say %#x", number, got, want);
	}
}

static void test_random_profiles_answer_as_their_rules_say(void **state)
{
	(void)state;
	for (int i = 0; i < 1500; i++) {
		auto_seccomp_profile struct seccomp_profile p;
		auto_syscall_filter struct syscall_filter f = {0};
		__attribute__((cleanup(reading_fini))) struct reading r = {0};
		struct err e;

		random_profile(&p, i % 2 ? FILTER_ARCH_X86_64 : FILTER_ARCH_AARCH64,
			       i % 100 ? chance(20) : 400); /* 400: far jumps */
		if (syscall_filter_compile(&p, &f, &e))
			fail_msg("%s", e.text);
		read_profile(&p, &r);
		check_random_calls(&r, &f, 300);
	}
}

/* One operator at a time, with values around every boundary. */
static void test_every_operator_compares_all_64_bits(void **state)
{
	(void)state;
	for (int op = COMPARE_NE; op <= COMPARE_MASKED_EQ; op++) {
		for (size_t i = 0; i < LENGTH(interesting) * LENGTH(interesting) * 3; i++) {
			uint64_t value = interesting[i % LENGTH(interesting)];
			uint64_t x = interesting[i / 3 % LENGTH(interesting)] + i % 3 - 1;
			uint64_t args[6] = {0, 0, 0, 0, 0, x};
			struct seccomp_condition c = {5, (enum compare_op)op, value, UINT64_MAX};
			struct seccomp_rule rule = {"read", SECCOMP_RET_ALLOW, 0, 1};
			const struct seccomp_profile p = {
				.arch = FILTER_ARCH_AARCH64,
				.default_action = SECCOMP_RET_TRAP,
				.rules = &rule,
				.rule_count = 1,
				.conditions = &c,
				.condition_count = 1,
			};
			auto_syscall_filter struct syscall_filter f = {0};
			struct err e;

			assert_int_equal(syscall_filter_compile(&p, &f, &e), 0);
			assert_int_equal(answer(&f, p.arch, (uint32_t)number_of(&p, "read"), args),
					 holds(&c, args) ? SECCOMP_RET_ALLOW : SECCOMP_RET_TRAP);
		}
	}
}

static int compile_text(const char *text, enum filter_arch arch, struct syscall_filter *f,
			struct err *e)
{
	const struct filter_target target = {arch, 6, 1};
	auto_seccomp_profile struct seccomp_profile p;

	*f = (struct syscall_filter){0};
	*e = (struct err){0};
	if (seccomp_profile_parse(text, strlen(text), &target, &p, e))
		return -1;
	return syscall_filter_compile(&p, f, e);
}

static uint32_t answer_to(const char *text, const char *name, uint64_t first_argument)
{
	auto_syscall_filter struct syscall_filter f;
	const uint64_t args[6] = {first_argument};
	struct err e;

	if (compile_text(text, FILTER_ARCH_X86_64, &f, &e))
		fail_msg("%s", e.text);
	return answer(&f, FILTER_ARCH_X86_64,
		      (uint32_t)seccomp_syscall_resolve_name_arch(SCMP_ARCH_X86_64, name), args);
}

#define DENY "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"syscalls\":["
#define OPEN "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":["
#define IF_1 ",\"args\":[{\"index\":0,\"value\":1,\"op\":\"SCMP_CMP_EQ\"}]}"

static void test_the_strictest_matching_rule_decides(void **state)
{
	const char *allow_all_but_1 = DENY
		"{\"names\":[\"socket\"],\"action\":\"SCMP_ACT_ALLOW\"},"
		"{\"names\":[\"socket\"],\"action\":\"SCMP_ACT_KILL_PROCESS\"" IF_1 "]}";
	const char *allow_only_1 =
		DENY "{\"names\":[\"socket\"],\"action\":\"SCMP_ACT_ALLOW\"" IF_1
		     ","
		     "{\"names\":[\"socket\"],\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":97}]}";

	(void)state;
	assert_int_equal(answer_to(allow_all_but_1, "socket", 1), SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(answer_to(allow_all_but_1, "socket", 2), SECCOMP_RET_ALLOW);
	assert_int_equal(answer_to(allow_only_1, "socket", 1), SECCOMP_RET_ERRNO | 97);
	assert_int_equal(answer_to(allow_only_1, "socket", 2), SECCOMP_RET_ERRNO | 97);
}

static void test_calls_newer_than_the_profile_answer_enosys(void **state)
{
	auto_syscall_filter struct syscall_filter deny;
	auto_syscall_filter struct syscall_filter open;
	const uint64_t args[6] = {0};
	struct err e;

	(void)state;
	assert_int_equal(compile_text(DENY
				      "{\"names\":[\"getpid\"],\"action\":\"SCMP_ACT_ALLOW\"}]}",
				      FILTER_ARCH_X86_64, &deny, &e),
			 0);
	assert_int_equal(compile_text(OPEN
				      "{\"names\":[\"getpid\"],\"action\":\"SCMP_ACT_ERRNO\"}]}",
				      FILTER_ARCH_X86_64, &open, &e),
			 0);
	assert_int_equal(answer(&deny, FILTER_ARCH_X86_64, 38, args), SECCOMP_RET_ERRNO | EPERM);
	assert_int_equal(answer(&deny, FILTER_ARCH_X86_64, 39, args), SECCOMP_RET_ALLOW);
	assert_int_equal(answer(&deny, FILTER_ARCH_X86_64, 40, args), SECCOMP_RET_ERRNO | ENOSYS);
	assert_int_equal(answer(&open, FILTER_ARCH_X86_64, 39, args), SECCOMP_RET_ERRNO | EPERM);
	assert_int_equal(answer(&open, FILTER_ARCH_X86_64, 40, args), SECCOMP_RET_ALLOW);
}

static void test_foreign_abis_are_killed_even_when_all_is_allowed(void **state)
{
	static const uint32_t foreign[] = {AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_RISCV64, 0};
	auto_syscall_filter struct syscall_filter f;
	const uint64_t args[6] = {0};
	struct err e;

	(void)state;
	assert_int_equal(compile_text(OPEN "]}", FILTER_ARCH_X86_64, &f, &e), 0);
	for (size_t i = 0; i < LENGTH(foreign); i++) {
		struct seccomp_data d = {.nr = 20, .arch = foreign[i]};

		assert_int_equal(run(f.program, f.length, &d), SECCOMP_RET_KILL_PROCESS);
	}
	assert_int_equal(answer(&f, FILTER_ARCH_X86_64, 39, args), SECCOMP_RET_ALLOW);
	assert_int_equal(answer(&f, FILTER_ARCH_X86_64, 0x3fffffff, args), SECCOMP_RET_ALLOW);
	for (uint32_t number = 0; number < 600; number++)
		assert_int_equal(answer(&f, FILTER_ARCH_X86_64, 0x40000000 | number, args),
				 SECCOMP_RET_KILL_PROCESS);
}

static void test_unknown_name_is_skipped_unless_its_rule_denies(void **state)
{
	static const struct {
		const char *text;
		bool refused;
	} table[] = {
		{DENY "{\"names\":[\"frobnicate\"],\"action\":\"SCMP_ACT_ALLOW\"}]}", false},
		{DENY "{\"names\":[\"frobnicate\"],\"action\":\"SCMP_ACT_LOG\"}]}",   false},
		{DENY "{\"names\":[\"frobnicate\"],\"action\":\"SCMP_ACT_ERRNO\"}]}", false},
		{DENY "{\"names\":[\"frobnicate\"],\"action\":\"SCMP_ACT_KILL\"}]}",  true },
		{OPEN "{\"names\":[\"frobnicate\"],\"action\":\"SCMP_ACT_ALLOW\"}]}", false},
		{OPEN "{\"names\":[\"frobnicate\"],\"action\":\"SCMP_ACT_ERRNO\"}]}", true },
		{OPEN "{\"names\":[\"frobnicate\"],\"action\":\"SCMP_ACT_LOG\"}]}",   true },
 /* A known call, but of another architecture: it cannot be made here. */
		{OPEN "{\"names\":[\"socketcall\"],\"action\":\"SCMP_ACT_KILL\"}]}",  false},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(table); i++) {
		auto_syscall_filter struct syscall_filter f;
		struct err e;
		int result = compile_text(table[i].text, FILTER_ARCH_X86_64, &f, &e);

		if ((result != 0) != table[i].refused)
			fail_msg("%s: %s", result ? e.text : "accepted", table[i].text);
		if (result)
			assert_non_null(strstr(e.text, "\"frobnicate\""));
	}
}

static void test_too_large_a_program_is_refused(void **state)
{
	auto_seccomp_profile struct seccomp_profile p = {.arch = FILTER_ARCH_X86_64};
	struct syscall_filter f;
	struct err e;

	(void)state;
	p.rules = calloc(3000, sizeof(*p.rules));
	p.conditions = calloc(3000, sizeof(*p.conditions));
	for (size_t i = 0; i < 3000; i++) {
		p.rules[i] = (struct seccomp_rule){"read", SECCOMP_RET_ALLOW, i, 1};
		p.conditions[i] = (struct seccomp_condition){0, COMPARE_GT, i << 20, UINT64_MAX};
	}
	p.rule_count = 3000;
	assert_int_equal(syscall_filter_compile(&p, &f, &e), -1);
	assert_int_equal(e.kind, ERR_INPUT);
	assert_non_null(strstr(e.text, "4096"));
	assert_null(f.program);
	p.rule_count = 500;
	assert_int_equal(syscall_filter_compile(&p, &f, &e), 0);
	syscall_filter_fini(&f);
}

static void test_profile_text_is_compiled_for_this_machine(void **state)
{
	static const char text[] = DENY
		"{\"names\":[\"getpid\"],\"action\":\"SCMP_ACT_ALLOW\","
		"\"includes\":{\"minKernel\":\"3.0\"}}]}";
	auto_syscall_filter struct syscall_filter f;
	struct err e;

	(void)state;
	assert_int_equal(syscall_filter_from_profile(text, strlen(text), &f, &e), 0);
	assert_in_range(f.length, 1, BPF_MAXINSNS);
	syscall_filter_fini(&f);
	assert_int_equal(syscall_filter_from_profile("{}", 2, &f, &e), -1);
}

/* --- the shipped policy --- */

static void load_policy(struct seccomp_profile *p, enum filter_arch arch)
{
	const struct filter_target target = {.arch = arch};
	auto_buf struct buf text = {0};
	struct err e;

	if (io_read_file(AT_FDCWD, "policy/python.json", SECCOMP_PROFILE_MAX, &text, &e) ||
	    seccomp_profile_parse(buf_string(&text), text.length, &target, p, &e))
		fail_msg("%s", e.text);
}

static void test_policy_has_a_place_for_every_system_call(void **state)
{
	(void)state;
	for (int arch = FILTER_ARCH_X86_64; arch <= FILTER_ARCH_AARCH64; arch++) {
		auto_seccomp_profile struct seccomp_profile p = {0};

		load_policy(&p, (enum filter_arch)arch);
		for (int number = 0; number < 1000; number++) {
			char *name =
				seccomp_syscall_resolve_num_arch(arches[arch].libseccomp, number);
			bool listed = !name;

			for (size_t i = 0; i < p.rule_count && !listed; i++)
				listed = !strcmp(p.rules[i].name, name);
			if (!listed)
				fail_msg("policy/python.json does not mention %s", name);
			free(name);
		}
	}
}

/* Compile the same rules with libseccomp. */
static void compile_by_libseccomp(const struct seccomp_profile *p, struct syscall_filter *out)
{
	static const enum scmp_compare ops[] = {
		[COMPARE_NE] = SCMP_CMP_NE,
		[COMPARE_LT] = SCMP_CMP_LT,
		[COMPARE_LE] = SCMP_CMP_LE,
		[COMPARE_EQ] = SCMP_CMP_EQ,
		[COMPARE_GE] = SCMP_CMP_GE,
		[COMPARE_GT] = SCMP_CMP_GT,
		[COMPARE_MASKED_EQ] = SCMP_CMP_MASKED_EQ,
	};
	scmp_filter_ctx context = seccomp_init(SCMP_ACT_ERRNO(p->default_action & 0xfff));
	auto_fd int fd = memfd_create("filter", MFD_CLOEXEC);
	off_t size;

	assert_int_equal(seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS),
			 0);
	if (seccomp_arch_native() != arches[p->arch].libseccomp) {
		assert_int_equal(seccomp_arch_add(context, arches[p->arch].libseccomp), 0);
		assert_int_equal(seccomp_arch_remove(context, seccomp_arch_native()), 0);
	}
	for (size_t i = 0; i < p->rule_count; i++) {
		const struct seccomp_rule *rule = &p->rules[i];
		struct scmp_arg_cmp args[6];
		int number = seccomp_syscall_resolve_name(rule->name);

		if (number_of(p, rule->name) < 0 || rule->action == p->default_action)
			continue;
		for (size_t j = 0; j < rule->condition_count; j++) {
			const struct seccomp_condition *c =
				&p->conditions[rule->first_condition + j];
			bool masked = c->op == COMPARE_MASKED_EQ;

			args[j] = SCMP_CMP64(c->argument, ops[c->op], masked ? c->mask : c->value,
					     c->value);
		}
		assert_int_equal(seccomp_rule_add_array(context, rule->action, number,
							(unsigned)rule->condition_count, args),
				 0);
	}
	assert_int_equal(seccomp_export_bpf(context, fd), 0);
	seccomp_release(context);
	size = lseek(fd, 0, SEEK_END);
	out->program = malloc((size_t)size);
	out->length = (unsigned short)((size_t)size / sizeof(*out->program));
	assert_int_equal(pread(fd, out->program, (size_t)size, 0), size);
}

/* A value that some rule tests, or one close to it: there two compilers could differ. */
static uint64_t near_a_tested_value(const struct reading *r, uint32_t number, unsigned argument)
{
	uint64_t value = ANY(interesting);
	size_t seen = 0;

	for (size_t i = 0; i < r->p->rule_count; i++) {
		const struct seccomp_rule *rule = &r->p->rules[i];

		for (size_t j = 0; j < rule->condition_count && r->numbers[i] == (int)number; j++) {
			const struct seccomp_condition *c =
				&r->p->conditions[rule->first_condition + j];

			if (c->argument == argument && !chance(++seen))
				value = c->value;
		}
	}
	switch (chance(4)) {
	case 0:
		return value ^ 1ull << chance(64);
	case 1:
		return value | chance(UINT32_MAX) << 32;
	default:
		return value;
	}
}

static void test_shipped_policy_means_the_same_to_libseccomp(void **state)
{
	(void)state;
	needs_no_valgrind("this takes minutes");
	for (int arch = FILTER_ARCH_X86_64; arch <= FILTER_ARCH_AARCH64; arch++) {
		auto_seccomp_profile struct seccomp_profile p = {0};
		auto_syscall_filter struct syscall_filter ours = {0};
		auto_syscall_filter struct syscall_filter theirs = {0};
		__attribute__((cleanup(reading_fini))) struct reading r = {0};
		struct err e;

		load_policy(&p, (enum filter_arch)arch);
		assert_int_equal(syscall_filter_compile(&p, &ours, &e), 0);
		compile_by_libseccomp(&p, &theirs);
		read_profile(&p, &r);
		for (int i = 0; i < 100000; i++) {
			/* Beyond the last number only our compiler answers ENOSYS. */
			uint32_t number = (uint32_t)chance(500);
			uint64_t args[6];

			if ((int)number > r.last)
				continue;
			for (unsigned j = 0; j < 6; j++)
				args[j] = near_a_tested_value(&r, number, j);
			if (answer(&ours, p.arch, number, args) !=
			    answer(&theirs, p.arch, number, args))
				fail_msg("number %u, arguments %#lx %#lx %#lx: they differ", number,
					 args[0], args[1], args[2]);
		}
	}
}

#define ANYTHING     0x100000000 /* high bits, which the kernel ignores in an int argument */
#define REFUSED      (SECCOMP_RET_ERRNO | 1)
#define SUCCEEDS     SECCOMP_RET_ERRNO
#define HUGE         (SECCOMP_RET_ERRNO | ENOMEM)
#define NO_HUGE_FILE (SECCOMP_RET_ERRNO | EINVAL)

static void test_a_guard_holds_whatever_the_profile_allows(void **state)
{
	static const char all[] =
		"{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":["
		"{\"names\":[\"prlimit64\",\"fcntl\",\"setsockopt\",\"mmap\"],"
		"\"action\":\"SCMP_ACT_ALLOW\"}]}";
	static const struct {
		const char *call;
		uint64_t args[6];
		uint32_t answer;
	} cases[] = {
		{"mmap",               {0, 1, 3, 0x40022},   HUGE             },
		{"mmap",               {0, 1, 3, 0x22},      SECCOMP_RET_ALLOW},
		{"memfd_create",       {0, 5},               NO_HUGE_FILE     },
		{"memfd_create",       {0, ANYTHING | 4},    NO_HUGE_FILE     },
		{"memfd_create",       {0, 3},               SECCOMP_RET_ALLOW},
		{"shmget",             {0, 1, 05600},        HUGE             },
		{"shmget",             {0, 1, 01600},        SECCOMP_RET_ALLOW},
		{"sched_setscheduler", {1},                  REFUSED          },
		{"sched_setscheduler", {ANYTHING | 1},       REFUSED          },
		{"sched_setscheduler", {0},                  SECCOMP_RET_ALLOW},
		{"sched_setscheduler", {3},                  SECCOMP_RET_ALLOW},
		{"sched_setaffinity",  {1},                  REFUSED          },
		{"setpriority",        {0, 1},               REFUSED          },
		{"setpriority",        {1, 1},               REFUSED          },
		{"setpriority",        {2, 0},               REFUSED          },
		{"setpriority",        {0, 0},               SECCOMP_RET_ALLOW},
		{"prlimit64",          {1, 7, 0, 8},         REFUSED          },
		{"prlimit64",          {0, 4, 8, 0},         SUCCEEDS         },
		{"prlimit64",          {0, ANYTHING | 4, 8}, SUCCEEDS         },
		{"prlimit64",          {0, 4, 8, 8},         REFUSED          },
		{"prlimit64",          {0, 4, 0, 8},         SECCOMP_RET_ALLOW},
		{"prlimit64",          {0, 7, 8, 8},         SECCOMP_RET_ALLOW},
		{"setsockopt",         {9, 1, 13},           SUCCEEDS         },
		{"setsockopt",         {9, 1, 18},           SUCCEEDS         },
		{"setsockopt",         {9, 1, 8},            SUCCEEDS         },
		{"setsockopt",         {9, 0, 11},           SUCCEEDS         },
		{"setsockopt",         {9, 41, 25},          SUCCEEDS         },
		{"setsockopt",         {9, 6, 13},           SECCOMP_RET_ALLOW},
		{"setsockopt",         {9, 1, 7},            SECCOMP_RET_ALLOW},
		{"fcntl",              {9, 1024},            REFUSED          },
		{"fcntl",              {9, 1025},            SECCOMP_RET_ALLOW},
	};

	(void)state;
	for (int arch = FILTER_ARCH_X86_64; arch <= FILTER_ARCH_AARCH64; arch++) {
		const struct filter_target target = {.arch = (enum filter_arch)arch};
		auto_seccomp_profile struct seccomp_profile p = {0};
		auto_syscall_filter struct syscall_filter f = {0};
		struct err e;

		assert_int_equal(seccomp_profile_parse(all, strlen(all), &target, &p, &e), 0);
		filter_guard_add(&p);
		assert_int_equal(syscall_filter_compile(&p, &f, &e), 0);
		for (size_t i = 0; i < LENGTH(cases); i++) {
			uint32_t number = (uint32_t)number_of(&p, cases[i].call);

			if (answer(&f, p.arch, number, cases[i].args) != cases[i].answer)
				fail_msg("case %zu, %s", i, cases[i].call);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_guard_holds_whatever_the_profile_allows),
		cmocka_unit_test(test_random_profiles_answer_as_their_rules_say),
		cmocka_unit_test(test_every_operator_compares_all_64_bits),
		cmocka_unit_test(test_the_strictest_matching_rule_decides),
		cmocka_unit_test(test_calls_newer_than_the_profile_answer_enosys),
		cmocka_unit_test(test_foreign_abis_are_killed_even_when_all_is_allowed),
		cmocka_unit_test(test_unknown_name_is_skipped_unless_its_rule_denies),
		cmocka_unit_test(test_too_large_a_program_is_refused),
		cmocka_unit_test(test_profile_text_is_compiled_for_this_machine),
		cmocka_unit_test(test_policy_has_a_place_for_every_system_call),
		cmocka_unit_test(test_shipped_policy_means_the_same_to_libseccomp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
