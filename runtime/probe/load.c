/*
 * load - programs that hit a limit.
 */
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

#include "inside/sys.h"
#include "probe/probe.h"

#define MOST_CONNECTIONS 90
#define PAGE             4096
#define REST_MS          20 /* longer than a kernel's tick, at which it checks */
#define PIECE            4096
#define HOLDERS          8
#define SOCKETS          180 /* of each: below the limit of open files */

void load_memory(void)
{
	size_t size = (size_t)probe_number("mib") << 20;
	long at = sys6(__NR_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	for (size_t i = 0; at > 0 && i < size; i += PAGE)
		((volatile char *)at)[i] = 1;
	probe_say("memory", "a program that takes more is ended", false,
		  "MiB taken:", probe_number("mib"));
}

__attribute__((noreturn)) static void load_sleep(void)
{
	const struct timespec long_time = {1000, 0};

	for (;;)
		sys2(__NR_nanosleep, &long_time, NULL);
}

void load_processes(void)
{
	long most = probe_number("most");
	long count = 0;
	long pid = 0;

	for (; pid >= 0 && count < 4 * most; count++) {
		pid = sys5(__NR_clone, SIGCHLD, NULL, NULL, NULL, NULL);
		if (pid == 0)
			load_sleep();
	}
	/* Counting this one and pid 1, but not the refused one. */
	probe_say("pids", "no more processes than allowed", count + 1 <= most,
		  "processes:", count + 1);
}

static long load_clock_ms(int clock)
{
	struct timespec now = {0};

	sys2(__NR_clock_gettime, clock, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void load_spin(long cpu_ms)
{
	long end = load_clock_ms(CLOCK_PROCESS_CPUTIME_ID) + cpu_ms;

	while (load_clock_ms(CLOCK_PROCESS_CPUTIME_ID) < end)
		;
}

/*
 * In a virtual machine, time that its host uses otherwise may count as ours, so that we finish at
 * once. The kernel then makes us wait for all of it before it gives us the rest.
 */
void load_cpu(void)
{
	long start = load_clock_ms(CLOCK_MONOTONIC);
	long took;

	load_spin(probe_number("ms"));
	if (probe_option("least"))
		load_spin(REST_MS);
	took = load_clock_ms(CLOCK_MONOTONIC) - start;
	if (probe_option("least"))
		probe_say("cpu", "it takes its time", took >= probe_number("least"),
			  "milliseconds:", took);
	else
		probe_say("cpu-time", "a program that takes more is ended", false,
			  "milliseconds:", took);
}

void load_output(void)
{
	static char bytes[PIECE];

	for (long i = 0; i < probe_number("kib"); i += PIECE / 1024)
		sys_write(1, bytes, sizeof(bytes));
}

/* Ignore all signals that can be ignored, and so does the child. */
void load_wait(void)
{
	const unsigned long all = ~0ul;
	long pid;

	sys4(__NR_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof(all));
	pid = sys5(__NR_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid > 0)
		walls_tell_namespaces();
	if (pid > 0)
		sys_write(1, "ready\n", 6);
	load_sleep();
}

/* Fill both ends of a connection to ourselves until it would block. Returns the bytes. */
static long load_fill(int listener, const struct sockaddr_in *here)
{
	static char bytes[1 << 18];
	long sender = sys3(__NR_socket, AF_INET, SOCK_STREAM, 0);
	long n = sys3(__NR_connect, sender, here, sizeof(*here));
	long sum = 0;

	if (n == 0)
		n = sys4(__NR_accept4, listener, NULL, NULL, 0);
	while (n >= 0) {
		n = sys6(__NR_sendto, sender, bytes, sizeof(bytes), MSG_DONTWAIT, NULL, 0);
		sum += n > 0 ? n : 0;
	}
	return sum;
}

void load_sockets(void)
{
	struct sockaddr_in here = {.sin_family = AF_INET,
				   .sin_addr.s_addr = __builtin_bswap32(INADDR_LOOPBACK)};
	unsigned length = sizeof(here);
	long listener = sys3(__NR_socket, AF_INET, SOCK_STREAM, 0);
	long wanted = probe_number("mib") << 20;
	long held = 0;

	sys3(__NR_bind, listener, &here, sizeof(here));
	sys2(__NR_listen, listener, 4);
	sys3(__NR_getsockname, listener, &here, &length);
	for (int i = 0; i < MOST_CONNECTIONS && held < wanted; i++)
		held += load_fill((int)listener, &here);
	probe_say("socket-memory", "buffers of connections stay within --memory",
		  listener >= 0 && held < wanted, "MiB:", held >> 20);
}

/* Hold the sockets longer than the monitor's interval of checks, five seconds at most. */
void load_socket_count(void)
{
	const struct timespec while_it_looks = {5, 0};
	long count = 0;

	for (int i = 0; i < HOLDERS; i++) {
		long pid = sys5(__NR_clone, SIGCHLD, NULL, NULL, NULL, NULL);

		for (int j = 0; j < SOCKETS && pid == 0; j++)
			sys3(__NR_socket, AF_UNIX, SOCK_STREAM, 0);
		if (pid == 0)
			load_sleep();
		count += pid > 0 ? SOCKETS : 0;
	}
	sys2(__NR_nanosleep, &while_it_looks, NULL);
	probe_say("socket-count", "a program with more is ended", false, "sockets:", count);
}
