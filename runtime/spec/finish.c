/*
 * finish - cross-check the flags and add the default mounts.
 */
#include "spec/finish.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "base/path.h"
#include "spec/egress_finish.h"
#include "spec/egress_proxy_flag.h"
#include "spec/mount_flags.h"
#include "spec/policy.h"
#include "spec/run_settings.h"
#include "spec/writable.h"

#define DEADLINE_GRACE_MS 500 /* time for `finally` and a traceback */

static int finish_check_memory(struct sandbox_spec *s, struct err *e)
{
	struct limits *l = &s->limits;
	uint64_t total = s->asked.swap_total_bytes;
	char memory[24];

	/*
	 * docker ignores a 0. Without the flag docker allows as much swap as memory, glovebox none.
	 */
	if (total == 0)
		return 0;
	if (total == SPEC_UNLIMITED) {
		l->swap_bytes = SPEC_UNLIMITED;
		return 0;
	}
	if (l->memory_bytes == SPEC_UNLIMITED)
		return err_input(e, "--memory-swap needs --memory: it is memory and swap together");
	if (total < l->memory_bytes)
		return err_input(e,
				 "--memory-swap must be at least --memory (%s): it is memory and "
				 "swap together",
				 format_size(l->memory_bytes, memory));
	l->swap_bytes = total - l->memory_bytes;
	return 0;
}

static bool finish_given(const struct sandbox_spec *s, const char *name)
{
	return setting_given(run_settings, s->given, name);
}

/*
 * Three flags set one limit: --cpus, or --cpu-quota with --cpu-period; a period alone means one
 * CPU.
 */
void spec_decide_limits(struct sandbox_spec *s)
{
	struct limits *l = &s->limits;
	uint64_t cpus = s->asked.cpus_milli;

	if (finish_given(s, "cpu-quota"))
		return;
	if (finish_given(s, "cpu-period"))
		l->cpu_quota_us = l->cpu_period_us;
	else
		l->cpu_quota_us = cpus == SPEC_UNLIMITED ? cpus : cpus * l->cpu_period_us / 1000;
}

static int finish_check_cpu_count(const struct sandbox_spec *s, struct err *e)
{
	uint64_t asked = s->asked.cpus_milli;
	long there;

	if (!finish_given(s, "cpus") || asked == SPEC_UNLIMITED)
		return 0;
	there = sysconf(_SC_NPROCESSORS_ONLN);
	if (there < 1 || asked <= (uint64_t)there * 1000)
		return 0;
	return err_input(e,
			 "--cpus: range of CPUs is from 0.01 to %ld.00, as there are only %ld CPUs "
			 "available",
			 there, there);
}

/* docker reads 0 as "no limit given". */
static int finish_check_cpu(struct sandbox_spec *s, struct err *e)
{
	if (finish_given(s, "cpus") && s->asked.cpus_milli != SPEC_UNLIMITED &&
	    (finish_given(s, "cpu-quota") || finish_given(s, "cpu-period")))
		return err_input(
			e,
			"--cpus conflicts with --cpu-period and --cpu-quota: give one of the "
			"two");
	if (finish_check_cpu_count(s, e))
		return -1;
	spec_decide_limits(s);
	return 0;
}

static int finish_check_streams(const struct sandbox_spec *s, struct err *e)
{
	if (s->code_file && !strcmp(s->code_file, "-") && s->interactive)
		return err_input(e, "--code - conflicts with -i: both read standard input");
	return 0;
}

static struct mount_spec *finish_find_mount(struct sandbox_spec *s, const char *target)
{
	for (size_t i = 0; i < s->mount_count; i++) {
		if (!strcmp(s->mounts[i].target, target))
			return &s->mounts[i];
	}
	return NULL;
}

static int finish_check_duplicates(struct sandbox_spec *s, struct err *e)
{
	for (size_t i = 0; i < s->mount_count; i++) {
		struct mount_spec *first = finish_find_mount(s, s->mounts[i].target);

		if (first != &s->mounts[i])
			return err_input(e, "Duplicate mount point: %.200s", first->target);
		if (s->code_file && path_is_at_or_below(first->target, "/code"))
			return err_input(e, "--code and the mount on %.200s both want /code",
					 first->target);
	}
	return 0;
}

static int finish_add_defaults(struct sandbox_spec *s, struct err *e)
{
	struct mount_spec *shm;

	if (!finish_find_mount(s, DEFAULT_TMP_TARGET)) {
		if (mount_flag_tmpfs(s, DEFAULT_TMP_TARGET, e))
			return -1;
		finish_find_mount(s, DEFAULT_TMP_TARGET)->size_bytes =
			mount_default_bytes(&s->limits);
	}
	if (finish_find_mount(s, "/dev/shm"))
		return 0;
	shm = spec_add_mount(s, MOUNT_TMPFS, "/dev/shm");
	shm->size_bytes = s->limits.shm_bytes;
	shm->inodes = DEFAULT_TMPFS_INODES;
	shm->mode = 01777;
	return 0;
}

/* docker has no --timeout: its commands kill the program at once. */
static void finish_stopping(struct sandbox_spec *s)
{
	bool given = finish_given(s, "stop-timeout");

	if (given || finish_given(s, "stop-signal"))
		s->deadline_signal = s->stop_signal;
	s->deadline_grace_ms = s->is_docker ? 0 : DEADLINE_GRACE_MS;
	if (given)
		s->deadline_grace_ms = s->stop_timeout_ms;
	else if (s->sig_proxy)
		s->stop_timeout_ms = SPEC_UNLIMITED;
}

/*
 * Scripts open files by relative paths: start in the directory where the program leaves files
 * (/output), otherwise where it finds them (/workspace, /data). A face of ours collects a stage.
 */
static void finish_choose_directory(struct sandbox_spec *s)
{
	static const char *const places[] = {"/output", "/workspace", "/data"};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const struct mount_spec *m = finish_find_mount(s, places[i]);

		if (!s->workdir && !s->is_docker && m && (m->kind == MOUNT_STAGE || m->is_place))
			s->workdir = m->target;
	}
}

/* A monitor keeps the log: it passes on all output, and keeps so much of it. */
static int finish_staying(struct sandbox_spec *s, struct err *e)
{
	if (!s->stays && s->limits.idle_ms != SPEC_UNLIMITED)
		return err_input(e,
				 "--idle-timeout needs --detach: a run without it is never idle");
	if (!s->stays)
		return finish_given(s, "rm") && !s->remove
			       ? err_input(e,
					   "--rm=false: nothing is kept of a sandbox without "
					   "--detach")
			       : 0;
	if (s->warm == WARM_REQUIRE)
		return err_input(e, "--detach conflicts with --warm=require: it starts cold");
	s->warm = WARM_NEVER;
	s->limits.log_bytes = s->limits.output_bytes;
	s->limits.output_bytes = SPEC_UNLIMITED;
	return 0;
}

int spec_finish(struct sandbox_spec *s, struct err *e)
{
	if (!s->is_ours && policy_apply_to_spec(s, e))
		return -1;
	if (finish_check_memory(s, e) || finish_check_cpu(s, e) || finish_check_streams(s, e) ||
	    writable_finish(s, e) || egress_finish(s, e) || egress_proxy_finish(s, e) ||
	    finish_check_duplicates(s, e) || finish_add_defaults(s, e) || finish_staying(s, e))
		return -1;
	finish_stopping(s);
	finish_choose_directory(s);
	spec_sort_mounts(s->mounts, s->mount_count);
	return 0;
}
