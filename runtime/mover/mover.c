/*
 * mover - move files as a tar stream.
 *
 *   mover get PATH [NAME]   write the tar of what is at PATH to descriptor 1
 *   mover put DIR [NAME]    unpack the tar on descriptor 0 below DIR, nothing but NAME there
 *   mover stat PATH         say what is at PATH
 *
 * the verbs of mover/files.h, and, with the layers of the sandbox's root as descriptor 0
 * (inside/overlay.h),
 *
 *   mover changes           list what was changed in the root
 *   mover layer             write that as a tar
 *   mover export            write the tar of the root, without what is mounted on it
 *
 *   mover lay               lay what "layer" wrote, on descriptor 0, into a new root
 *
 * It is small, static and without a libc, so that it runs in any image. It has the rights of a
 * sandbox's program and no others: wherever a path, a link or a race leads it, its program could
 * have gone. The same program unpacks on the host what a sandbox sends, as a child that is
 * confined.
 *
 * Exit codes: mover/note.h.
 */
#include <asm/signal.h>

#include "inside/sys.h"
#include "mover/files.h"
#include "mover/get.h"
#include "mover/layer.h"
#include "mover/look.h"
#include "mover/note.h"
#include "mover/put.h"

#define SIGSET_BYTES 8

static void mover_usage(void)
{
	static const char text[] =
		"usage: mover get PATH [NAME] | put DIR [NAME] | stat PATH | "
		"list, read, write, remove, archive, make, rename, usage, watch DIR PATH ... | "
		"changes | layer | export | lay\n";

	sys_write(2, text, sizeof(text) - 1);
	sys_exit(NOTE_USAGE);
}

/* A file that becomes too large is an error of write(2), not a death. */
static void mover_ignore_limit(void)
{
	unsigned long action[4] = {(unsigned long)SIG_IGN};

	(void)sys4(__NR_rt_sigaction, SIGXFSZ, action, NULL, SIGSET_BYTES);
}

static void mover_export(void)
{
	long n = sys1(__NR_fchdir, 0);

	if (n < 0)
		note_failure("open", "the layers of the root", n);
	else
		get_run("merged", ".");
}

__attribute__((noreturn, used)) static void mover_main(long *stack)
{
	long count = stack[0];
	char **argv = (char **)(stack + 1);

	mover_ignore_limit();
	files_run(count, argv);
	if (count >= 3 && count <= 4 && sys_equal(argv[1], "get"))
		get_run(argv[2], argv[3]);
	else if (count >= 3 && count <= 4 && sys_equal(argv[1], "put"))
		put_run(argv[2], argv[3]);
	else if (count == 3 && sys_equal(argv[1], "stat"))
		look_run(argv[2]);
	else if (count == 2 && sys_equal(argv[1], "changes"))
		layer_list();
	else if (count == 2 && sys_equal(argv[1], "layer"))
		layer_write();
	else if (count == 2 && sys_equal(argv[1], "export"))
		mover_export();
	else if (count == 2 && sys_equal(argv[1], "lay"))
		put_lay();
	else
		mover_usage();
	sys_exit(note_end());
}

/* The kernel starts with the stack pointer at argc; a function expects it aligned to 16. */
#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n\tmov %rsp, %rdi\n\tcall mover_main\n");
#else
__asm__(".globl _start\n_start:\n\tmov x0, sp\n\tbl mover_main\n");
#endif
