/*
 * policy - the operator's ceilings: /etc/glovebox/policy.d/NAME.json.
 *
 * Each file holds some of the keys of policy/ceiling.json, and can only tighten what the files
 * before it, by name, have said. An invalid file refuses every run: a misspelt limit must not seem
 * to hold. A value beyond a ceiling is refused; a default beyond it is lowered. spec_finish()
 * applies the ceilings to every spec.
 *
 * Only root may own and write to the directory and its files; they are judged by descriptor. A user
 * can build a glovebox that reads no such file: the ceilings are the administrator's defaults, not
 * a security boundary.
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
	struct sandbox_spec ceiling; /* never run; without an arena: nothing has a ceiling */
	const char *from[64 * SETTING_GIVEN]; /* by row of run_settings: the file that bounds it */
};

/*
 * policy_read - read every file. Without the directory this costs one openat(2).
 *
 * @out  owned by the caller: policy_fini(). On error it owns nothing.
 * Errors: ERR_INPUT, ERR_SYSTEM, naming the file, and the key with its path.
 */
int policy_read(struct policy *out, struct err *e);
void policy_fini(struct policy *p);
#define auto_policy __attribute__((cleanup(policy_fini)))

/*
 * policy_apply - bound each row of a table whose name has a ceiling.
 * Errors: those of policy_read(); ERR_LIMIT: --memory: 4g is more than the ceiling of 2g in FILE.
 */
int policy_apply(const struct setting_table *table, struct err *e);

/* The same for a spec, where two flags set the CPUs. */
int policy_apply_to_spec(struct sandbox_spec *s, struct err *e);

/* Append one line per ceiling: "memory 2g (FILE)". @between: the separator of lines. */
void policy_write(const struct policy *p, const char *between, struct buf *out);

#endif
