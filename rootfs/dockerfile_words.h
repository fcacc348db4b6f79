/*
 * dockerfile_words - quotes and variables in the words of a Dockerfile, as docker replaces them.
 *
 *   $X ${X}    the value, "" without one      ${X:-word}  word unless X has a value that is not ""
 *   ${X-word}  word unless X is set           ${X:+word}  word if it has one
 *   ${X+word}  word if X is set               ${X:?word} ${X?word}  without one: a refusal
 *
 * The text is a stranger's, and so are the values. No side effects.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_WORDS_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_WORDS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/list.h"

#define DOCKERFILE_WORD_MAX     (64u << 10) /* bytes that one may become */
#define DOCKERFILE_EXPANDED_MAX (32u << 20) /* bytes that all words of one file may become */
#define DOCKERFILE_ITEM_BYTES   32u         /* memory of a word beside its bytes, about */

struct dockerfile_words {
	char escape;
	/* The value of a variable; NULL: it is not set. */
	const char *(*value)(void *context, const char *name);
	void *context;
	size_t *expanded; /* what all words have become so far; NULL: nobody counts */
};

/*
 * dockerfile_expand - append what the text stands for: without quotes, with values.
 * Errors: ERR_INPUT: a form that docker's parser does not know, or more than DOCKERFILE_WORD_MAX,
 * or DOCKERFILE_EXPANDED_MAX with the words before.
 */
int dockerfile_expand(const struct dockerfile_words *w, const char *text, struct buf *out,
		      struct err *e);

/* The same, with quotes left as they are: the lines of a heredoc. */
int dockerfile_expand_lines(const struct dockerfile_words *w, const char *text, struct buf *out,
			    struct err *e);

/* Count bytes of a word that is kept once more. Errors: as above. */
int dockerfile_spend(const struct dockerfile_words *w, size_t length, struct err *e);

/* Cut at blanks; quotes have no meaning, as docker cuts the paths of COPY. */
void dockerfile_cut(const char *text, struct list *out);

/* Cut at blanks that are outside of quotes and not escaped. The words stay as they are. */
void dockerfile_cut_quoted(char escape, const char *text, struct list *out);

/*
 * dockerfile_pairs - the assignments of ENV and LABEL: NAME=VALUE..., or NAME VALUE alone.
 * @out  NAME=VALUE, expanded
 */
int dockerfile_pairs(const struct dockerfile_words *w, const char *text, struct list *out,
		     struct err *e);

#endif
