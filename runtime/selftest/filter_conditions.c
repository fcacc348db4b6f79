/*
 * filter_conditions - calls that the policy judges by their arguments.
 *
 * Without a filter the kernel would answer each of them differently from a refusing filter, and
 * without effect: descriptors, pointers or combinations are invalid. The effect of a call that
 * would succeed ends with the probe.
 */
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "selftest/filter_answers.h"

#define NO_FD    0xffffffffu
#define NEGATIVE 0xfffffffau /* the clock of a process's CPU time */
#define HUGE     (2u << 20)
#define HIGH     (1ull << 32)                   /* bits that an int argument does not have */
#define LEFT(f)  ((f) | (unsigned)CLONE_THREAD) /* without CLONE_SIGHAND: EINVAL (clone(2)) */

/* The kernel's numbers; policy/python.json and seccomp/filter_guard.c have their names. */
static const struct {
	int number;
	uint64_t arguments[4];
} calls[] = {
	{SYS_socket,             {1, 1, 0}              }, /* unix */
	{SYS_socket,             {2, 1, 0}              }, /* TCP */
	{SYS_socket,             {10, 2, 0}             }, /* UDP, IPv6 */
	{SYS_socket,             {16, 3, 0}             }, /* NETLINK_ROUTE */
	{SYS_socket,             {16, 3, 2}             }, /* NETLINK_USERSOCK */
	{SYS_socket,             {38, 5, 0}             }, /* AF_ALG */
	{SYS_socket,             {40, 1, 0}             }, /* AF_VSOCK */
	{SYS_socket,             {2, 1, 262}            }, /* MPTCP */
	{SYS_socket,             {2, 2, 136}            }, /* UDP-Lite */
	{SYS_socketpair,         {2, 1, 0}              },
	{SYS_ioctl,              {NO_FD, 0x541b}        }, /* FIONREAD */
	{SYS_ioctl,              {NO_FD, 0x5412}        }, /* TIOCSTI */
	{SYS_ioctl,              {NO_FD, 0x5412 | HIGH} },
	{SYS_ioctl,              {NO_FD, 0x541c}        }, /* TIOCLINUX */
	{SYS_prctl,              {3}                    }, /* PR_GET_DUMPABLE */
	{SYS_prctl,              {22, 99}               }, /* PR_SET_SECCOMP */
	{SYS_prctl,              {62, 99}               }, /* PR_SCHED_CORE */
	{SYS_personality,        {0xffffffff}           },
	{SYS_personality,        {0x0040000}            }, /* ADDR_NO_RANDOMIZE */
	{SYS_clone,              {LEFT(0u)}             },
	{SYS_clone,              {LEFT(CLONE_NEWUSER)}  },
	{SYS_clone,              {LEFT(CLONE_NEWNS)}    },
	{SYS_clone,              {LEFT(CLONE_NEWPID)}   },
	{SYS_clone,              {LEFT(CLONE_NEWNET)}   },
	{SYS_clone,              {LEFT(CLONE_NEWIPC)}   },
	{SYS_clone,              {LEFT(CLONE_NEWUTS)}   },
	{SYS_clone,              {LEFT(CLONE_NEWCGROUP)}},
	{SYS_openat,             {NO_FD, 0, 0, 0}       },
	{SYS_openat,             {NO_FD, 0, 0100, 04755}}, /* a set-uid file */
	{SYS_fchmod,             {NO_FD, 0755}          },
	{SYS_fchmod,             {NO_FD, 04755}         },
	{SYS_mknodat,            {NO_FD, 0, 010644}     }, /* a pipe */
	{SYS_mknodat,            {NO_FD, 0, 020644}     }, /* a device */
	{SYS_setsockopt,         {NO_FD, 1, 2}          }, /* SO_REUSEADDR */
	{SYS_setsockopt,         {NO_FD, 6, 31}         }, /* TCP_ULP */
	{SYS_setsockopt,         {NO_FD, 6, 14}         }, /* TCP_MD5SIG */
	{SYS_setsockopt,         {NO_FD, 6, 12}         }, /* TCP_QUICKACK */
	{SYS_setsockopt,         {NO_FD, 0, 35}         }, /* IP_ADD_MEMBERSHIP */
	{SYS_sendto,             {NO_FD, 0, 0, 0}       },
	{SYS_sendto,             {NO_FD, 0, 0, 1}       }, /* MSG_OOB */
	{SYS_recvmsg,            {NO_FD, 0, 1 | HIGH}   },
	{SYS_mmap,               {0, HUGE, 0, 0x44022}  }, /* the guard: MAP_HUGETLB */
	{SYS_memfd_create,       {0, 4}                 }, /* MFD_HUGETLB */
	{SYS_madvise,            {0, 0, 12}             }, /* MADV_MERGEABLE */
	{SYS_madvise,            {0, 0, 4}              }, /* MADV_DONTNEED */
	{SYS_futex,              {0, 6}                 }, /* FUTEX_LOCK_PI */
	{SYS_futex,              {0, 1}                 }, /* FUTEX_WAKE */
	{SYS_timer_create,       {2, 1, 1}              }, /* CLOCK_PROCESS_CPUTIME_ID */
	{SYS_timer_create,       {1, 1, 1}              }, /* CLOCK_MONOTONIC */
	{SYS_clock_nanosleep,    {NEGATIVE, 0, 1}       },
	{SYS_membarrier,         {1, 0}                 }, /* MEMBARRIER_CMD_GLOBAL */
	{SYS_fallocate,          {NO_FD, 8, 0, 1}       }, /* FALLOC_FL_COLLAPSE_RANGE */
	{SYS_setsockopt,         {NO_FD, 1, 8}          }, /* the guard: SO_RCVBUF */
	{SYS_setsockopt,         {NO_FD, 1, 13}         }, /* SO_LINGER */
	{SYS_setsockopt,         {NO_FD, 1, 18}         }, /* SO_RCVLOWAT */
	{SYS_setsockopt,         {NO_FD, 0, 11}         }, /* IP_RECVERR */
	{SYS_setsockopt,         {NO_FD, 41, 25}        }, /* IPV6_RECVERR */
	{SYS_fcntl,              {NO_FD, 3}             }, /* F_GETFL */
	{SYS_fcntl,              {NO_FD, 1024}          }, /* F_SETLEASE */
	{SYS_fcntl,              {NO_FD, 1040}          }, /* F_SETDELEG */
	{SYS_fcntl,              {NO_FD, 1026}          }, /* F_NOTIFY */
	{SYS_sched_setscheduler, {1, 99}                },
	{SYS_sched_setparam,     {1, 0}                 },
	{SYS_sched_setaffinity,  {1, 8, 0}              },
	{SYS_setpriority,        {0, 1, 0}              },
	{SYS_setpriority,        {2, 0, 0}              },
	{SYS_setrlimit,          {4, 0}                 }, /* RLIMIT_CORE */
	{SYS_prlimit64,          {0, 7, 0, 0}           }, /* RLIMIT_NOFILE */
	{SYS_prlimit64,          {1, 7, 0, 0}           },
	{SYS_prlimit64,          {0, 4, 1, 0}           },
	{SYS_prlimit64,          {0, 4, 1, 1}           },
};

void filter_conditions(struct buf *out)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		buf_printf(out, "%s%d", out->length ? "," : "", calls[i].number);
		for (int j = 0; j < 4; j++)
			buf_printf(out, ":%llu", (unsigned long long)calls[i].arguments[j]);
		buf_printf(out, ":%u", filter_answer(calls[i].number, calls[i].arguments));
	}
}
