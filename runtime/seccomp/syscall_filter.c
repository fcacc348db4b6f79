/*
 * syscall_filter - compile a seccomp profile to a kernel program.
 *
 * Names become numbers; the rules are sorted by number and, for one number, from the strictest to
 * the most lenient, so that the first match decides. The line of all numbers is then cut into
 * segments with equal answers, and the program is a binary search over their borders with an answer
 * at each leaf: a return, or the tests of the one call that has conditions.
 *
 * BPF jumps forward only, so the code is written from its end to its start: every jump target
 * exists already, and an answer within reach is reused.
 */
#include "seccomp/syscall_filter.h"

#include <assert.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/own.h"

#include "seccomp/filter_guard.h"

#define X32_SYSCALL_BIT 0x40000000u

static const struct {
	uint32_t audit;      /* the kernel's number of the ABI */
	uint32_t libseccomp; /* libseccomp's number */
	uint32_t end;        /* first number of another ABI; 0: none */
} arches[] = {
	[FILTER_ARCH_X86_64] = {AUDIT_ARCH_X86_64,  SCMP_ARCH_X86_64,  X32_SYSCALL_BIT},
	[FILTER_ARCH_AARCH64] = {AUDIT_ARCH_AARCH64, SCMP_ARCH_AARCH64, 0              },
};

/* A rule with its number, for sorting. */
struct numbered {
	uint32_t number;
	uint32_t action;
	const struct seccomp_condition *conditions;
	size_t condition_count;
};

/* Numbers from `first` up to the next segment: one action, or the rules of one call. */
struct segment {
	uint32_t first;
	uint32_t action;
	const struct numbered *rules; /* NULL: `action` for all arguments */
	size_t rule_count;
	size_t entry; /* position of the rules' code; 0: not written yet */
};

struct compiler {
	const struct seccomp_profile *profile;
	struct numbered *rules;
	size_t rule_count;
	struct segment *segments;
	size_t segment_count;
	struct sock_filter code[BPF_MAXINSNS]; /* filled from the end */
	size_t length;
	bool overflow;
};

/* The kernel orders actions as signed numbers: KILL_PROCESS < ... < ALLOW. */
static int32_t syscall_filter_leniency(uint32_t action)
{
	return (int32_t)(action & SECCOMP_RET_ACTION_FULL);
}

#define ORDER(x, y) ((x) < (y) ? -1 : (x) > (y))

/*
 * The bits to load for testing a mask: its own, and the low ones that it ignores. Masks that differ
 * only in the latter compare ranges of one loaded value.
 */
static uint64_t syscall_filter_loaded_bits(uint64_t mask)
{
	return mask | ((mask & -mask) - 1);
}

/* Sort similar conditions together, so that the code tests their common part once. */
static int syscall_filter_compare_conditions(const struct seccomp_condition *x,
					     const struct seccomp_condition *y)
{
	int by[] = {
		ORDER(x->argument, y->argument),
		ORDER(x->op, y->op),
		ORDER(syscall_filter_loaded_bits(x->mask), syscall_filter_loaded_bits(y->mask)),
		ORDER(x->value, y->value),
		ORDER(x->mask, y->mask),
	};

	for (size_t i = 0; i < sizeof(by) / sizeof(by[0]); i++) {
		if (by[i])
			return by[i];
	}
	return 0;
}

static int syscall_filter_by_number_then_strictness(const void *a, const void *b)
{
	const struct numbered *x = a;
	const struct numbered *y = b;
	int by[] = {
		ORDER(x->number, y->number),
		ORDER(syscall_filter_leniency(x->action), syscall_filter_leniency(y->action)),
		ORDER(x->action, y->action), /* the lower of two errnos */
		ORDER(x->condition_count != 0, y->condition_count != 0),
	};

	for (size_t i = 0; i < sizeof(by) / sizeof(by[0]); i++) {
		if (by[i])
			return by[i];
	}
	for (size_t i = 0; i < x->condition_count && i < y->condition_count; i++) {
		int order = syscall_filter_compare_conditions(&x->conditions[i], &y->conditions[i]);

		if (order)
			return order;
	}
	return ORDER(x->condition_count, y->condition_count);
}

