/*
 * test_egress_filter - what glovebox-egress may ask of the kernel (policy/egress.json), on each
 * architecture: the compiled program is run here on calls that nobody makes.
 *
 * What it needs is proved by every test that uses it; what it has no need of is proved here.
 */
#include "unit.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

/* The header takes the program of the compiler's architecture; here are both. */
#pragma push_macro("__x86_64__")
#pragma push_macro("__aarch64__")
#undef __x86_64__
#undef __aarch64__
#define __x86_64__    1 // NOLINT(bugprone-reserved-identifier)
#define egress_filter filter_x86_64
#include "egress_filter.h"
#undef __x86_64__
#undef egress_filter
#define __aarch64__   1 // NOLINT(bugprone-reserved-identifier)
#define egress_filter filter_aarch64
#include "egress_filter.h"
#undef __aarch64__
#undef egress_filter
#pragma pop_macro("__aarch64__")
#pragma pop_macro("__x86_64__")

#define NONE (-1) /* this architecture has no such call */
#define ANY  0xdead
#define HIGH 0xffffffff00000000 /* bits that the kernel ignores in an int argument */
#define IS_OPENAT(flags)                                                                           \
	{                                                                                          \
		ANY, ANY, (flags)                                                                  \
	}

/* As on each of them; the flags of open(2) that differ are given as they are there. */
#define X86_TMPFILE 020200000
#define ARM_TMPFILE 020040000

struct machine {
	const char *name;
	uint32_t arch;
	const struct sock_filter *program;
	size_t length;
};

static const struct machine machines[] = {
	{"x86_64",  AUDIT_ARCH_X86_64,  filter_x86_64,  COUNT(filter_x86_64) },
	{"aarch64", AUDIT_ARCH_AARCH64, filter_aarch64, COUNT(filter_aarch64)},
};

struct call {
	const char *name;
	int numbers[COUNT(machines)];
	uint64_t args[6];
};

/* -- the program's machine (seccomp's part of it, linux/filter.h) ---------------------------- */

static bool jumps(const struct sock_filter *at, uint32_t a)
{
	switch (BPF_OP(at->code)) {
	case BPF_JEQ:
		return a == at->k;
	case BPF_JGT:
		return a > at->k;
	case BPF_JGE:
		return a >= at->k;
	case BPF_JSET:
		return a & at->k;
	default:
		fail_msg("a jump that this test does not know: %x", at->code);
		return false;
	}
}

static uint32_t run(const struct machine *m, const struct seccomp_data *data)
{
	uint32_t a = 0;

	for (size_t i = 0; i < m->length; i++) {
		const struct sock_filter *at = &m->program[i];

		switch (at->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			assert_true(at->k + sizeof(a) <= sizeof(*data));
			memcpy(&a, (const char *)data + at->k, sizeof(a));
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= at->k;
			break;
		case BPF_JMP | BPF_JA:
			i += at->k;
			break;
		case BPF_RET | BPF_K:
			return at->k;
		default:
			if (BPF_CLASS(at->code) != BPF_JMP)
				fail_msg("a step that this test does not know: %x", at->code);
			i += jumps(at, a) ? at->jt : at->jf;
		}
	}
	fail_msg("the program has no end");
	return 0;
}

static uint32_t answer(unsigned machine, const struct call *c)
{
	struct seccomp_data data = {.nr = c->numbers[machine], .arch = machines[machine].arch};

	memcpy(data.args, c->args, sizeof(data.args));
	return run(&machines[machine], &data);
}

static void all_get(const struct call *calls, size_t count, uint32_t wanted)
{
	for (unsigned m = 0; m < COUNT(machines); m++) {
		for (size_t i = 0; i < count; i++) {
			const struct call *c = &calls[i];
			uint32_t is = c->numbers[m] == NONE ? wanted : answer(m, c);

			if (is != wanted)
				fail_msg("%s on %s: %08x", c->name, machines[m].name, is);
		}
	}
}

#define REFUSED (SECCOMP_RET_ERRNO | EPERM)

/* -- calls ----------------------------------------------------------------------------------- */

static void test_it_opens_no_port_of_the_host(void **state)
{
	static const struct call calls[] = {
		{"bind",   {49, 200}, {5}     },
		{"listen", {50, 201}, {5, 128}},
	};

	(void)state;
	all_get(calls, COUNT(calls), REFUSED);
}

