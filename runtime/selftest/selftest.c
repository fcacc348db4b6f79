/*
 * selftest - the list of trials, and the verdict on their findings.
 */
#include "selftest/selftest.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "cgroup/cgroup_try.h"
#include "selftest/trials.h"

#define OF_BOTH                                                                                    \
	"user-ns mount-ns pid-ns net-ns loopback ipc-ns uts-ns hostname cgroup-ns root ro-root "   \
	"nosuid nodev noexec hide-mounts hidepid proc-subset tmpfs workdir environment stdio "     \
	"close-fds session signals umask priority rlimits ids bounding caps no-new-privs landlock"

static const struct {
	int (*make)(struct selftest *t, struct caller *c, struct err *e);
	const char *layers; /* layers that it has findings about */
} trials[] = {
	{trial_shipped,      OF_BOTH " seccomp"},
	{trial_bare,         OF_BOTH " keyring"},
	{trial_outside,
	 "init-dumpable init-close-fds init-caps init-no-new-privs init-seccomp caps "
	 "no-new-privs seccomp cgroup memory"  },
	{trial_kill,         "kill"            },
	{trial_init_killed,  "kill"            },
	{trial_interrupt,    "interrupt"       },
	{trial_deadline,     "deadline"        },
	{trial_memory,       "memory"          },
	{trial_sockets,      "socket-memory"   },
	{trial_socket_count, "socket-count"    },
	{trial_terminal,     "terminal"        },
	{trial_pids,         "pids"            },
	{trial_cpu,          "cpu"             },
	{trial_cpu_time,     "cpu-time"        },
	{trial_output,       "output"          },
	{trial_warm,         "warm"            },
	{trial_residue,      "residue"         },
};
#define TRIALS (sizeof(trials) / sizeof(trials[0]))

void selftest_note(struct selftest *t, const char *layer, const char *what, bool held,
		   const char *saw, ...)
{
	const struct layer *l = layer_find(t->as ? t->as : layer);
	struct selftest_check *check;
	va_list arguments;

	if (!l || (t->only && t->only != l))
		return;
	t->checks = own_grow(t->checks, t->count, sizeof(*t->checks));
	check = &t->checks[t->count++];
	*check = (struct selftest_check){.layer = l, .held = held};
	check->what = t->as ? own_printf("%s: %s", layer, what) : own_strdup(what);
	va_start(arguments, saw);
	check->saw = own_vprintf(saw, arguments);
	va_end(arguments);
}

void selftest_lack(struct selftest *t, const char *layer, const struct err *e)
{
	t->lacking = layer_find(layer);
	snprintf(t->why, sizeof(t->why), "%s", e->text);
}

/* Whether one of a trial's layers is wanted, and promised here. */
static bool selftest_wants(const struct selftest *t, const char *names)
{
	struct err ignored;

	for (const struct layer *l = layers; l->name; l++) {
		if (layer_is_in(l, names) && (!t->only || t->only == l) &&
		    (!l->is_here || !l->is_here(&ignored)))
			return true;
	}
	return false;
}

/* Delay signals until everything is cleaned up. */
static const sigset_t *selftest_signals(sigset_t *out)
{
	sigemptyset(out);
	sigaddset(out, SIGINT);
	sigaddset(out, SIGTERM);
	sigaddset(out, SIGHUP);
	return out;
}

static bool selftest_must_end(void)
{
	sigset_t waiting;

	return !sigpending(&waiting) &&
	       (sigismember(&waiting, SIGINT) || sigismember(&waiting, SIGTERM) ||
		sigismember(&waiting, SIGHUP));
}

void selftest_run(struct selftest *t)
{
	struct caller caller;
	sigset_t ending;
	sigset_t before;
	struct err e = {0};

	t->limits = !cgroup_try(CGROUP_DEFAULT, &e);
	sigprocmask(SIG_BLOCK, selftest_signals(&ending), &before);
	if (caller_open(&caller, &t->trouble))
		t->failed = ~0ul;
	for (size_t i = 0; i < TRIALS && t->failed != ~0ul && !selftest_must_end(); i++) {
		if (!selftest_wants(t, trials[i].layers) || !trials[i].make(t, &caller, &e))
			continue;
		if (!t->failed)
			t->trouble = e;
		t->failed |= 1ul << i;
	}
	caller_close(&caller);
	sigprocmask(SIG_SETMASK, &before, NULL); /* a pending signal ends us here */
}

void selftest_fini(struct selftest *t)
{
	for (size_t i = 0; i < t->count; i++) {
		free(t->checks[i].what);
		free(t->checks[i].saw);
	}
	free(t->checks);
	t->checks = NULL;
	t->count = 0;
}

/* Whether a trial with findings about the layer failed. */
static bool selftest_failed(const struct selftest *t, const struct layer *l)
{
	for (size_t i = 0; i < TRIALS; i++) {
		if (t->failed & 1ul << i && layer_is_in(l, trials[i].layers))
			return true;
	}
	return false;
}

enum layer_state selftest_judge(const struct selftest *t, const struct layer *l, char *reason,
				size_t size)
{
	bool tried = false;
	struct err e;

	reason[0] = '\0';
	for (size_t i = 0; i < t->count; i++) {
		if (t->checks[i].layer == l && !t->checks[i].held)
			return LAYER_BROKEN;
		tried |= t->checks[i].layer == l;
	}
	if (t->lacking == l) {
		snprintf(reason, size, "%s", t->why);
		return LAYER_ABSENT;
	}
	if (l->is_here && l->is_here(&e)) {
		err_string(&e, reason, size);
		return LAYER_ABSENT;
	}
	if (tried && !selftest_failed(t, l))
		return LAYER_HELD;
	if (t->trouble.kind)
		err_string(&t->trouble, reason, size);
	else
		snprintf(reason, size, "nothing could be seen of it");
	return LAYER_UNTRIED;
}
