/*
 * verdict - how a run ended, and what it used.
 */
#include "spec/verdict.h"

const char *verdict_name(enum verdict_kind kind)
{
	static const char *const names[] = {
		[VERDICT_EXITED] = "exited",       [VERDICT_SIGNALLED] = "signalled",
		[VERDICT_WALL_TIME] = "wall_time", [VERDICT_CPU_TIME] = "cpu_time",
		[VERDICT_MEMORY] = "memory",       [VERDICT_SYSCALL] = "syscall",
		[VERDICT_OUTPUT] = "output",       [VERDICT_CANCELLED] = "cancelled",
		[VERDICT_IDLE] = "idle",
	};

	return names[kind];
}

void verdict_fini(struct verdict *v)
{
	buf_fini(&v->captured[0]);
	buf_fini(&v->captured[1]);
	output_files_fini(&v->files);
	output_files_fini(&v->refused);
	egress_summary_fini(&v->egress);
	*v = (struct verdict){0};
}
