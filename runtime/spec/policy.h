/*
 * policy - the ceilings of a machine and of a caller: /etc/glovebox/policy.d/NAME.json, and one
 * file more.
 *
 * Each file holds some of the keys of policy/ceiling.json and of spec/policy_file.h, and can only
 * tighten what the files before it, by name, have said. An invalid file refuses every run: a
 * misspelt limit must not seem to hold. A value beyond a ceiling is refused; a default beyond it is
 * lowered. spec_finish() applies the ceilings to every spec.
 *
 * After them comes the file that GLOVEBOX_CEILING names: `glovebox engine --ceiling` bounds by it
 * what clients of its socket ask for. As it only tightens, anybody may set the variable.
 *
 * Only root may own and write to the directory and its files, and the user as well to the file of
 * the variable; they are judged by descriptor. A user
 * can build a glovebox that reads no such file: the ceilings are the administrator's defaults, not
 * a security boundary.
 *
 * Touches the OS. Runs: anywhere outside. Needs: the right to read the files.
 */
#ifndef GLOVEBOX_SPEC_POLICY_H
#define GLOVEBOX_SPEC_POLICY_H

#include "base/buf.h"
#include "spec/policy_file.h"
#include "spec/setting.h"
#include "spec/spec.h"

#define POLICY_DIRECTORY "/etc/glovebox/policy.d"
#define POLICY_VARIABLE  "GLOVEBOX_CEILING"

struct policy {
	struct sandbox_spec ceiling; /* only its limits: the least of all files */
	struct policy_file *files;   /* owned */
	size_t file_count;
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