/* 1: *number is set; 0: the rule does not apply; -1: *e says why it must not be skipped. */
static int syscall_filter_resolve(const struct seccomp_profile *p, const struct seccomp_rule *rule,
				  uint32_t *number, struct err *e)
{
	int n = seccomp_syscall_resolve_name_arch(arches[p->arch].libseccomp, rule->name);

	*number = (uint32_t)n;
	if (n >= 0)
		return 1;
	if (n != __NR_SCMP_ERROR ||
	    syscall_filter_leniency(rule->action) >= syscall_filter_leniency(p->default_action))
		return 0; /* on another architecture, or not stricter than the default */
	return err_input(e, "unknown system call \"%.64s\": a rule that denies it has no effect",
			 rule->name);
}

static int syscall_filter_number_rules(struct compiler *c, struct err *e)
{
	const struct seccomp_profile *p = c->profile;

	for (size_t i = 0; i < p->rule_count; i++) {
		struct numbered *slot = &c->rules[c->rule_count];
		int found = syscall_filter_resolve(p, &p->rules[i], &slot->number, e);

		if (found < 0)
			return -1;
		if (!found)
			continue;
		slot->action = p->rules[i].action;
		slot->conditions = p->conditions + p->rules[i].first_condition;
		slot->condition_count = p->rules[i].condition_count;
		c->rule_count++;
	}
	qsort(c->rules, c->rule_count, sizeof(*c->rules), syscall_filter_by_number_then_strictness);
	return 0;
}

static void syscall_filter_add_segment(struct compiler *c, struct segment s)
{
	struct segment *last = c->segment_count ? &c->segments[c->segment_count - 1] : NULL;

	assert(c->segments);
	if (last && !last->rules && !s.rules && last->action == s.action)
		return;
	c->segments[c->segment_count++] = s;
}

