/*
 * filter_guard - rules that no profile can undo: they refuse calls that delay the end of a sandbox,
 * and memory that no limit counts.
 */
#include "seccomp/filter_guard.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdlib.h>

#include "base/own.h"

#define MAX_CONDITIONS 3
#define INT_BITS       0xffffffffu /* the bits of an int argument that the kernel uses */
#define ALL_BITS       UINT64_MAX

#define IS(argument, value)                                                                        \
	{                                                                                          \
		argument, COMPARE_MASKED_EQ, value, INT_BITS                                       \
	}
#define HAS(argument, bit)                                                                         \
	{                                                                                          \
		argument, COMPARE_MASKED_EQ, bit, bit                                              \
	}
#define IS_NULL(argument)                                                                          \
	{                                                                                          \
		argument, COMPARE_EQ, 0, ALL_BITS                                                  \
	}
#define IS_GIVEN(argument)                                                                         \
	{                                                                                          \
		argument, COMPARE_NE, 0, ALL_BITS                                                  \
	}

/* The kernel's numbers; the same on both architectures. */
enum {
	PID_ONE = 1,
	PRIO_OF_USER = 2,       /* PRIO_USER (getpriority(2)) */
	IOPRIO_OF_USER = 3,     /* IOPRIO_WHO_USER (ioprio_set(2)) */
	CORE_LIMIT = 4,         /* RLIMIT_CORE */
	SOCKET_LEVEL = 1,       /* SOL_SOCKET */
	RECEIVE_BUFFER = 8,     /* SO_RCVBUF */
	LINGER = 13,            /* SO_LINGER */
	RECEIVE_LOW_WATER = 18, /* SO_RCVLOWAT */
	IPV4_LEVEL = 0,         /* IPPROTO_IP */
	IPV4_ERRORS = 11,       /* IP_RECVERR */
	IPV6_LEVEL = 41,        /* IPPROTO_IPV6 */
	IPV6_ERRORS = 25,       /* IPV6_RECVERR */
	SET_LEASE = 1024,       /* F_SETLEASE */
	SET_DELEGATION = 1040,  /* F_SETDELEG, Linux 6.19 */
	HUGE_MAPPING = 0x40000, /* MAP_HUGETLB */
	HUGE_FILE = 4,          /* MFD_HUGETLB */
	HUGE_SEGMENT = 04000,   /* SHM_HUGETLB */
};

#define SUCCEED 0 /* report success and do nothing */

/* clang-format off */
static const struct {
	const char *call;
	int error;
	struct seccomp_condition conditions[MAX_CONDITIONS]; /* ends with a mask of 0 */
} guard[] = {
	/* Pid 1 needs the CPU to die when it is killed, and has the program's own uid. */
	{"sched_setscheduler", EPERM,   {IS(0, PID_ONE)}},
	{"sched_setparam",     EPERM,   {IS(0, PID_ONE)}},
	{"sched_setattr",      EPERM,   {IS(0, PID_ONE)}},
	{"sched_setaffinity",  EPERM,   {IS(0, PID_ONE)}},
	{"setpriority",        EPERM,   {IS(1, PID_ONE)}}, /* a process, or a process group */
	{"setpriority",        EPERM,   {IS(0, PRIO_OF_USER)}},
	{"ioprio_set",         EPERM,   {IS(1, PID_ONE)}},
	{"ioprio_set",         EPERM,   {IS(0, IOPRIO_OF_USER)}},
	{"prlimit64",          EPERM,   {IS(0, PID_ONE)}},
	/*
	 * A close that waits for unsent data stalls whichever process closes last: a kernel worker,
	 * if the socket waits in a queue. With a low-water mark a receive blocks although poll()
	 * reported data (socket(7)).
	 */
	{"setsockopt",         SUCCEED, {IS(1, SOCKET_LEVEL), IS(2, LINGER)}},
	{"setsockopt",         SUCCEED, {IS(1, SOCKET_LEVEL), IS(2, RECEIVE_LOW_WATER)}},
	/*
	 * Connections that wait to be accepted, and queued errors, are charged to no control group;
	 * with a buffer of the default size they are bounded by 64 KiB per socket
	 * (sandbox/socket_count.h).
	 */
	{"setsockopt", SUCCEED, {IS(1, SOCKET_LEVEL), IS(2, RECEIVE_BUFFER)}},
	{"setsockopt", SUCCEED, {IS(1, IPV4_LEVEL), IS(2, IPV4_ERRORS)}},
	{"setsockopt", SUCCEED, {IS(1, IPV6_LEVEL), IS(2, IPV6_ERRORS)}},
	/* Any other process that opens the file waits until the lease is released (fcntl(2)). */
	{"fcntl",              EPERM,   {IS(1, SET_LEASE)}},
	{"fcntl",              EPERM,   {IS(1, SET_DELEGATION)}},
	/*
	 * The pages that an administrator has set aside are counted by no memory limit of v1, and
	 * by those of v2 only with memory_hugetlb_accounting. Transparent huge pages are counted.
	 * The answers are those of an empty pool, and of a kernel without such files: OpenJDK,
	 * PostgreSQL, mimalloc and glibc's malloc take ordinary pages then.
	 */
	{"mmap",               ENOMEM,  {HAS(3, HUGE_MAPPING)}},
	{"memfd_create",       EINVAL,  {HAS(1, HUGE_FILE)}},
	{"shmget",             ENOMEM,  {HAS(2, HUGE_SEGMENT)}},
	/* A limit of 1 keeps a crash from the host's core_pattern program; 0 does not (core(5)). */
	{"setrlimit",          SUCCEED, {IS(0, CORE_LIMIT)}},
	{"prlimit64",          SUCCEED, {IS(1, CORE_LIMIT), IS_GIVEN(2), IS_NULL(3)}},
	{"prlimit64",          EPERM,   {IS(1, CORE_LIMIT), IS_GIVEN(2), IS_GIVEN(3)}},
};
/* clang-format on */

#define RULES (sizeof(guard) / sizeof(guard[0]))

void filter_guard_add(struct seccomp_profile *p)
{
	p->rules = own_resize(p->rules, p->rule_count + RULES, sizeof(*p->rules));
	p->conditions = own_resize(p->conditions, p->condition_count + RULES * MAX_CONDITIONS,
				   sizeof(*p->conditions));
	for (size_t i = 0; i < RULES; i++) {
		struct seccomp_rule *rule = &p->rules[p->rule_count++];

		*rule = (struct seccomp_rule){
			.name = guard[i].call,
			.action = SECCOMP_RET_ERRNO | (uint32_t)guard[i].error,
			.first_condition = p->condition_count,
		};
		while (rule->condition_count < MAX_CONDITIONS &&
		       guard[i].conditions[rule->condition_count].mask)
			p->conditions[p->condition_count++] =
				guard[i].conditions[rule->condition_count++];
	}
}
