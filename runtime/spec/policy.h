/*
 * policy - the ceilings of whoever runs this machine: /etc/glovebox/policy.d/NAME.json.
 *
 * Each file holds some of the keys of policy/ceiling.json, and can only tighten what the files
 * before it, by name, have said. What one of them has wrong refuses every run: nobody shall believe
 * that a limit holds which was misspelt. Somebody who asks for more is refused; a default that is
 * more is lowered. spec_finish() sees to it for every spec.
 *
 * Each file and the directory must be root's, and nobody else may be able to write to them; they
 * are judged by descriptor. An ordinary user can bring a glovebox of his own, which reads no such
 * file: for him it is the administrator's default, and no wall.
 *
 * Touches the OS. Runs: anywhere outside. Needs: the right to read the files.
 */
#ifndef GLOVEBOX_SPEC_POLICY_H
#define GLOVEBOX_SPEC_POLICY_H

#include "base/buf.h"
#include "spec/setting.h"
#include "spec/spec.h"

#define POLICY_DIRECTORY "/etc/glovebox/policy.d"

struct policy {
	struct sandbox_spec ceiling; /* nobody's sandbox; without an arena: nothing has a ceiling */
	const char *from[64 * SETTING_GIVEN]; /* by row of run_settings: the file that bounds it */
};

/*
 * policy_read - every file. Without the directory it is one openat(2).
 *
 * @out  owned by the caller: policy_fini(). On error nothing has to be ended.
 * Errors: ERR_INPUT, ERR_SYSTEM, naming the file, and the key with its path.
 */
int policy_read(struct policy *out, struct err *e);
void policy_fini(struct policy *p);
#define auto_policy __attribute__((cleanup(policy_fini)))

/*
 * policy_apply - bound the rows of a table that have the name of a row with a ceiling.
 * Errors: those of policy_read(); ERR_LIMIT: --memory: 4g is more than the ceiling of 2g in FILE.
 */
int policy_apply(const struct setting_table *table, struct err *e);

/* The same for a sandbox, whose CPUs can be said in two ways. */
int policy_apply_to_spec(struct sandbox_spec *s, struct err *e);

/* One line for each ceiling, without a newline behind the last: "memory 2g (FILE)". */
void policy_write(const struct policy *p, const char *between, struct buf *out);

#endif
