/*
 * detach - `run --detach`: leave the sandbox to a monitor of its own.
 *
 * The monitor is a child in a session of its own. It has our standard streams until the program has
 * been executed, so that it says itself what went wrong; then it has none.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/keep_fds.h"
#include "base/own.h"
#include "base/process.h"
#include "base/told.h"
#include "cgroup/cgroup.h"
#include "cli/command.h"
#include "cli/run.h"
#include "cli/scope.h"
#include "client/network.h"
#include "client/registry_run.h"
#include "monitor/monitor.h"
#include "root/volume.h"

struct detached {
	const struct record_origin *origin;
	const char *again; /* the id of a record; NULL: a new one */
	struct job job;
	struct registration place;
	struct record_kept record;
	int told; /* owned; the caller waits for the id here */
};

static void detach_on_start(void *context)
{
	struct detached *d = context;
	auto_buf struct buf published = {0};

	network_write_published(&d->job.sandbox, &published);
	network_say_published(&published, our_name());
	(void)io_write_all(d->told, d->record.id, RECORD_ID - 1);
	for (int i = 0; i < 3; i++)
		close(i);
	io_fill_standard();
	told_close();
	(void)!chdir("/");
	own_close(&d->told);
}

static int detach_take_places(struct detached *d, const struct presentation *show, int *signals,
			      struct err *e)
{
	const struct sandbox *s = &d->job.sandbox;

	if (process_signals_of_run(s->spec->sig_proxy, signals, e))
		return -1;
	if (d->again)
		return registry_run_enter(s, &d->place, e);
	return registry_run_enter(s, &d->place, e) || record_keep(s, d->origin, &d->record, e) ||
	       run_write_cidfile(show->cidfile, s->id, e);
}

static int detach_watch(struct detached *d, const struct sandbox_spec *spec,
			const struct presentation *show)
{
	auto_fd int signals = -1;
	struct err e;
	int status = 0;

	if (detach_take_places(d, show, &signals, &e)) {
		status = run_failed(&e, false);
		if (d->record.dir >= 0)
			record_failed(&d->record, status, &e);
	} else {
		const struct monitor_parts parts = {.job = &d->job,
						    .record = &d->record,
						    .place = &d->place,
						    .labels = &show->labels,
						    .signals = signals,
						    .started = detach_on_start,
						    .context = d};

		process_normal_priority();
		if (monitor_run(&parts, &e)) {
			run_add_meant(spec, &e);
			status = run_failed(&e, true);
		}
	}
	registry_leave(&d->place);
	return status;
}

/* A name that was given; one that was not is twelve digits of the id. */
static void detach_keep_name(const struct record_kept *k, struct sandbox_spec *spec)
{
	if (spec->name || strncmp(k->id, k->name, 12) != 0)
		spec->name = spec_strdup(spec, k->name);
}

/* Runs: the monitor. Returns its exit status, which the caller has as its own if it fails. */
static int detach_be_monitor(struct detached *d, struct sandbox_spec *spec,
			     const struct presentation *show)
{
	struct err e;
	int status;

	const int kept[] = {d->told, told_fd()};

	if (setsid() < 0 || keep_fds(3, kept, 2))
		return err_sys(&e, "leave the caller's session"), run_failed(&e, false);
	if (d->again && record_keep_again(d->again, &d->record, &e))
		return run_failed(&e, false);
	if (d->again)
		detach_keep_name(&d->record, spec);
	if (job_open(NULL, spec, JOB_RUN, &d->job, &e)) {
		status = run_failed(&e, false);
		if (d->again)
			record_failed(&d->record, status, &e);
		return status;
	}
	if (d->again)
		snprintf(d->job.sandbox.id, sizeof(d->job.sandbox.id), "%s", d->record.id);
	if (!cgroup_nothing_to_limit(&spec->limits))
		scope_enter();
	status = detach_watch(d, spec, show);
	job_leave(&d->job);
	record_end_keeping(&d->record);
	return status;
}

/* The id, once the program has been executed; or the monitor's own exit status. */
static int detach_await(pid_t monitor, int told, char id[RECORD_ID])
{
	size_t length = 0;
	ssize_t n;

	while (length < RECORD_ID - 1 &&
	       ((n = read(told, id + length, RECORD_ID - 1 - length)) > 0 ||
		(n < 0 && errno == EINTR)))
		length += n > 0 ? (size_t)n : 0;
	id[length] = '\0';
	return length == RECORD_ID - 1 ? 0 : process_exit_code(process_reap(monitor, 0));
}

int detach(struct sandbox_spec *spec, const struct presentation *show,
	   const struct record_origin *origin, const char *again)
{
	struct detached d = {.origin = origin,
			     .again = again,
			     .place = registration_none(),
			     .record = record_kept_none()};
	int ends[2];
	auto_fd int told = -1;
	auto_fd int ours = -1;
	char id[RECORD_ID];
	struct err e;
	pid_t pid;
	int status;

	if (pipe2(ends, O_CLOEXEC))
		return err_sys(&e, "make a pipe to the monitor"), run_failed(&e, false);
	ours = ends[0];
	told = ends[1];
	(void)fflush(NULL);
	pid = fork();
	if (pid < 0)
		return err_sys(&e, "start the monitor"), run_failed(&e, false);
	if (!pid) {
		own_close(&ours);
		d.told = take_fd(&told);
		status = detach_be_monitor(&d, spec, show);
		(void)fflush(NULL);
		_exit(status);
	}
	own_close(&told);
	status = detach_await(pid, ours, id);
	if (!status && !again)
		puts(id);
	return status;
}

/* Make the volumes that it names, as docker does: the record names them, so they stay. */
static int detach_make_volumes(const struct sandbox_spec *spec, struct err *e)
{
	for (size_t i = 0; i < spec->mount_count; i++) {
		auto_volume struct volume v = volume_none();

		if (spec->mounts[i].volume &&
		    volume_open(spec->mounts[i].volume, VOLUME_MOUNT, &v, e))
			return -1;
	}
	return 0;
}

int detach_create(struct sandbox_spec *spec, const struct presentation *show,
		  const struct record_origin *origin)
{
	struct record_kept record = record_kept_none();
	struct job job;
	struct err e;
	int status = 0;

	if (job_open(NULL, spec, JOB_LOOK, &job, &e))
		return run_failed(&e, false);
	if (record_keep(&job.sandbox, origin, &record, &e) || record_created(&record, &e) ||
	    detach_make_volumes(spec, &e) || run_write_cidfile(show->cidfile, job.sandbox.id, &e)) {
		status = run_failed(&e, false);
		if (record.dir >= 0)
			record_discard(&record);
	} else {
		puts(job.sandbox.id);
	}
	record_end_keeping(&record);
	job_close(&job);
	return status;
}