static void test_processes_are_out_of_reach(void **state)
{
	static const struct call calls[] = {
		{"kill",              {62, 129},  {1, 9}      },
		{"tkill",             {200, 130}, {1, 9}      },
		{"tgkill",            {234, 131}, {1, 1, 9}   },
		{"rt_sigqueueinfo",   {129, 138}, {1, 9}      },
		{"rt_tgsigqueueinfo", {297, 240}, {1, 1, 9}   },
		{"pidfd_open",        {434, 434}, {1}         },
		{"pidfd_send_signal", {424, 424}, {5, 9}      },
		{"pidfd_getfd",       {438, 438}, {5, 0}      },
		{"ptrace",            {101, 117}, {16, 1}     },
		{"process_vm_readv",  {310, 270}, {1}         },
		{"process_vm_writev", {311, 271}, {1}         },
		{"kcmp",              {312, 272}, {1, 1}      },
		{"clone",             {56, 220},  {17}        },
		{"clone3",            {435, 435}, {ANY, 88}   },
		{"fork",              {57, NONE}, {0}         },
		{"vfork",             {58, NONE}, {0}         },
		{"execve",            {59, 221},  {ANY}       },
		{"execveat",          {322, 281}, {5}         },
		{"setns",             {308, 268}, {5}         },
		{"unshare",           {272, 97},  {0x10000000}},
		{"prlimit64",         {302, 261}, {1, 7, ANY} },
		{"setpriority",       {141, 140}, {0, 1, 19}  },
		{"sched_setaffinity", {203, 122}, {1}         },
		{"prctl",             {157, 167}, {4, 1}      },
		{"seccomp",           {317, 277}, {1}         },
		{"bpf",               {321, 280}, {0}         },
		{"io_uring_setup",    {425, 425}, {8}         },
		{"userfaultfd",       {323, 282}, {0}         },
		{"perf_event_open",   {298, 241}, {ANY}       },
		{"keyctl",            {250, 219}, {0}         },
		{"setuid",            {105, 146}, {0}         },
		{"capset",            {126, 91},  {ANY}       },
	};

	(void)state;
	all_get(calls, COUNT(calls), REFUSED);
}

/* SIGIO goes to whoever an open file names, and as whoever has named it. */
static void test_no_signal_goes_out_by_way_of_a_descriptor(void **state)
{
	static const struct call refused[] = {
		{"F_SETOWN",       {72, 25}, {3, 8, 1}            },
		{"F_SETSIG",       {72, 25}, {3, 10, 9}           },
		{"F_SETOWN_EX",    {72, 25}, {3, 15, ANY}         },
		{"F_SETLEASE",     {72, 25}, {3, 1024, 1}         },
		{"F_NOTIFY",       {72, 25}, {3, 1026, 1}         },
		{"O_ASYNC",        {72, 25}, {3, 4, 020000}       },
		{"O_ASYNC, more",  {72, 25}, {3, 4, 024002}       },
		{"O_ASYNC, high",  {72, 25}, {3, 4, HIGH | 020000}},
		{"F_SETOWN, high", {72, 25}, {3, HIGH | 8, 1}     },
		{"F_DUPFD",        {72, 25}, {3, 0, 1}            },
	};
	static const struct call allowed[] = {
		{"F_GETFD",      {72, 25}, {3, 1}         },
		{"F_SETFD",      {72, 25}, {3, 2, 1}      },
		{"F_GETFL",      {72, 25}, {3, 3}         },
		{"O_NONBLOCK",   {72, 25}, {3, 4, 04002}  },
		{"F_SETPIPE_SZ", {72, 25}, {3, 1031, 4096}},
	};
	static const struct call ioctls[] = {
		{"FIOASYNC",  {16, 29}, {3, 0x5452, ANY}},
		{"FIOSETOWN", {16, 29}, {3, 0x8901, ANY}},
		{"SIOCSPGRP", {16, 29}, {3, 0x8902, ANY}},
	};

	(void)state;
	all_get(refused, COUNT(refused), REFUSED);
	all_get(allowed, COUNT(allowed), SECCOMP_RET_ALLOW);
	all_get(ioctls, COUNT(ioctls), SECCOMP_RET_ERRNO | ENOTTY);
}

