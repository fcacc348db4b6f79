/*
 * run - `glovebox run`: flags to spec, spec to sandbox, verdict to exit status.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/new_file.h"
#include "base/own.h"
#include "cell/lease.h"
#include "cli/command.h"
#include "cli/explain.h"
#include "cli/name_lock.h"
#include "cli/report.h"
#include "host/sandbox.h"
#include "spec/setting.h"

static int parse(int argc, char **argv, struct sandbox_spec *spec, struct err *e)
{
	auto_free char *reference = NULL;
	int used;

	if (setting_parse(run_settings, argc - 1, argv + 1, &used, spec, e))
		return -1;
	argv += 1 + used;
	argc -= 1 + used;
	if (argc < 1)
		return err_input(
			e, "an image is needed: glovebox run [FLAGS] IMAGE [COMMAND [ARG...]]");
	if (image_reference(argv[0], &reference, e))
		return -1;
	spec->image = spec_strdup(spec, reference);
	for (int i = 1; i < argc; i++)
		spec_list_add(spec, &spec->command, argv[i]);
	return spec_finish(spec, e);
}

/* The id file must not exist, and appears before the program starts (docker run --cidfile). */
static int write_cidfile(const struct sandbox *s, struct err *e)
{
	const char *path = s->spec->cidfile;
	auto_fd int fd = -1;

	if (!path)
		return 0;
	fd = new_file_open(path, O_EXCL, e);
	if (fd < 0 && e->number == EEXIST)
		return err_input(e,
				 "container ID file found, make sure the other container isn't "
				 "running or delete %.200s",
				 path);
	if (fd < 0)
		return -1;
	if (io_write_all(fd, s->id, strlen(s->id)))
		return err_sys(e, "write the id to %.300s", path);
	return 0;
}

static int write_result(const struct sandbox *s, const struct verdict *v, int result_fd,
			struct err *e)
{
	auto_buf struct buf json = {0};

	if (!s->spec->json && result_fd < 0)
		return 0;
	report_json(s, v, &json);
	if (s->spec->json && io_write_all(STDOUT_FILENO, json.data, json.length))
		return err_sys(e, "write the result");
	if (result_fd >= 0 && io_write_all(result_fd, json.data, json.length))
		return err_sys(e, "write the result to %.300s", s->spec->result_file);
	return 0;
}

static int open_result(const struct sandbox_spec *spec, int *fd, struct err *e)
{
	if (!spec->result_file)
		return 0;
	*fd = new_file_open(spec->result_file, O_TRUNC, e);
	return *fd < 0 ? err_prefix(e, "--result-file") : 0;
}

/* Status of a run that did not come to be: docker's 126 and 127 are about the command. */
static int failed(const struct err *e, bool started)
{
	int status = fail_with(e);

	if (started && e->kind == ERR_NOT_FOUND)
		return 127;
	if (started && e->kind == ERR_DENIED)
		return 126;
	return status;
}

static int run_sandbox(struct sandbox *s)
{
	bool result = s->spec->json || s->spec->result_file;
	auto_fd int result_fd = -1;
	auto_fd int name_fd = -1;
	struct verdict v = {0};
	struct err e = {0};
	int status;

	if (open_result(s->spec, &result_fd, &e) || name_lock(s->spec->name, &name_fd, &e) ||
	    write_cidfile(s, &e))
		return failed(&e, false);
	if (sandbox_run(s, !s->spec->json, result, &v, &e)) {
		status = failed(&e, true);
	} else {
		status = v.exit_code;
		report_messages(s, &v);
		if (write_result(s, &v, result_fd, &e))
			status = failed(&e, false);
	}
	verdict_fini(&v);
	name_unlock(s->spec->name, &name_fd);
	return status;
}

static int check_terminal(const struct sandbox_spec *spec)
{
	if (!spec->tty || !spec->interactive || isatty(STDIN_FILENO))
		return 0;
	fputs("the input device is not a TTY\n", stderr);
	return -1;
}

/*
 * The process ends here. Only the cgroup would outlive it; memory and descriptors
 * are the kernel's to free, which costs it less than us (a tenth of a run).
 */
static void leave(struct sandbox *s, struct sandbox_spec *spec)
{
	cgroup_close(&s->cgroup);
#ifdef __SANITIZE_ADDRESS__
	sandbox_destroy(s);
	spec_fini(spec);
#endif
	(void)spec;
}

/* The reason may be in *e itself. */
static int refuse_cold(const char *reason, struct err *e)
{
	auto_free char *copy = strdup(reason);

	return err_set(e, ERR_UNSUPPORTED, "--warm=require: %s", copy ? copy : "");
}

/* A warm cell for it, or the reason why it starts cold. */
static int take_lease(struct sandbox *s, struct lease *lease, const char **cold, struct err *e)
{
	int found = 1;

	if (s->spec->warm == WARM_NEVER)
		*cold = "--warm=never";
	else
		found = lease_take(s, s->spec->explain ? LEASE_LOOK : LEASE_RUN, lease, cold, e);
	if (found < 0 && s->spec->warm == WARM_AUTO) {
		*cold = e->text; /* slower, never wrong */
		found = 1;
	}
	if (found > 0 && s->spec->warm == WARM_REQUIRE)
		return refuse_cold(*cold, e);
	return found;
}

/* The plan may show that the cell does not fit; then it is made again, for a cold start. */
static int plan(struct sandbox *s, struct lease *lease, const char **cold, struct err *e)
{
	if (sandbox_plan(s, e))
		return -1;
	if (*cold || !(*cold = lease_check(s, lease)))
		return 0;
	if (s->spec->warm == WARM_REQUIRE)
		return refuse_cold(*cold, e);
	lease_drop(lease);
	sandbox_replan_cold(s);
	return sandbox_plan(s, e);
}

static int prepare(struct sandbox_spec *spec, struct sandbox *s, struct lease *lease,
		   const char **cold, struct err *e)
{
	if (sandbox_open(spec, s, e))
		return -1;
	if (take_lease(s, lease, cold, e) >= 0 && !plan(s, lease, cold, e))
		return 0;
	sandbox_destroy(s);
	return -1;
}

int command_run(int argc, char **argv)
{
	struct sandbox_spec spec;
	struct sandbox sandbox;
	struct lease lease = lease_none();
	const char *cold = NULL; /* why it is not served warm; NULL: it is */
	struct err e = {0};
	int status;

	for (int i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--help"))
			return command_help(2, (char *[]){(char *)"help", (char *)"run", NULL});
	}
	spec_init(&spec);
	if (parse(argc, argv, &spec, &e) || check_terminal(&spec) ||
	    prepare(&spec, &sandbox, &lease, &cold, &e)) {
		bool no_terminal = e.kind == ERR_NONE;

		spec_fini(&spec);
		return no_terminal ? 1 : failed(&e, false); /* docker's own exception to 125 */
	}
	status = spec.explain ? explain(&sandbox, cold) : run_sandbox(&sandbox);
	lease_drop(&lease);
	leave(&sandbox, &spec);
	return status;
}
