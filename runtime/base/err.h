/*
 * err - the one error type.
 *
 * Every fallible function returns 0 or -1 and fills a caller's struct err; the
 * whole error path is `return err_sys(e, "open %s", path);`. The struct has a
 * fixed size and owns nothing, so the code behind the boundary (runtime/inside)
 * fills the same struct without a heap and sends it home in one write.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_ERR_H
#define GLOVEBOX_BASE_ERR_H

#include <errno.h>
#include <stdbool.h>

enum err_kind {
	ERR_NONE,
	ERR_INPUT, /* the request is wrong; the text names the thing and the remedy */
	ERR_USAGE, /* the same for the command line (no such flag): point to the command's help */
	ERR_UNSUPPORTED, /* this host cannot enforce what was asked; the text says what would */
	ERR_NOT_FOUND,   /* an image, a name, a command in the sandbox: exit 127 for commands */
	ERR_EXISTS,      /* what should be made exists already */
	ERR_BUSY,        /* somebody else has it: the same request may succeed later */
	ERR_GONE,        /* it existed and has ended; the text says why */
	ERR_DENIED,      /* found, but not executable (exit 126), or not allowed to the caller */
	ERR_LIMIT,       /* a bound of ours or of the machine's is reached */
	ERR_SYSTEM,      /* a system call failed; `number` is its errno */
	ERR_KINDS,
};

struct err {
	enum err_kind kind;
	int number;               /* errno, or 0 when the text says everything */
	unsigned long namespaces; /* CLONE_NEW* that the kernel refused; else 0 */
	bool no_process;          /* what the kernel refused is a new process */
	char text[500];           /* "open /x/y"; always terminated */
};

/*
 * Set *e. Each has the value -1, to be returned: macros show static analysis that value. err_sys()
 * reports the errno at the call.
 */
#define err_set(e, kind, ...)                                                                      \
	({                                                                                         \
		err_fill((e), (kind), __VA_ARGS__);                                                \
		-1;                                                                                \
	})
#define err_input(e, ...)                                                                          \
	({                                                                                         \
		err_fill((e), ERR_INPUT, __VA_ARGS__);                                             \
		-1;                                                                                \
	})
#define err_sys(e, ...)                                                                            \
	({                                                                                         \
		err_fill_errno((e), __VA_ARGS__);                                                  \
		-1;                                                                                \
	})

/* Put context before the text: "image python: " + "open rootfs". Its value is -1, too. */
#define err_prefix(e, ...)                                                                         \
	({                                                                                         \
		err_wrap((e), __VA_ARGS__);                                                        \
		-1;                                                                                \
	})

/*
 * The kind as programs write it ("not_found"), and back. An unknown number is "system", an unknown
 * word ERR_NONE. Programs decide by the kind alone; the text is for people and may change.
 */
const char *err_kind_name(enum err_kind kind);
enum err_kind err_kind_of(const char *name) __attribute__((nonnull(1)));

void err_fill(struct err *e, enum err_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4), nonnull(1, 3)));
void err_fill_errno(struct err *e, const char *format, ...)
	__attribute__((format(printf, 2, 3), nonnull(1, 2)));
void err_wrap(struct err *e, const char *format, ...)
	__attribute__((format(printf, 2, 3), nonnull(1, 2)));

/*
 * err_string - the error as one line for people, without a newline. What it quotes from strangers
 * is made safe for a terminal (base/escape.h).
 *
 * @out_size  at least 1; a character that does not fit is left out as a whole.
 * Returns out.
 */
const char *err_string(const struct err *e, char *out, unsigned long out_size)
	__attribute__((nonnull(1, 2)));

#endif
