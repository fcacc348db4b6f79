/*
 * err - the one error type.
 *
 * Every fallible function returns 0 or -1 and fills a caller's struct err; the whole error path is
 * `return err_sys(e, "open %s", path);`. The struct has a fixed size and owns nothing, so the code
 * behind the boundary (runtime/inside) fills the same struct without a heap and sends it to the
 * monitor in one write.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_ERR_H
#define GLOVEBOX_BASE_ERR_H

#include <errno.h>
#include <stdbool.h>

enum err_kind {
	ERR_NONE,
	ERR_INPUT,       /* the request is invalid; the text names the reason and the remedy */
	ERR_USAGE,       /* the same for the command line: point to the command's help */
	ERR_UNSUPPORTED, /* this host cannot enforce the request; the text gives the remedy */
	ERR_NOT_FOUND,   /* an image, a name, a command in the sandbox: exit 127 for commands */
	ERR_EXISTS,      /* the thing to be made exists already */
	ERR_BUSY,        /* another process has it: the same request may succeed later */
	ERR_GONE,        /* it existed and has ended; the text says why */
	ERR_DENIED,      /* found, but not executable (exit 126), or not allowed to the caller */
	ERR_LIMIT,       /* a limit of ours or of the machine is reached */
	ERR_SYSTEM,      /* a system call failed; `number` is its errno */
	ERR_KINDS,
};

struct err {
	enum err_kind kind;
	int number;               /* errno; 0: the text is complete */
	unsigned long namespaces; /* CLONE_NEW* that the kernel refused; else 0 */
	bool no_process;          /* the kernel refused a new process */
	char text[500];           /* "open /x/y"; always terminated */
};

/*
 * Set *e. The macros have the value -1, for the return statement, and show it to static analysis.
 * err_sys() reports the errno at the call.
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
 * word ERR_NONE. Programs decide by the kind only; the text is for people and may change.
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
 * err_string - write the error as one line for people, without a newline. It escapes untrusted text
 * for the terminal (base/escape.h).
 *
 * @out_size  at least 1; characters are written whole or not at all.
 * Returns out.
 */
const char *err_string(const struct err *e, char *out, unsigned long out_size)
	__attribute__((nonnull(1, 2)));

#endif
