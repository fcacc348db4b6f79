/*
 * key - what a warm Python has in common with every cell made from it, and whether a run can be one
 * of them.
 *
 * An interpreter reads some things once, when it starts: its own version, the image, the user,
 * certain variables. A run that agrees in these with a nursery can begin as a copy of it;
 * everything else is set afterwards.
 *
 * Runs: client, supervisor. Needs: read access to the image.
 */
#ifndef GLOVEBOX_WIRE_KEY_H
#define GLOVEBOX_WIRE_KEY_H

#include "base/buf.h"
#include "base/err.h"
#include "sandbox/sandbox.h"

#define WARM_NOT_A_PYTHON "the program is not a Python of the image"

enum warm_python {
	WARM_PYTHON_FITS,
	WARM_PYTHON_IS_NONE,   /* it is not CPython, or not the image's */
	WARM_PYTHON_IS_VENV,   /* it is that of a virtual environment (PEP 405) */
	WARM_PYTHON_IS_HIDDEN, /* a mount lies over it, or over what belongs to it */
};

/*
 * warm_key - the common part as text: equal texts, equal interpreters.
 * @s  opened. @python  argv[0], or the interpreter that it stands for.
 * Returns 0, or -1 when `python` is not a Python of the image.
 */
int warm_key(const struct sandbox *s, const char *python, struct buf *out);

/*
 * warm_refusal - why no nursery can serve this run; NULL: one may.
 * @s     opened.
 * @skip  out: words of argv before the interpreter (`timeout 30`), which we implement instead; and
 *        the time that they give, or 0.
 */
const char *warm_refusal_of_limits(const struct sandbox *s); /* whatever its command line */
const char *warm_refusal_of_python(const struct sandbox *s, const char *python); /* argv[0] */
const char *warm_refusal(const struct sandbox *s, unsigned *skip, uint64_t *timeout_ms);

/* The same as warm_refusal_of_python(), for code that decides by it. */
enum warm_python warm_look_at_python(const struct sandbox *s, const char *python);

#endif
