/*
 * trials_inside - all checks of the probe: behind the filter, without it, and in a warm cell.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/own.h"
#include "inside/plan.h"
#include "sandbox/sandbox.h"
#include "selftest/filter_answers.h"
#include "selftest/trials.h"

static void trials_inside_add_namespaces(struct buf *out)
{
	static const char *const names[] = {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[48];
		char link[64];
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/self/ns/%s", names[i]);
		n = readlink(path, link, sizeof(link) - 1);
		if (n > 0)
			buf_printf(out, " %s=%.*s", names[i], (int)n, link);
	}
}

static int trials_inside_run(struct selftest *t, struct caller *c, const char *flags,
			     const char *more, struct err *e)
{
	auto_buf struct buf options = {0};
	struct caller_run r;

	buf_printf(&options,
		   "mode=check hostname=%s workdir=/tmp secret=%s/secret tcp=%u abstract=%s key=%s "
		   "oom=%d%s%s%s",
		   CALLER_NAME, c->dir, c->port, c->token, c->token, SANDBOX_OOM_SCORE,
		   geteuid() ? "" : " root=1", landlock_abi() > 0 ? " landlock=1" : "", more);
	trials_inside_add_namespaces(&options);
	if (trial_start(t, c, flags, buf_string(&options), &r, e))
		return -1;
	return trial_end(t, &r, e);
}

/* Add the allowed calls whose answers are conclusive; find them without a filter. */
static int trials_inside_add_allowed(struct selftest *t, struct caller *c, struct buf *out,
				     struct err *e)
{
	auto_buf struct buf options = {0};
	auto_buf struct buf said = {0};
	const bool warm = c->warm; /* a cell always has a filter */
	struct caller_run r;
	const char *fit;
	int bad;

	buf_text(&options, "mode=calls allowed=");
	filter_answers_allowed(&options);
	c->warm = false;
	bad = trial_start(t, c, "--security-opt seccomp=unconfined", buf_string(&options), &r, e);
	c->warm = warm;
	if (bad)
		return -1;
	(void)caller_wait(&r, TRIAL_MS);
	caller_read(r.out, &said);
	fit = strstr(buf_string(&said), "fit=");
	if (fit)
		buf_printf(out, " allowed=%.*s", (int)strcspn(fit + 4, "\n"), fit + 4);
	else
		trial_failed(&r, 0, e);
	caller_end(&r);
	return fit ? 0 : -1;
}

static bool trials_inside_is_wanted(const struct selftest *t, const char *layer)
{
	return !t->only || t->as || !strcmp(t->only->name, layer);
}

/* Run behind the shipped filter. */
static int trials_inside_run_shipped(struct selftest *t, struct caller *c, const char *more,
				     struct err *e)
{
	auto_buf struct buf options = {0};
	auto_buf struct buf refused = {0};
	auto_buf struct buf conditions = {0};

	filter_answers(&refused);
	filter_conditions(&conditions);
	buf_printf(&options, " uid=1000%s refused=%s conditions=%s", more, buf_string(&refused),
		   buf_string(&conditions));
	if (trials_inside_is_wanted(t, "seccomp") && trials_inside_add_allowed(t, c, &options, e))
		return -1;
	return trials_inside_run(t, c, "", buf_string(&options), e);
}

int trial_shipped(struct selftest *t, struct caller *c, struct err *e)
{
	return trials_inside_run_shipped(t, c, " files=1", e);
}

int trial_bare(struct selftest *t, struct caller *c, struct err *e)
{
	return trials_inside_run(t, c, "--security-opt seccomp=unconfined --user 0:0",
				 " uid=0 files=1 bare=1", e);
}

int trial_terminal(struct selftest *t, struct caller *c, struct err *e)
{
	struct caller_run r;

	return trial_start(t, c, "--tty", "mode=terminal", &r, e) || trial_end(t, &r, e) ? -1 : 0;
}

/*
 * Turn "user=user:[1]", a line each, into options; cells have the user namespace of their nursery.
 */
static void trials_inside_take_namespaces(const struct caller_run *r, struct buf *out)
{
	auto_buf struct buf said = {0};
	auto_free char *text = NULL;
	char *rest = NULL;
	char *line;

	caller_read(r->out, &said);
	text = own_strdup(buf_string(&said));
	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		if (strchr(line, '=') && strncmp(line, "user=", 5) != 0)
			buf_printf(out, " %s", line);
	}
}

/* While a neighbour runs, have another cell compare its namespaces with the neighbour's. */
static int trials_inside_meet(struct selftest *t, struct caller *c, struct err *e)
{
	auto_buf struct buf options = {0};
	struct caller_run neighbour;
	struct caller_run r;
	int bad;

	if (trial_start(t, c, "", "mode=wait", &neighbour, e))
		return -1;
	bad = trial_await(&neighbour, e);
	buf_text(&options, "mode=compare");
	trials_inside_take_namespaces(&neighbour, &options);
	if (!bad)
		bad = trial_start(t, c, "", buf_string(&options), &r, e) || trial_end(t, &r, e);
	caller_end(&neighbour);
	return bad ? -1 : 0;
}

/* Check a cell from outside, its limits, and its end. */
static int trials_inside_run_others(struct selftest *t, struct caller *c, struct err *e)
{
	int (*const others[])(struct selftest *, struct caller *, struct err *) = {
		trial_outside, trial_memory,   trial_pids,      trial_cpu,         trial_output,
		trial_kill,    trial_deadline, trial_interrupt, trial_init_killed,
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (others[i](t, c, e))
			return -1;
	}
	return 0;
}

/*
 * Some images have no Python that can be warm, or that is trusted to be; for others a failure
 * counts.
 */
int trial_warm(struct selftest *t, struct caller *c, struct err *e)
{
	bool makes_none;
	int bad = caller_warm_start(c, t->image, &makes_none, e);

	if (makes_none) {
		selftest_lack(t, "warm", e);
		bad = 0;
	} else if (!bad) {
		t->as = "warm";
		bad = trials_inside_run_shipped(t, c, "", e) || trials_inside_meet(t, c, e) ||
				      trials_inside_run_others(t, c, e)
			      ? -1
			      : 0;
		t->as = NULL;
	}
	caller_warm_stop(c);
	return bad;
}
