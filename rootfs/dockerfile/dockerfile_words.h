/*
 * dockerfile_words - expand quotes and variables in the words of a Dockerfile, as docker does.
 *
 *   $X ${X}    the value, "" without one      ${X:-word}  word unless X has a value that is not ""
 *   ${X-word}  word unless X is set           ${X:+word}  word if it has one
 *   ${X+word}  word if X is set               ${X:?word} ${X?word}  without one: a refusal
 *
 * Text and values are not trusted. No side effects.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_WORDS_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_WORDS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/list.h"

#define DOCKERFILE_WORD_MAX     (64u << 10) /* most bytes of one expanded word */
#define DOCKERFILE_EXPANDED_MAX (32u << 20) /* most bytes of all expanded words of one file */
#define DOCKERFILE_ITEM_BYTES   32u         /* memory of a word besides its bytes, about */

struct dockerfile_words {
	char escape;
	/* The value of a variable; NULL: not set. */
	const char *(*value)(void *context, const char *name);
	void *context;
	size_t *expanded; /* bytes of all expanded words so far; NULL: not counted */
};

/*
 * dockerfile_expand - append the expanded text: without quotes, with values.
 * Errors: ERR_INPUT: a form that docker's parser does not know, or more than DOCKERFILE_WORD_MAX,
 * or than DOCKERFILE_EXPANDED_MAX with the words before.
 */
int dockerfile_expand(const struct dockerfile_words *w, const char *text, struct buf *out,
		      struct err *e);

/* The same, but keep quotes: for the lines of a heredoc. */
int dockerfile_expand_lines(const struct dockerfile_words *w, const char *text, struct buf *out,
			    struct err *e);

/* Count bytes of a word that is stored again. Errors: as above. */
int dockerfile_spend(const struct dockerfile_words *w, size_t length, struct err *e);

/* Split at blanks; quotes have no meaning, as when docker splits the paths of COPY. */
void dockerfile_cut(const char *text, struct list *out);

/* Split at blanks outside of quotes and not escaped. The words stay as they are. */
void dockerfile_cut_quoted(char escape, const char *text, struct list *out);

/*
 * dockerfile_pairs - the assignments of ENV and LABEL: NAME=VALUE..., or NAME VALUE alone.
 * @out  NAME=VALUE, expanded
 */
int dockerfile_pairs(const struct dockerfile_words *w, const char *text, struct list *out,
		     struct err *e);

#endif
