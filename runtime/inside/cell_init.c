/*
 * cell_init - pid 1 of a cell, after its execve: the whole program cell-init.
 *
 * It confines itself, reports that (only then may foreign code run beside it), and reaps. It is
 * static and without a libc, so that it is small and starts at once; its one descriptor is
 * CONTROL_FD, SIGCHLD is blocked.
 */
#include "inside/cell.h"
#include "inside/confine.h"
#include "inside/init.h"
#include "inside/report.h"
#include "inside/sys.h"

/* @words  argc and argv, as the kernel has left them on the stack */
__attribute__((noreturn, used)) static void cell_init_main(char *const *words)
{
	const struct inside_plan plan = {
		.control_fd = CONTROL_FD,
#ifdef GLOVEBOX_TESTING
		.omit = words[2], /* cell_birth.c */
#endif
	};
	const struct report locked = {.kind = REPORT_PARTED};
	struct report r = {0};

	(void)words;
	if (confine_run(reaper_steps, &plan, &r.error))
		inside_give_up(&plan, &r);
	sys_write(CONTROL_FD, &locked, sizeof(locked));
	inside_reap(&plan, CELL_PROGRAM);
}

/* The kernel starts with the stack pointer aligned to 16; a function expects it 8 lower. */
#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n\tmov %rsp, %rdi\n\tcall cell_init_main\n");
#else
__asm__(".globl _start\n_start:\n\tmov x0, sp\n\tbl cell_init_main\n");
#endif
