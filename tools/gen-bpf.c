/*
 * gen-bpf - compile a seccomp profile to a C header, at build time.
 *
 *   gen-bpf python_filter policy/python.json --guard > build/gen/python_filter.h
 *
 * --guard adds what no program may do, whatever the profile says (seccomp/filter_guard.h).
 *
 * The header holds the program of every architecture that glovebox knows, and the compiler that
 * reads it takes its own: it does not matter on which machine it was made.
 */
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "seccomp/filter_guard.h"
#include "seccomp/syscall_filter.h"

#include <fcntl.h>

static const struct {
	enum filter_arch arch;
	const char *condition;
} targets[] = {
	{FILTER_ARCH_X86_64,  "#if defined(__x86_64__)"   },
	{FILTER_ARCH_AARCH64, "#elif defined(__aarch64__)"},
};

static int print_program(const char *name, const char *text, size_t length,
			 struct filter_target target, bool guard, struct err *e)
{
	auto_seccomp_profile struct seccomp_profile profile = {0};
	auto_syscall_filter struct syscall_filter filter = {0};

	if (seccomp_profile_parse(text, length, &target, &profile, e))
		return -1;
	if (guard)
		filter_guard_add(&profile);
	if (syscall_filter_compile(&profile, &filter, e))
		return -1;
	printf("static const struct sock_filter %s[] = { /* %u */\n", name, filter.length);
	for (unsigned i = 0; i < filter.length; i++) {
		const struct sock_filter *f = &filter.program[i];

		printf("\t{0x%02x, %u, %u, 0x%08x},\n", f->code, f->jt, f->jf, f->k);
	}
	printf("};\n");
	return 0;
}

static int print_header(const char *name, const char *path, bool guard, struct err *e)
{
	auto_buf struct buf text = {0};

	if (io_read_file(AT_FDCWD, path, SECCOMP_PROFILE_MAX, &text, e))
		return -1;
	printf("/* Made by tools/gen-bpf from %s. */\n", path);
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		/* Kernel unknown: what is built here runs on any. */
		const struct filter_target target = {.arch = targets[i].arch};

		printf("%s\n", targets[i].condition);
		if (print_program(name, buf_string(&text), text.length, target, guard, e))
			return -1;
	}
	printf("#else\n#error \"no system call filter for this architecture\"\n#endif\n");
	if (fflush(stdout) || ferror(stdout))
		return err_sys(e, "write");
	return 0;
}

int main(int argc, char **argv)
{
	struct err e;
	char line[600];

	if (argc < 3 || argc > 4 || (argc == 4 && strcmp(argv[3], "--guard") != 0)) {
		fprintf(stderr, "usage: gen-bpf NAME PROFILE.json [--guard] > HEADER\n");
		return 2;
	}
	if (print_header(argv[1], argv[2], argc == 4, &e)) {
		fprintf(stderr, "gen-bpf: %s: %s\n", argv[2], err_string(&e, line, sizeof(line)));
		return 1;
	}
	return 0;
}
