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

enum err_kind {
	ERR_NONE,
	ERR_INPUT,       /* the request is wrong; the text names the thing and the remedy */
	ERR_UNSUPPORTED, /* this host cannot enforce what was asked; the text says what would */
	ERR_NOT_FOUND,   /* an image, a name, a command inside: exit 127 for commands */
	ERR_DENIED,      /* found, but not executable: exit 126 */
	ERR_SYSTEM,      /* a system call failed; `number` is its errno */
};

struct err {
	enum err_kind kind;
	int number;     /* errno, or 0 when the text says everything */
	char text[500]; /* "open /x/y"; always terminated */
};

/*
 * Set *e. The value of each is -1, to be returned: said by a macro, so that static
 * analysis of the callers knows it. err_sys() keeps the errno of its caller.
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

void err_fill(struct err *e, enum err_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4), nonnull(1, 3)));
void err_fill_errno(struct err *e, const char *format, ...)
	__attribute__((format(printf, 2, 3), nonnull(1, 2)));
void err_wrap(struct err *e, const char *format, ...)
	__attribute__((format(printf, 2, 3), nonnull(1, 2)));

/*
 * err_string - the error as one line for people, without a newline.
 * What the text quotes of strangers is safe for a terminal (base/escape.h).
 *
 * @out_size  at least 1; a character that does not fit is left out as a whole.
 * Returns out.
 */
const char *err_string(const struct err *e, char *out, unsigned long out_size)
	__attribute__((nonnull(1, 2)));

#endif