static void test_only_tcp_and_udp_are_spoken(void **state)
{
	static const struct call refused[] = {
		{"unix",       {41, 198}, {1, 1, 0}             },
		{"netlink",    {41, 198}, {16, 3, 0}            },
		{"packet",     {41, 198}, {17, 3, 0x300}        },
		{"vsock",      {41, 198}, {40, 1, 0}            },
		{"alg",        {41, 198}, {38, 5, 0}            },
		{"raw",        {41, 198}, {2, 3, 1}             },
		{"raw, v6",    {41, 198}, {10, 3, 58}           },
		{"raw, flags", {41, 198}, {2, 3 | 02004000, 255}},
		{"raw, 0",     {41, 198}, {2, 3, 0}             },
		{"ping",       {41, 198}, {2, 2, 1}             },
		{"sctp",       {41, 198}, {2, 1, 132}           },
		{"sctp, v6",   {41, 198}, {10, 1, 132}          },
		{"mptcp",      {41, 198}, {2, 1, 262}           },
		{"mptcp, v6",  {41, 198}, {10, 1, 262}          },
		{"smc",        {41, 198}, {2, 1, 256}           },
		{"seqpacket",  {41, 198}, {2, 5, 0}             },
		{"dccp",       {41, 198}, {2, 6, 33}            },
		{"udplite",    {41, 198}, {2, 2, 136}           },
		{"socketpair", {53, 199}, {1, 1, 0}             },
	};
	static const struct call allowed[] = {
		{"tcp",     {41, 198}, {2, 1, 0}            },
		{"tcp, v6", {41, 198}, {10, 1 | 02004000, 0}},
		{"udp",     {41, 198}, {2, 2 | 02004000, 0} },
		{"udp, v6", {41, 198}, {10, 2, 0}           },
	};

	(void)state;
	all_get(refused, COUNT(refused), REFUSED);
	all_get(allowed, COUNT(allowed), SECCOMP_RET_ALLOW);
}

static void test_nothing_is_urgent_and_no_lock_inherits(void **state)
{
	static const struct call refused[] = {
		{"sendto, MSG_OOB",    {44, 206}, {3, ANY, 1, 1}       },
		{"sendmsg, MSG_OOB",   {46, 211}, {3, ANY, 1}          },
		{"recvfrom, MSG_OOB",  {45, 207}, {3, ANY, 1, HIGH | 1}},
		{"recvmsg, MSG_OOB",   {47, 212}, {3, ANY, 0x41}       },
		{"FUTEX_LOCK_PI",      {202, 98}, {ANY, 6}             },
		{"FUTEX_UNLOCK_PI",    {202, 98}, {ANY, 7 | 128}       },
		{"FUTEX_LOCK_PI2",     {202, 98}, {ANY, 13}            },
		{"FUTEX_LOCK_PI, far", {202, 98}, {ANY, HIGH | 6}      },
	};
	static const struct call allowed[] = {
		{"sendto",   {44, 206}, {3, ANY, 1, 0x4040} },
		{"sendmsg",  {46, 211}, {3, ANY, 0x4040}    },
		{"recvfrom", {45, 207}, {3, ANY, 1, 0x42}   },
		{"recvmsg",  {47, 212}, {3, ANY, 0x40}      },
		{"wait",     {202, 98}, {ANY, 0 | 128}      },
		{"wake",     {202, 98}, {ANY, 1 | 128}      },
		{"bitset",   {202, 98}, {ANY, 9 | 128 | 256}},
	};

	(void)state;
	all_get(refused, COUNT(refused), REFUSED);
	all_get(allowed, COUNT(allowed), SECCOMP_RET_ALLOW);
}

/* Whoever closes such a socket last waits, and that may be the monitor: an answer can carry one. */
static void test_no_close_waits_for_unsent_data(void **state)
{
	static const struct call refused[] = {
		{"SO_LINGER",       {54, 208}, {3, 1, 13, ANY, 8}              },
		{"SO_LINGER, high", {54, 208}, {3, HIGH | 1, HIGH | 13, ANY, 8}},
	};
	static const struct call allowed[] = {
		{"SO_RCVBUF",      {54, 208}, {3, 1, 8, ANY, 4} },
		{"TCP_CONGESTION", {54, 208}, {3, 6, 13, ANY, 4}},
	};

	(void)state;
	all_get(refused, COUNT(refused), REFUSED);
	all_get(allowed, COUNT(allowed), SECCOMP_RET_ALLOW);
}