static void syscall_filter_cut_segments(struct compiler *c)
{
	uint32_t fallback = c->profile->default_action;
	uint32_t end = arches[c->profile->arch].end;
	uint32_t next = 0; /* first number without a segment */

	for (size_t i = 0, count; i < c->rule_count; i += count) {
		const struct numbered *group = &c->rules[i];

		for (count = 1; i + count < c->rule_count; count++) {
			if (group[count].number != group->number)
				break;
		}
		if (group->number > next)
			syscall_filter_add_segment(
				c, (struct segment){.first = next, .action = fallback});
		syscall_filter_add_segment(c,
					   (struct segment){
						   .first = group->number,
						   .action = group->action,
						   .rules = group->condition_count ? group : NULL,
						   .rule_count = count,
					   });
		next = group->number + 1;
	}
	if ((fallback & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO)
		fallback = SECCOMP_RET_ERRNO | ENOSYS;
	syscall_filter_add_segment(c, (struct segment){.first = next, .action = fallback});
	if (end)
		syscall_filter_add_segment(
			c, (struct segment){.first = end, .action = SECCOMP_RET_KILL_PROCESS});
}

/*
 * Positions in the code are counted from its end: 1 is the last instruction, `length` the one
 * written last, which runs first. A jump from the next instruction to a position skips `length -
 * position` instructions. Each function below returns the position where its code is entered.
 */
static size_t syscall_filter_emit(struct compiler *c, struct sock_filter instruction)
{
	if (c->length == BPF_MAXINSNS) {
		c->overflow = true; /* the code is unusable from here on, but within bounds */
		c->length = 0;
	}
	c->length++;
	c->code[BPF_MAXINSNS - c->length] = instruction;
	return c->length;
}

static size_t syscall_filter_emit_load(struct compiler *c, size_t offset)
{
	return syscall_filter_emit(
		c, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/* A conditional jump reaches 255 instructions; leave 2 for those between it and its target. */
#define REACH 253

static size_t syscall_filter_within_reach(struct compiler *c, size_t target)
{
	size_t distance = c->length - target;

	if (distance <= REACH)
		return target;
	return syscall_filter_emit(
		c, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, (uint32_t)distance));
}

static size_t syscall_filter_emit_test(struct compiler *c, uint16_t test, uint32_t value,
				       size_t yes, size_t no)
{
	yes = syscall_filter_within_reach(c, yes);
	no = syscall_filter_within_reach(c, no);
	return syscall_filter_emit(c, (struct sock_filter)BPF_JUMP(BPF_JMP | test | BPF_K, value,
								   (uint8_t)(c->length - yes),
								   (uint8_t)(c->length - no)));
}

/* Reuse a return within reach, or write a new one. */
static size_t syscall_filter_emit_return(struct compiler *c, uint32_t action)
{
	for (size_t p = c->length; p && c->length - p < REACH; p--) {
		const struct sock_filter *f = &c->code[BPF_MAXINSNS - p];

		if (f->code == (BPF_RET | BPF_K) && f->k == action)
			return p;
	}
	return syscall_filter_emit(c, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

/* Arguments have 64 bits, little-endian on both architectures, and are loaded by halves. */
static size_t syscall_filter_low_half(const struct seccomp_condition *condition)
{
	return offsetof(struct seccomp_data, args[condition->argument]);
}

static size_t syscall_filter_high_half(const struct seccomp_condition *condition)
{
	return syscall_filter_low_half(condition) + 4;
}

static size_t syscall_filter_emit_masked_load(struct compiler *c, size_t offset, uint32_t mask)
{
	if (mask != UINT32_MAX)
		syscall_filter_emit(c,
				    (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
	return syscall_filter_emit_load(c, offset);
}

static size_t syscall_filter_emit_half_equal(struct compiler *c, size_t offset, uint32_t mask,
					     uint32_t value, size_t yes, size_t no)
{
	if (!mask)
		return yes;
	syscall_filter_emit_test(c, BPF_JEQ, value, yes, no);
	return syscall_filter_emit_masked_load(c, offset, mask);
}

static size_t syscall_filter_emit_equal(struct compiler *c,
					const struct seccomp_condition *condition, size_t yes,
					size_t no)
{
	uint64_t mask = condition->mask;
	uint64_t value = condition->value;

	yes = syscall_filter_emit_half_equal(c, syscall_filter_low_half(condition), (uint32_t)mask,
					     (uint32_t)value, yes, no);
	return syscall_filter_emit_half_equal(c, syscall_filter_high_half(condition),
					      (uint32_t)(mask >> 32), (uint32_t)(value >> 32), yes,
					      no);
}

/* Above in the high half, or equal there and `low_test` (JGT, JGE) in the low half. */
static size_t syscall_filter_emit_above(struct compiler *c,
					const struct seccomp_condition *condition,
					uint16_t low_test, size_t yes, size_t no)
{
	uint32_t high = (uint32_t)(condition->value >> 32);
	size_t low;

	syscall_filter_emit_test(c, low_test, (uint32_t)condition->value, yes, no);
	low = syscall_filter_emit_load(c, syscall_filter_low_half(condition));
	syscall_filter_emit_test(c, BPF_JGT, high, yes,
				 syscall_filter_emit_test(c, BPF_JEQ, high, low, no));
	return syscall_filter_emit_load(c, syscall_filter_high_half(condition));
}

static size_t syscall_filter_emit_condition(struct compiler *c,
					    const struct seccomp_condition *condition, size_t yes,
					    size_t no)
{
	switch (condition->op) {
	case COMPARE_NE:
		return syscall_filter_emit_equal(c, condition, no, yes);
	case COMPARE_EQ:
	case COMPARE_MASKED_EQ:
		return syscall_filter_emit_equal(c, condition, yes, no);
	case COMPARE_GT:
		return syscall_filter_emit_above(c, condition, BPF_JGT, yes, no);
	case COMPARE_GE:
		return syscall_filter_emit_above(c, condition, BPF_JGE, yes, no);
	case COMPARE_LT:
		return syscall_filter_emit_above(c, condition, BPF_JGE, no, yes);
	case COMPARE_LE:
		return syscall_filter_emit_above(c, condition, BPF_JGT, no, yes);
	}
	abort();
}

/* Whether one load of the low half answers both conditions. */
static bool syscall_filter_same_load(const struct seccomp_condition *x,
				     const struct seccomp_condition *y)
{
	uint64_t bits = syscall_filter_loaded_bits(x->mask);

	return x->op == COMPARE_MASKED_EQ && y->op == COMPARE_MASKED_EQ &&
	       x->argument == y->argument && x->mask && y->mask && !(bits >> 32) &&
	       bits == syscall_filter_loaded_bits(y->mask);
}

/*
 * How many rules, ending with the last, belong together at `depth`: those that have more conditions
 * and agree in this one, or those that end here and share a load.
 */
static size_t syscall_filter_count_alike(const struct numbered *rules, size_t count, size_t depth)
{
	const struct numbered *last = &rules[count - 1];
	const struct seccomp_condition *condition = &last->conditions[depth];
	bool leaf = last->condition_count == depth + 1;
	size_t alike = 1;

	for (; alike < count; alike++) {
		const struct numbered *rule = last - alike;

		if ((rule->condition_count == depth + 1) != leaf)
			break;
		if (leaf ? !syscall_filter_same_load(&rule->conditions[depth], condition)
			 : syscall_filter_compare_conditions(&rule->conditions[depth], condition))
			break;
	}
	return alike;
}

/* The values of the loaded bits for which a condition holds. */
struct range {
	uint32_t first;
	uint32_t last;
};

static struct range syscall_filter_range(const struct seccomp_condition *condition, uint32_t bits)
{
	return (struct range){
		.first = (uint32_t)condition->value,
		.last = (uint32_t)condition->value | (bits & ~(uint32_t)condition->mask),
	};
}

/* The bits that rules with one load need: the mask's, if all rules have the same. */
static uint32_t syscall_filter_common_bits(const struct numbered *rules, size_t count, size_t depth)
{
	uint64_t mask = rules->conditions[depth].mask;
	size_t same = 1;

	while (same < count && rules[same].conditions[depth].mask == mask)
		same++;
	return (uint32_t)(same == count ? mask : syscall_filter_loaded_bits(mask));
}

static size_t syscall_filter_emit_range(struct compiler *c, struct range r, uint32_t bits,
					size_t yes, size_t no)
{
	if (r.first == r.last)
		return syscall_filter_emit_test(c, BPF_JEQ, r.first, yes, no);
	if (r.last != bits)
		yes = syscall_filter_emit_test(c, BPF_JGT, r.last, no, yes);
	return r.first ? syscall_filter_emit_test(c, BPF_JGE, r.first, yes, no) : yes;
}

/*
 * The entry of code that may begin with the load that the accumulator still holds. At depth 0 only
 * the caller knows `target`: if it was written last, take the load back.
 */
static size_t syscall_filter_past_load(struct compiler *c, size_t target, size_t offset,
				       uint32_t bits, size_t depth)
{
	const struct sock_filter *f = &c->code[BPF_MAXINSNS - target];
	size_t skipped = bits == UINT32_MAX ? 1 : 2;

	if (target <= skipped || f->code != (BPF_LD | BPF_W | BPF_ABS) || f->k != offset)
		return target;
	if (skipped == 2 && (f[1].code != (BPF_ALU | BPF_AND | BPF_K) || f[1].k != bits))
		return target;
	if (!depth && target == c->length)
		c->length -= skipped;
	return target - skipped;
}

/* Whether a condition tests that bits are clear, or that one is set: no mask is needed. */
static bool syscall_filter_tests_bits(const struct seccomp_condition *condition)
{
	uint64_t mask = condition->mask;

	return !condition->value || (condition->value == mask && !(mask & (mask - 1)));
}

static size_t syscall_filter_emit_bits(struct compiler *c, const struct numbered *rule,
				       size_t depth, size_t no)
{
	const struct seccomp_condition *condition = &rule->conditions[depth];
	size_t offset = syscall_filter_low_half(condition);
	size_t yes;

	no = syscall_filter_past_load(c, no, offset, UINT32_MAX, depth);
	yes = syscall_filter_emit_return(c, rule->action);
	syscall_filter_emit_test(c, BPF_JSET, (uint32_t)condition->mask,
				 condition->value ? yes : no, condition->value ? no : yes);
	return syscall_filter_emit_load(c, offset);
}

/* Write rules that end at `depth` and share a load, by ascending values: one test per range. */
static size_t syscall_filter_emit_values(struct compiler *c, const struct numbered *rules,
					 size_t count, size_t depth, size_t otherwise)
{
	uint32_t bits = syscall_filter_common_bits(rules, count, depth);
	size_t offset = syscall_filter_low_half(&rules->conditions[depth]);

	if (count == 1 && syscall_filter_tests_bits(rules->conditions + depth))
		return syscall_filter_emit_bits(c, rules, depth, otherwise);
	otherwise = syscall_filter_past_load(c, otherwise, offset, bits, depth);
	while (count) {
		struct range r = syscall_filter_range(&rules[--count].conditions[depth], bits);
		size_t yes;

		for (; count && r.first; count--) {
			struct range lower =
				syscall_filter_range(&rules[count - 1].conditions[depth], bits);

			if (lower.last < r.first - 1)
				break;
			r.first = lower.first;
			r.last = r.last > lower.last ? r.last : lower.last;
		}
		yes = syscall_filter_emit_return(c, rules->action);
		if (!r.first && r.last == bits)
			return yes;
		otherwise = syscall_filter_emit_range(c, r, bits, yes, otherwise);
	}
	return syscall_filter_emit_masked_load(c, offset, bits);
}

/* Write rules with one action that agree in their conditions before `depth`. */
static size_t syscall_filter_emit_branches(struct compiler *c, const struct numbered *rules,
					   size_t count, size_t depth, size_t otherwise)
{
	while (count) {
		size_t alike = syscall_filter_count_alike(rules, count, depth);
		const struct numbered *first = rules + (count - alike);
		const struct seccomp_condition *condition = &first->conditions[depth];
		size_t then;

		count -= alike;
		if (first->condition_count == depth + 1 &&
		    syscall_filter_same_load(condition, condition)) {
			otherwise = syscall_filter_emit_values(c, first, alike, depth, otherwise);
			continue;
		}
		if (first->condition_count == depth + 1)
			then = syscall_filter_emit_return(c, first->action);
		else
			then = syscall_filter_emit_branches(c, first, alike, depth + 1, otherwise);
		otherwise = syscall_filter_emit_condition(c, condition, then, otherwise);
	}
	return otherwise;
}

/* Write the rules of one call, strictest first; without a match the default applies. */
static size_t syscall_filter_emit_rules(struct compiler *c, const struct numbered *rules,
					size_t count)
{
	size_t otherwise;
	size_t used = 0;

	while (used < count && rules[used].condition_count)
		used++; /* rules after one without conditions are never reached */
	otherwise = syscall_filter_emit_return(c, used < count ? rules[used].action
							       : c->profile->default_action);
	while (used) {
		size_t same = 1;

		while (same < used && rules[used - same - 1].action == rules[used - 1].action)
			same++;
		used -= same;
		otherwise = syscall_filter_emit_branches(c, rules + used, same, 0, otherwise);
	}
	return otherwise;
}

static bool syscall_filter_rules_alike(const struct segment *x, const struct segment *y)
{
	bool alike = x->rule_count == y->rule_count;

	for (size_t i = 0; alike && i < x->rule_count; i++) {
		const struct numbered *a = &x->rules[i];
		const struct numbered *b = &y->rules[i];

		alike = a->action == b->action && a->condition_count == b->condition_count;
		for (size_t j = 0; alike && j < a->condition_count; j++)
			alike = !syscall_filter_compare_conditions(&a->conditions[j],
								   &b->conditions[j]);
	}
	return alike;
}

/* The code for the rules of one call; calls with equal rules share it. */
static size_t syscall_filter_emit_call(struct compiler *c, struct segment *s)
{
	for (size_t i = 0; i < c->segment_count && !s->entry; i++) {
		if (c->segments[i].entry && syscall_filter_rules_alike(&c->segments[i], s))
			s->entry = c->segments[i].entry;
	}
	if (!s->entry)
		s->entry = syscall_filter_emit_rules(c, s->rules, s->rule_count);
	return s->entry;
}

/* Write the binary search; the accumulator holds the number. Depth: the logarithm of the count. */
static size_t syscall_filter_emit_search(struct compiler *c, struct segment *segments, size_t count)
{
	size_t half = count / 2;
	size_t below;
	size_t above;

	if (count == 1 && segments->rules)
		return syscall_filter_emit_call(c, segments);
	if (count == 1)
		return syscall_filter_emit_return(c, segments->action);
	above = syscall_filter_emit_search(c, segments + half, count - half);
	below = syscall_filter_emit_search(c, segments, half);
	return syscall_filter_emit_test(c, BPF_JGE, segments[half].first, above, below);
}

static int syscall_filter_compile_into(struct compiler *c, struct err *e)
{
	size_t search;

	if (syscall_filter_number_rules(c, e))
		return -1;
	syscall_filter_cut_segments(c);
	search = syscall_filter_emit_search(c, c->segments, c->segment_count);
	if (search != c->length) /* a lone answer, which exists elsewhere */
		syscall_filter_emit(c, (struct sock_filter)BPF_STMT(
					       BPF_JMP | BPF_JA, (uint32_t)(c->length - search)));
	search = syscall_filter_emit_load(c, offsetof(struct seccomp_data, nr));
	syscall_filter_emit_test(c, BPF_JEQ, arches[c->profile->arch].audit, search,
				 syscall_filter_emit_return(c, SECCOMP_RET_KILL_PROCESS));
	syscall_filter_emit_load(c, offsetof(struct seccomp_data, arch));
	if (c->overflow)
		return err_input(e, "the profile needs more than %d instructions", BPF_MAXINSNS);
	return 0;
}

int syscall_filter_compile(const struct seccomp_profile *p, struct syscall_filter *out,
			   struct err *e)
{
	struct numbered *rules = own_zeroed(p->rule_count + 1, sizeof(*rules));
	/* Each call has at most one gap before it; the end and the foreign numbers add two. */
	struct segment *segments = own_zeroed(p->rule_count * 2 + 2, sizeof(*segments));
	struct compiler c = {.profile = p, .rules = rules, .segments = segments};
	int result = syscall_filter_compile_into(&c, e);

	free(rules);
	free(segments);
	*out = (struct syscall_filter){0};
	if (result)
		return -1;
	out->program = own_zeroed(c.length, sizeof(*out->program));
	memcpy(out->program, c.code + BPF_MAXINSNS - c.length, c.length * sizeof(*out->program));
	out->length = (unsigned short)c.length;
	return 0;
}

static int syscall_filter_this_machine(struct filter_target *out, struct err *e)
{
	struct utsname name;

	if (uname(&name))
		return err_sys(e, "uname");
	*out = (struct filter_target){0};
#if defined(__x86_64__)
	out->arch = FILTER_ARCH_X86_64;
#elif defined(__aarch64__)
	out->arch = FILTER_ARCH_AARCH64;
#else
	return err_set(e, ERR_UNSUPPORTED, "no system call filter for %s", name.machine);
#endif
	filter_target_set_kernel(out, name.release);
	return 0;
}

int syscall_filter_from_profile(const char *text, size_t length, struct syscall_filter *out,
				struct err *e)
{
	auto_seccomp_profile struct seccomp_profile profile = {0};
	struct filter_target target;

	*out = (struct syscall_filter){0};
	if (syscall_filter_this_machine(&target, e) ||
	    seccomp_profile_parse(text, length, &target, &profile, e))
		return -1;
	filter_guard_add(&profile);
	return syscall_filter_compile(&profile, out, e);
}

void syscall_filter_fini(struct syscall_filter *f)
{
	free(f->program);
	*f = (struct syscall_filter){0};
}
