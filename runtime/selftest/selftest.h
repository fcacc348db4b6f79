/*
 * selftest - check whether the layers of a sandbox hold on this kernel, for this user.
 *
 * It makes sandboxes by `glovebox run`, like any user, from a process with everything that a
 * program must not inherit (selftest/caller.h). A small program of ours (probe/probe.h) tries
 * forbidden actions inside, once behind the shipped filter and once, as uid 0, without it, so that
 * each layer is shown to hold by itself. Other checks look from outside. Each check belongs to a
 * layer (selftest/layers.h).
 *
 * Runs: `glovebox selftest`. Needs: what a run needs.
 */
#ifndef GLOVEBOX_SELFTEST_SELFTEST_H
#define GLOVEBOX_SELFTEST_SELFTEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "selftest/layers.h"

struct selftest_check {
	const struct layer *layer;
	char *what;
	bool held;
	char *saw;
};

struct selftest {
	const char *image;
	const struct layer *only; /* NULL: every layer */
	bool limits;              /* the default limits work */

	struct selftest_check *checks;
	size_t count;
	const char *as;              /* NULL, or the layer to which all checks belong */
	const struct layer *lacking; /* found to be absent, */
	char why[500];               /* because of this */
	unsigned long failed;        /* bits: trials that failed */
	struct err trouble;          /* why the first trial failed; ERR_NONE: none did */
};

/* Run all trials; @t has the findings. End with selftest_fini(), also after an error. */
void selftest_run(struct selftest *t);
void selftest_fini(struct selftest *t);

/* Record a finding; ignored for a layer that was not asked for. */
void selftest_note(struct selftest *t, const char *layer, const char *what, bool held,
		   const char *saw, ...) __attribute__((format(printf, 5, 6)));

/* Record that a layer is absent: it is not promised for this image and this user. */
void selftest_lack(struct selftest *t, const char *layer, const struct err *e);

enum layer_state {
	LAYER_HELD,
	LAYER_BROKEN,
	LAYER_ABSENT,  /* this kernel or this user lacks it: not promised */
	LAYER_UNTRIED, /* a trial failed: trouble */
};

/* @reason: why it is absent or untried; "" otherwise. */
enum layer_state selftest_judge(const struct selftest *t, const struct layer *l, char *reason,
				size_t size);

#endif