static void test_files_are_only_read(void **state)
{
	static const struct call refused[] = {
		{"for writing",    {257, 56},   IS_OPENAT(1)          },
		{"for both",       {257, 56},   IS_OPENAT(2)          },
		{"for neither",    {257, 56},   IS_OPENAT(3)          },
		{"O_CREAT",        {257, 56},   IS_OPENAT(0100)       },
		{"O_TRUNC",        {257, 56},   IS_OPENAT(01000)      },
		{"O_TMPFILE",      {257, NONE}, IS_OPENAT(X86_TMPFILE)},
		{"O_TMPFILE",      {NONE, 56},  IS_OPENAT(ARM_TMPFILE)},
		{"high bits",      {257, 56},   IS_OPENAT(HIGH | 1)   },
		{"open",           {2, NONE},   {ANY, 0}              },
		{"creat",          {85, NONE},  {ANY}                 },
		{"openat2",        {437, 437},  {ANY}                 },
		{"open_by_handle", {304, 265},  {ANY}                 },
		{"unlinkat",       {263, 35},   {ANY}                 },
		{"renameat2",      {316, 276},  {ANY}                 },
		{"linkat",         {265, 37},   {ANY}                 },
		{"symlinkat",      {266, 36},   {ANY}                 },
		{"mkdirat",        {258, 34},   {ANY}                 },
		{"mknodat",        {259, 33},   {ANY}                 },
		{"fchmodat",       {268, 53},   {ANY}                 },
		{"fchownat",       {260, 54},   {ANY}                 },
		{"ftruncate",      {77, 46},    {5}                   },
		{"mount",          {165, 40},   {ANY}                 },
		{"chroot",         {161, 51},   {ANY}                 },
		{"memfd_create",   {319, 279},  {ANY}                 },
	};
	static const struct call allowed[] = {
		{"for reading", {257, 56}, IS_OPENAT(0)       },
		{"O_CLOEXEC",   {257, 56}, IS_OPENAT(02000000)},
	};

	(void)state;
	all_get(refused, COUNT(refused), REFUSED);
	all_get(allowed, COUNT(allowed), SECCOMP_RET_ALLOW);
}

static void test_memory_never_becomes_code(void **state)
{
	static const struct call refused[] = {
		{"mmap, executable",      {9, 222},   {0, 4096, 7}       },
		{"mmap, only executable", {9, 222},   {0, 4096, 4}       },
		{"mmap, high bits",       {9, 222},   {0, 4096, HIGH | 4}},
		{"mprotect, executable",  {10, 226},  {ANY, 4096, 5}     },
		{"pkey_mprotect",         {329, 288}, {ANY, 4096, 5}     },
		{"shmat",                 {30, 196},  {0, 0, 0100000}    },
		{"remap_file_pages",      {216, 234}, {ANY}              },
	};
	static const struct call allowed[] = {
		{"mmap",   {9, 222},  {0, 4096, 3}},
		{"munmap", {11, 215}, {ANY, 4096} },
	};

	(void)state;
	all_get(refused, COUNT(refused), REFUSED);
	all_get(allowed, COUNT(allowed), SECCOMP_RET_ALLOW);
}

/* An int 0x80 of a 64-bit program, and the numbers of x32: the same calls under other numbers. */
static void test_another_architecture_is_none(void **state)
{
	struct seccomp_data i386 = {.nr = 3 /* read */, .arch = AUDIT_ARCH_I386};
	struct seccomp_data x32 = {.nr = 0x40000000, .arch = AUDIT_ARCH_X86_64};

	(void)state;
	for (unsigned m = 0; m < COUNT(machines); m++)
		assert_int_not_equal(run(&machines[m], &i386), SECCOMP_RET_ALLOW);
	assert_int_not_equal(run(&machines[0], &x32), SECCOMP_RET_ALLOW);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_opens_no_port_of_the_host),
		cmocka_unit_test(test_processes_are_out_of_reach),
		cmocka_unit_test(test_no_signal_goes_out_by_way_of_a_descriptor),
		cmocka_unit_test(test_only_tcp_and_udp_are_spoken),
		cmocka_unit_test(test_nothing_is_urgent_and_no_lock_inherits),
		cmocka_unit_test(test_no_close_waits_for_unsent_data),
		cmocka_unit_test(test_files_are_only_read),
		cmocka_unit_test(test_memory_never_becomes_code),
		cmocka_unit_test(test_another_architecture_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
