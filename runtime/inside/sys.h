/*
 * sys - system calls without a library.
 *
 * The code in this folder runs between clone and exec, without a heap or locks, and later inside a
 * cell whose image may have another libc. So it calls the kernel itself. Every function returns the
 * kernel's own answer: a result, or a negative errno.
 *
 * Touches the OS. Runs: everything behind the boundary. Needs: nothing by itself.
 */
#ifndef GLOVEBOX_INSIDE_SYS_H
#define GLOVEBOX_INSIDE_SYS_H

#include <asm/unistd.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__x86_64__)
static inline long sys_call6(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}
#elif defined(__aarch64__)
static inline long sys_call6(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory", "cc");
	return x0;
}
#else
#error "glovebox is written for x86_64 and arm64"
#endif

#define SYS_ARG(x)          ((long)(x))
#define sys0(n)             sys_call6((n), 0, 0, 0, 0, 0, 0)
#define sys1(n, a)          sys_call6((n), SYS_ARG(a), 0, 0, 0, 0, 0)
#define sys2(n, a, b)       sys_call6((n), SYS_ARG(a), SYS_ARG(b), 0, 0, 0, 0)
#define sys3(n, a, b, c)    sys_call6((n), SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), 0, 0, 0)
#define sys4(n, a, b, c, d) sys_call6((n), SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), SYS_ARG(d), 0, 0)
#define sys5(n, a, b, c, d, e)                                                                     \
	sys_call6((n), SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), SYS_ARG(d), SYS_ARG(e), 0)

#define sys6(n, a, b, c, d, e, f)                                                                  \
	sys_call6((n), SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), SYS_ARG(d), SYS_ARG(e), SYS_ARG(f))

static inline long sys_openat(int dir_fd, const char *path, int flags, unsigned mode)
{
	return sys4(__NR_openat, dir_fd, path, flags, mode);
}

static inline long sys_close(int fd)
{
	return sys1(__NR_close, fd);
}

static inline long sys_read(int fd, void *out, size_t size)
{
	return sys3(__NR_read, fd, out, size);
}

static inline long sys_write(int fd, const void *bytes, size_t size)
{
	return sys3(__NR_write, fd, bytes, size);
}

static inline long sys_mount(const char *source, const char *target, const char *type,
			     unsigned long flags, const char *data)
{
	return sys5(__NR_mount, source, target, type, flags, data);
}

__attribute__((noreturn)) static inline void sys_exit(int status)
{
	for (;;)
		sys1(__NR_exit_group, status);
}

static inline size_t sys_strlen(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

static inline bool sys_equal(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

#endif
