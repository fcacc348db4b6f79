/*
 * display_marks - where displays stand among what a call prints.
 *
 * The interpreter of a session writes a mark into its standard output at each display() and
 * plt.show() (rootfs/guest/display.py). What was displayed comes with the answer, in the same
 * order. struct display_marks takes the marks out of the stream, and tells the stream's sink where
 * one stood; struct display_places remembers that.
 *
 * The stream is hostile: foreign code can write marks, too many or none, and deceives only who
 * reads what it shows. A mark has a fixed length, and belongs to one call; what is none passes
 * unchanged. No more than a mark's bytes are held back, no more than DISPLAYS_MAX marks are taken
 * out, and time is linear in the bytes.
 *
 * No side effects but the sink's. Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_DISPLAY_MARKS_H
#define GLOVEBOX_CLIENT_DISPLAY_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sink.h"

#define DISPLAYS_MAX       1001 /* display.py: 1,000 of a call, and what says how many were left out */
#define DISPLAY_MARK       "\036display-" /* and the number of the request, 8 digits of hex */
#define DISPLAY_MARK_BYTES (sizeof(DISPLAY_MARK) - 1 + 8)

/* All zero before it begins. */
struct display_marks {
	char mark[DISPLAY_MARK_BYTES + 1];
	size_t held; /* the stream ends, so far, in so many bytes of a mark */
	size_t count;
	uint64_t left;         /* bytes that may pass; the rest is dropped */
	bool truncated;        /* and some was */
	const struct sink *to; /* borrowed: a buffer, a function; its descriptor is not used */
};

/*
 * display_marks_begin - @id  of the request. @most  bytes, marks not among them.
 * Returns the sink that standard output goes to, and from there to *to.
 */
struct sink display_marks_begin(struct display_marks *m, uint32_t id, uint64_t most,
				const struct sink *to);

/* The stream is over: what looked like the beginning of a mark was none. Safe on a zeroed one. */
void display_marks_end(struct display_marks *m);

/* The places of displays in a text. A zeroed one with its `text` is new. */
struct display_places {
	const struct buf *text; /* borrowed */
	size_t count;
	size_t at[DISPLAYS_MAX]; /* bytes of the text before it; never falls */
};

/* The next display stands at the end of what the text has now: a sink's `display`. */
void display_places_add(void *places);

/*
 * display_places_at - how many bytes of the text stand before a display.
 * A display without a place stands at the end, as does one in what was cut off.
 */
size_t display_places_at(const struct display_places *p, size_t number);

/*
 * display_places_copy - append the text from `from` up to the place of a display, with a newline
 * if that ends no line. Returns where the next piece begins.
 */
size_t display_places_copy(const struct display_places *p, size_t from, size_t number,
			   struct buf *out);

/* Append "displays_at":[...]: how many characters of the text, in JSON, stand before each. */
void display_places_put(const struct display_places *p, struct buf *out);

#endif
