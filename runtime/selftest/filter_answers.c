/*
 * filter_answers - interpret the instructions of seccomp(2)'s filters.
 */
#include "selftest/filter_answers.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include "probe/probe.h"
#include "seccomp/builtin_filter.h"

/*
 * uretprobe and uprobe of x86_64 pass every filter (Linux 6.14, "seccomp: passthrough uretprobe
 * systemcall without filtering"), and end a caller outside of the kernel's own trampoline.
 */
#if defined(__x86_64__)
#define NATIVE      AUDIT_ARCH_X86_64
#define IS_PROBE(n) ((n) == 335 || (n) == 336)
#else
#define NATIVE      AUDIT_ARCH_AARCH64
#define IS_PROBE(n) false
#endif

#define LAST_NUMBER 511 /* x86_64's x32 numbers follow */

static uint32_t filter_answers_load(const struct seccomp_data *data, uint32_t at)
{
	uint32_t word = 0;

	if (at <= sizeof(*data) - sizeof(word))
		memcpy(&word, (const char *)data + at, sizeof(word));
	return word;
}

static bool filter_answers_jumps(const struct sock_filter *f, uint32_t value)
{
	switch (BPF_OP(f->code)) {
	case BPF_JEQ:
		return value == f->k;
	case BPF_JGT:
		return value > f->k;
	case BPF_JGE:
		return value >= f->k;
	default:
		return value & f->k; /* BPF_JSET */
	}
}

/* The kernel has checked that the program ends: jumps go forward only. */
static uint32_t filter_answers_run(const struct sock_filter *program,
				   const struct seccomp_data *data)
{
	uint32_t value = 0;

	for (const struct sock_filter *f = program;; f++) {
		switch (BPF_CLASS(f->code)) {
		case BPF_LD:
			value = filter_answers_load(data, f->k);
			break;
		case BPF_ALU:
			value = BPF_OP(f->code) == BPF_AND ? value & f->k : value | f->k;
			break;
		case BPF_JMP:
			if (BPF_OP(f->code) == BPF_JA)
				f += f->k;
			else
				f += filter_answers_jumps(f, value) ? f->jt : f->jf;
			break;
		default:
			return f->k; /* BPF_RET */
		}
	}
}

unsigned filter_answer(int number, const uint64_t arguments[4])
{
	unsigned short length;
	struct seccomp_data data = {.nr = number, .arch = NATIVE};
	uint32_t answer;

	memcpy(data.args, arguments, 4 * sizeof(*arguments));
	answer = filter_answers_run(builtin_filter(&length), &data);
	return (answer & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO ? answer & SECCOMP_RET_DATA
								       : PROBE_ALLOWED;
}

static unsigned filter_answers_to_ones(int number)
{
	static const uint64_t ones[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};

	return filter_answer(number, ones);
}

void filter_answers(struct buf *out)
{
	for (int number = 0; number <= LAST_NUMBER; number++) {
		unsigned answer = filter_answers_to_ones(number);

		if (!IS_PROBE(number) && answer && answer != PROBE_ALLOWED)
			buf_printf(out, "%s%d:%u", out->length ? "," : "", number, answer);
	}
}

/* Whether the call returns, whatever its arguments are. */
static bool filter_answers_does_return(int number)
{
	static const int others[] = {
		SYS_exit,
		SYS_exit_group,
		SYS_rt_sigreturn,
		SYS_restart_syscall,
#if defined(__x86_64__)
		SYS_pause,
		SYS_fork,
		SYS_vfork,
#endif
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (others[i] == number)
			return false;
	}
	return true;
}

void filter_answers_allowed(struct buf *out)
{
	for (int number = 0; number <= LAST_NUMBER; number++) {
		if (!IS_PROBE(number) && filter_answers_does_return(number) &&
		    filter_answers_to_ones(number) == PROBE_ALLOWED)
			buf_printf(out, "%s%d", out->length ? "," : "", number);
	}
}
